"""What several of these need."""

from collections.abc import Iterable, Iterator

from aws_rules.iam.permissions import CALLS
from aws_rules.iam.programs import Call, Program
from aws_rules.rule import Rule, Unknown, Violation
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.subject import Subject

SYSTEM_NAMESPACE = "kube-system"


def identities(subject: Subject) -> Identities:
    """IAM as a resource's account sees it."""
    return Identities(subject.api, subject.region)


def not_judged(iam: Identities, rule: Rule, title: str) -> Iterator[Unknown]:
    """What was judged without a boundary that the program does not make."""
    for lacks in sorted(iam.missing):
        yield Unknown(rule=rule, resource=title, lacks=lacks)


def with_calls(program: Program, more: Iterable[Call]) -> Program:
    """A program that makes further calls."""
    return Program(name=program.name, calls=(*program.calls, *more), source=program.source)


def network_of(iam: Identities, cluster: str) -> str | None:
    """The VPC of a cluster."""
    cluster_data = iam.api.service("eks", iam.region).describe_cluster(name=cluster)["cluster"]
    vpc: str | None = cluster_data["resourcesVpcConfig"].get("vpcId")
    return vpc


def no_role(title: str, program: Program, account: str, code: str, opening: str) -> Violation:
    """That a program has no credentials, as its pods have no role."""
    return Violation(
        rule=CALLS,
        resource=title,
        code=code,
        message=f"{opening}{program.name} gets: no valid providers in chain, as there is no Pod Identity "
        f"association of {account}, and a pod is a hop too far from its node to have that's role",
        remedy=f"associate {account} with a role, before its pods start",
    )
