"""Databases of RDS: the engine, the password, the disk, and the zones of their subnets."""

import re
from collections.abc import Iterator, Sequence

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

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

RULES = (RULE,)

ENGINES = re.compile(
    r"aurora-(mysql|postgresql)|mysql|mariadb|postgres|(custom-)?(oracle|sqlserver|db2)-[a-z0-9-]+"
)

SSD = ("gp2", "gp3")
SMALLEST = {"mysql": 20, "mariadb": 20, "postgres": 20}
"""GiB of the smallest disk of an engine's general purpose volumes."""

PASSWORD_LENGTH = 8


def database(request: Request) -> Iterator[ValueVerdict]:
    """A new database."""
    engine, invalid = request.known("Engine"), "InvalidParameterValue"
    if isinstance(engine, str) and not ENGINES.fullmatch(engine):
        remedy = "choose one of RDS's, such as postgres or mysql"
        yield request.misfit(RULE, ("Engine",), invalid, "Invalid DB engine", remedy)
    type = request.known("DBInstanceClass")
    if isinstance(type, str) and not type.startswith("db."):
        remedy = (
            f"choose one of RDS's, such as db.{type}" if "." in type else "choose one such as db.t4g.micro"
        )
        yield request.misfit(
            RULE, ("DBInstanceClass",), invalid, f"Invalid DB Instance class: {type}", remedy
        )
    smallest, size = SMALLEST.get(str(engine)), request.known("AllocatedStorage")
    storage = request.known("StorageType") or SSD[0]
    if smallest and isinstance(size, int) and storage in SSD and size < smallest:
        message = f"Invalid storage size for engine name {engine} and storage type {storage}: {size}"
        remedy = f"make it {smallest} GiB or more"
        yield request.misfit(RULE, ("AllocatedStorage",), "InvalidParameterCombination", message, remedy)
    yield from password(request)


def password(request: Request) -> Iterator[ValueVerdict]:
    """The password of the first user."""
    text, path = request.known("MasterUserPassword"), ("MasterUserPassword",)
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
