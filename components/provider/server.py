"""The provider: makes a component of what a program in any language says."""

import json
import sys
from typing import Any

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult, Provider, main

from moka.components.provider.component_index import offers
from moka.components.provider.forms import Misfit, camel_case, form_of
from moka.components.provider.schema import schema
from moka.project import version


class ComponentProvider(Provider):
    """Serves the schema, and components by their tokens."""

    def __init__(self) -> None:
        """With the schema of this version."""
        super().__init__(version(), json.dumps(schema(version())))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Make a component. Raises InputPropertiesError for inputs that it does not take."""
        offer = offers().get(resource_type)
        if offer is None:
            raise pulumi.RunError(f"{name}: there is no component {resource_type}; correct its type.")
        try:
            arguments = () if offer.inputs is None else (offer.inputs.read(inputs, ""),)
        except Misfit as misfit:
            detail: Any = {"property_path": misfit.place, "reason": misfit.reason}
            raise InputPropertiesError(f"{resource_type} {name!r}", [detail]) from None
        make: Any = offer.component
        component = make(name, *arguments, opts=options)
        state = {
            camel_case(output): getattr(component, output)
            for output, annotation in offer.outputs.items()
            if form_of(annotation) is not None
        }
        return ConstructResult(component.urn, state)


def serve() -> None:
    """Answer the engine that started this process; does not return."""
    main(ComponentProvider(), sys.argv[1:])
