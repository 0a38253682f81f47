"""What stands and would not work: what AWS lets an `up` make or change without asking who needs it.

IAM and EC2 take such a change of a policy, a route or a rule; who depends on it fails later: the next
machine, the next start of a program.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from aws_rules.iam.permissions import endpoint_service
from aws_rules.network import Pod
from aws_rules.network.program_ways import program_ways
from aws_rules.nodes.dns import ADD_ON as DNS
from aws_rules.nodes.dns import cluster_dns
from aws_rules.rule import Unknown, Verdict
from localcloud import unknowns
from localcloud.cloud import Cloud
from localcloud.plugins.aws.refusals.excess_permissions import programs_of
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.refusals.network import load
from localcloud.plugins.aws.refusals.nodes import Joining, self_managed_add_ons
from localcloud.plugins.aws.refusals.permissions.addons import addon_verdicts
from localcloud.plugins.aws.refusals.permissions.associations import (
    ServiceAccount,
    association_verdicts,
    associations,
    unassociated,
)
from localcloud.plugins.aws.refusals.permissions.clusters import cluster_verdicts
from localcloud.plugins.aws.refusals.permissions.releases import (
    ClusterRelease,
    cluster_identities,
    release_verdicts,
)
from localcloud.plugins.aws.refusals.templates import template_data

Labels = Mapping[str, str]


def broken_dependents(
    cloud: Cloud,
    clusters: Iterable[str],
    releases: Iterable[ClusterRelease],
    accounts: Iterable[ServiceAccount],
) -> list[str]:
    """Sentences on what stands and would not work, as AWS is now; what is not known is noted.

    releases, accounts: of all of the clusters.
    """
    releases, accounts, sentences = list(releases), list(accounts), dict[str, None]()
    for cluster in clusters:
        iam = cluster_identities(cloud, cluster)
        if iam is None:
            continue
        for verdict in _verdicts(iam, cluster, releases, accounts):
            if isinstance(verdict, Unknown):
                unknowns.note(cloud, verdict)
            else:
                sentences[str(verdict)] = None
    return list(sentences)


def _servers(eks: Any, cluster: str, pods: Iterable[tuple[Pod, Labels]]) -> Iterator[Pod]:
    """Where CoreDNS may be: on nodes with the labels that its add-on's configuration names."""
    addon = eks.describe_addon(clusterName=cluster, addonName=DNS)["addon"]
    selector = (yaml.safe_load(addon.get("configurationValues") or "") or {}).get("nodeSelector") or {}
    for pod, labels in pods:
        # Others than the group's are EKS's and the kubelet's: any node may have them.
        if all(labels.get(name, value) == value for name, value in selector.items()):
            yield pod


def _verdicts(
    iam: Identities, cluster: str, releases: Iterable[ClusterRelease], accounts: Iterable[ServiceAccount]
) -> Iterator[Verdict]:
    eks = iam.api.service("eks", iam.region)
    yield from cluster_verdicts(iam, eks.describe_cluster(name=cluster)["cluster"])
    network, pods = load(iam.api, iam.region), list[tuple[Pod, Labels]]()
    groups = eks.list_nodegroups(clusterName=cluster)["nodegroups"]
    add_ons = eks.list_addons(clusterName=cluster)["addons"]
    charts = [release.chart for release in releases if release.cluster == cluster]
    for name in groups:
        group = eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
        data = template_data(iam.api, iam.region, group.get("launchTemplate") or {})
        joining = Joining(iam, network, group, data)
        yield from joining.surroundings()
        pods += [(pod, group.get("labels") or {}) for pod in joining.pods()]
    if groups:
        self_managed = self_managed_add_ons(eks, cluster)
        yield from cluster_dns(
            cluster,
            [*add_ons, *charts],
            network,
            (pod for pod, _ in pods),
            _servers(eks, cluster, pods) if DNS in add_ons else (),
            self_managed=self_managed,
        )
    for name in add_ons:
        addon = eks.describe_addon(clusterName=cluster, addonName=name)["addon"]
        yield from addon_verdicts(iam, addon)
    for association in associations(iam, cluster):
        yield from association_verdicts(iam, association)
        for program in programs_of(association, releases):
            services = {endpoint_service(action) for call in program.calls for action in call.actions}
            account = f"{association['namespace']}/{association['serviceAccount']} on {cluster}"
            yield from program_ways(account, network, (pod for pod, _ in pods), program.name, services)
    yield from unassociated(iam, (account for account in accounts if account.cluster == cluster))
    for release in releases:
        if release.cluster == cluster:
            yield from release_verdicts(iam, *release)
