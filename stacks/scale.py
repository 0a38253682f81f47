"""What a load takes of each resource that an environment's jobs share: the table of docs/scale.md.

Limits of AWS, Kubernetes and YuniKorn are what these say themselves; nobody ran an environment of this size.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from moka.components.aws.addon_configuration import max_coredns_replicas
from moka.control_plane_tiers import CAPACITIES
from moka.network_address_usage import MOST_UNITS
from moka.observability.series import of_applications, of_cluster
from moka.pod_subnets import prefixes
from moka.policy_endpoints import MOST_SENT, megabytes_a_second
from moka.sizes.collectors import POINT_BYTES
from moka.sizes.history import MAX_LISTED
from moka.sizes.yunikorn import api_requests_per_second
from moka.subnet_plan import subnet_plans, usable_addresses
from stacks.layers.cluster import full_size
from stacks.settings.checks.node_groups import MAX_GROUPS_PER_CLUSTER, MAX_NODES_PER_GROUP
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment
from stacks.settings.network_use import group_uses, vpc_contents
from stacks.settings.node_group_plan import node_group_plans

GANG = 2
"""Pods that the scheduler places for one of a job: first a placeholder (moka/jobs/application.py)."""

GANG_REQUESTS = 4
"""Of YuniKorn to the API server for a pod with a placeholder: docs/benchmarks.md."""

DAEMONS = 6
"""Pods of the platform on every node: VPC CNI, kube-proxy, Pod Identity, EBS, Fluent Bit, metrics."""

EVENTS_A_POD, WRITES_A_POD, REQUESTS_A_POD = 10, 7, 21
"""Events: five of YuniKorn, counted (docs/benchmarks.md), and five of the kubelet. Writes: made, bound, three
states, deleted, gone. Requests: both, two tokens and two of the operator. Estimates, but for YuniKorn's."""

LEASE_SECONDS = 10
"""Between two heartbeats of a node: https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats."""

KEPT_SECONDS, EVENT_SECONDS = 600, 3600
"""For which etcd has former versions, as the API server compacts every five minutes what is older than five
(kube-apiserver, --etcd-compaction-interval), and for which it has events (--event-ttl)."""

STORED = {
    "driver pod": 10_300,
    "executor pod": 6_200,
    "placeholder pod": 4_100,
    "SparkApplication": 14_400,
    "Service of a driver": 2_000,
    "its EndpointSlice": 2_100,
    "its Endpoints": 1_400,
    "ConfigMap of a driver": 8_200,
    "ConfigMap of its executors": 2_100,
    "event": 900,
}
"""Bytes that an object takes in etcd, measured (docs/benchmarks.md)."""

OF_A_DRIVER = tuple(kind for kind in STORED if kind not in ("executor pod", "placeholder pod", "event"))
"""What is there for as long as a driver's pod is."""

KUBELET_BYTES, DAEMON_BYTES, NODE_BYTES = 2_000, 10_000, 20_000
"""In etcd: of a pod, what a kubelet and EKS's webhooks write into it, which the laptop's do not; a pod of the
platform; a node. Estimates."""

NAMES, NAME_SECONDS, RESOLVED_SECONDS = 10, 30, 5
"""Names outside the cluster that all executors use at once, an assumption; seconds for which Java keeps an
answer, and for which S3's holds (docs/decisions/0046-names-at-ten-thousand-pods.md)."""

LAYERS_A_NODE, NODES_A_SECOND = 120, 2
"""Layers of fifteen images that a new machine pulls, an estimate; machines that EC2 starts in a second."""

END_PUTS = 8
"""Objects that the end of a job puts into the event logs: what is left, status, joined log, link, markers. An
estimate (docs/operations/event-logs.md)."""

MEASURED_SUBMISSIONS, MEASURED_DRIVERS = 500, 2_000
"""Of Archer a second, and of one gateway to UIs: docs/benchmarks.md."""

LARGEST_CLUSTER, MOST_PODS, MOST_SERVICES = 5_000, 150_000, 10_000
"""Nodes that Kubernetes is tested with, and what such a cluster may have: "For smaller clusters, the limits
are proportionally lower" (THRESHOLDS)."""

NODE_STREAMS = 3
"""Logs of a node that are written all the time: those of Fluent Bit, kubelet and containerd. Ours."""

THRESHOLDS = (
    "https://github.com/kubernetes/community/blob/master/sig-scalability/configs-and-limits/thresholds.md"
)
SLOS = "https://github.com/kubernetes/community/blob/master/sig-scalability/slos/slos.md"
LISTS = "network.md#policies-of-job-namespaces-and-how-long-their-lists-are"
AWS = "https://docs.aws.amazon.com"
KUBEMARK = "https://yunikorn.apache.org/docs/performance/evaluate_perf_function_with_kubemark"


@dataclass(frozen=True, kw_only=True)
class Load:
    """What jobs do in the busiest hour.

    jobs_a_day: on average. pods: of them at once. peak: the hour's jobs, to those of an average one.
    job_seconds: that a job takes. kept_seconds: that it is kept after its end (`ttl_seconds` of a job).
    """

    jobs_a_day: float
    pods: float
    peak: float = 3
    job_seconds: float = 300
    kept_seconds: float = 1800

    @property
    def jobs_a_second(self) -> float:
        """Jobs that begin, and as many that end."""
        return self.jobs_a_day / 86_400 * self.peak

    @property
    def jobs(self) -> float:
        """Jobs at once, each with a driver."""
        return self.jobs_a_second * self.job_seconds

    @property
    def executors(self) -> int:
        """Executors of a job."""
        return round(self.pods / self.jobs) - 1

    @property
    def pods_a_second(self) -> float:
        """Pods that begin, and as many that end."""
        return self.jobs_a_second * (1 + self.executors)

    @property
    def kept(self) -> float:
        """Jobs that have ended and are kept, each with its driver's pod."""
        return self.jobs_a_second * self.kept_seconds

    def part(self, parts: int) -> "Load":
        """One of so many equal parts."""
        return replace(self, jobs_a_day=self.jobs_a_day / parts, pods=self.pods / parts)


TEN_THOUSAND_NODES = Load(jobs_a_day=200_000, pods=50_000)
"""That docs/scale.md counts with, of examples/ten-thousand-nodes.yaml."""


@dataclass(frozen=True, kw_only=True)
class SharedResource:
    """A resource that the jobs of an environment, or of a part of it, share.

    scope: the part that has one of it.
    use, limit: in `unit`. basis: what the use comes from. source: of the limit.
    carried_by: setting or part that carries it.
    measurable: a run has to show it; else to count is enough, as of addresses and of AWS's quotas.
    """

    name: str
    scope: str
    use: float
    limit: float
    unit: str
    basis: str
    source: str
    carried_by: str
    measurable: bool = False

    @property
    def share(self) -> float:
        """Its use, of its limit."""
        return self.use / self.limit


def shared_resources(settings: Environment, load: Load) -> list[SharedResource]:
    """What is shared in an environment of clusters that are alike, the fullest first."""
    of_one = load.part(len(settings.clusters))
    rows = [
        *_control_plane(settings, of_one),
        *_jobs(settings, load, of_one),
        *_network(settings, of_one),
        *_accounts(settings, load),
        *_stores(settings, load, of_one),
    ]
    return sorted(rows, key=lambda row: -row.share)


def closest(rows: list[SharedResource], number: int = 5) -> list[SharedResource]:
    """Of those that only a run can show, the ones that are closest to their limit."""
    return [row for row in rows if row.measurable][:number]


def as_table(rows: list[SharedResource]) -> str:
    """The rows, as docs/scale.md shows them."""
    lines = [
        "| what | of each | takes | can | share | what it takes is | the limit is from | carried by |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.name} | {row.scope} | {_number(row.use)}{f' {row.unit}' if row.unit else ''} "
        f"| {_number(row.limit)} | {row.share:.0%} | {row.basis} | {row.source} | {row.carried_by} |"
        for row in rows
    ]
    return "\n".join(lines)


def _number(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _nodes(settings: Environment) -> int:
    """Nodes of the home cluster."""
    nodes, _ = full_size(settings.clusters[settings.home].node_groups)
    return nodes


def _policy_lists(cluster: Cluster, load: Load, nodes: int) -> float:
    """MB a second that so many nodes are sent for network policies."""
    return megabytes_a_second(load.pods, load.pods if cluster.shuffle else 0, nodes)


def _control_plane(settings: Environment, load: Load) -> Iterator[SharedResource]:
    cluster, nodes, spaces = settings.clusters[settings.home], _nodes(settings), len(settings.job_namespaces)
    tier = cluster.control_plane_tier
    pods = load.pods + load.kept
    threshold = f"[Kubernetes' thresholds]({THRESHOLDS})"
    placed = GANG * load.pods_a_second
    yield SharedResource(
        name="nodes",
        scope="cluster",
        use=nodes,
        limit=LARGEST_CLUSTER,
        unit="",
        basis="all node groups at their maximum",
        source=threshold,
        carried_by="one more cluster",
    )
    yield SharedResource(
        name="pods",
        scope="cluster",
        use=pods + DAEMONS * nodes,
        limit=MOST_PODS * nodes / LARGEST_CLUSTER,
        unit="",
        basis=f"those of jobs, ended drivers that are kept, {DAEMONS} of the platform on each node",
        source=threshold,
        carried_by="one more cluster",
    )
    yield SharedResource(
        name="pods of a namespace",
        scope="job namespace",
        use=pods / spaces,
        limit=3_000,
        unit="",
        basis=f"those of jobs and ended drivers, of {spaces} namespaces",
        source=threshold,
        carried_by="more `job_namespaces`, `ttl_seconds` of jobs",
        measurable=True,
    )
    yield SharedResource(
        name="Services",
        scope="cluster",
        use=load.jobs + load.kept,
        limit=MOST_SERVICES * nodes / LARGEST_CLUSTER,
        unit="",
        basis="Spark's own, without an address (apache/spark: DriverServiceFeatureStep.scala), of each "
        "driver that runs or is kept; and as many EndpointSlices",
        source=threshold,
        carried_by="`ttl_seconds` of jobs; kube-proxy looks at none without an address "
        "(kubernetes/kubernetes: cmd/kube-proxy/app/server.go)",
        measurable=True,
    )
    yield SharedResource(
        name="pods that have ended",
        scope="cluster",
        use=load.kept,
        limit=12_500,
        unit="",
        basis=f"drivers, each kept for {load.kept_seconds:.0f} s; executors are deleted",
        source="[kube-controller-manager](https://kubernetes.io/docs/reference/command-line-tools-reference/"
        "kube-controller-manager/), `--terminated-pod-gc-threshold`",
        carried_by="`ttl_seconds` of jobs; the finalizer keeps a driver until the operator has read its end",
    )
    requests = placed * REQUESTS_A_POD + nodes / LEASE_SECONDS
    yield SharedResource(
        name="requests at once",
        scope="API server",
        use=requests,
        limit=CAPACITIES[tier].seats,
        unit="seats",
        basis=f"{requests:,.0f} a second ({REQUESTS_A_POD} a pod and placeholder, leases of nodes), each for "
        f"the whole second that [Kubernetes' SLO]({SLOS}) leaves it",
        source="`moka/control_plane_tiers.py`; more from Kubernetes 1.34 on",
        carried_by="`control_plane_tier`",
        measurable=True,
    )
    drivers = load.jobs + load.kept
    running, placeholder = (STORED[f"{kind} pod"] + KUBELET_BYTES for kind in ("executor", "placeholder"))
    stored_bytes = (
        drivers * (sum(STORED[kind] for kind in OF_A_DRIVER) + KUBELET_BYTES)
        + (load.pods - load.jobs) * running
        + nodes * (NODE_BYTES + DAEMONS * DAEMON_BYTES)
        + placed * EVENTS_A_POD * EVENT_SECONDS * STORED["event"]
        + load.pods_a_second * WRITES_A_POD * KEPT_SECONDS * (running + placeholder)
        + load.jobs_a_second * 2 * (1 + load.executors) * KEPT_SECONDS * STORED["SparkApplication"]
        + _policy_lists(cluster, load, nodes=1) * 1e6 * KEPT_SECONDS
    )
    yield SharedResource(
        name="etcd",
        scope="cluster",
        use=stored_bytes / 1e9,
        limit=CAPACITIES[tier].database_gb,
        unit="GB",
        basis="objects of [measured](benchmarks.md#what-objects-take-in-etcd) sizes, an hour of events, "
        "former versions of ten minutes",
        source="`moka/control_plane_tiers.py`",
        carried_by="`control_plane_tier`, `maxTrackedExecutorPerApp`",
        measurable=True,
    )
    zones = settings.zones_of(settings.home)
    plans = [
        plan for name, group in cluster.node_groups.items() for plan in node_group_plans(name, group, zones)
    ]
    yield SharedResource(
        name="nodes of a managed group",
        scope="node group",
        use=max(plan.maximum for plan in plans),
        limit=MAX_NODES_PER_GROUP,
        unit="",
        basis="the largest group",
        source="`stacks/settings/checks/node_groups.py`",
        carried_by="more groups; refused beyond",
    )
    yield SharedResource(
        name="managed groups",
        scope="cluster",
        use=len(plans),
        limit=MAX_GROUPS_PER_CLUSTER,
        unit="",
        basis="groups, in each zone where they are one a zone",
        source="`stacks/settings/checks/node_groups.py`",
        carried_by="fewer, larger groups; refused beyond",
    )


def _jobs(settings: Environment, load: Load, of_one: Load) -> Iterator[SharedResource]:
    cluster, operators = settings.clusters[settings.home], settings.spark.operators.values()
    requests = api_requests_per_second(_nodes(settings), cluster.control_plane_tier)
    yield SharedResource(
        name="pods that YuniKorn places",
        scope="cluster",
        use=GANG * of_one.pods_a_second,
        limit=115,
        unit="a second",
        basis="each pod of a job, and its placeholder before it",
        source=f"[YuniKorn with 4,000 nodes]({KUBEMARK}), bound by the API server; 204 with 2,000",
        carried_by=f"`kubernetes.qps`, from nodes and tier (`moka/sizes/yunikorn.py`): {requests}",
        measurable=True,
    )
    yield SharedResource(
        name="requests of YuniKorn",
        scope="cluster",
        use=GANG_REQUESTS * of_one.pods_a_second,
        limit=requests,
        unit="a second",
        basis="a placeholder is made, bound and deleted, and its pod bound "
        "([measured](benchmarks.md#a-placeholder-before-each-pod-and-2500-nodes))",
        source="`moka/sizes/yunikorn.py`, from nodes and tier",
        carried_by="`control_plane_tier`",
    )
    yield SharedResource(
        name="submissions of the operator",
        scope="release",
        use=of_one.jobs_a_second * 60 / len(operators),
        limit=min(operator.applications_per_minute for operator in operators),
        unit="a minute",
        basis=f"jobs of a cluster; releases: {len(operators)}",
        source="`moka/sizes/spark_operator.py`, from the operator's benchmark; at most 110 on these machines",
        carried_by="`spark.operators`, `applications_per_minute`",
        measurable=True,
    )
    yield SharedResource(
        name="submissions to Archer",
        scope="environment",
        use=load.jobs_a_second,
        limit=MEASURED_SUBMISSIONS,
        unit="a second",
        basis="all jobs",
        source="[measured](benchmarks.md#submissions-to-archer), two processes",
        carried_by="`archer.service`, `database`",
        measurable=True,
    )
    yield SharedResource(
        name="drivers behind the gateway to UIs",
        scope="cluster",
        use=of_one.jobs,
        limit=MEASURED_DRIVERS,
        unit="",
        basis="drivers at once",
        source="[measured](benchmarks.md#live-uis-through-the-gateway)",
        carried_by="`ui_gateway`",
        measurable=True,
    )
    logs = settings.history.jobs_per_day * settings.retention.event_logs_hot
    yield SharedResource(
        name="logs in the History Server's list",
        scope="environment",
        use=logs,
        limit=MAX_LISTED,
        unit="",
        basis=f"{settings.history.jobs_per_day:,} a day for {settings.retention.event_logs_hot} days",
        source="[measured](benchmarks.md#scans-of-the-history-server): a scan takes 152 s of 300",
        carried_by="`retention.event_logs_hot`, `history.jobs_per_day`; refused beyond",
        measurable=True,
    )


def _network(settings: Environment, load: Load) -> Iterator[SharedResource]:
    cluster = settings.clusters[settings.home]
    foundation = settings.home_foundation
    network = settings.foundations[foundation].network
    if network is None:
        # Of an existing VPC nobody says what it has.
        return
    uses = list(group_uses(settings, foundation))
    plans = subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    in_vpc = [name for name, other in settings.clusters.items() if other.foundation == foundation]
    in_zone = ceil(len(in_vpc) / len(plans))
    pod_subnet = next(plan.pods for plan in plans if plan.pods)
    yield SharedResource(
        name="prefixes of 16 addresses for pods",
        scope="zone of a VPC",
        use=max(sum(use.nodes_in(plan.zone) * use.addresses.prefixes for use in uses) for plan in plans),
        limit=prefixes(pod_subnet),
        unit="",
        basis="one an executor node (`max_pods: 16`), two a shuffle node, seven a driver or system node; "
        f"executors of {in_zone} clusters in the zone, and nodes that an update brings",
        source="`moka/pod_subnets.py`",
        carried_by="`pod_cidrs`, `max_pods`; refused beyond",
    )
    yield SharedResource(
        name="addresses of nodes",
        scope="zone of a VPC",
        use=max(sum(use.nodes_in(plan.zone) for use in uses) for plan in plans),
        limit=usable_addresses(plans[0].private),
        unit="",
        basis="nodes of that zone, and those that an update brings",
        source="`moka/subnet_plan.py`",
        carried_by="`network.cidr`; refused beyond",
    )
    yield SharedResource(
        name="Network Address Usage",
        scope="VPC",
        use=vpc_contents(settings, foundation).units,
        limit=MOST_UNITS,
        unit="units",
        basis="`stacks/settings/network_use.py`",
        source="`moka/network_address_usage.py`; 64,000 before AWS raises it",
        carried_by="`max_pods`, another foundation; refused beyond, the doctor asks",
    )
    nodes = _nodes(settings)
    yield SharedResource(
        name="what network policies send to nodes",
        scope="cluster",
        use=_policy_lists(cluster, load, nodes),
        limit=MOST_SENT,
        unit="MB a second",
        basis=f"lists of {load.pods:,.0f} drivers and executors, all anew in a busy second, to each of "
        f"{nodes:,} nodes",
        source="`moka/policy_endpoints.py`, an estimate of ours",
        carried_by=f"more clusters, `isolated`; refused beyond ([lists]({LISTS}))",
        measurable=True,
    )
    replicas = max_coredns_replicas(*full_size(cluster.node_groups))
    yield SharedResource(
        name="questions to CoreDNS",
        scope="cluster",
        use=load.pods * 2 * NAMES / NAME_SECONDS,
        limit=replicas * 180,
        unit="a second",
        basis=f"{NAMES} names outside, of two records, every {NAME_SECONDS} s, by each pod",
        source=f"[0046](decisions/0046-names-at-ten-thousand-pods.md): 180 by each of {replicas} replicas",
        carried_by="`components/aws/addon_configuration.py`, `ndots`",
        measurable=True,
    )
    on_node = ceil(replicas / sum(group.maximum for group in cluster.groups_of("system")))
    yield SharedResource(
        name="packets to the VPC's resolver",
        scope="system node",
        use=on_node * 2 * NAMES / RESOLVED_SECONDS,
        limit=1_024,
        unit="a second",
        basis=f"{NAMES} names outside, by each of {on_node} replicas, every {RESOLVED_SECONDS} s",
        source=f"[VPC]({AWS}/vpc/latest/userguide/AmazonDNS-concepts.html)",
        carried_by="more system nodes",
    )
    yield SharedResource(
        name="connections to one host outside AWS",
        scope="NAT gateway",
        use=load.pods * in_zone,
        limit=55_000,
        unit="",
        basis=f"one of each pod of {in_zone} clusters with executors in one zone; what is ours goes by "
        "endpoints",
        source=f"[NAT gateways]({AWS}/vpc/latest/userguide/nat-gateway-basics.html), an address",
        carried_by="`network.nat: zonal`, `interface_endpoints`, `charts.mirror`",
    )


def _accounts(settings: Environment, load: Load) -> Iterator[SharedResource]:
    accounts = len({foundation.account for foundation in settings.foundations.values()})
    nodes = _nodes(settings) * len(settings.clusters) // accounts
    half = load.part(accounts)
    yield SharedResource(
        name="machines that start",
        scope="account and region",
        use=(nodes - 1_000) / NODES_A_SECOND / 60,
        limit=60,
        unit="minutes",
        basis=f"all {nodes:,} of an account: 1,000 at once, then {NODES_A_SECOND} a second",
        source=f"[EC2]({AWS}/ec2/latest/devguide/ec2-api-throttling.html), as if Auto Scaling "
        "were held to it; the AWS provider waits an hour",
        carried_by="one cluster after the other (`slices`, `waves`)",
    )
    yield SharedResource(
        name="layers pulled from ECR",
        scope="account and region",
        use=NODES_A_SECOND * accounts * LAYERS_A_NODE,
        limit=3_000,
        unit="a second",
        basis=f"{LAYERS_A_NODE} by each machine that starts, in both accounts; the 1,000 at once in each "
        f"take {1_000 * accounts * LAYERS_A_NODE / 3_000:.0f} s",
        source=f"[ECR]({AWS}/AmazonECR/latest/userguide/service-quotas.html), GetDownloadUrlForLayer",
        carried_by="`registry`; layers themselves come from S3",
    )
    yield SharedResource(
        name="roles that jobs take",
        scope="account and region",
        use=half.pods_a_second,
        limit=600,
        unit="a second",
        basis="one by each pod, if every job took one of its own",
        source=f"[STS]({AWS}/IAM/latest/UserGuide/reference_iam-quotas.html)",
        carried_by="nothing of ours: Pod Identity is the platform's way",
    )
    puts = _event_log_puts(settings, load) + _log_puts(settings, load) + _system_log_puts(settings)
    yield SharedResource(
        name="requests to KMS",
        scope="account and region",
        use=puts,
        limit=100_000,
        unit="a second",
        basis="one for each object put into logs and event logs, without bucket keys, in one account",
        source=f"[KMS]({AWS}/kms/latest/developerguide/requests-per-second.html), us-east-1",
        carried_by="bucket keys (`components/aws/bucket.py`)",
    )


def _event_log_puts(settings: Environment, load: Load) -> float:
    """A second: of drivers that run, and of jobs that end."""
    return load.jobs / settings.spark.event_logs.seconds + load.jobs_a_second * END_PUTS


def _log_puts(settings: Environment, load: Load) -> float:
    """A second: of each container that writes all the time, and of each that has ended."""
    size = settings.logs.size
    drivers, executors = 2 * load.jobs, load.pods - load.jobs
    return (
        drivers / size.drivers_upload
        + executors / size.others_upload
        + load.pods_a_second
        + load.jobs_a_second
    )


def _system_log_puts(settings: Environment) -> float:
    """A second: of what each node writes all the time."""
    return NODE_STREAMS * _nodes(settings) * len(settings.clusters) / settings.logs.size.others_upload


def _stores(settings: Environment, load: Load, of_one: Load) -> Iterator[SharedResource]:
    s3 = f"[S3]({AWS}/AmazonS3/latest/userguide/optimizing-performance.html), a prefix"
    quotas = f"[AMP]({AWS}/prometheus/latest/userguide/AMP_quotas.html)"
    nodes, clusters = _nodes(settings), len(settings.clusters)
    yield SharedResource(
        name="objects put into event logs",
        scope="environment",
        use=_event_log_puts(settings, load),
        limit=3_500,
        unit="a second",
        basis=f"a driver's every {settings.spark.event_logs.seconds} s, and {END_PUTS} of each job's end, as "
        "if under one prefix",
        source=s3,
        carried_by="`spark.event_logs.seconds`",
    )
    yield SharedResource(
        name="objects put into job logs",
        scope="foundation",
        use=_log_puts(settings, load.part(len(settings.foundations))),
        limit=3_500,
        unit="a second",
        basis="of each container that writes, at its time-out and its end, as if under one prefix",
        source=s3,
        carried_by="`logs.executors_behind_seconds`, `logs.drivers_behind_seconds`",
    )
    yield SharedResource(
        name="objects put into system logs",
        scope="foundation",
        use=_system_log_puts(settings) / len(settings.foundations),
        limit=3_500,
        unit="a second",
        basis=f"{NODE_STREAMS} of each node, written all the time: of Fluent Bit, kubelet and containerd, as "
        "if under one prefix",
        source=s3,
        carried_by="`logs.executors_behind_seconds`",
    )
    active = clusters * of_cluster(
        nodes=nodes,
        queues=60,
        applications=round(of_one.jobs),
        executors=load.executors,
        workers=sum(group.maximum for group in settings.clusters[settings.home].groups_of("shuffle")),
    )
    yield SharedResource(
        name="series of the last two hours",
        scope="workspace",
        use=active + of_applications(round(load.jobs_a_second * 7200), load.executors),
        limit=50_000_000,
        unit="",
        basis="`moka/observability/series.py`: active ones, and those of jobs that ended",
        source=f"{quotas}; 10,000,000 in older copies of that page",
        carried_by="`moka/collectors/metric_names.py`, `metrics.destination`",
    )
    yield SharedResource(
        name="samples",
        scope="workspace",
        use=active / 30,
        limit=1_666_666,
        unit="a second",
        basis="every active series every 30 s",
        source=f"{quotas}, the active series it allows / 30",
        carried_by="`metrics.shards`, `metrics.gateways`",
    )
    yield SharedResource(
        name="what goes to the store of metrics",
        scope="interface endpoint",
        use=active / len(settings.foundations) / 30 * POINT_BYTES * 8 / 1e9,
        limit=10,
        unit="Gbps",
        basis=f"samples of {POINT_BYTES} bytes, all from one zone; no other endpoint has more, S3 is a "
        "gateway",
        source=f"[PrivateLink]({AWS}/vpc/latest/privatelink/vpc-limits-endpoints.html), a zone; "
        "it grows to 100",
        carried_by="`network.interface_endpoints`",
    )
    objects = of_one.pods + of_one.kept + DAEMONS * nodes
    shards = settings.metrics.kube_state_metrics_shards
    yield SharedResource(
        name="pods of kube-state-metrics",
        scope="shard",
        use=objects / shards,
        limit=40_000,
        unit="",
        basis=f"pods of a cluster; shards: {shards}",
        source="`stacks/settings/metrics.py`, an estimate of ours",
        carried_by="`metrics.kube_state_metrics_shards`",
        measurable=True,
    )
