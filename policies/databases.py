"""Databases of RDS: private, entered by IAM, kept; rules on all data have them protected and encrypted."""

from collections.abc import Mapping

from policies.data import DATA
from policies.identity import IDENTITY
from policies.network import NETWORK
from policies.pack.corrections import setting, without
from policies.pack.resource import UNKNOWN, Inputs, Resource
from policies.pack.rule import Parameters, Violations
from policies.pack.types import DATABASE_INSTANCE, DATABASES

CONTROLS = "https://docs.aws.amazon.com/securityhub/latest/userguide/rds-controls.html"

PASSWORDS = ("masterPassword", "masterPasswordWo", "password", "passwordWo")
"""Inputs with a password, or with one that is not kept in the state, of the types."""

COPIES = ("replicationSourceIdentifier", "replicateSourceDb", "globalClusterIdentifier")
"""Inputs of a database that has its users, and their passwords, from another one."""

BACKUP_DAYS: Mapping[str, int] = {DATABASES[0]: 0, DATABASES[1]: 1}
"""RDS's own, of each type: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html"""


@NETWORK.rule(
    "database-private",
    *DATABASES,
    DATABASE_INSTANCE,
    severity="critical",
    why="With a public address, a security group or a password is all that is between it and everybody.",
    references=(f"{CONTROLS}#rds-2",),
    correction=setting(publiclyAccessible=False),
)
def database_private(database: Resource, _: Parameters) -> Violations:
    """Databases have no public address."""
    if database.get("publiclyAccessible", False) is True:
        yield f"Database {database.name} has a public address: set publiclyAccessible to false."


@IDENTITY.rule(
    "database-entered-by-iam",
    *DATABASES,
    severity="high",
    why="A token is good for 15 minutes and belongs to somebody; a password is passed on, and stays.",
    references=(f"{CONTROLS}#rds-12",),
    correction=setting(iamDatabaseAuthenticationEnabled=True),
)
def database_entered_by_iam(database: Resource, _: Parameters) -> Violations:
    """Programs and people enter databases with tokens of IAM."""
    if database.get("iamDatabaseAuthenticationEnabled", False) is False:
        yield (
            f"Database {database.name} is entered by passwords only: set "
            "iamDatabaseAuthenticationEnabled to true."
        )


def _with_managed_password(inputs: Inputs, parameters: Parameters) -> Inputs:
    inputs = without(*PASSWORDS)(inputs, parameters)
    return setting(manageMasterUserPassword=True)(inputs, parameters)


@DATA.rule(
    "database-password-managed",
    *DATABASES,
    severity="high",
    why="What the program sets is in its state, known to whoever set it, and the same for years.",
    references=(
        "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/rds-secrets-manager.html",
        f"{CONTROLS}#rds-25",
    ),
    correction=_with_managed_password,
)
def database_password_managed(database: Resource, _: Parameters) -> Violations:
    """The password of a database's first user is made and rotated by AWS."""
    password_name = next((name for name in PASSWORDS if database.get(name) not in (None, UNKNOWN)), None)
    is_copy = any(database.get(name) is not None for name in COPIES)
    managed = database.get("manageMasterUserPassword", False)
    if password_name:
        yield (
            f"Database {database.name} has its password from the program: take {password_name} out, and set "
            "manageMasterUserPassword to true."
        )
    elif managed is False and not is_copy:
        yield f"Database {database.name} has a password of its own: set manageMasterUserPassword to true."


@DATA.rule(
    "database-deletion-protected",
    *DATABASES,
    severity="critical",
    why="Pulumi's protection ends with its state; AWS's holds for the console and other programs too.",
    references=(f"{CONTROLS}#rds-7", f"{CONTROLS}#rds-8"),
    correction=setting(deletionProtection=True),
)
def database_deletion_protected(database: Resource, _: Parameters) -> Violations:
    """AWS refuses to delete databases."""
    if database.get("deletionProtection", False) is False:
        yield f"AWS would delete Database {database.name}: set deletionProtection to true."


@DATA.rule(
    "database-backed-up",
    *DATABASES,
    severity="high",
    why="A wrong statement is noticed days later, and only a backup from before it has what it deleted.",
    references=(f"{CONTROLS}#rds-11",),
    at_least_days=7,
)
def database_backed_up(database: Resource, parameters: Parameters) -> Violations:
    """Databases are backed up, and their backups kept long enough to notice."""
    days, least = (
        database.get("backupRetentionPeriod", BACKUP_DAYS[database.type]),
        parameters["at_least_days"],
    )
    if isinstance(days, int | float) and days < least:
        yield (
            f"Backups of Database {database.name} are kept for {days:.0f} days: set "
            f"backupRetentionPeriod to {least} or more."
        )
