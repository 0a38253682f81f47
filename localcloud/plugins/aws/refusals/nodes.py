"""Whether the machines of an EKS node group become nodes, by all that AWS knows of their surroundings."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.refusals.network import load, nodes
from localcloud.plugins.aws.refusals.permissions.machines import group_verdicts
from localcloud.plugins.aws.subject import Subject
from localcloud.rules.network import Network
from localcloud.rules.nodes.add_ons import node_add_ons
from localcloud.rules.nodes.addresses import Machines, Need, PodNetwork, free_addresses, needs
from localcloud.rules.nodes.machine_images import fits_image
from localcloud.rules.nodes.offerings import offered
from localcloud.rules.nodes.templates import group_template
from localcloud.rules.nodes.ways import node_ways
from localcloud.rules.rule import Verdict
from localcloud.unknowns import refuse

CNI_ACCOUNT = ("kube-system", "aws-node")
"""Namespace and service account of the VPC CNI."""

FIRST_PODS = 1
"""Pods that have addresses before a node is ready: with prefixes, the first prefix holds them."""


def misfit(subject: Subject) -> None:
    """Refuse a node group whose instance types do not fit its machine image."""
    ami_type, types = subject.inputs.get("amiType"), subject.inputs.get("instanceTypes")
    if not ami_type or not types:
        return
    members = {"InstanceTypes": list(dict.fromkeys(types))}
    described = subject.api.call("ec2", "describe_instance_types", members, subject.region)["InstanceTypes"]
    name = f"node group {subject.properties['nodeGroupName']} of {subject.properties['clusterName']}"
    refuse(subject.api.cloud, fits_image(name, ami_type, described))


def template(subject: Subject) -> None:
    """Refuse a node group whose launch template has what EKS sets itself."""
    template = subject.inputs.get("launchTemplate")
    if isinstance(template, Mapping):
        name = f"node group {subject.properties['nodeGroupName']} of {subject.properties['clusterName']}"
        data = template_data(subject.api, subject.region, template)
        refuse(subject.api.cloud, group_template(name, data, subject.inputs))


def template_data(api: Api, region: str, template: Mapping[str, Any]) -> dict[str, Any]:
    """Data of a group's launch template, in the version that the group has."""
    if "id" not in template:
        return {}
    request = {"LaunchTemplateId": template["id"], "Versions": [str(template.get("version", "$Default"))]}
    answer = api.call("ec2", "describe_launch_template_versions", request, region)
    data: dict[str, Any] = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def check(subject: Subject, group: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the machines of a node group from becoming nodes; data: of its launch template."""
    identities = Identities(subject.api, subject.region)
    return Joining(identities, load(subject.api, subject.region), group).verdicts()


class Joining:
    """A node group, as EKS describes it, about to have machines in a network."""

    def __init__(self, identities: Identities, network: Network, group: Mapping[str, Any]) -> None:
        self.identities, self.network, self.group = identities, network, group
        self.api, self.region = identities.api, identities.region
        self.cluster = group["clusterName"]
        self.name = f"node group {group['nodegroupName']} of {self.cluster}"

    def verdicts(self) -> Iterator[Verdict]:
        """What EKS and EC2 would refuse of it."""
        types = self.group["instanceTypes"]
        yield from offered(self.name, types, self._zones, self._offerings(types))
        yield from free_addresses(self.name, self._key, self._needs(), self.subnets)
        yield from self.surroundings()

    def surroundings(self) -> Iterator[Verdict]:
        """What keeps any machine of it from being a node: the cluster's add-ons, roles, ways."""
        yield from node_add_ons(
            self.name,
            self.add_ons,
            self_managed=bool(
                (self._eks.store.get("bootstrap", self.cluster) or {}).get("selfManagedAddons")
            ),
            cni_by_pod_identity=self._cni_by_pod_identity(),
        )
        yield from group_verdicts(self.identities, self.group)
        yield from node_ways(
            self.name,
            self.network,
            self.cluster,
            nodes(self.api, self.cluster, self.group["nodegroupName"], self.region),
            pod_identity=self._cni_by_pod_identity(),
        )

    @cached_property
    def instance_types(self) -> list[Mapping[str, Any]]:
        """Attributes of its instance types."""
        request = {"InstanceTypes": list(dict.fromkeys(self.group["instanceTypes"]))}
        types: list[Mapping[str, Any]] = self._ec2("describe_instance_types", request)["InstanceTypes"]
        return types

    @cached_property
    def subnets(self) -> dict[str, Mapping[str, Any]]:
        """Subnets of its machines and of their pods, by id."""
        ids = sorted({*self.group["subnets"], *self.pod_network.pod_subnets.values()})
        answer = self._ec2("describe_subnets", {"SubnetIds": ids})
        return {subnet["SubnetId"]: subnet for subnet in answer["Subnets"]}

    @cached_property
    def add_ons(self) -> list[str]:
        """Names of the cluster's add-ons."""
        names: list[str] = self._eks.list_addons(clusterName=self.cluster)["addons"]
        return names

    @cached_property
    def pod_network(self) -> PodNetwork:
        """How pods of the cluster get addresses."""
        if "vpc-cni" not in self.add_ons:
            return PodNetwork(pod_subnets={})
        addon = self._eks.describe_addon(clusterName=self.cluster, addonName="vpc-cni")["addon"]
        return PodNetwork.of(json.loads(addon.get("configurationValues") or "{}"))

    @cached_property
    def _zones(self) -> list[str]:
        own = (self.subnets[id_] for id_ in self.group["subnets"])
        return sorted({subnet["AvailabilityZone"] for subnet in own})

    @property
    def _eks(self) -> Any:
        return self.api.service("eks", self.region)

    def _ec2(self, operation: str, members: Mapping[str, Any]) -> Any:
        return self.api.call("ec2", operation, members, self.region)

    def _offerings(self, types: Iterable[str]) -> dict[str, list[str]]:
        answer = self._ec2(
            "describe_instance_type_offerings",
            {
                "LocationType": "availability-zone",
                "Filters": [{"Name": "instance-type", "Values": list(types)}],
            },
        )
        offerings: dict[str, list[str]] = {}
        for offering in answer["InstanceTypeOfferings"]:
            offerings.setdefault(offering["InstanceType"], []).append(offering["Location"])
        return offerings

    def _cni_by_pod_identity(self) -> bool:
        answer = self._eks.list_pod_identity_associations(clusterName=self.cluster)
        return any(
            (association["namespace"], association["serviceAccount"]) == CNI_ACCOUNT
            for association in answer["associations"]
        )

    @property
    def _key(self) -> str:
        return f"{self.cluster}/{self.group['nodegroupName']}"

    def _needs(self) -> list[Need]:
        """What all groups take of subnets, this one included; kept for the next group that asks."""
        own = [need for machines in self._machines() for need in needs(machines, self.pod_network)]
        key = ("addresses", self.cluster, self.group["nodegroupName"])
        self._eks.store.put(*key, thing={"needs": [asdict(need) for need in own]})
        everyone = (Need(**need) for thing in self._eks.store.all("addresses") for need in thing["needs"])
        return list(everyone)

    def _machines(self) -> Iterator[Machines]:
        """Its machines zone by zone, spread evenly."""
        slots = min(kind["NetworkInfo"]["Ipv4AddressesPerInterface"] for kind in self.instance_types)
        count, zones = self.group["scalingConfig"]["desiredSize"], self._zones
        for number, zone in enumerate(zones):
            in_zone = [id_ for id_ in self.group["subnets"] if self.subnets[id_]["AvailabilityZone"] == zone]
            yield Machines(
                group=self._key,
                zone=zone,
                subnet=in_zone[0],
                count=count // len(zones) + (number < count % len(zones)),
                pods=FIRST_PODS,
                slots=slots,
            )
