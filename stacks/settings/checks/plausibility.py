"""What is easily mistyped: amounts without their unit or in another one, and values that nobody means."""

from collections.abc import Iterator

from moka.images import registry_of
from moka.jobs.versions import RELEASES
from moka.mistakes import Mistake
from moka.quantities import mebibytes, millicores
from moka.queues.definitions import Maximum, Resources, Shared
from moka.registries import UPSTREAM_HOSTS
from stacks.settings.checks.partitions import images
from stacks.settings.environment import Environment

MIB_A_CORE = (128, 128 * 1024)
"""Least and most MiB a core that a share of machines has: c7g have 2 GiB, x2gd 16 GiB, u7in 28 GiB."""

POD = (1000, 1408)
"""Thousandths of a core and MiB of a driver or executor of Spark's defaults: 1 core, 1 GiB and 384 MiB of
overhead (https://spark.apache.org/docs/latest/configuration.html)."""

OF_NODES = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr"),
    *("/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods", "/var/run"),
)
"""Folders of a node by which a pod takes it over, or reads what is other pods'
(https://kubernetes.io/docs/concepts/storage/volumes/#hostpath)."""


def amounts(settings: Environment) -> Iterator[Mistake]:
    """Amounts of which memory and cores do not belong together."""
    for at, amount in _amounts(settings):
        if amount is None or amount.cpu is None or amount.memory is None:
            continue
        mib = mebibytes(amount.memory) * 1000 / max(millicores(amount.cpu), 1)
        least, most = MIB_A_CORE
        if not least <= mib <= most:
            yield Mistake(
                at,
                f"has {amount.memory} of memory for {amount.cpu} cores, which no machine has; correct the "
                "unit of one of the two",
            )


def _amounts(settings: Environment) -> Iterator[tuple[str, Resources | Maximum | None]]:
    yield "queues.capacity", settings.queues.capacity
    yield from (
        (f"clusters.{name}.capacity", cluster.capacity) for name, cluster in settings.clusters.items()
    )
    for organization_name, organization in settings.queues.organizations.items():
        at = f"queues.organizations.{organization_name}"
        yield from _of_queue(at, organization)
        for project_name, project in organization.projects.items():
            yield from _of_queue(f"{at}.projects.{project_name}", project)
            for tier, queue in project.tiers.items():
                yield from _of_queue(f"{at}.projects.{project_name}.tiers.{tier}", queue)


def _of_queue(at: str, queue: Shared) -> Iterator[tuple[str, Resources | Maximum | None]]:
    yield f"{at}.guaranteed", queue.guaranteed
    yield f"{at}.maximum", queue.maximum


def namespaces(settings: Environment) -> Iterator[Mistake]:
    """Job namespaces in which no job fits."""
    cores, memory = POD
    for name, namespace in settings.job_namespaces.items():
        at, largest, quota = f"job_namespaces.{name}", namespace.largest_container, namespace.quota
        yield from _too_little(
            f"{at}.largest_container", largest.cpu, largest.memory, cores, memory, "a driver"
        )
        pair = "a driver and an executor"
        yield from _too_little(f"{at}.quota", quota.cpu, quota.memory, 2 * cores, 2 * memory, pair)
        if quota.pods is not None and quota.pods < 2:
            yield Mistake(f"{at}.quota.pods", f"is {quota.pods}, too few for {pair}; raise it")


def _too_little(
    at: str, cpu: str | None, memory: str | None, cores: int, mib: int, what: str
) -> Iterator[Mistake]:
    if cpu is not None and millicores(cpu) < cores:
        yield Mistake(f"{at}.cpu", f"is {cpu}, too little for {what} of Spark's smallest size; correct it")
    if memory is not None and mebibytes(memory) < mib:
        yield Mistake(
            f"{at}.memory", f"is {memory}, too little for {what} of Spark's smallest size; correct it"
        )


def public_images(settings: Environment) -> Iterator[Mistake]:
    """Images of public registries beside a mirror."""
    mirror = settings.charts.mirror
    for at, reference in images(settings):
        host = registry_of(reference)
        if mirror and host in UPSTREAM_HOSTS and not reference.startswith(f"{mirror}/"):
            yield Mistake(
                at,
                f"is {reference!r}, but charts.mirror says that images come from {mirror}; write "
                f"{mirror}/{reference}, or push it there",
            )


def spark_images(settings: Environment) -> Iterator[Mistake]:
    """Images whose tag says that they are of another version of Spark."""
    for version, reference in settings.spark.images.items():
        tag = reference.partition("@")[0].rpartition("/")[2].partition(":")[2]
        for other in RELEASES:
            if other != version and tag.removeprefix("v").startswith(f"{other}."):
                yield Mistake(
                    f"spark.images.{version}",
                    f"is {reference!r}, by its tag an image of Spark {other}; name one of {version}",
                )


def schedules(settings: Environment) -> Iterator[Mistake]:
    """Scheduled bounds that nothing ever changes back."""
    for cluster_name, cluster in settings.clusters.items():
        for name, group in cluster.node_groups.items():
            minimums = {change.minimum for change in group.schedule.values()}
            maximums = {change.maximum for change in group.schedule.values()}
            if len(minimums) == 1 and len(maximums) == 1:
                yield Mistake(
                    f"clusters.{cluster_name}.node_groups.{name}.schedule",
                    f"sets the minimum to {min(minimums)} and never to anything else; add the change that "
                    "ends it, or set minimum",
                )


def system_nodes(settings: Environment) -> Iterator[Mistake]:
    """Clusters whose system nodes may all go: the autoscaler, which would bring them back, is on them."""
    for name, cluster in settings.clusters.items():
        groups = cluster.groups_of("system")
        if groups and not sum(group.minimum for group in groups):
            yield Mistake(
                f"clusters.{name}.node_groups",
                "have no system node at the least, and CoreDNS, YuniKorn and the autoscaler run on them; set "
                "minimum to 1 or more",
            )


def host_paths(settings: Environment) -> Iterator[Mistake]:
    """Folders of nodes that are the node's own."""
    for name, namespace in settings.job_namespaces.items():
        for index, path in enumerate(namespace.host_paths):
            if node_folder := next((folder for folder in OF_NODES if _overlap(path, folder)), None):
                yield Mistake(
                    f"job_namespaces.{name}.host_paths.{index}",
                    f"is {path}, and with {node_folder} jobs would have the node and all pods on it; mount a "
                    "folder that is made for jobs, such as /mnt/models",
                )


def _overlap(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{path}/")


def shuffle_storage(settings: Environment) -> Iterator[Mistake]:
    """Instance storage that is left almost unused."""
    for name, cluster in settings.clusters.items():
        storage = cluster.shuffle.storage.instance if cluster.shuffle else None
        for machine in cluster.machines_of("shuffle") if storage else ():
            if storage and machine.local_gib and storage.gib * 10 < machine.local_gib:
                yield Mistake(
                    f"clusters.{name}.shuffle.storage.instance.gib",
                    f"is {storage.gib}, and {machine.name} has {machine.local_gib} GiB, which nothing else "
                    "uses; raise it",
                )
