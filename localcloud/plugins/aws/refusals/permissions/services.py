"""Services of AWS that use keys, buckets and roles of ours."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from aws_rules.iam.evaluation import Policy, Resource, Role, Service, Undecided, allowed
from aws_rules.iam.permissions import (
    ANYTHING,
    CALLS,
    Place,
    denied,
    dns_suffix,
    message,
    trusted,
    verdicts,
)
from aws_rules.iam.programs import (
    ACCESS_LOGS,
    ENCRYPTED_COPIES,
    ENCRYPTED_LOGS,
    PULL_THROUGH,
    Call,
    Program,
)
from aws_rules.rule import Rule, Unknown, Verdict, Violation
from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.refusals.identities import Absent, Identities, document
from localcloud.plugins.aws.refusals.permissions.common import identities, with_calls
from localcloud.plugins.aws.subject import Subject
from localcloud.unknowns import refuse


def log_group_key(subject: Subject) -> None:
    """Refuse a log group with a key that CloudWatch Logs may not use."""
    key = subject.properties.get("kmsKeyId")
    if not key:
        return
    iam, name = identities(subject), subject.properties["name"]
    group = f"arn:{iam.api.partition}:logs:{iam.region}:{iam.api.account}:log-group:{name}"
    place = Place(iam.region, iam.api.account, iam.api.partition, more={"key": key, "log_group": group})
    service = Service(name=f"logs.{iam.region}.{dns_suffix(iam.api.partition)}")
    words = f"The specified KMS key does not exist or is not allowed to be used with Arn '{group}'"
    title = f"log group {name}"
    refuse(
        subject.api.cloud,
        _service_verdicts(CALLS, title, service, ENCRYPTED_LOGS, place, iam, "AccessDeniedException", words),
    )


def repository_key(subject: Subject) -> None:
    """Refuse a repository with a key that is not there, or may be used by nobody: ECR makes grants for it."""
    iam, name = identities(subject), subject.properties.get("name")
    refuse(
        subject.api.cloud,
        [
            Violation(
                rule=CALLS,
                resource=f"repository {name}",
                code="KmsException",
                # https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_CreateRepository.html
                message=f"The operation failed due to a KMS exception: {key.unusable}",
                remedy="name a key that is there and enabled",
            )
            for encryption in subject.properties.get("encryptionConfigurations") or ()
            if encryption.get("kmsKey")
            for key in [iam.resource(iam.key_arn(encryption["kmsKey"]))]
            if key.unusable
        ],
    )


def copies_role(subject: Subject) -> None:
    """Refuse a creation template by whose role ECR could not make repositories for copies."""
    arn = subject.properties.get("customRoleArn")
    if arn and "PULL_THROUGH_CACHE" in (subject.properties.get("appliedFors") or ()):
        refuse(subject.api.cloud, _copies_role(identities(subject), subject.properties, arn))


def _copies_role(iam: Identities, properties: Mapping[str, Any], arn: str) -> Iterator[Verdict]:
    name = f"repository creation template {properties['prefix']}"
    keys = [
        config["kmsKey"]
        for config in properties.get("encryptionConfigurations") or ()
        if config.get("kmsKey")
    ]
    try:
        trust, role = iam.trust(arn), iam.role(arn)
    except Absent as absent:
        yield Unknown(rule=CALLS, resource=name, lacks=str(absent))
        return
    opening = "the first pull of an image gets: name unknown: the repository could not be made; "
    if why := trusted(arn, trust, "ecr.amazonaws.com", ["sts:AssumeRole"]):
        yield Violation(
            rule=CALLS,
            resource=name,
            code="RepositoryNotFoundException",
            message=f"{opening}ecr.amazonaws.com is not authorized to perform: sts:AssumeRole on resource: "
            f"{arn} {why.because('sts:AssumeRole')}",
            remedy=f"let ecr.amazonaws.com take {role.name} (sts:AssumeRole) in its trust policy",
        )
        return
    place = Place(
        iam.region,
        iam.api.account,
        iam.api.partition,
        more={"prefix": properties["prefix"], **({"key": keys[0]} if keys else {})},
    )
    program = with_calls(PULL_THROUGH, (ENCRYPTED_COPIES,) if keys else ())
    yield from verdicts(
        CALLS,
        name,
        program,
        role,
        place,
        iam.surroundings(),
        code="RepositoryNotFoundException",
        opening=opening,
    )


def access_logs_target(subject: Subject) -> None:
    """Refuse access logs that S3 could not deliver: the target is not there, or its policy keeps them out."""
    iam, properties = identities(subject), subject.properties
    refuse(
        subject.api.cloud,
        _access_logs(
            iam, properties["bucket"], properties["targetBucket"], properties.get("targetPrefix", "")
        ),
    )


def _access_logs(iam: Identities, bucket: str, target: str, prefix: str) -> Iterator[Violation]:
    # In AWS's words: boto/boto3 as of PutBucketLogging; zalando-stups/sevenseconds#29; s3tools/s3cmd#614.
    refusal = partial(
        Violation,
        rule=CALLS,
        resource=f"access logs of bucket {bucket}",
        code="InvalidTargetBucketForLogging",
    )
    owner = iam.owner(target)
    if owner is None:
        yield refusal(
            message=f"The target bucket for logging does not exist: {target}", remedy="make the bucket first"
        )
        return
    if owner != iam.owner(bucket):
        yield refusal(
            message="The owner for the bucket to be logged and the target bucket must be the same",
            remedy=f"log to a bucket of the account of {bucket}",
        )
        return
    more = {"bucket": bucket, "target": target, "prefix": prefix}
    place = Place(iam.region, iam.api.account, iam.api.partition, more=more)
    service = Service(name="logging.s3.amazonaws.com")
    denials, _ = denied(service, ACCESS_LOGS.calls, place, iam.surroundings())
    for denied_call in denials[:1]:
        yield refusal(
            message="You must give the log-delivery group WRITE and READ_ACP permissions to the target "
            f"bucket: {message(service, denied_call.request, denied_call.denial)}",
            remedy=f"let {service.name} do s3:PutObject under {prefix} in the policy of bucket {target}, "
            f"with conditions that fit {bucket}",
        )


def flow_log_bucket(subject: Subject) -> None:
    """Refuse a flow log whose bucket denies it: what the bucket's policy only lacks, AWS adds by itself."""
    arn = str(subject.properties.get("logDestination") or "")
    if subject.properties.get("logDestinationType") != "s3" or not arn:
        return
    iam = identities(subject)
    bucket = arn.split(":::")[-1].partition("/")[0]
    account, region = iam.api.account, iam.region
    delivery = Service(name=f"delivery.logs.{dns_suffix(iam.api.partition)}")
    call = Call(
        actions=("s3:PutObject",),
        resources=(f"arn:{{partition}}:s3:::{bucket}/AWSLogs/{account}/vpcflowlogs/{region}/a",),
        context={
            "aws:SourceAccount": account,
            "aws:SourceArn": f"arn:{{partition}}:logs:{region}:{account}:*",
            "s3:x-amz-acl": "bucket-owner-full-control",
        },
    )
    denials, _ = denied(delivery, [call], iam.place, iam.surroundings())
    refuse(
        subject.api.cloud,
        [
            Violation(
                rule=CALLS,
                resource=f"flow log to {bucket}",
                code="400",
                message=f"Access Denied for LogDestination: {bucket}. Please check LogDestination "
                f"permission: {message(delivery, denied_call.request, denied_call.denial)}",
                remedy=f"let {delivery.name} put objects under AWSLogs/ in the policy of the bucket",
            )
            for denied_call in denials
            if denied_call.denial.explicit
        ],
    )


def key_policy(subject: Subject) -> None:
    """Refuse the policy of a key by which who makes it could not change it again."""
    properties = subject.properties
    if properties.get("policy") and not properties.get("bypassPolicyLockoutSafetyCheck"):
        refuse(subject.api.cloud, _lockout(subject.api, document(properties["policy"]), str(subject.id)))


def _lockout(api: Api, policy: Policy, key: str) -> Iterator[Verdict]:
    """Source: https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html"""
    title = f"key policy of {key or 'a new key'}"
    deployer = api.roles[-1] if api.roles else api.identity
    if not deployer:
        yield Unknown(rule=CALLS, resource=title, lacks="who deploys, and whether they could change it again")
        return
    action, name = "kms:PutKeyPolicy", f"arn:{api.partition}:kms:{api.region}:{api.account}:key/new"
    resource = Resource(arn=name, account=api.account, policy=policy)
    try:
        locked_out = not allowed(Role(arn=deployer, policies=(ANYTHING,)), action, resource)
    except Undecided as error:
        yield Unknown(rule=CALLS, resource=title, lacks=str(error))
        return
    if locked_out:
        yield Violation(
            rule=CALLS,
            resource=title,
            code="MalformedPolicyDocumentException",
            message="The new key policy will not allow you to update the key policy in the future",
            remedy=f"let {deployer}, or its account (root), do {action}",
        )


def _service_verdicts(
    rule: Rule,
    title: str,
    service: Service,
    program: Program,
    place: Place,
    iam: Identities,
    code: str,
    words: str,
) -> Iterator[Verdict]:
    denials, undecided = denied(service, program.calls, place, iam.surroundings())
    for lacks in sorted({*undecided, *iam.missing}):
        yield Unknown(rule=rule, resource=title, lacks=lacks)
    for denied_call in denials[:1]:
        yield Violation(
            rule=rule,
            resource=title,
            code=code,
            message=f"{words}: {message(service, denied_call.request, denied_call.denial)}",
            remedy="name a key that is there and enabled"
            if denied_call.denial.unusable
            else f"let {service.name} use it in the policy of {denied_call.request.resource.arn} "
            f"({program.source})",
        )
