"""Tiers of control planes: what EKS says that they carry, beside what YuniKorn sends them."""

from collections.abc import Iterator

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, ok, problem, series, warning
from moka.control_plane_tiers import CAPACITIES, smallest_for
from moka.sizes.yunikorn import api_requests_per_second
from stacks.settings.checks import charts
from stacks.settings.cluster import Cluster


def tiers(place: Place) -> Iterator[Finding]:
    """The control plane of each cluster binds as many pods a second as YuniKorn may make requests."""
    for name, cluster in place.clusters.items():
        where, requests, tier = (
            f"{place.name}/{name}",
            yunikorn_requests(place, cluster),
            cluster.control_plane_tier,
        )
        sends = f"YuniKorn makes up to {requests} requests a second, with {cluster.nodes} nodes at the most"
        if tier == "standard":
            fitting = smallest_for(requests)
            if requests <= CAPACITIES["tier-xl"].pods_a_second:
                yield ok(where, f"{sends}; the control plane is standard, and follows the load.")
            else:
                yield warning(
                    where,
                    f"{sends}, and a standard control plane begins small and follows the load: a burst comes "
                    "before it.",
                    f"Set control_plane_tier: {fitting}, or let events of PodBindFailure decide.",
                )
            continue
        capacities = _capacities(place, cluster.version)
        if capacities and tier not in capacities:
            yield problem(
                where,
                f"EKS has no {tier} for Kubernetes {cluster.version} here.",
                f"Choose another control_plane_tier: {series(capacities)}.",
            )
            continue
        carries = capacities.get(tier) or CAPACITIES[tier].pods_a_second
        if requests > carries:
            enough = [name for name, number in capacities.items() if number >= requests]
            way_out = f"Set control_plane_tier: {enough[0]}, or lower" if enough else "Lower"
            yield warning(
                where,
                f"{sends}, but {tier} is for {carries} pods a second.",
                f"{way_out} kubernetes.qps of YuniKorn in charts.values.",
            )
        else:
            yield ok(where, f"{sends}; {tier} is for {carries} pods a second.")


def yunikorn_requests(place: Place, cluster: Cluster) -> int:
    """Requests a second that YuniKorn of a cluster may make, bindings among them."""
    values = charts.value(place.settings, "yunikorn", "yunikornDefaults")
    qps = str(values.get("kubernetes.qps", "")) if isinstance(values, dict) else ""
    if qps.isdecimal():
        return int(qps)
    return api_requests_per_second(cluster.nodes, cluster.control_plane_tier)


def _capacities(place: Place, version: str) -> dict[str, int]:
    """Tier -> pods a second, as EKS has it for a version; nothing where it does not say."""
    try:
        versions = list(
            place.items("eks", "describe_cluster_versions", "clusterVersions", clusterVersions=[version])
        )
    except NoAnswer as error:
        if error.denied:
            raise
        return {}
    return {
        tier["tierName"]: tier["podSchedulingRatePerSecond"]
        for item in versions
        for tier in item.get("controlPlaneScalingTiers", ())
        if "podSchedulingRatePerSecond" in tier
    }
