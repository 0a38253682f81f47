"""The schema of the package, of which Pulumi generates its SDKs for every language."""

import inspect
from typing import Any

from moka.components.provider.component_index import PACKAGE, Offer, offers
from moka.components.provider.forms import Record, Spec, camel_case, form_of, records


def schema(package_version: str) -> Spec:
    """The package as Pulumi describes packages.

    https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/
    """
    offered = offers()
    types: dict[str, Record] = {}
    for offer in offered.values():
        for record in records(offer.inputs):
            if record != offer.inputs:
                other = types.setdefault(record.token, record)
                assert other == record, f"{other.kind} and {record.kind} are both {record.token}"
    return {
        "name": PACKAGE,
        "version": package_version,
        "displayName": "moka",
        "description": "Components of a large-scale Apache Spark platform on Amazon EKS.",
        "license": "Apache-2.0",
        "language": {"nodejs": {"respectSchemaVersion": True}, "python": {"respectSchemaVersion": True}},
        "types": {token: record.described() for token, record in sorted(types.items())},
        "resources": {token: _resource(offer) for token, offer in offered.items()},
    }


def _resource(offer: Offer) -> Spec:
    inputs = offer.inputs.described() if offer.inputs else {"properties": {}, "required": []}
    outputs = {camel_case(name): _output(annotation) for name, annotation in offer.outputs.items()}
    outputs = {key: spec for key, spec in outputs.items() if spec is not None}
    return {
        "isComponent": True,
        "description": inspect.getdoc(offer.component) or "",
        "inputProperties": inputs["properties"],
        "requiredInputs": inputs["required"],
        "properties": outputs,
        "required": list(outputs),
    }


def _output(annotation: Any) -> Spec | None:
    """What a schema says of an output; None for what stays within Python, as another component."""
    form = form_of(annotation)
    return None if form is None else form.spec()
