"""Pulls of images: what their rules need to know of AWS, as it describes itself."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from aws_rules.iam.evaluation import Policy, Role
from aws_rules.images.ecr import ECR_PULL, Registry
from aws_rules.images.machines import Machines, Way
from aws_rules.images.pull import Architectures, pull
from aws_rules.nodes.machine_images import ARCHITECTURES
from aws_rules.rule import Unknown, Verdict
from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import Api, account_api, not_found
from localcloud.plugins.aws.instance_types import described
from localcloud.plugins.aws.refusals.identities import Absent, Identities, document
from localcloud.plugins.aws.refusals.ways import group_ways
from localcloud.store import accounts, other_places

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
        try:
            machines = self.machines(group)
            also = [neighbours for name in others if name != group and (neighbours := self.machines(name))]
        except Absent as absent:
            yield Unknown(rule=ECR_PULL, resource=f"image {image} on node group {group}", lacks=str(absent))
            return
        if machines is None:
            return
        for lacks in sorted(self._identities.missing):
            yield Unknown(rule=ECR_PULL, resource=machines.name, lacks=lacks)
        yield from pull(
            image,
            machines,
            registry=self.registry,
            way=self.ways(group),
            architectures=architectures,
            others=also,
        )

    def machines(self, group: str) -> Machines | None:
        """The machines of a group; None once it is gone. Raises Absent where their role is not here."""
        try:
            answer = self._call("eks", "describe_nodegroup", clusterName=self.name, nodegroupName=group)
        except Exception as error:
            if not_found(error):
                return None
            raise
        settings = answer["nodegroup"]
        architectures = {
            ARCHITECTURES[name]
            for machine in described(self._api, self.region, settings["instanceTypes"])
            for name in machine["ProcessorInfo"]["SupportedArchitectures"]
            if name in ARCHITECTURES
        }
        return Machines(
            name=f"node group {group} of {self.name}",
            role=self._identities.role(settings["nodeRole"]),
            region=self.region,
            architectures=tuple(sorted(architectures)),
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
            roles=dict(_known_roles(Identities(api, region), roles)),
        )

    @cached_property
    def _identities(self) -> Identities:
        return Identities(self._api, self.region)

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


def _known_roles(iam: Identities, arns: Iterable[str]) -> Iterator[tuple[str, tuple[Role, Policy]]]:
    """Roles by their ARNs, with their trust policies; without those that this AWS has not."""
    for arn in arns:
        with suppress(Absent):
            yield arn, (iam.role(arn), iam.trust(arn))


def _policy(get: Any, member: str, **request: str) -> Policy | None:
    try:
        return document(get(**request)[member])
    except Exception as error:
        if not_found(error):
            return None
        raise
