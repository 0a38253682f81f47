"""How many executors one job may ask for, enforced by the API server itself.

Without it, dynamic allocation has no upper end (Spark's `spark.dynamicAllocation.maxExecutors` is infinity by
default), and a mistake in one job makes pods until the API server has no room for those of others. A quota of
pods would hold that as well, but is one object that all pods of the namespace change, and where two change it
at once the API server refuses a pod: YuniKorn does not ask again for a placeholder that was refused.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import bound_policy, in_namespaces
from moka.names import JOB_SIZE

POLICY_NAME = JOB_SIZE


@dataclass(frozen=True, kw_only=True)
class JobSizeArgs:
    """executors: namespace -> executors that a job may ask for at the most, one namespace at least."""

    executors: Mapping[str, int]


class JobSize(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobSize`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, SparkApplications
    that ask for more executors, or for dynamic allocation without a maximum.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[list[str]]

    def __init__(self, name: str, args: JobSizeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobSize", name, {}, opts)
        bound = bound_policy(name, POLICY_NAME, rules(args.executors), pulumi.ResourceOptions(parent=self))
        self.namespaces = bound.apply(lambda _: list(args.executors))
        self.register_outputs({"namespaces": self.namespaces})


def rules(executors: Mapping[str, int]) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    return in_namespaces(
        list(executors),
        # Of whatever else the operator makes applications, these are looked at.
        (("sparkoperator.k8s.io", ("sparkapplications",)),),
        variables(executors),
        {**VALIDATIONS, **dict(_bound(most) for most in sorted(set(executors.values())))},
    )


COUNTS = {
    "executor.instances": "spark.executor.instances",
    "dynamicAllocation.minExecutors": "spark.dynamicAllocation.minExecutors",
    "dynamicAllocation.initialExecutors": "spark.dynamicAllocation.initialExecutors",
    "dynamicAllocation.maxExecutors": "spark.dynamicAllocation.maxExecutors",
}
"""Field of an application's spec with a number of executors -> Spark's key for the same."""

MAXIMUM, ELASTIC = "dynamicAllocation.maxExecutors", "dynamicAllocation.enabled"

VALIDATIONS = {
    "variables.demand == variables.before || !variables.elastic || variables.bounded": (
        "dynamic allocation needs a maximum in this namespace: set spec.dynamicAllocation.maxExecutors"
    ),
}
"""What must be true of an application, in CEL, and the message where it is not. What was there before a bound
was set or lowered goes on."""


def _bound(most: int) -> tuple[str, str]:
    """The validation of namespaces with one bound, and its message."""
    return (
        f"variables.most != {most} || variables.demand == variables.before || variables.counts.all(count, "
        f"count == '' || (count.matches('^[0-9]{{1,9}}$') && int(count) <= {most}))",
        f"a job of this namespace has at most {most} executors: lower executor.instances, or what "
        "dynamicAllocation says, or raise `executors_per_job` of the namespace in the settings",
    )


def variables(executors: Mapping[str, int]) -> dict[str, str]:
    """What the rules build on, in CEL: the bound, what an application says of executors, and said before."""
    return {
        "most": f"{json.dumps(dict(sorted(executors.items())))}[object.metadata.namespace]",
        "counts": _counts("object"),
        # As Spark reads a boolean.
        "elastic": (
            f"{_texts('object', ELASTIC, f'spark.{ELASTIC}')}.exists(text, "
            "text.matches('(?i)^[[:space:]]*true[[:space:]]*$'))"
        ),
        "bounded": f"{_texts('object', MAXIMUM, COUNTS[MAXIMUM])} != ['', '']",
        "demand": _demand("object"),
        "before": f"oldObject == null ? ['none'] : {_demand('oldObject')}",
    }


def _demand(thing: str) -> str:
    """All that an application says of executors: as many texts as there are places for it."""
    return f"({_counts(thing)} + {_texts(thing, ELASTIC, f'spark.{ELASTIC}')})"


def _counts(thing: str) -> str:
    return f"({' + '.join(_texts(thing, field, key) for field, key in COUNTS.items())})"


def _texts(thing: str, field: str, key: str) -> str:
    """What stands in a field of the spec, and under a key of Spark's, as text; empty where nothing does."""
    part, conf, path = (
        f"{thing}.spec.{field.split('.')[0]}",
        f"{thing}.spec.sparkConf",
        f"{thing}.spec.{field}",
    )
    return (
        f"[has({part}) && has({path}) ? string({path}) : '', "
        f"has({conf}) && '{key}' in {conf} ? string({conf}['{key}']) : '']"
    )
