"""What EKS Pod Identity decides: whether EKS may take a role for the pods of a service account."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from aws_rules.iam.evaluation import Policy, Undecided
from aws_rules.iam.permissions import Place, trusted
from aws_rules.rule import Rule, Unknown, Verdict, Violation

POD_IDENTITY = Rule(
    name="pod-identity",
    authority="EKS",
    decides="whether EKS may take the role of a Pod Identity association for its pods, session tags included",
    source="https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html",
)

RULES = (POD_IDENTITY,)

SERVICE = "pods.eks.amazonaws.com"

EFFECTIVE_SECONDS = 5
"""So long after it is made an association is effective: "several seconds"
(https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html), here five."""


def session_tags(association: Mapping[str, Any], place: Place) -> dict[str, str]:
    """Tags that EKS gives to the sessions of an association's pods; none where it is told not to.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
    """
    if association.get("disableSessionTags"):
        return {}
    cluster = association["clusterName"]
    return {
        "eks-cluster-arn": f"arn:{place.partition}:eks:{place.region}:{place.account}:cluster/{cluster}",
        "eks-cluster-name": cluster,
        "kubernetes-namespace": association["namespace"],
        "kubernetes-service-account": association["serviceAccount"],
        "kubernetes-pod-name": "pod-0",
        "kubernetes-pod-uid": "00000000-0000-4000-8000-000000000000",
    }


def is_effective(association: Mapping[str, Any], now: datetime) -> bool:
    """Whether a pod that comes now gets an association's credentials; one without, never does."""
    created = datetime.fromisoformat(association["createdAt"])
    return now - created >= timedelta(seconds=EFFECTIVE_SECONDS)


def may_be_taken(association: Mapping[str, Any], trust: Policy, place: Place) -> Iterator[Verdict]:
    """What keeps the pods of an association, as EKS describes it, from getting credentials.

    trust: trust policy of its role. place: of the cluster.
    """
    name = association_name(association)
    if association.get("policy") and not association.get("disableSessionTags"):
        yield Violation(
            rule=POD_IDENTITY,
            resource=name,
            code="InvalidParameterException",
            message="an association with a policy must have its session tags disabled",
            remedy="set disableSessionTags, or take its policy away",
        )
    tags = session_tags(association, place)
    cluster = f"arn:{place.partition}:eks:{place.region}:{place.account}:cluster/{association['clusterName']}"
    context = {
        **{f"aws:RequestTag/{key}": value for key, value in tags.items()},
        **({"aws:TagKeys": tuple(tags)} if tags else {}),
        "aws:SourceAccount": place.account,
        "aws:SourceArn": cluster,
    }
    actions = ["sts:AssumeRole", *(["sts:TagSession"] if tags else [])]
    for action in actions:
        try:
            why = trusted(association["roleArn"], trust, SERVICE, [action], context)
        except Undecided as error:
            yield Unknown(rule=POD_IDENTITY, resource=name, lacks=str(error))
            continue
        if why:
            yield Violation(
                rule=POD_IDENTITY,
                resource=name,
                code="AccessDeniedException",
                message="Unauthorized Exception! EKS does not have permissions to assume the associated "
                f"role: {SERVICE} is not authorized to perform: {action} on resource: "
                f"{association['roleArn']} {why.because(action)}",
                remedy=f"let {SERVICE} do {' and '.join(actions)} in the trust policy of "
                f"{association['roleArn'].rpartition('/')[2]}, with conditions that fit these pods",
            )
            return


def association_name(association: Mapping[str, Any]) -> str:
    """An association as messages name it."""
    account = f"{association['namespace']}/{association['serviceAccount']}"
    return f"pod identity of {account} on {association['clusterName']}"
