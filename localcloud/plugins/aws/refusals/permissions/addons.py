"""EKS's add-ons: whether their pods may do what they call."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.iam.evaluation import Role
from aws_rules.iam.permissions import CALLS, verdicts
from aws_rules.iam.programs import ADDONS, NO_CALLS
from aws_rules.rule import Unknown, Verdict
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.associations import account_role
from localcloud.plugins.aws.refusals.permissions.common import (
    SYSTEM_NAMESPACE,
    identities,
    network_of,
    no_role,
    not_judged,
)
from localcloud.plugins.aws.subject import Subject
from localcloud.unknowns import refuse


def addon_permissions(subject: Subject) -> None:
    """Refuse an add-on whose pods could not do their work."""
    addon = subject.request(
        "describe_addon",
        clusterName=subject.properties["clusterName"],
        addonName=subject.properties["addonName"],
    )["addon"]
    refuse(subject.api.cloud, addon_verdicts(identities(subject), addon))


def addon_verdicts(iam: Identities, addon: Mapping[str, Any]) -> Iterator[Verdict]:
    """What makes an add-on unhealthy. Those on every node are judged with the nodes."""
    cluster, name = addon["clusterName"], addon["addonName"]
    title = f"add-on {name} of {cluster}"
    addon_row = ADDONS.get(name)
    if addon_row is None:
        if name not in NO_CALLS:
            yield Unknown(rule=CALLS, resource=title, lacks=f"what add-on {name} calls")
        return
    if addon_row.on_node:
        return
    unhealthy = "The add-on is unhealthy because it doesn't have the desired number of replicas; "
    try:
        role = addon_role(iam, cluster, name, addon)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=title, lacks=str(absent))
        return
    if role is None:
        yield no_role(
            title,
            addon_row.program,
            f"{SYSTEM_NAMESPACE}/{addon_row.service_account}",
            "InsufficientNumberOfReplicas",
            unhealthy,
        )
        return
    yield from verdicts(
        CALLS,
        title,
        addon_row.program,
        role,
        iam.cluster_place(cluster),
        iam.surroundings(network_of(iam, cluster)),
        code="InsufficientNumberOfReplicas",
        opening=f"{unhealthy}{addon_row.program.name} gets: ",
    )
    yield from not_judged(iam, CALLS, title)


def addon_role(iam: Identities, cluster: str, name: str, addon: Mapping[str, Any] | None) -> Role | None:
    """The role of an add-on's service account; None where it has none. Raises Absent."""
    account = ADDONS[name].service_account
    role = account_role(iam, cluster, SYSTEM_NAMESPACE, account)
    if role is None and addon and addon.get("serviceAccountRoleArn"):
        return iam.role(addon["serviceAccountRoleArn"])
    return role
