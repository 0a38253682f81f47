"""Whole environments: every pod lands on nodes of its role, with a priority and an account that are there."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from doctor.checks import images as doctor
from moka import catalog as charts
from moka.addon_versions import ADDON_VERSIONS
from moka.names import GPU_LABEL
from stacks import settings
from stacks.settings import reading
from tests.support.chart_rendering import manifests
from tests.support.pod_placement import Node, Pods, pods_of, schedulable, selects
from tests.support.pod_security import beyond_restricted

SYSTEM, EXECUTOR, SHUFFLE = frozenset({"system"}), frozenset({"executor"}), frozenset({"shuffle"})
EVERYWHERE = frozenset({"system", "driver", "executor", "shuffle"})

ROLES = {"nvidia-device-plugin": EXECUTOR, "DaemonSet": EVERYWHERE, "celeborn-worker": SHUFFLE}
"""Roles of the nodes that pods land on, by kind or start of the name of their workload; of others, system."""

ZONE = "topology.kubernetes.io/zone"

RELEASE = "kubernetes:helm.sh/v3:Release"

BUILT_IN = {"system-cluster-critical", "system-node-critical"}
"""Priority classes that every cluster has."""

OF_CHARTS = {"yunikorn-admission-controller"}
"""Budgets of ours for pods that a chart brings: looked at with the chart, in test_yunikorn.py."""

WITHOUT_PROBES = {"nvidia-device-plugin", "yunikorn-scheduler"}
"""One has no port; the other's chart sets none."""

ENFORCED = "pod-security.kubernetes.io/enforce"

LENIENT_FOR_CHARTS = {"logging", "monitoring-nodes", "spark-operator"}
"""Namespaces with pods of charts that `restricted` refuses: folders of the node, a hook without a user."""

OF_ADDONS = {
    ("kube-system", "aws-node"): "vpc-cni",
    ("kube-system", "ebs-csi-controller-sa"): "aws-ebs-csi-driver",
}
"""Service accounts that EKS's add-ons bring."""


@dataclass(frozen=True)
class OneCluster:
    """What an environment makes for one of its clusters.

    nodes: one of each managed node group. objects: manifests of our own. releases: inputs of its releases.
    identities: service accounts of its Pod Identities. addons: of EKS.
    """

    nodes: list[Node]
    objects: list
    releases: list
    identities: list[tuple[str, str]]
    addons: set[str]


@dataclass(frozen=True)
class Together:
    """What is deployed as one on a cluster: our own manifests, or a release.

    namespace: of what names none.
    """

    cluster: OneCluster
    objects: list
    namespace: str = "default"

    @property
    def pods(self) -> list[Pods]:
        return list(pods_of(self.objects, self.namespace))

    def of_kind(self, kind: str) -> list:
        return [thing for thing in self.objects if thing["kind"] == kind]


def node_of(group) -> Node:
    """A node of a managed node group, given what EKS puts on it besides."""
    machine = "arm64" if "ARM" in group["amiType"] else "amd64"
    effect = {
        "NO_SCHEDULE": "NoSchedule",
        "NO_EXECUTE": "NoExecute",
        "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    }
    return Node(
        labels={**group["labels"], "kubernetes.io/arch": machine, "kubernetes.io/os": "linux"},
        taints=tuple({**taint, "effect": effect[taint["effect"]]} for taint in group["taints"]),
    )


@pytest.fixture(scope="module", params=reading.environments())
def environment(request):
    """Settings of an environment."""
    return settings.load(request.param)


@pytest.fixture(scope="module")
def clusters(environment, whole):
    """The clusters of an environment, by name in its settings."""
    recorder = whole(environment.environment)
    return {name: of_cluster(recorder, name, environment.eks_name(name)) for name in environment.clusters}


def of_cluster(recorder, name, eks_name) -> OneCluster:
    own = [r for r in recorder.resources if r.name == name or r.name.startswith(f"{name}-")]

    def in_cluster(typ: str) -> list:
        return [resource for resource in recorder.inputs(typ) if resource["clusterName"] == eks_name]

    return OneCluster(
        nodes=[node_of(resource.inputs) for resource in own if resource.type == "eks:index:ManagedNodeGroup"],
        objects=[e.inputs for e in own if e.type.startswith("kubernetes:") and e.type != RELEASE],
        releases=[resource.inputs for resource in own if resource.type == RELEASE],
        identities=[
            (resource["namespace"], resource["serviceAccount"])
            for resource in in_cluster("aws:eks/podIdentityAssociation:PodIdentityAssociation")
        ],
        addons={resource["addonName"] for resource in in_cluster("aws:eks/addon:Addon")},
    )


@pytest.fixture(scope="module", params=["our own", "charts"])
def deployed(request, clusters) -> list[Together]:
    """All that makes pods in an environment, of our own or by charts where these are at hand."""
    if request.param == "our own":
        return [Together(cluster, cluster.objects) for cluster in clusters.values()]
    return [
        Together(cluster, manifests(release), release["namespace"])
        for cluster in clusters.values()
        for release in cluster.releases
    ]


def misplaced(pods: Pods, nodes: list[Node]) -> list[str]:
    """Mistakes in where pods land."""
    by_name = next((r for n, r in ROLES.items() if pods.name.startswith(n)), None)
    expected = by_name or ROLES.get(pods.kind) or SYSTEM
    # Of a group there are nodes in all its zones.
    selector = {key: value for key, value in (pods.spec.get("nodeSelector") or {}).items() if key != ZONE}
    pods = replace(pods, spec={**pods.spec, "nodeSelector": selector})
    if GPU_LABEL in selector:
        nodes = [node for node in nodes if GPU_LABEL in node.labels]
        assert nodes, "there are GPUs for the pods that look for them"
    workload = f"{pods.kind} {pods.namespace}/{pods.name}"
    mistakes = []
    for node in nodes:
        role, fits = node.labels["moka.dev/role"], schedulable(pods, node)
        if fits and role not in expected:
            mistakes.append(f"{workload} may be on {role} nodes")
        if not fits and role in expected:
            mistakes.append(f"{workload} may not be on {role} nodes {node}")
    return mistakes


def test_node_groups_of_every_role_are_there(clusters):
    for cluster in clusters.values():
        assert {node.labels["moka.dev/role"] for node in cluster.nodes} == EVERYWHERE


def test_pods_land_on_nodes_of_their_role_and_no_other(deployed):
    assert all(group.pods for group in deployed)
    assert [
        w for group in deployed for pods in group.pods for w in misplaced(pods, group.cluster.nodes)
    ] == []


def test_pods_have_a_priority_class_and_an_account_that_are_there(deployed):
    assert [mistake for group in deployed for pods in group.pods for mistake in missing(pods, group)] == []


def missing(pods: Pods, among: Together) -> list[str]:
    """What pods name that does not exist."""
    workload = f"{pods.kind} {pods.namespace}/{pods.name}"
    own = Together(among.cluster, among.cluster.objects)
    classes = BUILT_IN | {thing["metadata"]["name"] for thing in own.of_kind("PriorityClass")}
    accounts = {
        (thing["metadata"].get("namespace") or among.namespace, thing["metadata"]["name"])
        for thing in among.of_kind("ServiceAccount")
    }
    priority = pods.spec.get("priorityClassName")
    mistakes = []
    if priority and priority not in classes:
        mistakes.append(f"{workload}: there is no priority class {priority}")
    if pods.account[1] != "default" and pods.account not in accounts:
        mistakes.append(f"{workload}: there is no service account {pods.account}")
    return mistakes


def test_pods_that_are_to_keep_apart_are_those_that_the_selector_is_for(deployed):
    """A selector that matches none of one's own pods keeps nothing apart, in silence."""
    for group in deployed:
        for pods in group.pods:
            for selector in own_selectors(pods):
                assert selector and selects(selector, pods.labels), f"{pods.name}: {selector}"


def own_selectors(pods: Pods) -> Iterator[dict]:
    """Label selectors by which pods are to keep away from one another."""
    for spread in pods.spec.get("topologySpreadConstraints") or []:
        yield spread.get("labelSelector")
    apart = (pods.spec.get("affinity") or {}).get("podAntiAffinity") or {}
    for term in apart.get("requiredDuringSchedulingIgnoredDuringExecution") or []:
        yield term["labelSelector"]
    for weighted in apart.get("preferredDuringSchedulingIgnoredDuringExecution") or []:
        yield weighted["podAffinityTerm"]["labelSelector"]


def test_disruption_budgets_are_for_pods_that_are_there_and_let_one_go(deployed):
    for group in deployed:
        for budget in group.of_kind("PodDisruptionBudget"):
            spec, name = budget["spec"], budget["metadata"]["name"]
            if name in OF_CHARTS:
                continue
            selected = {(p.kind, p.name) for p in group.pods if selects(spec["selector"], p.labels)}
            workloads = [e for e in group.objects if (e["kind"], e["metadata"].get("name")) in selected]
            assert sum(e["spec"].get("replicas", 1) for e in workloads) > spec.get("minAvailable", 0), name
            assert spec.get("maxUnavailable", 1) > 0, name


@pytest.mark.parametrize("with_charts", [False, True], ids=["our own", "with charts"])
def test_namespaces_of_the_platform_take_no_pod_that_their_own_do_not_need(
    environment, clusters, with_charts
):
    for cluster in clusters.values():
        own = Together(cluster, cluster.objects)
        charts_of = cluster.releases if with_charts else []
        pods = own.pods + [
            p for release in charts_of for p in pods_of(manifests(release), release["namespace"])
        ]
        beyond = {workload.namespace for workload in pods if [*beyond_restricted(workload.spec)]}
        levels = {
            namespace["metadata"]["name"]: namespace["metadata"]["labels"][ENFORCED]
            for namespace in own.of_kind("Namespace")
            if namespace["metadata"]["name"] not in environment.job_namespaces
        }

        lenient = {name for name, level in levels.items() if level != "restricted"}
        assert beyond <= lenient <= {*beyond, *(() if with_charts else LENIENT_FOR_CHARTS)}


def test_every_container_asks_for_what_it_needs_has_a_bound_of_memory_and_answers(deployed):
    """Init containers, too: what they leave out, a LimitRange fills in."""
    for group in deployed:
        for pods in group.pods:
            begin, run = pods.spec.get("initContainers") or [], pods.spec["containers"]
            for container in [*begin, *run]:
                resources = container.get("resources") or {}
                named = f"{pods.name}/{container['name']}"
                assert {"cpu", "memory"} <= (resources.get("requests") or {}).keys(), named
                assert "memory" in (resources.get("limits") or {}), named
            probed = any(container.keys() & {"readinessProbe", "livenessProbe"} for container in run)
            assert probed or pods.kind == "Job" or pods.name in WITHOUT_PROBES, pods.name


def test_every_identity_is_of_a_service_account_that_pods_run_under(clusters):
    for cluster in clusters.values():
        own = Together(cluster, cluster.objects)
        accounts = {pods.account for pods in own.pods}
        # Under these run drivers, whose pods jobs bring.
        accounts |= {
            (account["metadata"]["namespace"], account["metadata"]["name"])
            for account in own.of_kind("ServiceAccount")
        }
        accounts |= {account for account, addon in OF_ADDONS.items() if addon in cluster.addons}
        accounts |= {account for release in cluster.releases for account in accounts_of(release)}

        assert set(cluster.identities) - accounts == set()
        assert len(set(cluster.identities)) == len(cluster.identities)


def accounts_of(release) -> Iterator[tuple[str, str]]:
    """Service accounts that the values of a release name."""
    values = release["values"]
    for place in (values, values.get("rbac") or {}):
        name = (place.get("serviceAccount") or {}).get("name")
        if name:
            yield release["namespace"], name


def test_the_account_that_the_values_of_a_release_name_is_the_one_of_its_pods(clusters):
    for cluster in clusters.values():
        for release in cluster.releases:
            pods = pods_of(manifests(release), release["namespace"])
            assert set(accounts_of(release)) <= {workload.account for workload in pods}, release["name"]


def test_pods_of_charts_run_the_images_that_the_catalog_says_they_pull(environment, clusters):
    """What `make doctor` looks for, and a mirror must hold, is this list."""
    catalog = charts.read(mirror=environment.charts.mirror)
    ran = defaultdict(set)
    for cluster in clusters.values():
        for release in cluster.releases:
            for pods in pods_of(manifests(release), release["namespace"]):
                ran[release["chart"].rpartition("/")[2]] |= pods.images

    own = {catalog.image(name) for name in catalog.images}
    for chart, images in ran.items():
        pulled = {charts.mirror_name(image, catalog.mirror) for image in catalog.charts[chart].pulls}
        assert images - own == pulled, chart


def test_the_doctor_wants_images_for_the_nodes_that_their_pods_are_on(deployed):
    """An image with too few architectures is only found on nodes that are known to pull it."""
    catalog = charts.read()
    roles_of = doctor.image_roles(catalog, set(ADDON_VERSIONS))
    for group in deployed:
        for pods in group.pods:
            roles = ROLES.get(pods.name) or ROLES.get(pods.kind) or SYSTEM
            # An image of one's own is not in the catalog.
            assert all(roles <= roles_of[image] for image in pods.images & set(roles_of)), pods.name
