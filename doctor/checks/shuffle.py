"""What jobs shuffle: between zones though nobody said so, and past a Celeborn that is there for it."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, ok, series, warning
from moka.zone_traffic import Workers, crossings, usd_a_tb
from stacks.settings.cluster import Cluster
from stacks.settings.node_group_plan import node_group_plans


def between_zones(place: Place) -> Iterator[Finding]:
    """Zones that executors and workers are in by default only, and what that costs."""
    for name, cluster in place.clusters.items():
        where = f"{place.name}/{name}"
        findings = [*_executors(place, where, name, cluster), *_workers(place, where, name, cluster)]
        yield from findings or [ok(where, "What is shuffled crosses zones only where the settings say so.")]


def _executors(place: Place, where: str, name: str, cluster: Cluster) -> Iterator[Finding]:
    """Groups of executors that `executor_zone: one` does nothing for."""
    zones = place.settings.zones_of(name)
    spanning = {
        key: group.effective_zones(zones)
        for key, group in cluster.node_groups.items()
        if group.role == "executor"
        and not all(plan.zone_known for plan in node_group_plans(key, group, zones) if not plan.retiring)
    }
    if cluster.executor_zone != "one" or not spanning:
        return
    all_zones = sorted({zone for zones in spanning.values() for zone in zones})
    price = f"USD {usd_a_tb(crossings(all_zones)):.0f}"
    if workers := _kept_by(place, name, cluster):
        price += f", with Celeborn {usd_a_tb(crossings(all_zones, workers)):.0f}"
    yield warning(
        where,
        f"Node groups {series(spanning)} span {series(all_zones)}, and nobody can choose the zone of a node, "
        f"so executors of a job are in all of them: a TB that is shuffled costs {price}.",
        "Give them per_zone: true with their next generation, or write executor_zone: any.",
    )


def _workers(place: Place, where: str, name: str, cluster: Cluster) -> Iterator[Finding]:
    """Celeborn's workers in all zones, as their groups name none."""
    workers = _kept_by(place, name, cluster)
    silent = [
        key for key, group in cluster.node_groups.items() if group.role == "shuffle" and not group.zones
    ]
    if workers is None or not silent or len(workers.zones) < 2:
        return
    yield warning(
        where,
        f"Node groups {series(silent)} name no zones, so Celeborn's workers are in {series(workers.zones)}: "
        f"a TB that is shuffled there costs USD {usd_a_tb(crossings(workers.zones, workers)):.0f}, and with "
        "workers and executors in one zone nothing.",
        "Name one zone in a new environment; in one that is there name all of these to keep it, as other "
        "zones replace the workers with what they hold.",
    )


def _kept_by(place: Place, name: str, cluster: Cluster) -> Workers | None:
    """Celeborn's workers on a cluster."""
    if cluster.shuffle is None:
        return None
    return Workers(zones=place.settings.role_zones(name, "shuffle"), replicate=cluster.shuffle.replicate)


def clients(place: Place) -> Iterator[Finding]:
    """Celeborn that no job shuffles on unless it asks."""
    spark = place.settings.spark
    with_celeborn = [name for name, cluster in place.clusters.items() if cluster.shuffle]
    if not with_celeborn:
        return
    if spark.celeborn.clients:
        yield ok(
            place.name,
            f"Jobs with dynamic allocation and {spark.celeborn.cores:,} cores or more shuffle on Celeborn by "
            f"default, with Spark {series(spark.celeborn.clients)}.",
        )
    else:
        yield warning(
            place.name,
            f"Clusters {series(with_celeborn)} have Celeborn, and spark.celeborn.clients is empty, so only "
            "jobs that say `celeborn: true` shuffle there.",
            "Put its client into the image of jobs (examples/jobs/Dockerfile), name that in spark.images, "
            "and its Spark version in spark.celeborn.clients.",
        )
