"""Whether programs may do what they call, and what their roles may do beyond that."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aws_rules.iam import definitions
from aws_rules.iam.evaluation import (
    Context,
    Denial,
    Policy,
    Resource,
    Role,
    Service,
    Undecided,
    denial,
    listed,
    statements_of,
)
from aws_rules.iam.programs import KMS_FOR_S3, Call, Program
from aws_rules.rule import Rule, Unknown, Verdict, Violation

CALLS = Rule(
    name="program-permissions",
    authority="AWS",
    decides="whether programs may do what they call: policies of roles, boundaries, sessions, buckets, keys, "
    "VPC endpoints",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html",
)
RULES = (CALLS,)

CODES: Mapping[str, str] = {
    "autoscaling": "AccessDenied",
    "ec2": "UnauthorizedOperation",
    "elasticloadbalancing": "AccessDenied",
    "iam": "AccessDenied",
    "s3": "AccessDenied",
    "sts": "AccessDenied",
}
"""Service -> code of its denials, where not AccessDeniedException. Source: "Common errors" of each."""

SHOWN = 3
"""Actions that a message names; the rest are counted."""


@dataclass(frozen=True)
class Place:
    """Where a program runs, as the texts of its calls name it."""

    region: str
    account: str
    partition: str = "aws"
    cluster: str = ""
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        """Text in braces -> what it stands for."""
        return {
            "region": self.region,
            "account": self.account,
            "partition": self.partition,
            "cluster": self.cluster,
            # Registry of EKS's add-ons in most regions; every account may pull there.
            "eks_registry": EKS_REGISTRY,
            "vpc": "vpc-0123456789abcdef0",
            **self.more,
        }


EKS_REGISTRY = "602401143452"
"""Source: https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html"""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What decides besides the caller.

    resource: ARN -> the resource, with its policy if it has one.
    key_of: name of a bucket -> the key that encrypts it, None for S3's own.
    endpoint: service, such as `ec2` or `ecr.api` -> policy of the VPC's endpoint of it, None for none.
    """

    resource: Callable[[str], Resource]
    key_of: Callable[[str], Resource | None] = lambda _: None
    endpoint: Callable[[str], Policy | None] = lambda _: None


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request that a program makes. endpoint: service whose VPC endpoint it goes through, if any."""

    action: str
    resource: Resource
    context: Context
    endpoint: str | None


@dataclass(frozen=True)
class Denied:
    """A request that is denied."""

    request: Request
    denial: Denial


def requests(call: Call, place: Place, around: Surroundings) -> Iterator[Request]:
    """The requests of a call, and those that S3 makes of a bucket's key in the caller's name."""
    region = {"aws:RequestedRegion": place.region}
    context = {
        **region,
        "ec2:Region": place.region,
        **{
            filled(key, place): filled(value, place)
            if isinstance(value, str)
            else tuple(filled(text, place) for text in value)
            for key, value in call.context.items()
        },
    }
    for pattern in call.resources:
        arn = filled(pattern, place)
        resource = open_resource(arn) if arn.split(":")[4:5] == [EKS_REGISTRY] else around.resource(arn)
        for action in call.actions:
            yield Request(
                action=action, resource=resource, context=context, endpoint=endpoint_service(action)
            )
            bucket = arn.split(":", 5)[-1].partition("/")[0]
            key = around.key_of(bucket) if action in KMS_FOR_S3 else None
            for key_action in KMS_FOR_S3[action] if key else ():
                assert key is not None
                yield Request(
                    action=key_action,
                    resource=key,
                    context={
                        **region,
                        "kms:ViaService": f"s3.{key.arn.split(':')[3]}.{dns_suffix(place.partition)}",
                        "kms:EncryptionContext:aws:s3:arn": arn.partition("/")[0],
                    },
                    # S3 asks it, not the program.
                    endpoint=None,
                )


def denied(
    caller: Role | Service, calls: Iterable[Call], place: Place, around: Surroundings
) -> tuple[list[Denied], list[str]]:
    """Requests that are denied, and what would have to be known to decide others."""
    denials, undecided = [], []
    for call in calls:
        for request in requests(call, place, around):
            endpoint = around.endpoint(request.endpoint) if request.endpoint else None
            try:
                why = denial(caller, request.action, request.resource, request.context, endpoint)
            except Undecided as error:
                undecided.append(str(error))
                continue
            if why:
                denials.append(Denied(request, why))
    return denials, undecided


def verdicts(
    rule: Rule,
    resource: str,
    program: Program,
    caller: Role,
    place: Place,
    around: Surroundings,
    *,
    code: str = "",
    opening: str = "",
) -> Iterator[Verdict]:
    """What a program is denied, as one violation for each reason.

    resource: what runs the program, for the message. code: of who notices, where not the program itself does.
    opening: of the message, in the words of who notices.
    """
    denials, undecided = denied(caller, program.calls, place, around)
    for lacks in sorted(set(undecided)):
        yield Unknown(rule=rule, resource=resource, lacks=lacks)
    for reason in dict.fromkeys(item.denial for item in denials):
        of_reason = [item.request for item in denials if item.denial == reason]
        actions = list(dict.fromkeys(request.action for request in of_reason))
        yield Violation(
            rule=rule,
            resource=resource,
            code=code or CODES.get(actions[0].partition(":")[0], "AccessDeniedException"),
            message=opening + message(caller, of_reason[0], reason),
            remedy=f"{remedy(caller, actions, reason)} ({program.name} calls it: {program.source})",
        )


REMEDIES: Mapping[str, str] = {
    "identity-based policy": "by a policy of the role",
    "permissions boundary": "by its permissions boundary too",
    "resource-based policy": "by the policy of the bucket, the key or the repository",
    "role trust policy": "by the trust policy",
    "session policy": "by the policy of the association too",
    "VPC endpoint policy": "by the policy of the VPC endpoint too",
}


def remedy(caller: Role | Service, actions: Sequence[str], why: Denial) -> str:
    """What lets a caller do what it is denied."""
    if why.unusable:
        return "name a key that is there and enabled"
    return f"let {caller.name} do {some(actions)}: {REMEDIES[why.by]}"


def message(caller: Role | Service, request: Request, why: Denial) -> str:
    """A denial in AWS's words, as the service puts them.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
    """
    if why.unusable:
        return why.unusable
    name = caller.session_arn if isinstance(caller, Role) else caller.name
    action, arn = request.action, request.resource.arn
    opening, where = "", f" on resource: {arn}"
    if action.startswith("ec2:"):
        opening = "You are not authorized to perform this operation. "
        where = where if arn != "*" else ""
    return f"{opening}User: {name} is not authorized to perform: {action}{where} {why.because(action)}"


def surplus(role: Role, programs: Iterable[Program]) -> list[str]:
    """Actions that the policies of a role allow, and none of its programs calls, as they are written.

    One that stands for several is among them unless all of these are called.
    """
    calls = {action for program in programs for call in program.calls for action in call.actions}
    calls |= {key for action in calls for key in KMS_FOR_S3.get(action, ())}
    allowed = {
        pattern
        for policy in role.policies
        for statement in statements_of(policy)
        if statement["Effect"] == "Allow"
        for pattern in listed(statement.get("Action", ["*"]))
    }
    names = {action.lower() for action in calls}
    stands_for = {
        pattern: {action.lower() for action in definitions.expanded(pattern)} for pattern in allowed
    }
    return sorted(pattern for pattern in allowed if not stands_for[pattern] or stands_for[pattern] - names)


def trusted(
    role: str, trust: Policy, service: str, actions: Sequence[str], context: Context | None = None
) -> Denial | None:
    """Why a service may not take a role; None where it may.

    role: its ARN. actions: `sts:AssumeRole` and, for a session with tags, `sts:TagSession`.
    """
    resource = Resource(arn=role, account=role.split(":")[4], policy=trust)
    denials = (denial(Service(name=service), action, resource, context) for action in actions)
    return next((why for why in denials if why), None)


ANYTHING: Policy = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}],
}


def open_resource(arn: str) -> Resource:
    """A resource that lets everybody do everything."""
    return Resource(arn=arn, account=arn.split(":")[4], policy=ANYTHING)


def filled(text: str, place: Place) -> str:
    """A text with what its names in braces stand for."""
    return text.format_map(place.texts) if "{" in text else text


ENDPOINTS = {
    "ecr": "ecr.api",
    "cloudwatch": "monitoring",
    # What containerd asks for as Docker's registry API: https://docs.aws.amazon.com/AmazonECR/latest/userguide/
    # vpc-endpoints.html.
    "ecr:BatchGetImage": "ecr.dkr",
    "ecr:GetDownloadUrlForLayer": "ecr.dkr",
}
"""Action, or prefix of actions -> service of the endpoint; others by their prefix."""


def endpoint_service(action: str) -> str:
    """Service by which the endpoint is known that an action's requests go through."""
    prefix = action.partition(":")[0]
    return ENDPOINTS.get(action) or ENDPOINTS.get(prefix, prefix)


def dns_suffix(partition: str) -> str:
    """Domain of a partition's services."""
    return {"aws-cn": "amazonaws.com.cn", "aws-eusc": "amazonaws.eu"}.get(partition, "amazonaws.com")


def some(actions: Sequence[str]) -> str:
    """The first of several actions, and how many more there are."""
    beginning = ", ".join(actions[:SHOWN])
    return f"{beginning} and {len(actions) - SHOWN} more" if len(actions) > SHOWN else beginning
