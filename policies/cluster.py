"""EKS clusters: their API servers, what they keep, who may come in."""

import datetime
import os
from collections.abc import Sequence

from aws_rules.eks.version_data import KUBERNETES
from moka.as_of import as_of
from moka.control_plane_logs import LOG_TYPES
from policies.nodes import cluster_of
from policies.pack.corrections import setting
from policies.pack.resource import Inputs, Resource, fully_known, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import ACCESS_ENTRY, ACCESS_POLICY, ADDON, CLUSTER, LOG_GROUP
from policies.pack.wire import from_json

CLUSTERS = Subject("cluster", "API servers, what they keep, and who may come in")

ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"

IDENTITY_PRACTICES = (
    "https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html"
)
VERSIONS_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html"
"""Its days are the first of what comes after: "Billing for extended support starts at the beginning of the
day that the version reaches end of standard support"."""

ENDPOINT_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html"


@CLUSTERS.rule(
    "api-server-private",
    CLUSTER,
    severity="critical",
    why="Who finds a way past authentication, or a token, needs no other way into the network then.",
    references=("CIS 5.4.1", "CIS 5.4.2", ENDPOINT_GUIDE),
    public_networks=[],
)
def api_server_private(cluster: Resource, parameters: Parameters) -> Violations:
    """API servers are reached from private networks, and from public ones that are listed."""
    if cluster.get("vpcConfig.endpointPublicAccess", True) is not True:
        return
    networks = cluster.get("vpcConfig.publicAccessCidrs", [])
    # EKS takes none for all of them.
    ranges = ["0.0.0.0/0"] if networks == [] else filter(None, map(text, sequence(networks)))
    if beyond := sorted(set(ranges) - set(parameters["public_networks"])):
        yield (
            f"The API server of {cluster.name} is open to {', '.join(beyond)}: turn the public endpoint "
            "off, or limit it to networks of yours."
        )


@CLUSTERS.rule(
    "api-server-private-endpoint",
    CLUSTER,
    severity="high",
    why="Without it, nodes leave the network to reach their control plane.",
    references=("CIS 5.4.2", ENDPOINT_GUIDE),
)
def api_server_private_endpoint(cluster: Resource, _: Parameters) -> Violations:
    """Nodes reach the API server within the network."""
    if cluster.get("vpcConfig.endpointPrivateAccess", False) is False:
        yield f"Cluster {cluster.name} has no private endpoint: set endpointPrivateAccess to true."


@CLUSTERS.rule(
    "cluster-secrets-encrypted",
    CLUSTER,
    severity="high",
    why="Secrets are then encrypted by a key whose use is allowed and logged apart from etcd's disk.",
    references=("CIS 5.3.1", "https://docs.aws.amazon.com/eks/latest/userguide/enable-kms.html"),
)
def cluster_secrets_encrypted(cluster: Resource, _: Parameters) -> Violations:
    """Secrets are encrypted with a key of ours."""
    resources = cluster.get("encryptionConfig.resources", [])
    if fully_known(resources) and "secrets" not in sequence(resources):
        yield f"Cluster {cluster.name} keeps Secrets without a key: set encryptionConfig for secrets."


def _with_logs(inputs: Inputs, parameters: Parameters) -> Inputs:
    enabled = sequence(from_json(inputs.get("enabledClusterLogTypes")))
    missing = [kind for kind in parameters["types"] if kind not in enabled]
    return setting(enabledClusterLogTypes=[*enabled, *missing])(inputs, parameters)


@CLUSTERS.rule(
    "cluster-logs",
    CLUSTER,
    severity="medium",
    why="Without them nobody can say who did what, or why a pod was not scheduled.",
    references=("CIS 2.1.1", "https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html"),
    correction=_with_logs,
    types=list(LOG_TYPES),
)
def cluster_logs(cluster: Resource, parameters: Parameters) -> Violations:
    """Control planes write their logs."""
    enabled = cluster.get("enabledClusterLogTypes", [])
    if not fully_known(enabled):
        return
    if missing := [kind for kind in parameters["types"] if kind not in sequence(enabled)]:
        kinds = ", ".join(missing)
        yield f"Cluster {cluster.name} writes no {kinds} logs: add them to enabledClusterLogTypes."


@CLUSTERS.rule(
    "cluster-api-authentication",
    CLUSTER,
    severity="high",
    why="The ConfigMap aws-auth is outside of IAM, and a mistake in it locks everybody out.",
    references=("CIS 4.1.7", IDENTITY_PRACTICES, "docs/decisions/0007-identity-and-isolation.md"),
)
def cluster_api_authentication(cluster: Resource, _: Parameters) -> Violations:
    """Access entries only let people and programs in."""
    if cluster.get("accessConfig.authenticationMode", "CONFIG_MAP") != "API":
        field = "accessConfig.authenticationMode"
        yield f"Cluster {cluster.name} lets in whom aws-auth names: set {field} to API."


@CLUSTERS.rule(
    "cluster-creator-no-admin",
    CLUSTER,
    severity="high",
    why="Whoever ran the first deployment would stay administrator, and no list of entries would show it.",
    references=("CIS 4.1.1", IDENTITY_PRACTICES),
)
def cluster_creator_no_admin(cluster: Resource, _: Parameters) -> Violations:
    """Who creates a cluster is not its administrator by that."""
    if cluster.get("accessConfig.bootstrapClusterCreatorAdminPermissions", True) is True:
        field = "accessConfig.bootstrapClusterCreatorAdminPermissions"
        yield f"Whoever creates cluster {cluster.name} stays its administrator: set {field} to false."


@CLUSTERS.rule(
    "cluster-version-supported",
    CLUSTER,
    severity="high",
    why="After standard support a cluster costs six times as much, and at its end EKS upgrades it by itself.",
    references=(VERSIONS_GUIDE,),
)
def cluster_version_supported(cluster: Resource, _: Parameters) -> Violations:
    """Clusters are at a version of Kubernetes in EKS's standard support."""
    version = text(cluster.get("version"))
    if cluster.get("version", "") == "":
        yield f"Cluster {cluster.name} is at whatever version EKS picks: set version."
    support = KUBERNETES.get(version)
    if support and support.standard <= today():
        yield (
            f"Standard support of Kubernetes {version} ended on {support.standard}: upgrade cluster "
            f"{cluster.name}."
        )
    elif version and not support and _number(version) < min(map(_number, KUBERNETES)):
        yield f"Cluster {cluster.name} runs {version}, which EKS has no more: upgrade it."


@CLUSTERS.rule(
    "cluster-version-ends-soon",
    CLUSTER,
    severity="medium",
    why="An upgrade goes through every environment, and node groups of long drivers take days.",
    references=(VERSIONS_GUIDE, "docs/operations/upgrading.md"),
    days_before_end=60,
)
def cluster_version_ends_soon(cluster: Resource, parameters: Parameters) -> Violations:
    """Clusters are upgraded well before EKS's standard support of their version ends."""
    version = text(cluster.get("version"))
    if not (support := KUBERNETES.get(version)):
        return
    time_left = support.standard - today()
    if datetime.timedelta() < time_left <= datetime.timedelta(days=parameters["days_before_end"]):
        yield (
            f"Standard support of Kubernetes {version} ends on {support.standard}: plan the upgrade of "
            f"cluster {cluster.name}."
        )


def today() -> datetime.date:
    """The day on which versions are judged."""
    return as_of(os.environ)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


@CLUSTERS.rule(
    "cluster-standard-support",
    CLUSTER,
    severity="medium",
    why="Extended support costs $0.60 an hour and cluster instead of $0.10, and begins without a word.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/view-upgrade-policy.html",),
    correction=setting(upgradePolicy={"supportType": "STANDARD"}),
)
def cluster_standard_support(cluster: Resource, _: Parameters) -> Violations:
    """Clusters do not slip into extended support."""
    if cluster.get("upgradePolicy.supportType", "EXTENDED") != "STANDARD":
        yield f"Cluster {cluster.name} goes into extended support: set upgradePolicy.supportType to STANDARD."


@CLUSTERS.rule(
    "cluster-deletion-protected",
    CLUSTER,
    severity="high",
    why="A cluster that is deleted takes every job on it along.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/deletion-protection.html",),
    correction=setting(deletionProtection=True),
)
def cluster_deletion_protected(cluster: Resource, _: Parameters) -> Violations:
    """EKS refuses to delete clusters."""
    if cluster.get("deletionProtection", False) is False:
        yield f"Cluster {cluster.name} can be deleted by one call: set deletionProtection to true."


@CLUSTERS.rule(
    "cluster-zonal-shift",
    CLUSTER,
    severity="low",
    why="Without it, traffic cannot be led away from a zone that ails.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/zone-shift.html",),
    correction=setting(zonalShiftConfig={"enabled": True}),
)
def cluster_zonal_shift(cluster: Resource, _: Parameters) -> Violations:
    """Clusters can be led away from a zone that ails."""
    if cluster.get("zonalShiftConfig.enabled", False) is False:
        yield f"Cluster {cluster.name} takes no zonal shift: set zonalShiftConfig.enabled to true."


@CLUSTERS.rule(
    "addon-version-pinned",
    ADDON,
    severity="medium",
    why="Without a version EKS picks one, another for each cluster, and nobody reviewed it.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/managing-add-ons.html",),
)
def addon_version_pinned(addon: Resource, _: Parameters) -> Violations:
    """Add-ons are at a version that was chosen."""
    if addon.get("addonVersion", "") == "":
        yield f"Add-on {addon.name} is at whatever version EKS picks: set addonVersion."


@CLUSTERS.rule(
    "log-group-retention",
    LOG_GROUP,
    severity="medium",
    why="Logs that are gone answer no question; logs that are kept for ever cost for ever.",
    references=("CIS 2.1.2", "docs/decisions/0005-network-and-foundation.md"),
    at_least_days=90,
)
def log_group_retention(group: Resource, parameters: Parameters) -> Violations:
    """Logs are kept for as long as they are needed, and not for ever."""
    days, least = group.get("retentionInDays", 0), parameters["at_least_days"]
    if days == 0:
        yield f"Log group {group.name} keeps its logs for ever: set retentionInDays, {least} at the least."
    elif isinstance(days, int | float) and days < least:
        yield f"Log group {group.name} keeps its logs for {days} days: keep them for {least} at the least."


@CLUSTERS.rule(
    "access-entry-role",
    ACCESS_ENTRY,
    severity="high",
    why="Users of IAM have keys that do not end, and the root user has no bounds at all.",
    references=("CIS 5.5.1", IDENTITY_PRACTICES),
    users=False,
)
def access_entry_role(entry: Resource, parameters: Parameters) -> Violations:
    """Access entries are for roles."""
    principal = text(entry.get("principalArn"))
    if principal.endswith(":root"):
        yield f"Access entry {entry.name} lets the whole account {principal} in: name a role."
    elif ":user/" in principal and not parameters["users"]:
        yield f"Access entry {entry.name} lets the user {principal} in: name a role that people take."


@CLUSTERS.rule(
    "access-entry-no-masters",
    ACCESS_ENTRY,
    severity="critical",
    why="That group is outside of RBAC: nothing can be taken from it.",
    references=(
        "https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
        "https://kubernetes.io/docs/concepts/security/rbac-good-practices/",
    ),
)
def access_entry_no_masters(entry: Resource, _: Parameters) -> Violations:
    """Access entries are in no group of Kubernetes's own, such as system:masters."""
    for group in sequence(entry.get("kubernetesGroups")):
        if text(group).startswith("system:"):
            yield (
                f"Access entry {entry.name} is in group {group}: give it an access policy, or a Role of "
                "yours."
            )


@CLUSTERS.stack_rule(
    "cluster-admins-few",
    ACCESS_POLICY,
    severity="high",
    why="An administrator reads every Secret of the cluster and may change whatever it runs.",
    references=("CIS 4.1.1", IDENTITY_PRACTICES),
    at_most=2,
)
def cluster_admins_few(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """Few may do everything in a cluster."""
    admins: dict[str, list[Resource]] = {}
    for association in resources:
        everywhere = association.get("accessScope.type", "cluster") == "cluster"
        is_admin = text(association.get("policyArn")).endswith(f"/{ADMIN_POLICY}")
        if is_admin and everywhere and (cluster := cluster_of(association)):
            admins.setdefault(cluster, []).append(association)
    most = parameters["at_most"]
    for associations in admins.values():
        for association in associations[most:]:
            yield (
                association,
                f"Association {association.name} makes {len(associations)} administrators of its cluster, "
                f"and {most} are allowed: give it AmazonEKSAdminPolicy in its namespaces.",
            )
