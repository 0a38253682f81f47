"""Pulls of images: what their rules need to know of AWS, as it describes itself."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import Api, account_api, not_found
from localcloud.plugins.aws.instance_types import described
from localcloud.plugins.aws.refusals.identities import managed_policy
from localcloud.plugins.aws.refusals.ways import group_ways
from localcloud.plugins.aws.store import accounts, other_places
from localcloud.rules.iam.evaluation import Policy, Role
from localcloud.rules.images.ecr import Registry
from localcloud.rules.images.machines import Machines, Way
from localcloud.rules.images.pull import Architectures, pull
from localcloud.rules.nodes.machine_images import ARCHITECTURES
from localcloud.rules.rule import Verdict

NOWHERE = ("", "")


def find_cluster(cloud: Cloud, endpoint: str, name: str) -> "Cluster | None":
    """What AWS has of a cluster; None where no account has one of this name."""
    for account, region in other_places(cloud, NOWHERE, "eks", "cluster", name):
        ways = group_ways(account_api(cloud, endpoint, account, region), region, name)
        return Cluster(cloud, endpoint, name, account, region, ways)
    return None


@dataclass
class Cluster:
    """A cluster, and what decides about its pulls; each thing is asked once.

    ways: node group -> how its machines reach hosts.
    """

    cloud: Cloud
    endpoint: str
    name: str
    account: str
    region: str
    ways: Callable[[str], Way]
    _registries: dict[tuple[str, str], Registry | None] = field(default_factory=dict)
    _roles: dict[str, Role] = field(default_factory=dict)

    def groups(self) -> list[str]:
        """Its node groups."""
        names: list[str] = self._call("eks", "list_nodegroups", clusterName=self.name)["nodegroups"]
        return names

    def pull(
        self, image: str, group: str, others: Iterable[str], architectures: Architectures
    ) -> Iterator[Verdict]:
        """What refuses that machines of a group pull an image.

        others: groups of the cluster that pull from Docker Hub.
        """
        machines = self.machines(group)
        if machines is None:
            return
        also = [neighbours for name in others if name != group and (neighbours := self.machines(name))]
        yield from pull(
            image,
            machines,
            registry=self.registry,
            way=self.ways(group),
            architectures=architectures,
            others=also,
        )

    def machines(self, group: str) -> Machines | None:
        """The machines of a group; None once it is gone."""
        try:
            answer = self._call("eks", "describe_nodegroup", clusterName=self.name, nodegroupName=group)
        except Exception as error:
            if not_found(error):
                return None
            raise
        settings = answer["nodegroup"]
        supported = {
            ARCHITECTURES[name]
            for machine in described(self._api, self.region, settings["instanceTypes"])
            for name in machine["ProcessorInfo"]["SupportedArchitectures"]
            if name in ARCHITECTURES
        }
        return Machines(
            name=f"node group {group} of {self.name}",
            role=self._role(settings["nodeRole"]),
            region=self.region,
            architectures=tuple(sorted(supported)),
            subnets=tuple(settings["subnets"]),
            maximum=settings["scalingConfig"]["maxSize"],
            addresses=self._addresses,
        )

    def registry(self, account: str, region: str) -> Registry | None:
        """The registry of an account and region; None where the laptop knows nothing of that account."""
        if (account, region) not in self._registries:
            known = account in accounts(self.cloud)
            self._registries[account, region] = self._registry(account, region) if known else None
        return self._registries[account, region]

    def _registry(self, account: str, region: str) -> Registry:
        api = account_api(self.cloud, self.endpoint, account, region)
        ecr = api.service("ecr", region)
        names = [
            repository["repositoryName"]
            for page in ecr.get_paginator("describe_repositories").paginate()
            for repository in page["repositories"]
        ]
        templates = ecr.describe_repository_creation_templates()["repositoryCreationTemplates"]
        roles = {template["customRoleArn"] for template in templates if template.get("customRoleArn")}
        return Registry(
            account=account,
            region=region,
            repositories={
                name: _policy(ecr.get_repository_policy, "policyText", repositoryName=name) for name in names
            },
            policy=_policy(ecr.get_registry_policy, "policyText"),
            caches=tuple(ecr.describe_pull_through_cache_rules()["pullThroughCacheRules"]),
            templates=tuple(templates),
            roles={arn: role(api, arn) for arn in roles},
        )

    def _role(self, arn: str) -> Role:
        if arn not in self._roles:
            self._roles[arn] = role(self._api, arn)[0]
        return self._roles[arn]

    @cached_property
    def _api(self) -> Api:
        return account_api(self.cloud, self.endpoint, self.account, self.region)

    @cached_property
    def _addresses(self) -> dict[str, str]:
        """Subnet -> the NAT gateway that its machines are seen as on the internet."""
        tables = self._call("ec2", "describe_route_tables")["RouteTables"]
        gateways: dict[str, str] = {}
        for table in tables:
            default = [r for r in table["Routes"] if r.get("DestinationCidrBlock") == "0.0.0.0/0"]
            gateway = next((r["NatGatewayId"] for r in default if r.get("NatGatewayId")), None)
            for association in table.get("Associations", ()):
                if gateway and association.get("SubnetId"):
                    gateways[association["SubnetId"]] = gateway
        return gateways

    def _call(self, service: str, operation: str, **members: Any) -> Any:
        return self._api.call(service, operation, members, self.region)


def role(api: Api, arn: str) -> tuple[Role, Policy]:
    """A role with its policies and its boundary, and its trust policy."""
    name = arn.rpartition("/")[2]
    iam = api.service("iam")
    described = iam.get_role(RoleName=name)["Role"]
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    inline = iam.list_role_policies(RoleName=name)["PolicyNames"]
    boundary = (described.get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn")
    policies = [
        *(managed_policy(iam, policy["PolicyArn"]) for policy in attached),
        *(iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"] for policy in inline),
    ]
    return (
        Role(
            arn=described["Arn"],
            policies=tuple(_document(policy) for policy in policies),
            boundary=_boundary(iam, boundary) if boundary else None,
        ),
        _document(described["AssumeRolePolicyDocument"]),
    )


def _boundary(iam: Any, arn: str) -> Policy | None:
    """A permissions boundary; None where the laptop has no such policy, and cannot tell what it allows."""
    try:
        return managed_policy(iam, arn)
    except Exception as error:
        if not_found(error):
            return None
        raise


def _policy(get: Any, member: str, **request: str) -> Policy | None:
    try:
        return _document(get(**request)[member])
    except Exception as error:
        if not_found(error):
            return None
        raise


def _document(policy: Any) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(policy) if isinstance(policy, str) else policy
    return document
