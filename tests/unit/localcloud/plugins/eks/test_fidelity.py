"""The `eks` plugin takes and gives nothing that pulumi_eks would not."""

import typing
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pytest
from pulumi import _types

from localcloud.plugins.eks import kubeconfig
from localcloud.plugins.eks.arguments import (
    ADDON,
    CLUSTER,
    CNI,
    KUBECONFIG,
    MANAGED_NODE_GROUP,
    NODE_GROUP,
    SIMPLE_ADDON,
    VPC_CNI_ADDON,
)
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.managed_node_group import ManagedNodeGroup
from localcloud.plugins.eks.plugin import COMPONENTS

ARGUMENTS = [
    (CLUSTER, eks.ClusterArgs),
    (MANAGED_NODE_GROUP, eks.ManagedNodeGroupArgs),
    (NODE_GROUP, eks.NodeGroupV2Args),
    (CLUSTER.nested["fargate"], eks.FargateProfileArgs),
    (ADDON, eks.AddonArgs),
    (VPC_CNI_ADDON, eks.VpcCniAddonArgs),
    (CNI, eks.VpcCniOptionsArgs),
    (KUBECONFIG, eks.KubeconfigOptionsArgs),
    (SIMPLE_ADDON, eks.CoreDnsAddonOptionsArgs),
    (SIMPLE_ADDON, eks.KubeProxyAddonOptionsArgs),
]

CLUSTER_INPUTS = {
    "name": "spark-a",
    "vpcId": "vpc-1",
    "publicSubnetIds": ["subnet-1"],
    "privateSubnetIds": ["subnet-2"],
    "authenticationMode": "API",
    "skipDefaultNodeGroup": True,
    "encryptionConfigKeyArn": "arn:aws:kms:::key/k",
    "tags": {"team": "spark"},
    "accessEntries": {"me": {"principalArn": "arn:aws:iam::111122223333:role/me"}},
}


@pytest.fixture
def outputs(deploy, monkeypatch):
    """What a component gives out, every output resolved."""
    monkeypatch.setattr(kubeconfig, "for_cluster", lambda *_: {"kind": "Config"})

    def of(component, inputs) -> dict[str, Any]:
        outputs: dict[str, Any] = {}

        def program():
            resource = component("spark-a", inputs, None)
            pulumi.Output.from_input(resource.outputs).apply(outputs.update)

        deploy(program)
        return outputs

    return of


@pytest.mark.parametrize(("arguments", "sdk"), ARGUMENTS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_argument_of_the_sdk_is_served_or_refused_and_there_is_no_other(arguments, sdk):
    theirs = set(_types.input_type_py_to_pulumi_names(sdk).values())

    assert arguments.served | arguments.refused.keys() == theirs
    assert not arguments.served & arguments.refused.keys()
    assert arguments.nested.keys() | arguments.required.keys() <= arguments.served


def test_every_component_has_the_type_of_the_sdk_class_of_its_name():
    for type, component in COMPONENTS.items():
        sdk = getattr(eks, component.__name__)
        assert sdk.pulumi_type == type


def test_a_cluster_gives_out_what_the_sdk_takes(outputs):
    exported = outputs(Cluster, CLUSTER_INPUTS)

    assert exported
    assert_typed(exported, _types.resource_types(eks.Cluster))
    assert_typed(exported["core"], _types.output_type_types(eks.outputs.CoreData))
    assert_typed(
        exported["core"]["nodeGroupOptions"], _types.output_type_types(eks.outputs.ClusterNodeGroupOptions)
    )


def test_a_cluster_without_security_groups_of_its_own_gives_out_what_the_sdk_takes(outputs):
    exported = outputs(Cluster, CLUSTER_INPUTS | {"skipDefaultSecurityGroups": True})

    assert_typed(exported, _types.resource_types(eks.Cluster))
    assert exported["clusterSecurityGroupId"] == exported["nodeSecurityGroupId"] == "sg-cluster"


def test_a_node_group_gives_out_what_the_sdk_takes(outputs):
    def of_a_cluster(name, inputs, opts):
        cluster = aws.eks.Cluster(
            "c",
            role_arn="arn:aws:iam::111122223333:role/r",
            vpc_config={"subnet_ids": []},
            access_config={"authentication_mode": "API"},
        )
        return ManagedNodeGroup(name, {**inputs, "cluster": {"cluster": cluster}}, opts)

    exported = outputs(
        of_a_cluster, {"nodeRoleArn": "arn:aws:iam::111122223333:role/n", "subnetIds": ["subnet-1"]}
    )

    assert exported.keys() == {"nodeGroup", "placementGroupName"}
    assert_typed(exported, _types.resource_types(eks.ManagedNodeGroup))


def assert_typed(values: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Every value has a name of the SDK's and is of its type there."""
    assert values.keys() <= types.keys()
    for name, value in values.items():
        assert is_of(value, types[name]), f"{name} is {value!r}, and should be {types[name]}"


def is_of(value: Any, type: Any) -> bool:
    if type is Any:
        return True
    origin = typing.get_origin(type)
    if origin in (Sequence, list):
        return isinstance(value, list) and all(is_of(member, typing.get_args(type)[0]) for member in value)
    if origin in (Mapping, dict):
        return isinstance(value, Mapping) and all(
            is_of(member, typing.get_args(type)[1]) for member in value.values()
        )
    if _types.is_output_type(type):
        return isinstance(value, Mapping) and value.keys() <= _types.output_type_types(type).keys()
    if issubclass(type, pulumi.Resource):
        return isinstance(value, pulumi.Resource) and value.pulumi_resource_type == type.pulumi_type
    return isinstance(value, type)
