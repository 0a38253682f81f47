"""Clusters: their role, and what a control plane does with it."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.iam.permissions import CALLS, trusted, verdicts
from aws_rules.iam.programs import CONTROL_PLANE, ENCRYPTED_SECRETS
from aws_rules.rule import Unknown, Verdict, Violation
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.common import identities, not_judged, with_calls
from localcloud.plugins.aws.subject import Subject
from localcloud.unknowns import refuse


def cluster_role(subject: Subject) -> None:
    """Refuse a cluster whose role EKS cannot take, or that may not do what a control plane does."""
    refuse(subject.api.cloud, cluster_verdicts(identities(subject), subject.properties))


def cluster_verdicts(iam: Identities, cluster: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps EKS from a cluster's role, and a control plane from its work.

    cluster: its `name`, `roleArn` and `encryptionConfig`, as the program or EKS has them.
    """
    name, arn = f"EKS cluster {cluster['name']}", cluster["roleArn"]
    keys = [config["provider"]["keyArn"] for config in _as_list(cluster.get("encryptionConfig"))]
    try:
        trust, role = iam.trust(arn), iam.role(arn)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=name, lacks=str(absent))
        return
    if trusted(arn, trust, "eks.amazonaws.com", ["sts:AssumeRole"]):
        yield Violation(
            rule=CALLS,
            resource=name,
            code="InvalidParameterException",
            message=f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted "
            "entity is not correct",
            remedy=f"let eks.amazonaws.com take {role.name} (sts:AssumeRole) in its trust policy",
        )
        return
    place = iam.cluster_place(cluster["name"], **({"key": keys[0]} if keys else {}))
    more = (ENCRYPTED_SECRETS,) if keys else ()
    program = with_calls(CONTROL_PLANE, more)
    yield from verdicts(CALLS, name, program, role, place, iam.surroundings())
    yield from not_judged(iam, CALLS, name)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value] if value else []
