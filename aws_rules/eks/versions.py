"""Versions: of clusters, of node groups beside their cluster, of add-ons."""

import re
from collections.abc import Iterator, Mapping
from datetime import date

from aws_rules.eks.version_data import ADDONS, KUBERNETES, OF_KUBERNETES
from aws_rules.rule import Rule, Unknown, Verdict, Violation

CLUSTER_VERSION = Rule(
    name="cluster-version",
    authority="EKS",
    decides="whether a cluster can have a Kubernetes version: supported, one minor version at a time, and no "
    "more than three ahead of its nodes",
    source="https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html",
    further=(
        "https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html",
        "https://docs.aws.amazon.com/eks/latest/best-practices/cluster-upgrades.html",
    ),
)
NODE_GROUP_VERSION = Rule(
    name="node-group-version",
    authority="EKS",
    decides="whether a node group can have a Kubernetes version and a release of its machine image",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupVersion.html",
)
ADDON_VERSION = Rule(
    name="addon-version",
    authority="EKS",
    decides="whether a version of an add-on exists for a Kubernetes version",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html",
)

RULES = (CLUSTER_VERSION, NODE_GROUP_VERSION, ADDON_VERSION)

SKEW = 3
"""Minor versions that a kubelet may be behind its API server:
https://kubernetes.io/releases/version-skew-policy/#kubelet"""

REQUEST = "InvalidParameterException"

KUBERNETES_VERSION = re.compile(r"1\.\d+")

ADDON_FORM = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")
"""`major-version.minor-version.patch-version-eksbuild.build-number`:
https://docs.aws.amazon.com/eks/latest/userguide/eks-networking-add-ons.html"""

AWS_NETWORKING_ADDONS = frozenset({"vpc-cni", "coredns", "kube-proxy"})
"""Add-ons of which that page says it. Those of other publishers have forms of their own."""


def new_cluster(cluster: str, version: str, today: date) -> Iterator[Verdict]:
    """What is refused of a version that a cluster is made with."""
    if not KUBERNETES_VERSION.fullmatch(version):
        yield _cluster(cluster, "unsupported Kubernetes version", f"write {max(KUBERNETES, key=minor)}")
        return
    support = KUBERNETES.get(version)
    if support is None and minor(version) > max(map(minor, KUBERNETES)):
        yield Unknown(rule=CLUSTER_VERSION, resource=cluster, lacks=f"Kubernetes {version}")
    # "On the end of extended support date, you can no longer create new Amazon EKS clusters with the
    # unsupported version": the calendar's page.
    elif support is None or support.extended <= today:
        remark = f", whose extended support ended on {support.extended}" if support else ""
        yield _cluster(
            cluster,
            "unsupported Kubernetes version",
            f"take a version that EKS still has, in place of {version}{remark}",
        )


def other_cluster_version(
    cluster: str, old: str, new: str, groups: Mapping[str, str], today: date
) -> Iterator[Verdict]:
    """What is refused of another version of a cluster.

    groups: name of a node group -> its version.
    """
    if minor(new) not in (minor(old), minor(old) + 1):
        yield _cluster(
            cluster,
            f"Unsupported Kubernetes minor version update from {old} to {new}",
            f"go to 1.{minor(old) + 1} first; no cluster goes back"
            if minor(new) > minor(old)
            else f"stay with {old}, as no cluster goes back",
        )
        return
    yield from new_cluster(cluster, new, today)
    late = sorted(name for name, version in groups.items() if minor(new) - minor(version) > SKEW)
    if late:
        yield _cluster(
            cluster,
            f"Nodegroups {', '.join(late)} must be updated to match cluster version {old} before updating "
            "cluster version",
            f"update these node groups first: a kubelet may be {SKEW} minor versions behind",
            "InvalidRequestException",
        )
    elif behind := sorted(name for name, version in groups.items() if minor(version) < minor(old)):
        # "all of your node groups' Kubernetes versions must match the cluster's Kubernetes version in order
        # to update the cluster": the API's reference. The best practices let them be behind as kubelets may.
        yield Unknown(
            rule=CLUSTER_VERSION,
            resource=cluster,
            lacks=f"whether EKS goes on to {new} with node groups {', '.join(behind)} behind {old}, of which "
            "its pages say both",
        )


def node_group_version(
    group: str, version: str | None, release: str | None, cluster: str, old: str | None = None
) -> Iterator[Verdict]:
    """What is refused of the version of a node group.

    version: None for the cluster's. release: of the machine image. cluster: its version. old: the group's
    version so far, if it exists.
    """
    effective = version or old or cluster
    if minor(effective) > minor(cluster):
        yield _group(
            group,
            f"Nodegroup Kubernetes version {effective} is newer than the version of its cluster, {cluster}",
            "update the cluster first",
        )
    elif minor(cluster) - minor(effective) > SKEW:
        yield _group(
            group,
            f"Nodegroup Kubernetes version {effective} is too old for cluster version {cluster}",
            f"take a version from 1.{minor(cluster) - SKEW} to {cluster}",
        )
    elif old and minor(effective) < minor(old):
        yield _group(
            group,
            f"Nodegroup Kubernetes version {effective} is older than its present one, {old}",
            "make another group for it, as none goes back",
        )
    if release and not release.startswith(f"{effective}."):
        yield _group(
            group,
            f"Requested release version {release} is not valid for kubernetes version {effective}",
            f"take a release of Kubernetes {effective}, or leave it out",
        )


def addon_version(addon: str, name: str, version: str, cluster: str) -> Iterator[Verdict]:
    """What is refused of the version of an add-on.

    addon: as an engineer names it. name: EKS's. cluster: Kubernetes version of its cluster.
    """
    by_cluster = ADDONS.get(name, {})
    if name in AWS_NETWORKING_ADDONS and not ADDON_FORM.fullmatch(version):
        yield _addon(addon, name, cluster, f"{version} is none, they look like v1.13.2-eksbuild.4")
    elif cluster in by_cluster and version in by_cluster[cluster].versions:
        return
    elif name in OF_KUBERNETES and not 0 <= minor(cluster) - minor(version.removeprefix("v")) <= SKEW:
        yield _addon(addon, name, cluster, f"{version} is for another Kubernetes version")
    else:
        yield Unknown(
            rule=ADDON_VERSION, resource=addon, lacks=f"version {version} of {name} for Kubernetes {cluster}"
        )


def minor(version: str) -> int:
    """Minor version of one such as `1.35` or `1.35.4`."""
    return int(version.split(".")[1])


def _cluster(cluster: str, message: str, remedy: str, code: str = REQUEST) -> Violation:
    return Violation(rule=CLUSTER_VERSION, resource=cluster, code=code, message=message, remedy=remedy)


def _group(group: str, message: str, remedy: str) -> Violation:
    return Violation(rule=NODE_GROUP_VERSION, resource=group, code=REQUEST, message=message, remedy=remedy)


def _addon(addon: str, name: str, cluster: str, reason: str) -> Violation:
    return Violation(
        rule=ADDON_VERSION,
        resource=addon,
        code=REQUEST,
        message="Addon version specified is not supported",
        remedy=f"take one that `aws eks describe-addon-versions --addon-name {name} --kubernetes-version "
        f"{cluster}` lists ({reason})",
    )
