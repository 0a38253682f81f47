"""The network as the laptop's AWS describes it, and who reaches an API server in it."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any

from aws_rules.network import ANSWERS, Interface, Network
from aws_rules.network.deployer import unreached
from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import Api, account_api
from localcloud.plugins.aws.refusals.templates import template_data
from localcloud.store import other_places
from localcloud.unknowns import refuse

DNS = ("enableDnsSupport", "enableDnsHostnames")


def load(
    api: Api,
    region: str = "",
    *,
    policies: tuple[Mapping[str, Any], ...] = (),
    namespaces: Mapping[str, Mapping[str, str]] | None = None,
) -> Network:
    """The network of an account and region, with its clusters.

    policies, namespaces: NetworkPolicies and labels of namespaces of a cluster, to ask about its pods.
    """
    region = region or api.region
    answers = {name: _all(api, region, operation, name) for name, (operation, _) in ANSWERS.items()}
    return Network(
        region=region,
        answers=answers,
        dns={vpc["VpcId"]: resolves_names(api, region, vpc["VpcId"]) for vpc in answers["Vpcs"]},
        clusters={
            name: api.call("eks", "describe_cluster", {"name": name}, region)["cluster"]
            for name in api.call("eks", "list_clusters", {}, region)["clusters"]
        },
        policies=policies,
        namespaces=namespaces or {},
    )


def nodes(api: Api, cluster: str, group: str, region: str = "") -> list[Interface]:
    """The primary interface of a node of a group, one for each of its subnets.

    With the security groups of its launch template, else the cluster's, as EKS gives them:
    https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
    """
    key = {"clusterName": cluster, "nodegroupName": group}
    group_data = api.call("eks", "describe_nodegroup", key, region)["nodegroup"]
    data = template_data(api, region, group_data.get("launchTemplate") or {})
    config = api.call("eks", "describe_cluster", {"name": cluster}, region)["cluster"]["resourcesVpcConfig"]
    groups = (config["clusterSecurityGroupId"],)
    return interfaces(api, group, group_data["subnets"], data, groups, region)


def interfaces(
    api: Api,
    group: str,
    subnet_ids: Sequence[str],
    data: Mapping[str, Any],
    default_groups: tuple[str, ...],
    region: str = "",
) -> list[Interface]:
    """The primary interface of a machine of a group, one for each of its subnets.

    data: of its launch template. default_groups: security groups where that names none.
    """
    interface: Mapping[str, Any] = next(iter(data.get("NetworkInterfaces") or ()), {})
    groups = tuple(data.get("SecurityGroupIds") or interface.get("Groups") or ()) or default_groups
    subnets = api.call("ec2", "describe_subnets", {"SubnetIds": list(subnet_ids)}, region)["Subnets"]
    return [
        Interface(
            name=f"node of {group} in {subnet['SubnetId']}",
            subnet=subnet["SubnetId"],
            groups=groups,
            public=bool(interface.get("AssociatePublicIpAddress", subnet.get("MapPublicIpOnLaunch"))),
        )
        for subnet in subnets
    ]


def refuse_unreachable(
    cloud: Cloud, endpoint: str, cluster: str, api_server: str, deployer: IPv4Network | None
) -> None:
    """Raise Refusal when the API server of a cluster is not reached from where `up` runs.

    endpoint: of the laptop's AWS. api_server: URL of the API server.
    """
    for account, region in other_places(cloud, ("", ""), "eks", "cluster", cluster):
        network = load(account_api(cloud, endpoint, account, region))
        if cluster in network.clusters:
            refuse(cloud, unreached(network, cluster, deployer, api_server))


def _all(api: Api, region: str, operation: str, name: str) -> list[dict[str, Any]]:
    members: list[dict[str, Any]] = api.call("ec2", operation, {}, region)[name]
    return members


def resolves_names(api: Api, region: str, vpc: str) -> bool:
    """Whether a VPC resolves the private names of endpoints and clusters."""
    return all(
        api.call("ec2", "describe_vpc_attribute", {"VpcId": vpc, "Attribute": attribute}, region)[
            attribute[0].upper() + attribute[1:]
        ]["Value"]
        for attribute in DNS
    )
