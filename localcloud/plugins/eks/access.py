"""Who is let in to a cluster: its authentication mode, and the ConfigMap `aws-auth` where it goes by that.

Source: nodejs/eks/cluster/authenticationMode.ts of github.com/pulumi/pulumi-eks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from aws_rules.access import config_map, entries
from aws_rules.access.config_map import BOOTSTRAPPERS, NAME, NAMESPACE
from aws_rules.access.identity import NODES, USERNAMES
from localcloud.errors import Refusal

OF_CONFIG_MAP = ("roleMappings", "userMappings", "instanceRoles")


def by_config_map(mode: str | None) -> bool:
    """Whether a cluster of this mode goes by `aws-auth`, as it does by default."""
    return mode is None or mode in config_map.MODES


def by_entries(mode: str | None) -> bool:
    """Whether a cluster of this mode has access entries."""
    return mode in entries.MODES


def check(name: str, inputs: Mapping[str, Any]) -> None:
    """Raise Refusal, in the words of the real component, where the mode does not take an argument."""
    mode = inputs.get("authenticationMode")
    modes = (*config_map.MODES, *(mode for mode in entries.MODES if mode not in config_map.MODES))
    if mode is not None and mode not in modes:
        raise Refusal(
            f"eks.Cluster {name}: Invalid value for authenticationMode: {mode}. Allowed values are: "
            f"{', '.join(modes)}."
        )
    for argument in OF_CONFIG_MAP:
        if inputs.get(argument) and not by_config_map(mode):
            raise Refusal(
                f"eks.Cluster {name}: The '{argument}' property does not support non-empty values when "
                f"'authenticationMode' is set to '{mode}': give access with accessEntries."
            )
    if inputs.get("accessEntries") and not by_entries(mode):
        state = f"set to '{mode}'" if mode else "not set"
        raise Refusal(
            f"eks.Cluster {name}: The 'accessEntries' property is not supported when 'authenticationMode' "
            f"is {state}: set it to API."
        )


def node_access(
    name: str,
    instance_roles: Any,
    inputs: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> kubernetes.core.v1.ConfigMap:
    """The ConfigMap `aws-auth` with roles of machines, and with mappings of roles and users."""
    arns = pulumi.Output.from_input(instance_roles).apply(lambda roles: [role.arn for role in roles])
    roles = pulumi.Output.all(inputs.get("roleMappings") or [], arns)
    data = {"mapRoles": roles.apply(lambda values: map_roles(*values))}
    if inputs.get("userMappings"):
        data["mapUsers"] = pulumi.Output.from_input(inputs["userMappings"]).apply(
            lambda mappings: _yaml(mappings, "userarn", "userArn")
        )
    return kubernetes.core.v1.ConfigMap(
        f"{name}-nodeAccess",
        immutable=False,
        metadata={
            "name": NAME,
            "namespace": NAMESPACE,
            "annotations": {"pulumi.com/patchForce": "true"},
        },
        data=data,
        opts=opts,
    )


def map_roles(mappings: Sequence[Mapping[str, Any]], machines: Sequence[str]) -> str:
    """The member of roles: those that are mapped, then those of machines."""
    nodes = (
        {"roleArn": arn, "username": USERNAMES["EC2_LINUX"], "groups": [BOOTSTRAPPERS, NODES]}
        for arn in machines
    )
    return _yaml([*mappings, *nodes], "rolearn", "roleArn")


class _Dumper(yaml.SafeDumper):
    """Indents lists, as the YAML of the real component does."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _yaml(mappings: Sequence[Mapping[str, Any]], member: str, arn: str) -> str:
    things = [
        {member: mapping[arn], "username": mapping["username"], "groups": list(mapping["groups"])}
        for mapping in mappings
    ]
    text: str = yaml.dump(things, Dumper=_Dumper, sort_keys=False, width=float("inf"))
    return text
