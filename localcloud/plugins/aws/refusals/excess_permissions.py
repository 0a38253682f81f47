"""What roles may do beyond what their programs call: not refused, and said."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aws_rules.iam import nodes
from aws_rules.iam.permissions import surplus
from aws_rules.iam.programs import ADDONS, Program
from localcloud.cloud import Cloud
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.associations import (
    association_role,
    associations,
    project_programs,
)
from localcloud.plugins.aws.refusals.permissions.common import SYSTEM_NAMESPACE
from localcloud.plugins.aws.refusals.permissions.releases import (
    ClusterRelease,
    cluster_identities,
    release_program,
)


def excess_permissions(
    cloud: Cloud, clusters: Iterable[str], releases: Iterable[ClusterRelease]
) -> list[str]:
    """Sentences on the roles of nodes and of pods, each with the actions that nothing known calls."""
    releases, sentences = list(releases), list[str]()
    for cluster in clusters:
        iam = cluster_identities(cloud, cluster)
        if iam is not None:
            sentences += [
                f"{account} on {cluster}: {', '.join(actions)}"
                for account, actions in sorted(_surpluses(iam, cluster, releases))
                if actions
            ]
    return sentences


def _surpluses(
    iam: Identities, cluster: str, releases: Iterable[ClusterRelease]
) -> Iterator[tuple[str, list[str]]]:
    eks = iam.api.service("eks", iam.region)
    for arn in {
        eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]["nodeRole"]
        for name in eks.list_nodegroups(clusterName=cluster)["nodegroups"]
    }:
        programs = nodes.node_programs(names_by_instance_id=False, pod_identity=True, cni_identity=True)
        try:
            yield "nodes", surplus(iam.role(arn), programs)
        except Absent:
            continue
    for association in associations(iam, cluster):
        programs = list(programs_of(association, releases))
        if programs:
            account = f"{association['namespace']}/{association['serviceAccount']}"
            try:
                yield account, surplus(association_role(iam, association), programs)
            except Absent:
                continue


def programs_of(association: Mapping[str, Any], releases: Iterable[ClusterRelease]) -> Iterator[Program]:
    """Programs that run by the service account of an association, as far as any is known."""
    yield from project_programs(association)
    namespace, account = association["namespace"], association["serviceAccount"]
    for addon in ADDONS.values():
        if (namespace, account) == (SYSTEM_NAMESPACE, addon.service_account):
            yield addon.program
    for release in releases:
        program, name = release_program(release.chart, release.values)
        if (
            program
            and release.cluster == association["clusterName"]
            and (namespace, account) == (release.namespace, name)
        ):
            yield program
