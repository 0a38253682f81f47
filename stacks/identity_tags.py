"""Tags by which a resource is found in AWS without the state: its logical name, and its environment.

The name is a resource's identity in the state, and these tags are the same in AWS: `moka recover` knows by
them what an update that was killed had made. Never change what they say.
"""

from collections.abc import Mapping
from typing import Any

import pulumi

from moka.names import RESOURCE_TAG, resource_tag

TAGGED_CHILDREN = frozenset(
    {
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:eks/accessEntry:AccessEntry",
        "aws:eks/addon:Addon",
        "aws:eks/cluster:Cluster",
        "aws:eks/nodeGroup:NodeGroup",
        "aws:iam/role:Role",
    }
)
"""Types with tags that the components of pulumi-eks make: elsewhere the SDK says which types have some."""


def add_identity(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    """The transformation of a stack that tags every AWS resource with its logical name.

    What pulumi-eks makes in a process of its own is reached by a transform of its components.
    """
    if args.type_.startswith("aws:") and "tags" in args.props:
        props = {**args.props, "tags": _with_name(args.props["tags"], args.name)}
        return pulumi.ResourceTransformationResult(props, args.opts)
    if args.type_.startswith("eks:"):
        reaching = pulumi.ResourceOptions(transforms=[_add_to_child])
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, reaching)
        )
    return None


def _add_to_child(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    if args.type_ not in TAGGED_CHILDREN:
        return None
    return pulumi.ResourceTransformResult(
        {**args.props, "tags": _with_name(args.props.get("tags"), args.name)}, args.opts
    )


def _with_name(tags: Any, name: str) -> Any:
    if tags is None or isinstance(tags, Mapping):
        return {**(tags or {}), RESOURCE_TAG: resource_tag(name)}
    return pulumi.Output.from_input(tags).apply(lambda resolved_tags: _with_name(resolved_tags, name))
