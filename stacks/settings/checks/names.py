"""Names that refer to something, and names that are taken."""

from collections import Counter
from collections.abc import Iterable, Iterator

from moka.mistakes import Mistake, comma_list, near
from moka.names import LABEL_PREFIX, PLATFORM_IDENTITIES, PLATFORM_NAMESPACES
from stacks.settings.environment import Environment

NOT_FOR_JOBS = PLATFORM_NAMESPACES | PLATFORM_IDENTITIES | {"default"}
"""Namespaces of the platform, and names of its IAM roles on a cluster: those of jobs are called as their
namespaces are."""

RESERVED_DOMAINS = (
    LABEL_PREFIX.rstrip("/"),
    *("kubernetes.io", "k8s.io", "eks.amazonaws.com", "k8s.amazonaws.com", "ebs.csi.aws.com", "nvidia.com"),
)
"""Domains of labels that others set, those below them included."""


def references(settings: Environment) -> Iterator[Mistake]:
    """Names of clusters and foundations that the file does not have, and foundations that nothing uses."""
    for at, name in _cluster_references(settings):
        if name not in settings.clusters:
            yield Mistake(
                at, f"no cluster is named {name!r}; the clusters are {comma_list(settings.clusters)}"
            )
    foundation_references = list(_foundation_references(settings))
    for at, name in foundation_references:
        if name not in settings.foundations:
            yield Mistake(
                at, f"no foundation is named {name!r}; the foundations are {comma_list(settings.foundations)}"
            )
    used_foundations = {name for _, name in foundation_references}
    for name in settings.foundations:
        # A misspelt name is one mistake, not two.
        if name not in used_foundations and used_foundations <= set(settings.foundations):
            yield Mistake(f"foundations.{name}", "no cluster uses it; add one or remove it")


def _cluster_references(settings: Environment) -> Iterator[tuple[str, str]]:
    yield "home", settings.home
    for name, piece in settings.slices.items():
        yield from ((f"slices.{name}", cluster) for cluster in piece.clusters)
    for name, clusters in settings.waves.items():
        yield from ((f"waves.{name}", cluster) for cluster in clusters)


def _foundation_references(settings: Environment) -> Iterator[tuple[str, str]]:
    for name, cluster in settings.clusters.items():
        yield f"clusters.{name}.foundation", cluster.foundation
    if settings.registry:
        yield "registry.foundation", settings.registry.foundation


def duplicates(settings: Environment) -> Iterator[Mistake]:
    """Names that are listed twice, and two groups that would have one name."""
    if settings.registry:
        yield from repeated("registry.repositories", settings.registry.repositories)
        yield from repeated("registry.readers", settings.registry.readers)
    for name, grant in settings.grants.items():
        yield from repeated(f"grants.{name}.data", grant.data)
    for name, namespace in settings.job_namespaces.items():
        yield from repeated(f"job_namespaces.{name}.host_paths", namespace.host_paths)
        for key, egress in namespace.egress.items():
            yield from repeated(f"job_namespaces.{name}.egress.{key}.cidrs", map(str, egress.cidrs))
            yield from repeated(f"job_namespaces.{name}.egress.{key}.ports", map(str, egress.ports))
    places: dict[str, str] = {}
    for cluster_name, cluster in settings.clusters.items():
        yield from repeated(f"clusters.{cluster_name}.public_access", map(str, cluster.public_access))
        for entry, access in cluster.access.items():
            yield from repeated(f"clusters.{cluster_name}.access.{entry}.namespaces", access.namespaces)
        for group_name, group in cluster.node_groups.items():
            at = f"clusters.{cluster_name}.node_groups.{group_name}"
            yield from repeated(f"{at}.zones", group.zones or ())
            name = f"{cluster_name}-{group_name}"
            first = places.setdefault(name, at)
            if first != at:
                yield Mistake(at, f"would be named {name}, as {first} would; rename one of the two")


def repeated(at: str, names: Iterable[str]) -> Iterator[Mistake]:
    """Names that a list has more than once."""
    for name, count in Counter(names).items():
        if count > 1:
            yield Mistake(
                at, f"{name!r} is listed {'twice' if count == 2 else f'{count} times'}; list it once"
            )


def access_entries(settings: Environment) -> Iterator[Mistake]:
    """Principals that would have a second access entry on a cluster: EKS takes one."""
    for name, cluster in settings.clusters.items():
        foundation = settings.foundations.get(cluster.foundation)
        holders = {foundation.deployer: "the deployer"} if foundation else {}
        for entry, access in cluster.access.items():
            holder = holders.setdefault(access.principal, entry)
            if holder != entry:
                yield Mistake(
                    f"clusters.{name}.access.{entry}.principal",
                    f"is {access.principal!r}, the same principal as {holder}; EKS allows one entry for "
                    "each, so remove this one",
                )


def access_namespaces(settings: Environment) -> Iterator[Mistake]:
    """Access to jobs in namespaces that have none: EKS and Kubernetes would take any name."""
    for name, cluster in settings.clusters.items():
        for entry, access in cluster.access.items():
            if access.jobs is None:
                continue
            at = f"clusters.{name}.access.{entry}"
            for namespace in access.namespaces:
                if namespace not in settings.job_namespaces and namespace not in NOT_FOR_JOBS:
                    hint = near(namespace, settings.job_namespaces)
                    yield Mistake(f"{at}.namespaces", f"no job namespace is named {namespace!r}; {hint}")
            if access.namespaces and set(access.namespaces) <= NOT_FOR_JOBS:
                yield Mistake(
                    f"{at}.jobs",
                    "allows nothing, as none of its namespaces is one for jobs; add one or remove jobs",
                )


def reserved(settings: Environment) -> Iterator[Mistake]:
    """Namespaces and labels that the platform, Kubernetes or EKS uses."""
    for name in settings.job_namespaces:
        if name in NOT_FOR_JOBS or name.startswith("kube-"):
            yield Mistake(
                f"job_namespaces.{name}", "is a name that the platform uses itself; choose another for jobs"
            )
    for cluster_name, cluster in settings.clusters.items():
        for group_name, group in cluster.node_groups.items():
            for label in group.labels:
                domain = label.rpartition("/")[0]
                if any(f".{domain}".endswith(f".{reserved}") for reserved in RESERVED_DOMAINS):
                    yield Mistake(
                        f"clusters.{cluster_name}.node_groups.{group_name}.labels.{label}",
                        "labels of that domain are set by others; use a domain of your own",
                    )


def waves(settings: Environment) -> Iterator[Mistake]:
    """Clusters that a rollout would reach twice, or never."""
    if not settings.waves:
        return
    counts = Counter(cluster for clusters in settings.waves.values() for cluster in clusters)
    for cluster in settings.clusters:
        if counts[cluster] == 0:
            yield Mistake("waves", f"cluster {cluster!r} is in no wave; add it to one")
        if counts[cluster] > 1:
            yield Mistake("waves", f"cluster {cluster!r} is in {counts[cluster]} waves; keep it in one")
    for name, clusters in settings.waves.items():
        if not clusters:
            yield Mistake(f"waves.{name}", "has no clusters; add some or remove it")
