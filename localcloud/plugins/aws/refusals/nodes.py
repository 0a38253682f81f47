"""Whether the machines of an EKS node group become nodes, by all that AWS knows of their surroundings."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from ipaddress import ip_network
from typing import Any

import yaml

from aws_rules.network import Interface, Network, Pod
from aws_rules.nodes.add_ons import node_add_ons
from aws_rules.nodes.addresses import Machines, Need, PodNetwork, free_addresses, needs
from aws_rules.nodes.machine_images import fits_image
from aws_rules.nodes.offerings import offered
from aws_rules.nodes.subnets import group_subnets, pod_subnets
from aws_rules.nodes.templates import refused_template, switched_image, unlaunched
from aws_rules.nodes.ways import node_ways
from aws_rules.rule import Verdict
from localcloud.plugins.aws.instance_types import described
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.refusals.network import load, nodes
from localcloud.plugins.aws.refusals.permissions.machines import group_verdicts
from localcloud.plugins.aws.refusals.templates import template_data
from localcloud.plugins.aws.subject import Subject
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
    attributes = described(subject.api, subject.region, types)
    refuse(subject.api.cloud, fits_image(_name(subject.properties), ami_type, attributes))


def template(subject: Subject) -> None:
    """Refuse a node group whose launch template EKS would not take."""
    specification = subject.inputs.get("launchTemplate")
    if isinstance(specification, Mapping):
        data = template_data(subject.api, subject.region, specification)
        name = _name(subject.properties)
        refuse(subject.api.cloud, refused_template(name, subject.inputs, data))
        if isinstance(had := subject.old.get("launchTemplate"), Mapping):
            old = template_data(subject.api, subject.region, had)
            refuse(subject.api.cloud, switched_image(name, old, data))


def check(subject: Subject, group: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the machines of a node group from becoming nodes; data: of its launch template."""
    identities = Identities(subject.api, subject.region)
    return Joining(identities, load(subject.api, subject.region), group, data).verdicts()


def _name(properties: Mapping[str, Any]) -> str:
    return f"node group {properties['nodeGroupName']} of {properties['clusterName']}"


class Joining:
    """A node group, as EKS describes it, about to have machines in a network."""

    def __init__(
        self,
        identities: Identities,
        network: Network,
        group: Mapping[str, Any],
        data: Mapping[str, Any],
        interfaces: list[Interface] | None = None,
    ) -> None:
        """`interfaces` are those of machines that EKS does not manage, and so does not describe."""
        self._interfaces = interfaces
        self.identities, self.network = identities, network
        self.group, self.data = group, data
        self.api, self.region = identities.api, identities.region
        self.cluster = group["clusterName"]
        self.name = f"node group {group['nodegroupName']} of {self.cluster}"

    def verdicts(self) -> Iterator[Verdict]:
        """What EKS and EC2 would refuse of it."""
        types = self.group["instanceTypes"]
        yield from unlaunched(self.name, self.group, self.data, self.network.clusters[self.cluster])
        yield from self._subnet_verdicts()
        yield from offered(self.name, types, self._zones, self._offerings(types))
        yield from free_addresses(self.name, self._key, self._needs(), self.subnets, self._reserved_addresses)
        yield from self.surroundings()

    def surroundings(self) -> Iterator[Verdict]:
        """What keeps any machine of it from being a node: the cluster's add-ons, roles, ways."""
        yield from node_add_ons(
            self.name,
            self.add_ons,
            self_managed=self_managed_add_ons(self._eks, self.cluster),
            cni_by_pod_identity=self._cni_by_pod_identity,
        )
        yield from group_verdicts(self.identities, self.group, self.data)
        yield from node_ways(
            self.name,
            self.network,
            self.cluster,
            self._machine_interfaces,
            pod_identity=self._cni_by_pod_identity,
        )

    def pods(self) -> Iterator[Pod]:
        """A pod for each of its subnets, wherever the VPC CNI gives pods their addresses."""
        for node in self._machine_interfaces:
            zone = self.subnets[node.subnet]["AvailabilityZone"]
            configuration = self.pod_network.configuration(zone)
            subnet = (self.pod_network.pod_subnets or {}).get(configuration, node.subnet)
            interface = replace(node, subnet=subnet)
            yield Pod(name=f"pod on {node.name}", namespace="", interface=interface, node=node)

    def _subnet_verdicts(self) -> Iterator[Verdict]:
        vpc = self.network.clusters[self.cluster]["resourcesVpcConfig"]["vpcId"]
        own = [self.subnets[id_] for id_ in self.group["subnets"]]
        public = [subnet["SubnetId"] for subnet in own if self.network.is_public(subnet)]
        yield from group_subnets(self.name, self.group["nodegroupName"], own, vpc, public)
        yield from pod_subnets(self.name, self._zones, self.pod_network, self.subnets, vpc)

    @cached_property
    def instance_types(self) -> list[Mapping[str, Any]]:
        """Attributes of its instance types."""
        return described(self.api, self.region, self.group["instanceTypes"])

    @cached_property
    def subnets(self) -> dict[str, Mapping[str, Any]]:
        """Subnets of its machines and of their pods, by id."""
        ids = sorted({*self.group["subnets"], *(self.pod_network.pod_subnets or {}).values()})
        # By a filter, as the configuration of an add-on may name what is not there.
        answer = self._ec2("describe_subnets", {"Filters": [{"Name": "subnet-id", "Values": ids}]})
        return {subnet["SubnetId"]: subnet for subnet in answer["Subnets"]}

    @cached_property
    def _reserved_addresses(self) -> dict[str, int]:
        """Addresses of each subnet that only prefixes are taken from."""
        return {
            id_: sum(
                ip_network(reservation["Cidr"]).num_addresses
                for reservation in self._ec2("get_subnet_cidr_reservations", {"SubnetId": id_})[
                    "SubnetIpv4CidrReservations"
                ]
                if reservation["ReservationType"] == "prefix"
            )
            for id_ in self.subnets
        }

    @cached_property
    def add_ons(self) -> list[str]:
        """Names of the cluster's add-ons."""
        names: list[str] = self._eks.list_addons(clusterName=self.cluster)["addons"]
        return names

    @cached_property
    def pod_network(self) -> PodNetwork:
        """How pods of the cluster get addresses."""
        if "vpc-cni" not in self.add_ons:
            return PodNetwork()
        addon = self._eks.describe_addon(clusterName=self.cluster, addonName="vpc-cni")["addon"]
        return PodNetwork.of(yaml.safe_load(addon.get("configurationValues") or "{}"))

    @cached_property
    def _machine_interfaces(self) -> list[Interface]:
        return self._interfaces or nodes(self.api, self.cluster, self.group["nodegroupName"], self.region)

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

    @cached_property
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


def self_managed_add_ons(eks: Any, cluster: str) -> bool:
    """Whether EKS has put VPC CNI, kube-proxy and CoreDNS into a cluster itself, as it was made."""
    return bool((eks.store.get("bootstrap", cluster) or {}).get("selfManagedAddons"))
