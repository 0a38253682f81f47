"""The Spark Operator's releases, and what job namespaces may do."""

from collections.abc import Iterable, Iterator
from math import inf

from moka.machines.instance_types import METAL_VCPUS, instance_type
from moka.machines.machine_capacity import pod_millicores
from moka.machines.node_roles import ROLES
from moka.mistakes import Mistake, comma_list
from moka.names import AUTOSCALER_ACCOUNT, FLUENT_BIT_ACCOUNT, LOAD_BALANCER_ACCOUNT, SPARK_ACCOUNT
from moka.policy_endpoints import CORES_A_POD, MOST_SENT, megabytes_a_second
from moka.sizes.spark_operator import REPLICAS, OperatorSize, max_rate, operator_size
from stacks.settings.checks.charts import value
from stacks.settings.checks.names import repeated
from stacks.settings.cluster import Cluster, NodeGroup
from stacks.settings.environment import Environment

ACCOUNTS = {
    "aws-load-balancer-controller": ("serviceAccount.name", LOAD_BALANCER_ACCOUNT),
    "cluster-autoscaler": ("rbac.serviceAccount.name", AUTOSCALER_ACCOUNT),
    "fluent-bit": ("serviceAccount.name", FLUENT_BIT_ACCOUNT),
    "spark-operator": ("spark.serviceAccount.name", SPARK_ACCOUNT),
}
"""Release -> where its values name the service account that a Pod Identity is for, and that name."""


def operators(settings: Environment) -> Iterator[Mistake]:
    """Job namespaces of no release of the operator, or of two, and names that are none."""
    releases = settings.spark.operators
    owners: dict[str, str] = {}
    for name, operator in releases.items():
        at = f"spark.operators.{name}.namespaces"
        if operator.namespaces is None:
            if len(releases) > 1:
                yield Mistake(at, f"is missing; with {len(releases)} releases, list the namespaces of each")
                return
            owners = dict.fromkeys(settings.job_namespaces, name)
            continue
        yield from repeated(at, operator.namespaces)
        for namespace in operator.namespaces:
            if namespace not in settings.job_namespaces:
                yield Mistake(
                    at,
                    f"no job namespace is named {namespace!r}; the job namespaces are "
                    f"{comma_list(settings.job_namespaces)}",
                )
            elif (owner := owners.setdefault(namespace, name)) != name:
                yield Mistake(
                    at,
                    f"{namespace!r} is also in release {owner!r}, and two releases would submit each of its "
                    "jobs twice; keep it in one",
                )
    for namespace in settings.job_namespaces:
        if namespace not in owners:
            yield Mistake(
                f"job_namespaces.{namespace}",
                f"is in no release of spark.operators, so its jobs would wait for ever; add it to one "
                f"({comma_list(releases)})",
            )


def celeborn_clients(settings: Environment) -> Iterator[Mistake]:
    """Clients in images that there are not."""
    at = "spark.celeborn.clients"
    yield from repeated(at, settings.spark.celeborn.clients)
    for version in settings.spark.celeborn.clients:
        if version not in settings.spark.images:
            yield Mistake(
                at,
                f"has {version}, but spark.images has no image of it, and jobs with an image of their own "
                "ask for Celeborn themselves; add the image, or remove it",
            )


def operator_sizes(settings: Environment) -> Iterator[Mistake]:
    """Operators that are larger than a system node, or all of them than all system nodes."""
    rates = {name: operator.applications_per_minute for name, operator in settings.spark.operators.items()}
    sizes = {name: operator_size(rate) for name, rate in rates.items()}
    for cluster_name, cluster in settings.clusters.items():
        nodes = _system_nodes(cluster)
        if not nodes:
            continue
        largest = max(millicores for _, millicores in nodes)
        too_large = [name for name, size in sizes.items() if size.millicores > largest]
        for name in too_large:
            yield Mistake(
                f"spark.operators.{name}.applications_per_minute",
                f"is {rates[name]}, which needs a pod with {_cores(sizes[name].millicores)} cores, but a "
                f"system node of cluster {cluster_name!r} has {_cores(largest)} for pods, enough for "
                f"{max_rate(largest)} a minute; split the namespaces between several releases, or use larger "
                "system nodes",
            )
        demand, available = (
            _total_millicores(sizes.values()),
            sum(count * millicores for count, millicores in nodes),
        )
        if not too_large and demand > available:
            yield Mistake(
                "spark.operators",
                f"need {_cores(demand)} cores in total, {REPLICAS} pods each and one more during a "
                f"replacement, but the system nodes of cluster {cluster_name!r} have at most "
                f"{_cores(available)}; raise their maximum",
            )


def _system_nodes(cluster: Cluster) -> list[tuple[int, int]]:
    """Of each group of system nodes: how many there can be, and thousandths of a core for pods on each."""
    return [
        (group.maximum, min(pod_millicores(instance_type(name).vcpus) for name in group.instance_types))
        for group in cluster.groups_of("system")
    ]


def _total_millicores(sizes: Iterable[OperatorSize]) -> int:
    """Thousandths of a core for every replica, and the largest once more."""
    millicores = [size.millicores for size in sizes]
    return REPLICAS * sum(millicores) + max(millicores)


def _cores(millicores: int) -> str:
    return f"{millicores / 1000:.1f}"


def egress(settings: Environment) -> Iterator[Mistake]:
    """Egress to nowhere, or to two kinds of places, and egress that nothing restricts."""
    for name, namespace in settings.job_namespaces.items():
        for key, target in namespace.egress.items():
            at = f"job_namespaces.{name}.egress.{key}"
            if target.cidrs and target.namespace:
                yield Mistake(at, "has both cidrs and namespace; keep one")
            if not target.cidrs and not target.namespace:
                yield Mistake(at, "has neither cidrs nor namespace; add one")
            if not namespace.isolated:
                yield Mistake(at, "has no effect while isolated is false; remove one of the two")


def policy_lists(settings: Environment) -> Iterator[Mistake]:
    """Network policies of more pods, on more nodes, than an API server can send all of them to."""
    quotas = {key: space.quota.pods or inf for key, space in settings.job_namespaces.items()}
    isolated = sum(quotas[key] for key, space in settings.job_namespaces.items() if space.isolated)
    on_celeborn = sum(pods for key, pods in quotas.items() if key not in settings.without_celeborn)
    for name, cluster in settings.clusters.items():
        nodes = sum(group.maximum for group in cluster.node_groups.values())
        room = sum(map(_pods_of_jobs, cluster.node_groups.values()))
        together = min(sum(quotas.values()), room)
        at_celeborn = min(on_celeborn, room) if cluster.shuffle else 0
        if (megabytes := megabytes_a_second(min(isolated, room), at_celeborn, nodes)) > MOST_SENT:
            yield Mistake(
                f"clusters.{name}.node_groups",
                f"have {nodes:,} nodes and {together:,} pods of jobs at the most, for whose network policies "
                f"the API server would send {megabytes:,.0f} MB a second to nodes, of {MOST_SENT:,} that it "
                "is taken for; share the machines out to more clusters, or set isolated to false in job "
                "namespaces",
            )


def _pods_of_jobs(group: NodeGroup) -> int:
    """Drivers and executors that a group has room for, an estimate."""
    if group.role not in ("driver", "executor"):
        return 0
    vcpus = max(instance_type(name).vcpus or METAL_VCPUS for name in group.instance_types)
    return group.maximum * min(group.max_pods or ROLES[group.role].max_pods, vcpus // CORES_A_POD)


def accounts(settings: Environment) -> Iterator[Mistake]:
    """Releases whose pods would run with another service account than their Pod Identity names."""
    for release, (path, account) in ACCOUNTS.items():
        name = value(settings, release, path)
        if name is not None and name != account:
            yield Mistake(
                f"charts.values.{release}.{path}",
                f"is {name!r}, but its pods have their AWS permissions as {account!r}; remove it",
            )


def host_paths(settings: Environment) -> Iterator[Mistake]:
    """Folders of nodes that the pod security of their namespace keeps all pods from."""
    for name, namespace in settings.job_namespaces.items():
        if namespace.host_paths and namespace.pod_security != "privileged":
            yield Mistake(
                f"job_namespaces.{name}.host_paths",
                f"{comma_list(namespace.host_paths)} cannot be mounted with pod_security "
                f"{namespace.pod_security!r}; set it to 'privileged', or remove host_paths",
            )
