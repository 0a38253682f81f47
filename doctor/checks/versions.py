"""Versions of Kubernetes, of add-ons and of machine images: EKS still offers all of them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning
from moka.addon_versions import ADDON_VERSIONS

WARNING_PERIOD = timedelta(days=90)

ROOT_DEVICE = "/dev/xvda"
"""Of EKS's images of AL2023: the launch template's settings of the root disk are for that name."""

IMAGE_ARCHITECTURES = {"arm64": "arm64", "amd64": "x86_64"}
"""Architecture, as the names of EKS's AL2023 images have it."""


def kubernetes(place: Place) -> Iterator[Finding]:
    """EKS makes clusters of the version, and supports it for a while as the settings want."""
    offers = {
        version["clusterVersion"]: version
        for version in place.items("eks", "describe_cluster_versions", "clusterVersions")
    }
    for name, cluster in place.clusters.items():
        where, version = f"{place.name}/{name}", offers.get(cluster.version)
        if version is None:
            yield problem(
                where,
                f"EKS does not offer Kubernetes {cluster.version} here.",
                f"Pin add-ons for one that it offers in moka/addon_versions.py: {series(sorted(offers))}.",
            )
            continue
        moment: datetime | None = version.get(
            "endOfStandardSupportDate" if cluster.support == "standard" else "endOfExtendedSupportDate"
        )
        # It comes in the machine's time zone, and is the start of a day of UTC.
        end = moment.astimezone(UTC).date() if moment else None
        if end is None or end > place.today + WARNING_PERIOD:
            until = f" until {end}" if end else ""
            yield ok(where, f"EKS supports Kubernetes {cluster.version}{until}.")
        elif end > place.today:
            yield warning(
                where,
                f"The {cluster.support} support of Kubernetes {cluster.version} ends on {end}.",
                "Plan the upgrade: EKS upgrades the cluster by itself then.",
            )
        else:
            yield problem(
                where,
                f"The {cluster.support} support of Kubernetes {cluster.version} ended on {end}.",
                "Take a newer version, or set support: extended where that is left, which costs by the hour.",
            )


def addons(place: Place) -> Iterator[Finding]:
    """EKS offers every add-on at the version that is pinned, for each Kubernetes version in use."""
    for version in sorted({cluster.version for cluster in place.clusters.values()}):
        yield from addons_for(place, version)


def addons_for(place: Place, version: str) -> Iterator[Finding]:
    """The same for one Kubernetes version, which moka/addon_versions.py has."""
    offers: dict[str, list[str]] = {}
    for addon in place.items(
        "eks", "describe_addon_versions", "addons", kubernetesVersion=version, owners=["aws"]
    ):
        offers[addon["addonName"]] = [version["addonVersion"] for version in addon["addonVersions"]]
    pins = ADDON_VERSIONS[version]
    missing = [name for name in pins if pins[name] not in offers.get(name, ())]
    for name in missing:
        yield problem(
            place.name,
            f"EKS does not offer add-on {name} {pins[name]} for Kubernetes {version}.",
            f"Pin one in moka/addon_versions.py: {series(offers[name][:3])}."
            if offers.get(name)
            else f"See `aws eks describe-addon-versions --kubernetes-version {version}`.",
        )
    if not missing:
        yield ok(
            place.name,
            f"EKS offers all {len(pins)} add-ons as pinned for Kubernetes {version}.",
        )


def node_images(place: Place) -> Iterator[Finding]:
    """EKS still has the machine image of every release that a node group names."""
    for cluster_name, cluster in place.clusters.items():
        for name, group in cluster.node_groups.items():
            releases = [group.ami_release, *(retiring.ami_release for retiring in group.retiring.values())]
            for release in filter(None, releases):
                version, _, date = release.rpartition("-")
                minor = version.rpartition(".")[0]
                image = f"amazon-eks-node-al2023-{IMAGE_ARCHITECTURES[group.architecture]}-*-{minor}-v{date}"
                images = place.ask(
                    "ec2",
                    "describe_images",
                    Owners=["amazon"],
                    Filters=[{"Name": "name", "Values": [image]}],
                )["Images"]
                where = f"{place.name}/{cluster_name}"
                if images:
                    yield ok(where, f"Node group {name}: EKS has machine image {release}.")
                else:
                    yield problem(
                        where,
                        f"Node group {name}: EKS has no {group.architecture} machine image {release} here.",
                        "Take a release of github.com/awslabs/amazon-eks-ami that has reached the region.",
                    )


def own_images(place: Place) -> Iterator[Finding]:
    """Machine images of one's own are there, as nodes of their group need them.

    Whether nodeadm is in them, and for which Kubernetes version, nobody can ask.
    """
    for cluster_name, cluster in place.clusters.items():
        for name, group in cluster.node_groups.items():
            for ami in filter(None, [group.ami, *(retiring.ami for retiring in group.retiring.values())]):
                where = f"{place.name}/{cluster_name}"
                yield from _own_image(place, where, f"Node group {name}: {ami}", ami, group.architecture)


def _own_image(place: Place, where: str, subject: str, ami: str, architecture: str) -> Iterator[Finding]:
    answer = place.find("ec2", "describe_images", "InvalidAMIID", ImageIds=[ami])
    [image] = (answer or {}).get("Images") or [None]
    if image is None:
        yield problem(
            where,
            f"{subject} is not there.",
            f"Copy it to {place.region}, or have its owner share it with account {place.account}.",
        )
        return
    findings = list(_unfit(place, where, subject, image, architecture))
    yield from findings
    if not findings:
        yield ok(where, f"{subject} is there, for {architecture}.")


def _unfit(
    place: Place, where: str, subject: str, image: Mapping[str, Any], architecture: str
) -> Iterator[Finding]:
    if image["State"] != "available":
        yield problem(where, f"{subject} is {image['State']}.", "No machine starts of it: choose another.")
    if image["Architecture"] != IMAGE_ARCHITECTURES[architecture]:
        yield problem(
            where,
            f"{subject} is for {image['Architecture']}, and its machines are {architecture}.",
            "Build one for these.",
        )
    if image["RootDeviceName"] != ROOT_DEVICE:
        yield problem(
            where,
            f"{subject} has its root disk at {image['RootDeviceName']}, so `disk` would make another one at "
            f"{ROOT_DEVICE}, and the root disk be as the image has it, encrypted or not.",
            "Build it upon EKS's image of AL2023.",
        )
    if (end := image.get("DeprecationTime")) and end[:10] <= f"{place.today + WARNING_PERIOD}":
        yield warning(where, f"{subject} is deprecated from {end[:10]} on.", "Build a new one, and set that.")
    if image["Public"] and image["OwnerId"] != place.account and image.get("ImageOwnerAlias") != "amazon":
        yield warning(
            where,
            f"{subject} is public, of account {image['OwnerId']}.",
            "Whoever that is has your nodes: copy one that you have looked at into an account of yours.",
        )
