"""Rules of the API server itself for what is made and changed: a ValidatingAdmissionPolicy, bound."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

Spec = k8s.admissionregistration.v1.ValidatingAdmissionPolicySpecArgs

ADMINS = "system:masters"
"""Group of those who may do anything anyway."""


def bound_policy(
    name: str, policy_name: str, rules: Mapping[str, Any], child: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """Make a policy and its binding, both called `policy_name`: that name, known only once the rules hold."""
    policy = k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(name=policy_name),
        spec=cast(Spec, rules),
        opts=child,
    )
    binding = k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(name=policy_name),
        spec=k8s.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpecArgs(
            policy_name=policy.id.apply(lambda _: policy_name), validation_actions=["Deny"]
        ),
        opts=child,
    )
    return binding.id.apply(lambda _: policy_name)


def in_namespaces(
    namespaces: Sequence[str],
    resources: Sequence[tuple[str, Sequence[str]]],
    variables: Mapping[str, str],
    validations: Mapping[str, str],
) -> dict[str, Any]:
    """Spec of a policy, as Kubernetes writes it; while it cannot be evaluated, everything is refused.

    resources: API group, and its resources that are looked at when they are made or changed.
    variables: name -> CEL. validations: what must be true, in CEL -> the message where it is not.
    """
    names = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": sorted(namespaces)}
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "namespaceSelector": {"matchExpressions": [names]},
            "resourceRules": [
                {
                    "apiGroups": [group],
                    "apiVersions": ["*" if group else "v1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": list(kinds),
                }
                for group, kinds in resources
            ],
        },
        "variables": [{"name": name, "expression": expression} for name, expression in variables.items()],
        "validations": [
            {"expression": expression, "message": message, "reason": "Forbidden"}
            for expression, message in validations.items()
        ],
    }
