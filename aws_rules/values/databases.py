"""Databases of RDS: the engine, the password, the disk, and the zones of their subnets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict
from aws_rules.values.schemas import database_versions

RULE = Rule(
    name="database-settings",
    authority="AWS",
    decides="which engine, class, password and disk a database may have, and in how many zones it must be",
    source="https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html",
    further=(
        "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html",
        "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html",
    ),
)

CLUSTER_RULE = Rule(
    name="database-clusters",
    authority="AWS",
    decides="which name, version, password, capacity and days of backups a cluster of Aurora may have",
    source="https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html",
    further=(
        "aws-cloudformation/cfn-lint: "
        "src/cfnlint/data/schemas/extensions/aws_rds_dbcluster/engine_version.json",
        "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2.setting-capacity.html",
        "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/rds-secrets-manager.html",
    ),
)

RULES = (RULE, CLUSTER_RULE)

ENGINES = re.compile(
    r"aurora-(mysql|postgresql)|mysql|mariadb|postgres|(custom-)?(oracle|sqlserver|db2)-[a-z0-9-]+"
)

SSD = ("gp2", "gp3")
SMALLEST = {"mysql": 20, "mariadb": 20, "postgres": 20}
"""GiB of the smallest disk of an engine's general purpose volumes."""

PASSWORD_LENGTH = 8

IDENTIFIER = re.compile(r"[A-Za-z](-?[A-Za-z0-9])*")
MOST_CHARACTERS = 63

DATABASE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")

RESERVED_USERS = ("admin", "rdsadmin", "rds_superuser", "public")

BACKUP_DAYS = range(1, 36)

LARGEST_CAPACITY, LEAST_MAXIMUM = 256, 1
"""ACUs; the least that a maximum may be."""


def database(request: Request) -> Iterator[ValueVerdict]:
    """A new database."""
    engine, invalid = request.value_at("Engine"), "InvalidParameterValue"
    if isinstance(engine, str) and not ENGINES.fullmatch(engine):
        remedy = "choose one of RDS's, such as postgres or mysql"
        yield request.misfit(RULE, ("Engine",), invalid, "Invalid DB engine", remedy)
    type = request.value_at("DBInstanceClass")
    if isinstance(type, str) and not type.startswith("db."):
        remedy = (
            f"choose one of RDS's, such as db.{type}" if "." in type else "choose one such as db.t4g.micro"
        )
        yield request.misfit(
            RULE, ("DBInstanceClass",), invalid, f"Invalid DB Instance class: {type}", remedy
        )
    smallest, size = SMALLEST.get(str(engine)), request.value_at("AllocatedStorage")
    storage = request.value_at("StorageType") or SSD[0]
    if smallest and isinstance(size, int) and storage in SSD and size < smallest:
        message = f"Invalid storage size for engine name {engine} and storage type {storage}: {size}"
        remedy = f"make it {smallest} GiB or more"
        yield request.misfit(RULE, ("AllocatedStorage",), "InvalidParameterCombination", message, remedy)
    yield from password(request)


def password(request: Request) -> Iterator[ValueVerdict]:
    """The password of the first user."""
    text, path = request.value_at("MasterUserPassword"), ("MasterUserPassword",)
    if not isinstance(text, str):
        return
    message = "The parameter MasterUserPassword is not a valid password"
    if len(text) < PASSWORD_LENGTH:
        why, remedy = f" because it is shorter than {PASSWORD_LENGTH} characters", "choose a longer one"
        yield request.misfit(RULE, path, "InvalidParameterValue", message + why, remedy)
    elif not text.isascii() or not text.isprintable() or set(text) & set('/@" '):
        why = """. Only printable ASCII characters besides '/', '@', '"', ' ' may be used"""
        yield request.misfit(
            RULE, path, "InvalidParameterValue", message + why, "choose one of such characters"
        )


def zones(request: Request, zones: Sequence[str]) -> Iterator[ValueVerdict]:
    """The zones of a group's subnets."""
    if len(set(zones)) < 2:
        message = (
            "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. Current AZ "
            f"coverage: {', '.join(sorted(set(zones)))}"
        )
        code = "DBSubnetGroupDoesNotCoverEnoughAZs"
        yield request.misfit(RULE, ("SubnetIds",), code, message, "name subnets of two zones or more")


def cluster(request: Request) -> Iterator[ValueVerdict]:
    """A new cluster."""
    yield from _identifier(request, "DBClusterIdentifier")
    yield from _version(request)
    name, user = request.value_at("DatabaseName"), request.value_at("MasterUsername")
    if isinstance(name, str) and not DATABASE_NAME.fullmatch(name):
        message = f"DatabaseName {name} must begin with a letter and contain only alphanumeric characters"
        remedy = "write letters, digits and underscores, a letter first, at most 63"
        yield _misfit(request, "DatabaseName", "InvalidParameterValue", message, remedy)
    if isinstance(user, str) and user.lower() in RESERVED_USERS:
        message = f"MasterUsername {user} cannot be used as it is a reserved word used by the engine"
        yield _misfit(request, "MasterUsername", "InvalidParameterValue", message, "name it otherwise")
    yield from cluster_change(request)


def cluster_change(request: Request) -> Iterator[ValueVerdict]:
    """What a new cluster and a changed one have alike."""
    combination = "InvalidParameterCombination"
    if request.has("MasterUserPassword") and request.value_at("ManageMasterUserPassword"):
        message = "You can't specify MasterUserPassword when ManageMasterUserPassword is enabled"
        yield _misfit(request, "MasterUserPassword", combination, message, "take one of the two out")
    yield from password(request)
    days = request.value_at("BackupRetentionPeriod")
    if isinstance(days, int) and days not in BACKUP_DAYS:
        message = (
            f"Invalid backup retention period: {days}. Must be between {BACKUP_DAYS[0]} and {BACKUP_DAYS[-1]}"
        )
        remedy = "write days from 1 to 35"
        yield _misfit(request, "BackupRetentionPeriod", "InvalidParameterValue", message, remedy)
    yield from _capacity(request)


def instance(request: Request) -> Iterator[ValueVerdict]:
    """The name of a new instance, of a cluster or not."""
    yield from _identifier(request, "DBInstanceIdentifier")


def capacity_of_cluster(request: Request, cluster: Mapping[str, Any] | None) -> Iterator[ValueVerdict]:
    """A serverless instance: its cluster has bounds. cluster: as RDS shows it, None where it is not."""
    serverless = request.value_at("DBInstanceClass") == "db.serverless"
    if serverless and cluster is not None and not cluster.get("ServerlessV2ScalingConfiguration"):
        message = (
            "Set the Serverless v2 scaling configuration on the parent DB cluster before creating a "
            "Serverless v2 DB instance"
        )
        remedy = "set serverlessv2ScalingConfiguration of the cluster, or choose another class"
        yield _misfit(request, "DBInstanceClass", "InvalidDBClusterStateFault", message, remedy)


def _version(request: Request) -> Iterator[ValueVerdict]:
    engine, version = request.value_at("Engine"), request.value_at("EngineVersion")
    if not isinstance(engine, str) or not isinstance(version, str):
        return
    versions = database_versions().get(engine, frozenset())
    major = version.partition(".")[0]
    of_major = sorted(
        (known_version for known_version in versions if known_version.startswith(f"{major}.")), key=_numbers
    )
    if version in versions or not versions:
        return
    if not of_major or _numbers(version) > _numbers(of_major[-1]):
        # It may have come after this list.
        yield request.gap(CLUSTER_RULE, f"version {version} of {engine}")
        return
    message = f"Cannot find version {version} for {engine}"
    remedy = f"choose one that there is, such as {of_major[-1]}"
    yield _misfit(request, "EngineVersion", "InvalidParameterCombination", message, remedy)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _identifier(request: Request, member: str) -> Iterator[ValueVerdict]:
    name = request.value_at(member)
    if isinstance(name, str) and not (IDENTIFIER.fullmatch(name) and len(name) <= MOST_CHARACTERS):
        message = (
            f"The parameter {member} is not a valid identifier. Identifiers must begin with a letter; must "
            "contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two "
            "consecutive hyphens"
        )
        remedy = "name it so, with at most 63 characters"
        yield _misfit(request, member, "InvalidParameterValue", message, remedy)


def _capacity(request: Request) -> Iterator[ValueVerdict]:
    path = "ServerlessV2ScalingConfiguration"
    least, most = request.value_at(path, "MinCapacity"), request.value_at(path, "MaxCapacity")
    for name, value in (("MinCapacity", least), ("MaxCapacity", most)):
        lowest = LEAST_MAXIMUM if name == "MaxCapacity" else 0
        if isinstance(value, int | float) and not (
            lowest <= value <= LARGEST_CAPACITY and float(value * 2).is_integer()
        ):
            message = f"Serverless v2 capacity {value} isn't valid"
            remedy = f"write ACUs from {lowest} to {LARGEST_CAPACITY}, in steps of a half"
            yield request.misfit(CLUSTER_RULE, (path, name), "InvalidParameterValue", message, remedy)
    if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
        message = f"Serverless v2 minimum capacity {least} must be less than or equal to its maximum {most}"
        yield request.misfit(
            CLUSTER_RULE, (path, "MinCapacity"), "InvalidParameterValue", message, "lower the minimum"
        )


def _misfit(request: Request, member: str, code: str, message: str, remedy: str) -> ValueVerdict:
    return request.misfit(CLUSTER_RULE, (member,), code, message, remedy)
