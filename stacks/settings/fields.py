"""Kinds of values that several parts of the settings have."""

from datetime import UTC, datetime
from ipaddress import IPv4Network
from typing import Annotated

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BeforeValidator, Field

from moka.documents import Form
from moka.mistakes import near
from stacks.settings.aws_data import may_exist, regions

Account = Annotated[
    str,
    Form(r"[0-9]{12}", "write all twelve digits, in quotes"),
    Field(description="AWS account id, twelve digits, quoted."),
]


def _existing_region(region: str) -> str:
    if not may_exist(region):
        raise ValueError(f"AWS has no such region; {near(region, regions())}")
    return region


Region = Annotated[str, AfterValidator(_existing_region), Field(description="AWS region.")]

IAM_PATH = r"(?=[^/]*$|.{1,510}/[^/]*$)([\w+=,.@-]+/)*"
IAM_NAME = rf"{IAM_PATH}[\w+=,.@-]{{1,64}}"
"""Name of a role or user, with its path (IAM User Guide, "IAM and AWS STS quotas")."""

PRINCIPAL_FORM = "write arn:aws:iam::<account>:role/<name>, or :user/<name>"
Principal = Annotated[
    str,
    Form(rf"arn:aws[a-z-]*:iam::[0-9]{{12}}:(role|user)/{IAM_NAME}", PRINCIPAL_FORM),
    Field(description="ARN of an IAM role or user."),
]
Policy = Annotated[
    str,
    Form(
        rf"arn:aws[a-z-]*:iam::[0-9]{{12}}:policy/{IAM_PATH}[\w+=,.@-]{{1,128}}",
        "write arn:aws:iam::<account>:policy/<name>",
    ),
]
Secret = Annotated[
    str,
    Form(
        r"(?=.{50,612}$)"
        r"arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:ecr-pullthroughcache/[\w/+=.@-]+",
        "write arn:aws:secretsmanager:<region>:<account>:secret:ecr-pullthroughcache/<name>; ECR takes only "
        "secrets whose names begin so",
    ),
]
KmsKey = Annotated[
    str,
    Form(
        r"arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})",
        "write arn:aws:kms:<region>:<account>:key/<id> as KMS shows it; an alias or a key's id is not enough",
    ),
]

Topic = Annotated[
    str,
    Form(
        r"arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}",
        "write arn:aws:sns:<region>:<account>:<name>, of a standard topic",
    ),
]


def _id(prefix: str) -> Form:
    """Id of something of EC2: 17 hexadecimal digits, or the 8 of before 2018."""
    return Form(rf"{prefix}-([0-9a-f]{{17}}|[0-9a-f]{{8}})", f"write {prefix}- and 17 hexadecimal digits")


HostedZone = Annotated[
    str,
    Form(
        r"Z[0-9A-Z]{1,31}", "write the id of the hosted zone as Route 53 shows it, Z and letters and digits"
    ),
]
CertificateArn = Annotated[
    str,
    Form(
        r"arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "write arn:aws:acm:<region>:<account>:certificate/<id>",
    ),
]

Vpc = Annotated[str, _id("vpc")]
Subnet = Annotated[str, _id("subnet")]
SecurityGroup = Annotated[str, _id("sg"), Field(description="Id of a security group.")]
TransitGatewayId = Annotated[str, _id("tgw")]
PrefixList = Annotated[str, _id("pl")]
VpcEndpoint = Annotated[str, _id("vpce")]
Ami = Annotated[str, _id("ami"), Field(description="Id of a machine image.")]
Reservation = Annotated[str, _id("cr"), Field(description="Id of a capacity reservation.")]


def _network(text: object) -> object:
    """ipaddress says what is wrong, and here what would be right."""
    if isinstance(text, str):
        try:
            IPv4Network(text)
        except ValueError as error:
            try:
                meant = str(IPv4Network(text, strict=False))
            except ValueError:
                meant = "a network of IPv4 such as 10.0.0.0/16"
            raise ValueError(f"{error}; write {meant}") from None
    return text


Cidr = Annotated[IPv4Network, BeforeValidator(_network)]
"""A range of IPv4 addresses."""

Days = Annotated[int, Field(ge=1, le=3650, description="Days.")]

Domain = Annotated[
    str,
    Form(
        r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?",
        "write a domain such as spark.example.com: lower case, digits and dashes, at most 63 between dots",
    ),
]

RFC_1918 = tuple(IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))

PRIVATE_RANGES = (*RFC_1918, IPv4Network("100.64.0.0/10"))
"""RFC 1918 and RFC 6598."""


def is_private(network: IPv4Network) -> bool:
    """Whether a network is of addresses that the internet does not route."""
    return any(network.subnet_of(private) for private in PRIVATE_RANGES)


# EKS bounds a label more than Kubernetes does: CreateNodegroup, `labels`, in botocore's model of EKS.
NodeLabel = Annotated[
    str,
    Form(
        r"(?=.{1,63}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?"
        r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?",
        "write one such as example.com/team, at most 63 letters, digits, dashes, underscores and dots",
    ),
]
NodeLabelValue = Annotated[
    str,
    Form(
        r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?",
        "EKS takes 1 to 63 letters, digits, dashes, underscores and dots, no sign first or last",
    ),
]


CRON_EXAMPLE = "write minute, hour, day of month, month and day of week, such as '0 20 * * MON-FRI'"


def _cron(expression: str) -> str:
    """What crontab takes: five fields."""
    fields = expression.split()
    if len(fields) != 5:
        raise ValueError(f"cron has five fields, and this {len(fields)}; {CRON_EXAMPLE}")
    try:
        CronSim(expression, datetime.now(UTC))
    except CronSimError as error:
        field = str(error).removeprefix("Bad ")
        raise ValueError(f"there is no such {field}, or it never comes; {CRON_EXAMPLE}") from None
    # A line break of YAML is no part of it.
    return " ".join(fields)


def _auto_scaling_cron(expression: str) -> str:
    """Auto Scaling takes what crontab does: without the L, W, # and ? of other schedulers."""
    cron = _cron(expression)
    times = CronSim(cron, datetime.now(UTC))
    if any(not isinstance(day, int) or day < 0 for day in (*times.days, *times.weekdays)):
        raise ValueError(f"Auto Scaling knows no L, W or #; {CRON_EXAMPLE}")
    return cron


Cron = Annotated[str, AfterValidator(_cron)]
"""Of a program of ours."""

AutoScalingCron = Annotated[str, AfterValidator(_auto_scaling_cron)]
