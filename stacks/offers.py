"""What the clusters of an environment offer to an allocation."""

from moka.allocation.cluster import Cluster
from moka.allocation.offer import Offer
from moka.mistakes import InvalidDocument
from stacks.settings import Environment
from stacks.settings.job_machines import counted_machines


def offer(settings: Environment, name: str) -> Offer:
    """What a cluster offers. Machines are counted in the first type of the largest group of executors.

    Raises InvalidDocument where the names of its types do not tell what they have.
    """
    cluster = settings.clusters[name]
    machines = counted_machines(settings, name)
    if machines is None:
        raise InvalidDocument(
            f"clusters.{name}: the names of its instance types do not tell their cores and memory; state its "
            "`capacity` and a type that does, to have plans made for it."
        )
    return Offer(
        cluster=Cluster(name=name, instance=machines.one, instances=machines.count),
        zones=settings.role_zones(name, "executor"),
        architectures=tuple(sorted({group.architecture for group in cluster.groups_of("executor")})),
        settings=settings.cluster_settings(name),
    )
