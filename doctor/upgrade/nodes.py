"""Machines beside a control plane of another Kubernetes version."""

from collections.abc import Iterator

from aws_rules.eks.versions import SKEW, minor
from doctor.account import Place
from doctor.checks.names import cluster
from doctor.checks.versions import IMAGE_ARCHITECTURES
from doctor.finding import Finding, ok, problem, series, warning
from stacks.settings.cluster import Cluster


def images(place: Place, version: str) -> Iterator[Finding]:
    """EKS has machine images of the version, for each architecture of the node groups.

    https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
    """
    architectures = {
        group.architecture for cluster in place.clusters.values() for group in cluster.node_groups.values()
    }
    for architecture in sorted(architectures):
        image = f"amazon-linux-2023/{IMAGE_ARCHITECTURES[architecture]}/standard"
        answer = place.find(
            "ssm",
            "get_parameter",
            "ParameterNotFound",
            Name=f"/aws/service/eks/optimized-ami/{version}/{image}/recommended/release_version",
        )
        if answer is None:
            yield problem(
                place.name,
                f"EKS has no {architecture} machine image for Kubernetes {version} here.",
                "Wait until it has reached the region.",
            )
        else:
            release = answer["Parameter"]["Value"]
            yield ok(place.name, f"EKS recommends {architecture} machine image {release}.")


def behind(place: Place, version: str) -> Iterator[Finding]:
    """No node group falls more than three minor versions behind, and it is plain which stay behind.

    Whether one that is behind already lets EKS update its cluster, its pages say both:
    https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html
    https://docs.aws.amazon.com/eks/latest/best-practices/cluster-upgrades.html
    """
    for name, settings in place.clusters.items():
        where = f"{place.name}/{name}"
        if settings.version == version:
            continue
        yield from _pins(where, version, _releases(place, name))
        yield from _own(where, version, place.clusters[name])
        running = _running(place, name)
        late = sorted(group for group, current in running.items() if minor(version) - minor(current) > SKEW)
        if late:
            yield problem(
                where,
                f"A kubelet may be {SKEW} minor versions behind its control plane, and {series(late)} would "
                "be more.",
                "Update these node groups first, or remove the generations.",
            )
        elif former := sorted(group for group, current in running.items() if current != settings.version):
            yield warning(
                where,
                f"EKS may refuse this as long as {series(former)} "
                f"{'is' if len(former) == 1 else 'are'} not at {settings.version}, the cluster's version.",
                "Finish the last upgrade first: remove the generations once their drivers have ended.",
            )
        elif running:
            yield ok(where, f"No node group would be more than {SKEW} minor versions behind.")


def _releases(place: Place, name: str) -> dict[str, str]:
    """Node group, as a person calls it -> the machine image that its settings name."""
    releases = {}
    for group_name, group in place.clusters[name].node_groups.items():
        releases[group_name] = group.ami_release
        for number, old in group.retiring.items():
            releases[f"{group_name} (generation {number})"] = old.ami_release
    return {group: release for group, release in releases.items() if release}


def _pins(where: str, version: str, releases: dict[str, str]) -> Iterator[Finding]:
    staying = {group for group, release in releases.items() if minor(release) != minor(version)}
    if staying:
        yield warning(
            where,
            f"The settings name machine images of other versions for {series(sorted(staying))}, which stay "
            "there.",
            "To take them along, name a release of the new version and raise `generation`.",
        )


def _own(where: str, version: str, settings: Cluster) -> Iterator[Finding]:
    """Images of one's own, whose version EKS neither knows nor changes."""
    own = sorted(name for name, group in settings.node_groups.items() if group.ami)
    if own:
        have = "has an image" if len(own) == 1 else "have images"
        yield warning(
            where,
            f"{series(own)} {have} of your own, and the kubelet in it stays as it is.",
            f"Once the cluster is at {version}, build one for it, and set it as `ami`.",
        )


def _running(place: Place, name: str) -> dict[str, str]:
    """Node groups of the cluster -> Kubernetes version; none while there is no cluster."""
    eks_name = place.cluster_name(name)
    if cluster(place, eks_name) is None:
        return {}
    groups = place.items("eks", "list_nodegroups", "nodegroups", clusterName=eks_name)
    return {
        group: place.ask("eks", "describe_nodegroup", clusterName=eks_name, nodegroupName=group)["nodegroup"][
            "version"
        ]
        for group in groups
    }
