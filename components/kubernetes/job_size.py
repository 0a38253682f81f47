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
    "executor": {"instances": "spark.executor.instances"},
    "dynamicAllocation": {
        "initialExecutors": "spark.dynamicAllocation.initialExecutors",
        "minExecutors": "spark.dynamicAllocation.minExecutors",
        "maxExecutors": "spark.dynamicAllocation.maxExecutors",
    },
}
"""Part of an application's spec -> its field with a number of executors -> Spark's key for the same."""

ELASTIC = "spark.dynamicAllocation.enabled"

VALIDATIONS = {
    "variables.counts == variables.before || !variables.elastic || variables.bounded": (
        "dynamic allocation needs a maximum in this namespace: set spec.dynamicAllocation.maxExecutors"
    ),
}
"""What must be true of an application, in CEL, and the message where it is not."""


def _bound(most: int) -> tuple[str, str]:
    """The validation of namespaces with one bound, and its message."""
    return (
        # What was there before a bound was lowered goes on.
        f"variables.most != {most} || variables.counts == variables.before || variables.counts.all(count, "
        f"count.matches('^[0-9]{{1,9}}$') && int(count) <= {most})",
        f"a job of this namespace has at most {most} executors: lower executor.instances, or what "
        "dynamicAllocation says, or raise `executors_per_job` of the namespace in the settings",
    )


def variables(executors: Mapping[str, int]) -> dict[str, str]:
    """What the rules build on, in CEL: the bound, numbers of executors now and before, dynamic allocation."""
    spec = "object.spec"
    elastic = _field(spec, "dynamicAllocation", "enabled")
    return {
        "most": f"{json.dumps(dict(sorted(executors.items())))}[object.metadata.namespace]",
        "counts": _counts("object"),
        "before": f"oldObject == null ? ['none'] : {_counts('oldObject')}",
        "elastic": f"'true' in ({elastic} + {_conf(spec, ELASTIC)})",
        "bounded": (
            f"size({_field(spec, 'dynamicAllocation', 'maxExecutors')} + "
            f"{_conf(spec, COUNTS['dynamicAllocation']['maxExecutors'])}) > 0"
        ),
    }


def _counts(thing: str) -> str:
    """Numbers of executors that an application says, as text."""
    spec = f"{thing}.spec"
    terms = [
        term
        for part, fields in COUNTS.items()
        for field, key in fields.items()
        for term in (_field(spec, part, field), _conf(spec, key))
    ]
    return f"({' + '.join(terms)})"


def _field(spec: str, part: str, field: str) -> str:
    path = f"{spec}.{part}"
    return f"(has({path}) && has({path}.{field}) ? [string({path}.{field})] : [])"


def _conf(spec: str, key: str) -> str:
    conf = f"{spec}.sparkConf"
    return f"(has({conf}) && '{key}' in {conf} ? [{conf}['{key}']] : [])"
