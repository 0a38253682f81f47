"""Pod Identity associations: whether EKS may take their roles, and their pods do what the project says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from aws_rules.iam import pod_identity
from aws_rules.iam.evaluation import Role
from aws_rules.iam.permissions import CALLS, Place, verdicts
from aws_rules.iam.programs import Call, Program
from aws_rules.rule import Unknown, Verdict, Violation
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.common import identities, network_of, no_role, not_judged
from localcloud.plugins.aws.subject import Subject
from localcloud.project import project_calls, project_folder
from localcloud.unknowns import refuse

ASSOCIATION_PROPERTIES = (
    "clusterName",
    "disableSessionTags",
    "namespace",
    "policy",
    "roleArn",
    "serviceAccount",
    "targetRoleArn",
)


class ServiceAccount(NamedTuple):
    """A service account as a stack made it in a cluster."""

    cluster: str
    namespace: str
    name: str


def associations(iam: Identities, cluster: str) -> list[dict[str, Any]]:
    """The Pod Identity associations of a cluster, as EKS describes them."""
    return list(iam.api.service("eks", iam.region).store.all("podidentityassociation", cluster))


def account_role(iam: Identities, cluster: str, namespace: str, account: str) -> Role | None:
    """A session of the pods of a service account; None without an association. Raises Absent."""
    association = _association(iam, cluster, namespace, account)
    return association_role(iam, association) if association else None


def _association(iam: Identities, cluster: str, namespace: str, account: str) -> dict[str, Any] | None:
    for association in associations(iam, cluster):
        if (association["namespace"], association["serviceAccount"]) == (namespace, account):
            return association
    return None


def association_role(iam: Identities, association: Mapping[str, Any]) -> Role:
    """A session of an association's pods. Raises Absent."""
    if association.get("targetRoleArn"):
        raise Absent("what a target role may do, which EKS takes by way of the role")
    return iam.role(
        association["roleArn"],
        tags=pod_identity.session_tags(association, iam.cluster_place(association["clusterName"])),
        session_policy=json.loads(association["policy"]) if association.get("policy") else None,
    )


def association_permissions(subject: Subject) -> None:
    """Refuse an association whose role EKS could not take, or that does not let its pods do their work."""
    properties = subject.properties
    association = {name: properties.get(name) for name in ASSOCIATION_PROPERTIES if properties.get(name)}
    refuse(subject.api.cloud, association_verdicts(identities(subject), association))


def association_verdicts(iam: Identities, association: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the pods of an association from credentials, and from the calls that the project tells."""
    title, cluster = pod_identity.association_name(association), association["clusterName"]
    try:
        trust, role = iam.trust(association["roleArn"]), association_role(iam, association)
    except Absent as absent:
        yield Unknown(rule=pod_identity.POD_IDENTITY, resource=title, lacks=str(absent))
        return
    place = iam.cluster_place(
        cluster, namespace=association["namespace"], service_account=association["serviceAccount"]
    )
    role_verdicts = list(pod_identity.may_be_taken(association, trust, place))
    yield from role_verdicts
    if any(isinstance(verdict, Violation) for verdict in role_verdicts):
        return
    for program in project_programs(association):
        yield from _denied_program(iam, title, program, role, place)
    yield from not_judged(iam, CALLS, title)


def project_programs(association: Mapping[str, Any]) -> Iterator[Program]:
    """Programs of the project that run by an association's service account, by its `localcloud.yaml`."""
    account = f"{association['namespace']}/{association['serviceAccount']}"
    for pattern, calls in project_calls(project_folder(Path.cwd())).items():
        if fnmatchcase(account, pattern):
            yield Program(
                name=f"what runs as {pattern}",
                calls=tuple(
                    Call(
                        actions=call.actions,
                        resources=(call.resource,),
                        context={"s3:prefix": call.prefix} if call.prefix else {},
                    )
                    for call in calls
                ),
                source="localcloud.yaml",
            )


def unassociated(iam: Identities, accounts: Iterable[ServiceAccount]) -> Iterator[Verdict]:
    """Service accounts of programs that call AWS, by `localcloud.yaml`, whose pods get no credentials.

    accounts: of one cluster.
    """
    for cluster, namespace, name in accounts:
        if _association(iam, cluster, namespace, name):
            continue
        for program in project_programs({"namespace": namespace, "serviceAccount": name}):
            title = f"service account {namespace}/{name} of {cluster}"
            yield no_role(title, program, f"{namespace}/{name}", "NoCredentialProviders", "")


def _denied_program(
    iam: Identities, title: str, program: Program, role: Role, place: Place
) -> Iterator[Verdict]:
    """What a program of the project is denied. What it names by a pattern is anything that fits."""
    around = iam.surroundings(network_of(iam, place.cluster))
    for call in program.calls:
        candidates = list(_on_things(iam, call, place))
        if not candidates:
            yield Unknown(
                rule=CALLS,
                resource=title,
                lacks=f"anything like {call.resources[0]}, which this AWS does not have",
            )
            continue
        of_buckets: list[list[Verdict]] = []
        for candidate in candidates:
            bucket_program = Program(name=program.name, calls=(candidate,), source=program.source)
            of_buckets.append(list(verdicts(CALLS, title, bucket_program, role, place, around)))
        yield from min(
            of_buckets,
            key=lambda bucket_verdicts: sum(isinstance(verdict, Violation) for verdict in bucket_verdicts),
        )


def _on_things(iam: Identities, call: Call, place: Place) -> Iterator[Call]:
    """A call on each thing that fits the pattern that it names; as it is where it names one thing."""
    [pattern] = call.resources
    if pattern == "*" or (pattern.startswith("arn:") and "*" not in pattern):
        yield call
        return
    if pattern.startswith("arn:"):
        for arn in iam.fitting(pattern.format_map(place.texts)):
            yield Call(actions=call.actions, resources=(arn,), context=call.context)
        return
    name, slash, key = pattern.format_map(place.texts).partition("/")
    for bucket in iam.buckets():
        if fnmatchcase(bucket, name):
            arn = f"arn:{place.partition}:s3:::{bucket}{slash}{key}"
            yield Call(actions=call.actions, resources=(arn,), context=call.context)
