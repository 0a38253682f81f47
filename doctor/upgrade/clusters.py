"""Clusters before another Kubernetes version: one step, supported, with room, and what EKS itself sees."""

from collections.abc import Iterator
from typing import Any

from aws_rules.eks.versions import minor
from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, not_checked, ok, problem, series, warning

ADDRESSES = 5
"""Free addresses that EKS may need, in the subnets of the cluster, for an upgrade:
https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html"""


def way(place: Place, version: str) -> Iterator[Finding]:
    """A cluster goes one minor version at a time, never back, and only while it is well."""
    for name, settings in place.clusters.items():
        where, running = f"{place.name}/{name}", cluster(place, place.cluster_name(name))
        current = running["version"] if running else settings.version
        if running and current != settings.version:
            yield warning(
                where,
                f"The cluster has Kubernetes {current}, its settings say {settings.version}.",
                "Run `make up`, or set `version` to what it has, before you go on.",
            )
        yield _step(where, current, version)
        if running:
            yield from _health(where, running)


def _step(where: str, current: str, version: str) -> Finding:
    steps = minor(version) - minor(current)
    if steps == 0:
        return ok(where, f"The cluster has Kubernetes {version} already.")
    if steps < 0:
        return problem(
            where, f"No cluster goes back from Kubernetes {current} to {version}.", "Make another for it."
        )
    if steps > 1:
        following = f"1.{minor(current) + 1}"
        return problem(
            where,
            f"Kubernetes {current} to {version} are {steps} upgrades, one minor version each.",
            f"Go to {following} first: ask with `--upgrade {following}`.",
        )
    return ok(where, f"Kubernetes {current} to {version} is one step.")


def _health(where: str, running: dict[str, Any]) -> Iterator[Finding]:
    if running["status"] != "ACTIVE":
        yield problem(where, f"The cluster is {running['status']}.", "Wait until it is ACTIVE.")
    for issue in (running.get("health") or {}).get("issues", ()):
        yield problem(
            where,
            f"EKS says of the cluster: {issue['code']}, {issue['message'].rstrip('.')}.",
            "Put it right first: EKS refuses to upgrade a cluster, or reverts it, that it cannot reach.",
        )


def support(place: Place, version: str) -> Iterator[Finding]:
    """EKS offers the version, in the support that the settings want."""
    offers: dict[str, dict[str, Any]] = {
        offer["clusterVersion"]: offer
        for offer in place.items("eks", "describe_cluster_versions", "clusterVersions")
    }
    versions = sorted(offers, key=minor)
    if version not in offers:
        yield problem(
            place.name,
            f"EKS does not offer Kubernetes {version} here.",
            f"It offers {series(versions)}.",
        )
    elif offers[version].get("versionStatus") == "EXTENDED_SUPPORT":
        yield warning(
            place.name,
            f"Kubernetes {version} is in extended support, which costs by the hour.",
            "Plan the next upgrade with this one.",
        )
    else:
        yield ok(place.name, f"EKS offers Kubernetes {version} here.")


def insights(place: Place, version: str) -> Iterator[Finding]:
    """What EKS saw of the clusters: APIs that go and who calls them, add-ons, kubelets.

    https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html
    """
    for name in place.clusters:
        where, eks_name = f"{place.name}/{name}", place.cluster_name(name)
        if cluster(place, eks_name) is None:
            continue
        filters = {"categories": ["UPGRADE_READINESS"]}
        relevant = [
            insight
            for insight in place.items(
                "eks", "list_insights", "insights", clusterName=eks_name, filter=filters
            )
            if minor(insight.get("kubernetesVersion") or version) <= minor(version)
        ]
        passed = [insight for insight in relevant if _status(insight) == "PASSING"]
        if passed:
            yield ok(
                where, f"EKS has looked for what stands in the way: {len(passed)} of {len(relevant)} pass."
            )
        elif not relevant:
            yield not_checked(where, "EKS has no insights about upgrades of this cluster yet.")
        for insight in relevant:
            if insight not in passed:
                yield _insight(place, where, eks_name, insight)


def _status(insight: dict[str, Any]) -> str:
    return str(insight["insightStatus"]["status"])


def _insight(place: Place, where: str, eks_name: str, insight: dict[str, Any]) -> Finding:
    reason = insight["insightStatus"].get("reason") or insight["name"]
    sentence = f"EKS says: {insight['name']}: {' '.join(reason.split()).rstrip('.')}."
    if _status(insight) == "UNKNOWN":
        return not_checked(where, sentence)
    details = place.ask("eks", "describe_insight", clusterName=eks_name, id=insight["id"])["insight"]
    callers = sorted(
        f"{usage['usage']} by {client['userAgent']}"
        for usage in (details.get("categorySpecificSummary") or {}).get("deprecationDetails", ())
        for client in usage.get("clientStats", ())
    )
    remedy = " ".join((details.get("recommendation") or "").split())
    if callers:
        remedy = f"{remedy} In the last 30 days: {series(callers)}.".strip()
    return (problem if _status(insight) == "ERROR" else warning)(where, sentence, remedy)


def addresses(place: Place, version: str) -> Iterator[Finding]:
    """The subnets of the control plane have addresses for the interfaces of the new one."""
    for name in place.clusters:
        where, running = f"{place.name}/{name}", cluster(place, place.cluster_name(name))
        if running is None or running["version"] == version:
            continue
        ids = running["resourcesVpcConfig"]["subnetIds"]
        subnets = place.ask("ec2", "describe_subnets", SubnetIds=ids)["Subnets"]
        free = sum(subnet["AvailableIpAddressCount"] for subnet in subnets)
        full = sorted(subnet["SubnetId"] for subnet in subnets if not subnet["AvailableIpAddressCount"])
        if free < ADDRESSES:
            yield problem(
                where,
                f"The subnets of the control plane have {free} free addresses, and EKS may need {ADDRESSES}.",
                "Free some: remove interfaces that nobody uses.",
            )
        elif full:
            yield warning(
                where,
                f"Of the control plane's subnets, {series(full)} has no free address.",
                "EKS may want to place an interface there: free some.",
            )
        else:
            yield ok(where, f"The subnets of the control plane have {free} free addresses.")
