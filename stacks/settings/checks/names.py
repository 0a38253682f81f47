"""Names that refer to something, and names that are taken."""

from collections import Counter
from collections.abc import Iterable, Iterator

from moka.mistakes import Mistake, listed
from moka.names import DOMAIN, PLATFORM_IDENTITIES, PLATFORM_NAMESPACES, TAG_PREFIX
from stacks.settings.environment import Environment

NOT_FOR_JOBS = PLATFORM_NAMESPACES | PLATFORM_IDENTITIES | {"default"}

TAKEN_LABELS = (DOMAIN, "eks.amazonaws.com/", "kubernetes.io/", "k8s.io/")
TAKEN_TAGS = (TAG_PREFIX, "aws:")


def unknown(settings: Environment) -> Iterator[Mistake]:
    """Names of clusters and foundations that are not there, and foundations that nobody names."""
    for at, name in _clusters_named(settings):
        if name not in settings.clusters:
            yield Mistake(at, f"no cluster is named {name!r}; there are {listed(settings.clusters)}")
    for at, name in _foundations_named(settings):
        if name not in settings.foundations:
            yield Mistake(at, f"no foundation is named {name!r}; there are {listed(settings.foundations)}")
    used = {name for _, name in _foundations_named(settings)}
    for name in settings.foundations:
        # A misspelt name alone is one mistake, not two.
        if name not in used and used <= set(settings.foundations):
            yield Mistake(f"foundations.{name}", "nothing stands on it; put a cluster there or take it out")


def _clusters_named(settings: Environment) -> Iterator[tuple[str, str]]:
    yield "home", settings.home
    for kind, groups in (
        ("slices", {name: piece.clusters for name, piece in settings.slices.items()}),
        ("waves", settings.waves),
    ):
        for name, clusters in groups.items():
            for cluster in clusters:
                yield f"{kind}.{name}", cluster


def _foundations_named(settings: Environment) -> Iterator[tuple[str, str]]:
    for name, cluster in settings.clusters.items():
        yield f"clusters.{name}.foundation", cluster.foundation
    if settings.registry:
        yield "registry.foundation", settings.registry.foundation


def twice(settings: Environment) -> Iterator[Mistake]:
    """Names that are there twice, or that make one name together."""
    if settings.registry:
        yield from _repeated("registry.repositories", settings.registry.repositories)
        yield from _repeated("registry.readers", settings.registry.readers)
    seen: dict[str, str] = {}
    for cluster_name, cluster in settings.clusters.items():
        for group in cluster.node_groups:
            at = f"clusters.{cluster_name}.node_groups.{group}"
            first = seen.setdefault(f"{cluster_name}-{group}", at)
            if first != at:
                yield Mistake(
                    at, f"makes the name {cluster_name}-{group}, as {first} does; rename one of the two"
                )


def entries(settings: Environment) -> Iterator[Mistake]:
    """Principals that would have a second access entry on a cluster: EKS takes one."""
    for name, cluster in settings.clusters.items():
        place = settings.foundations.get(cluster.foundation)
        seen = {place.deployer: "the deployer"} if place else {}
        for who, access in cluster.access.items():
            first = seen.setdefault(access.principal, who)
            if first != who:
                yield Mistake(
                    f"clusters.{name}.access.{who}.principal",
                    f"is {access.principal!r}, as {first}; EKS takes one entry for each principal",
                )


def _repeated(at: str, names: Iterable[str]) -> Iterator[Mistake]:
    for name, times in Counter(names).items():
        if times > 1:
            yield Mistake(at, f"{name!r} is there {times} times; once is enough")


def reserved(settings: Environment) -> Iterator[Mistake]:
    """Namespaces, labels and tags that belong to somebody else."""
    for name in settings.job_namespaces:
        if name in NOT_FOR_JOBS or name.startswith("kube-"):
            yield Mistake(f"job_namespaces.{name}", "is a name of the platform's own; jobs need another")
    for tag in settings.tags:
        if tag.startswith(TAKEN_TAGS):
            yield Mistake(f"tags.{tag}", f"tags that begin with {' or '.join(TAKEN_TAGS)} are taken")
    for cluster_name, cluster in settings.clusters.items():
        for group_name, group in cluster.node_groups.items():
            for label in group.labels:
                if label.startswith(TAKEN_LABELS) or ".kubernetes.io/" in label or ".k8s.io/" in label:
                    yield Mistake(
                        f"clusters.{cluster_name}.node_groups.{group_name}.labels.{label}",
                        "labels under that domain are set by Kubernetes, EKS or moka; choose your own domain",
                    )


def waves(settings: Environment) -> Iterator[Mistake]:
    """Clusters that a rollout would reach twice, or never."""
    if not settings.waves:
        return
    times = Counter(cluster for clusters in settings.waves.values() for cluster in clusters)
    for cluster in settings.clusters:
        if times[cluster] == 0:
            yield Mistake("waves", f"cluster {cluster!r} is in no wave; add it to one")
        if times[cluster] > 1:
            yield Mistake("waves", f"cluster {cluster!r} is in {times[cluster]} waves; leave it in one")
    for name, clusters in settings.waves.items():
        if not clusters:
            yield Mistake(f"waves.{name}", "has no clusters; name some or take it out")
