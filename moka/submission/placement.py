"""On which cluster a job runs."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from moka.jobs.job import Job
from moka.mistakes import Mistake, comma_list
from moka.submission.routes import Route


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What is known of a cluster.

    queues: paths of its leaves. cordoned: why nothing new goes there; None where it does.
    healthy: it answers. waiting: jobs that are queued for it.
    """

    name: str
    queues: Collection[str]
    cordoned: str | None = None
    healthy: bool = True
    waiting: int = 0


@dataclass(frozen=True)
class Placed:
    """job: with what its route changes of it. movable: it may go elsewhere while it waits."""

    cluster: str
    job: Job
    movable: bool


@dataclass(frozen=True)
class Unplaced:
    """because: why there is no cluster for the job now, in a sentence."""

    because: str


@dataclass(frozen=True)
class Misplaced:
    """mistakes: why there is no cluster at all that the job fits."""

    mistakes: Sequence[Mistake]


def routed(job: Job, route: Route | None) -> Job:
    """A job with what its route changes of it."""
    if route is None:
        return job
    changes = {
        field: value
        for field in ("namespace", "queue", "architecture")
        if (value := getattr(route, field)) is not None
    }
    return job.model_copy(update=changes)


def place(
    job: Job,
    route: Route | None,
    clusters: Collection[Cluster],
    mistakes: Callable[[Job, str], Sequence[Mistake]],
) -> Placed | Unplaced | Misplaced:
    """Choose among the clusters that have the job's queue and that it fits, are healthy and not cordoned.

    mistakes: of a job on a cluster, by the cluster's name. Of several clusters it is the one with the fewest
    that wait for each; equals are told apart by the job's name, so that its runs stay together.
    """
    job = routed(job, route)
    routed_cluster = route.cluster if route else None
    candidates = [cluster for cluster in clusters if routed_cluster in (None, cluster.name)]
    if not candidates:
        return Unplaced(
            f"its route names cluster {routed_cluster}, which is not there: correct the route"
            if routed_cluster
            else "no cluster has reported its queues and namespaces yet"
        )
    mistakes_of: Mapping[str, Sequence[Mistake]] = {
        cluster.name: mistakes(job, cluster.name) for cluster in candidates
    }
    fitting = [cluster for cluster in candidates if not mistakes_of[cluster.name]]
    if not fitting:
        # Those of the cluster that it comes closest to.
        return Misplaced(min(mistakes_of.values(), key=len))
    takers = [cluster for cluster in fitting if cluster.cordoned is None and cluster.healthy]
    if not takers:
        return Unplaced(f"of the clusters that it fits none takes jobs now: {_states(fitting)}")
    choice = min(takers, key=lambda cluster: (cluster.waiting, _order(job.name, cluster.name)))
    return Placed(choice.name, job, movable=routed_cluster is None and len(fitting) > 1)


def _states(clusters: Sequence[Cluster]) -> str:
    return comma_list(
        f"{cluster.name} ({f'cordoned: {cluster.cordoned}' if cluster.cordoned else 'does not answer'})"
        for cluster in clusters
    )


def _order(job: str, cluster: str) -> bytes:
    """Rendezvous hashing (Thaler, Ravishankar, 1998): a cluster less moves only its own jobs."""
    return hashlib.sha256(f"{job}\0{cluster}".encode()).digest()
