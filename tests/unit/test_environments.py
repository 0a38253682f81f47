"""What holds in every environment, each brought up once on the laptop's AWS.

The tables of docs/network.md, each row followed through what is made; and that every program may do what it
calls.
"""

import itertools
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from aws_rules.iam.programs import CHARTS
from aws_rules.network import (
    INTERNET,
    ApiServer,
    Host,
    Interface,
    Metadata,
    Network,
    Pod,
    Service,
    control_plane_interfaces,
    reach,
)
from localcloud.cloud import REPOSITORY
from localcloud.plugins.aws.refusals import network as laptop
from moka.components.kubernetes.service import service_labels
from moka.names import (
    ALLOCATOR,
    ALLOCATOR_NAMESPACE,
    ARCHER,
    ARCHER_KEEPER,
    ARCHER_NAMESPACE,
    ARCHER_WORKER,
    CELEBORN_NAMESPACE,
    HISTORY_GATE,
    HISTORY_SERVER,
    INGRESS_NAMESPACE,
    LOGGING_NAMESPACE,
    MONITORING_NAMESPACE,
    MONITORING_NODES_NAMESPACE,
    SPARK_HISTORY_NAMESPACE,
    SYSTEM_NAMESPACE,
    UI_GATEWAY,
    YUNIKORN_NAMESPACE,
)
from stacks.gateway_login import platform_pages
from tests.support.deployment import LIKE_NO_OTHER, Account

PAGE = (REPOSITORY / "docs" / "network.md").read_text()
ROW = re.compile(
    r"^\| (?P<source>[^|]+) \| (?P<destination>[^|]+) \| (?P<port>\d+)(?:/(?P<protocol>udp))? \|", re.M
)
OWN_NODE = "their own node"
ANOTHER_TEAM = "another-team"
ANOTHER_NETWORK = Host(name="another network", address="10.99.0.0/16")
JOB_PODS = {"driver pods": "driver", "executor pods": "executor"}
OTHER_PODS = {
    "system pods": (SYSTEM_NAMESPACE, {}),
    "DNS pods": (SYSTEM_NAMESPACE, {"k8s-app": "kube-dns"}),
    "gateway pods": (INGRESS_NAMESPACE, {"app.kubernetes.io/name": UI_GATEWAY}),
    "gateway pods of operators": (INGRESS_NAMESPACE, {"app.kubernetes.io/name": UI_GATEWAY}),
    "ingress pods": (INGRESS_NAMESPACE, {"moka.dev/ingress-controller": "traefik"}),
    "Fluent Bit pods": (LOGGING_NAMESPACE, {}),
    "monitoring pods": (MONITORING_NAMESPACE, {}),
    "agents of metrics": (MONITORING_NODES_NAMESPACE, {}),
    "Celeborn pods": (CELEBORN_NAMESPACE, {}),
    "Archer": (INGRESS_NAMESPACE, service_labels(ARCHER)),
    "allocator": (ALLOCATOR_NAMESPACE, service_labels(ALLOCATOR)),
    "Archer's workers": (ARCHER_NAMESPACE, service_labels(ARCHER_WORKER)),
    "Archer's keeper": (ARCHER_NAMESPACE, service_labels(ARCHER_KEEPER)),
    "History Server": (SPARK_HISTORY_NAMESPACE, service_labels(HISTORY_SERVER)),
    "history gate": (SPARK_HISTORY_NAMESPACE, service_labels(HISTORY_GATE)),
    "YuniKorn": (YUNIKORN_NAMESPACE, {"app": "yunikorn", "component": "yunikorn-scheduler"}),
    "YuniKorn's admission": (
        YUNIKORN_NAMESPACE,
        {"app": "yunikorn", "component": "yunikorn-admission-controller"},
    ),
    "pods of another job namespace": (ANOTHER_TEAM, {"spark-role": "driver"}),
}
OF_ARCHER = {"Archer", "Archer's workers", "Archer's keeper", "allocator"}
OF_HOME = {"History Server", "history gate", *OF_ARCHER}
OPERATORS_GATEWAY = "gateway pods of operators"
NOT_EVERYWHERE = OF_HOME | {"Celeborn pods", OPERATORS_GATEWAY}


def rows(section):
    text = PAGE.split(f"## {section}")[1].split("\n## ")[0]
    table = [
        (row["source"].strip(), row["destination"].strip(), int(row["port"]), row["protocol"] or "tcp")
        for row in ROW.finditer(text)
    ]
    assert len(table) == text.count("\n| ") - 2, "every row of a table is read"
    return table


@dataclass(frozen=True)
class ClusterPlaces:
    """The places of the page on one cluster of an environment that is up."""

    account: Account
    cluster: str

    @property
    def settings(self):
        return self.account.settings

    @property
    def foundation(self):
        return self.settings.clusters[self.cluster].foundation

    @property
    def eks_name(self):
        return self.settings.eks_name(self.cluster)

    @cached_property
    def network(self) -> Network:
        policies = tuple(
            resource.inputs
            for name, resource in self.account.of("NetworkPolicy").items()
            if name.startswith(f"{self.cluster}-")
        )
        return laptop.load(
            self.account.api(self.foundation), policies=(*policies, *self.of_another_team(policies))
        )

    def of_another_team(self, policies):
        """The policies of a further job namespace: each has the same."""
        own = next(iter(self.settings.job_namespaces))
        for policy in policies:
            if policy["metadata"]["namespace"] == own:
                yield {**policy, "metadata": {**policy["metadata"], "namespace": ANOTHER_TEAM}}

    @cached_property
    def nodes(self) -> dict[str, list[Interface]]:
        """Role -> a node of it in each of its subnets."""
        api = self.account.api(self.foundation)
        by_role: dict[str, list[Interface]] = {}
        for group in api.call("eks", "list_nodegroups", {"clusterName": self.eks_name})["nodegroups"]:
            described = api.call(
                "eks", "describe_nodegroup", {"clusterName": self.eks_name, "nodegroupName": group}
            )
            role = described["nodegroup"]["labels"]["moka.dev/role"]
            by_role.setdefault(role, []).extend(laptop.nodes(api, self.eks_name, group))
        return by_role

    def pods(self, name, namespace, labels, role) -> list[Pod]:
        subnets = self.account.outputs[f"foundation/{self.foundation}"]["pod_subnets"]
        pods = []
        for node in self.nodes.get(role) or self.nodes["system"]:
            zone = self.network.find("Subnets", node.subnet)["AvailabilityZone"]
            interface = replace(node, subnet=subnets.get(zone, node.subnet))
            pods.append(Pod(name=name, namespace=namespace, labels=labels, interface=interface, node=node))
        return pods

    def find(self, name):
        """The places that a name of the page means here; none where the cluster has no such thing."""
        namespace = next(iter(self.settings.job_namespaces))
        if name in JOB_PODS:
            role = JOB_PODS[name]
            return self.pods(name, namespace, {"spark-role": role}, role)
        if name == "other pods of a job namespace":
            return self.pods(name, namespace, {}, "executor")
        if name == "Celeborn pods" and self.settings.clusters[self.cluster].shuffle is None:
            return []
        if name in OF_HOME and self.cluster != self.settings.home:
            return []
        if name in OF_ARCHER and self.settings.archer is None:
            return []
        if name == "allocator" and self.settings.services.allocator is None:
            return []
        if name == OPERATORS_GATEWAY and not platform_pages(self.settings, self.cluster):
            return []
        if name in OTHER_PODS:
            return self.pods(name, *OTHER_PODS[name], "shuffle" if name == "Celeborn pods" else "system")
        match name:
            case "where `up` runs":
                return [Host(name=name, address=str(self.settings.deployer_network))]
            case "another network":
                return [ANOTHER_NETWORK]
            case "the internet":
                return [INTERNET]
            case "API server":
                return [ApiServer(cluster=self.eks_name)]
            case "control plane":
                return control_plane_interfaces(self.network, self.eks_name)
            case "nodes" | "other nodes" | "their own node":
                return list(itertools.chain.from_iterable(self.nodes.values()))
            case "Pod Identity agent":
                return [Host(name=name, address="169.254.170.23/32")]
            case "instance metadata":
                return [Metadata(hop_limit=self.hop_limit)]
            case _:
                return [Service(name=name)]

    @property
    def hop_limit(self):
        return max(
            template.inputs["metadataOptions"]["httpPutResponseHopLimit"]
            for name, template in self.account.of("LaunchTemplate").items()
            if name.startswith(f"{self.cluster}-")
        )

    def paths(self, source, destination, port, protocol):
        """Every way of a row."""
        if destination == OWN_NODE:
            return [reach(self.network, pod, pod.node, port, protocol) for pod in self.find(source)]
        return [
            reach(self.network, start, end, port, protocol)
            for start, end in itertools.product(self.find(source), self.find(destination))
            if end not in (start, getattr(start, "node", None))
        ]


@pytest.fixture(scope="module", params=LIKE_NO_OTHER, ids=lambda name: Path(name).stem)
def account(request, up):
    """An environment that is up."""
    return up(request.param)


@pytest.fixture(scope="module")
def clusters(account):
    """The places of the page on each of its clusters."""
    return [ClusterPlaces(account, cluster) for cluster in account.settings.clusters]


def test_everything_that_has_to_be_reached_is(clusters):
    wrong = {
        f"{place.cluster}: {row}: {path.reasons[0]}"
        for place, row in itertools.product(clusters, rows("Must reach"))
        for path in place.paths(*row)
        if not path
    }

    assert wrong == set()


def test_nothing_is_reached_that_must_not_be(clusters):
    wrong = {
        f"{place.cluster}: {row}: {path.hops}"
        for place, row in itertools.product(clusters, rows("Must not reach"))
        for path in place.paths(*row)
        if path
    }

    assert wrong == set()


def test_every_row_is_about_something_there(clusters):
    for place in clusters:
        for source, destination, *_ in rows("Must reach") + rows("Must not reach"):
            for name in (source, destination):
                assert place.find(name) or name in NOT_EVERYWHERE, name


def test_what_must_not_be_reached_would_be_noticed(clusters):
    [place] = [place for place in clusters if place.find("History Server")]
    [pod, *_] = place.find("executor pods")
    open_to_all = replace(place.network, policies=())

    for name, port in (("YuniKorn", 9080), ("History Server", 18080), ("other nodes", 10250)):
        destination = next(end for end in place.find(name) if end != pod.node)
        assert reach(open_to_all, pod, destination, port)
        assert not reach(place.network, pod, destination, port)


def test_every_program_may_do_what_it_calls(account):
    # A boundary that somebody else keeps is not known here; all else is.
    lacking = {f"policy {arn}, which this AWS does not have" for arn in boundaries(account)}
    assert {arn for arn in lacking if any(arn in text for text in account.unknowns)} == lacking
    assert all(" does not know policy arn:" in text for text in account.unknowns)
    assert {*CHARTS, "fluent-bit"} <= {release.chart for release in account.releases}


def boundaries(account):
    foundations = account.settings.foundations.values()
    return {foundation.permissions_boundary for foundation in foundations} - {None}
