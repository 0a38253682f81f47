"""The Spark Operator's releases, and what the namespaces of jobs are let do."""

from collections.abc import Iterator

from moka.machines.instance_types import instance_type
from moka.machines.machine_capacity import DAEMONS, reserved_millicores
from moka.machines.node_roles import SYSTEM_RESERVED
from moka.mistakes import Mistake, listed
from moka.names import AUTOSCALER_ACCOUNT, FLUENT_BIT_ACCOUNT, LOAD_BALANCER_ACCOUNT, SPARK_ACCOUNT
from moka.sizes.spark_operator import REPLICAS, OperatorSize, most, size_for
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment

ACCOUNTS = {
    "aws-load-balancer-controller": ("serviceAccount.name", LOAD_BALANCER_ACCOUNT),
    "cluster-autoscaler": ("rbac.serviceAccount.name", AUTOSCALER_ACCOUNT),
    "fluent-bit": ("serviceAccount.name", FLUENT_BIT_ACCOUNT),
    "spark-operator": ("spark.serviceAccount.name", SPARK_ACCOUNT),
}
"""Release -> where its values name the service account that a Pod Identity is for, and that name."""


def operators(settings: Environment) -> Iterator[Mistake]:
    """Job namespaces that no release of the operator has, or two, and names that are none."""
    releases = settings.spark.operators
    owner: dict[str, str] = {}
    for name, operator in releases.items():
        at = f"spark.operators.{name}.namespaces"
        if operator.namespaces is None:
            if len(releases) > 1:
                yield Mistake(
                    at,
                    f"is missing, and there are {len(releases)} releases; say which namespaces it has",
                )
                return
            owner = dict.fromkeys(settings.job_namespaces, name)
            continue
        for namespace in operator.namespaces:
            if namespace not in settings.job_namespaces:
                yield Mistake(
                    at,
                    f"no job namespace is named {namespace!r}; there are {listed(settings.job_namespaces)}",
                )
            elif namespace in owner:
                also = "twice" if owner[namespace] == name else f"in release {owner[namespace]!r}, too"
                yield Mistake(
                    at, f"{namespace!r} is there {also}; two would submit each job twice, so name it once"
                )
            owner.setdefault(namespace, name)
    for namespace in settings.job_namespaces:
        if namespace not in owner:
            yield Mistake(
                f"job_namespaces.{namespace}",
                f"no release below spark.operators has it, so its jobs would wait for ever; add it to one of "
                f"{listed(releases)}",
            )


def room(settings: Environment) -> Iterator[Mistake]:
    """Operators that are larger than a system node, or all of them than all system nodes."""
    sizes = {name: size_for(each.applications_per_minute) for name, each in settings.spark.operators.items()}
    for cluster_name, cluster in settings.clusters.items():
        nodes = _nodes(cluster)
        if not nodes:
            continue
        largest = max(free for _, free in nodes)
        fits = True
        for name, size in sizes.items():
            if size.millicores > largest:
                fits = False
                yield Mistake(
                    f"spark.operators.{name}.applications_per_minute",
                    f"is {settings.spark.operators[name].applications_per_minute}, which takes a pod with "
                    f"{_cores(size.millicores)} cores, and a system node of cluster {cluster_name!r} has "
                    f"{_cores(largest)} for pods, enough for {most(largest)} a minute; share the "
                    "namespaces out to several releases, or take larger system nodes",
                )
        if fits and (wanted := _all(list(sizes.values()))) > (free := sum(each * n for n, each in nodes)):
            yield Mistake(
                "spark.operators",
                f"take {_cores(wanted)} cores in all, with {REPLICAS} pods each and one more while it is "
                f"replaced, and the system nodes of cluster {cluster_name!r} have {_cores(free)} at most; "
                "raise their maximum",
            )


def egress(settings: Environment) -> Iterator[Mistake]:
    """Ways out that lead nowhere, or to two kinds of places."""
    for name, space in settings.job_namespaces.items():
        for key, to in space.egress.items():
            at = f"job_namespaces.{name}.egress.{key}"
            if bool(to.cidrs) == bool(to.namespace):
                has = "both" if to.cidrs else "neither"
                yield Mistake(at, f"has {has} of cidrs and namespace; give one")
            if not space.isolated:
                yield Mistake(at, "nothing is closed, as isolated is false; take one of the two out")


def accounts(settings: Environment) -> Iterator[Mistake]:
    """Releases whose pods would run with another service account than their Pod Identity names."""
    for release, (path, account) in ACCOUNTS.items():
        found: object = settings.charts.values.get(release)
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None and found != account:
            yield Mistake(
                f"charts.values.{release}.{path}",
                f"is {found!r}, and what its pods may do in AWS is for {account!r}; leave it out",
            )


def _nodes(cluster: Cluster) -> list[tuple[int, int]]:
    """Of each group of system nodes: how many there can be, and thousandths of a core for pods on each."""
    return [
        (group.maximum, min(_free(name) for name in group.instance_types))
        for group in cluster.node_groups.values()
        if group.role == "system"
    ]


def _free(instance_type_name: str) -> int:
    """Thousandths of a core that the kubelet and a node's own pods leave."""
    vcpus = instance_type(instance_type_name).vcpus or 192  # bare metal: its name does not tell
    kept = reserved_millicores(vcpus) + int(SYSTEM_RESERVED["cpu"].removesuffix("m")) + DAEMONS[0]
    return vcpus * 1000 - kept


def _all(sizes: list[OperatorSize]) -> int:
    """Thousandths of a core for every replica, and the largest once more."""
    each = [size.millicores for size in sizes]
    return REPLICAS * sum(each) + max(each)


def _cores(millicores: int) -> str:
    return f"{millicores / 1000:.1f}"


def host_paths(settings: Environment) -> Iterator[Mistake]:
    """Folders of nodes that the pod security of their namespace keeps all pods from."""
    for name, space in settings.job_namespaces.items():
        if space.host_paths and space.pod_security != "privileged":
            yield Mistake(
                f"job_namespaces.{name}.host_paths",
                f"{listed(space.host_paths)} cannot be mounted with pod_security {space.pod_security!r}; set "
                "that to 'privileged', or leave them out",
            )
