"""Helm releases whose programs call AWS, refused where these may not."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.refusals.permissions import release_verdicts
from localcloud.plugins.aws.store import other_places
from localcloud.unknowns import refuse


class ClusterRelease(NamedTuple):
    """A release as a stack deployed it; chart: its name only."""

    cluster: str
    chart: str
    namespace: str
    values: Mapping[str, Any]


def cluster_identities(cloud: Cloud, cluster: str) -> Identities | None:
    """IAM as the account of a cluster sees it; None where EKS does not have the cluster."""
    for account, region in other_places(cloud, ("", ""), "eks", "cluster", cluster):
        return Identities(account_api(cloud, AwsServer(cloud).url, account, region), region)
    return None


def refuse_unpermitted(
    cloud: Cloud, cluster: str, chart: str, namespace: str, values: Mapping[str, Any]
) -> None:
    """Refuse a release on a cluster of EKS whose program may not do what it calls."""
    iam = cluster_identities(cloud, cluster)
    if iam is not None:
        refuse(cloud, release_verdicts(iam, cluster, chart, namespace, values))
