"""How the tables of cases are written."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policies.pack.resource import Resource

STACK = "prod"
CLUSTER_PROVIDER = f"urn:pulumi:{STACK}::moka::pulumi:providers:kubernetes::spark-a"


@dataclass(frozen=True)
class Case:
    """Resources, and whether a rule lets them ship.

    says: what the sentence of the refusal contains.
    parameters: of the rule that differ from its own.
    chart: whether the charts of releases can be rendered.
    """

    rule: str
    refused: bool
    resources: Sequence[Resource]
    says: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    chart: bool = True


def passing(rule: str, *resources: Resource, **parameters: Any) -> Case:
    """What the rule lets ship."""
    return Case(rule, False, resources, parameters=parameters)


def failing(rule: str, *resources: Resource, says: str = "", chart: bool = True, **parameters: Any) -> Case:
    """What the rule refuses, in a sentence that contains `says`."""
    return Case(rule, True, resources, says, parameters, chart)


def urn(type: str, name: str) -> str:
    return f"urn:pulumi:{STACK}::moka::{type}::{name}"


def a(
    type: str,
    inputs: Mapping[str, Any] | None = None,
    name: str = "example",
    *,
    protected: bool = False,
    reads: Mapping[str, str | Sequence[str]] | None = None,
) -> Resource:
    """A resource. reads: input -> URN, or URNs, that it comes from."""
    urns = {key: [value] if isinstance(value, str) else list(value) for key, value in (reads or {}).items()}
    provider = CLUSTER_PROVIDER if type.startswith("kubernetes:") else ""
    return Resource(
        type, name, urn(type, name), inputs or {}, protected=protected, reads=urns, provider=provider
    )


def document(*statements: Mapping[str, Any]) -> str:
    """A policy of IAM."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
