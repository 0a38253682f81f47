"""The database of the services: Aurora has its version on instances of its class, in their zones."""

import re
from collections.abc import Iterable, Iterator

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning
from moka.names import database_identifier

ENGINE = "aurora-postgresql"

SERVICE_ROLE = "AWSServiceRoleForRDS"
"""https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAM.ServiceLinkedRoles.html"""


def offer(place: Place) -> Iterator[Finding]:
    """Aurora makes clusters of the version, and instances of the class in each zone that is to have one."""
    database = place.settings.database
    if database is None or not place.home:
        return
    offers: dict[str, set[str]] = {}
    for option in place.items(
        "rds",
        "describe_orderable_db_instance_options",
        "OrderableDBInstanceOptions",
        Engine=ENGINE,
        DBInstanceClass=database.instance_class,
    ):
        offered_in = offers.setdefault(option["EngineVersion"], set())
        offered_in |= {zone["Name"] for zone in option.get("AvailabilityZones", ())}

    subject = f"PostgreSQL {database.version} on {database.instance_class}"
    if not offers:
        yield problem(
            place.name,
            f"Aurora has no {database.instance_class} in {place.region}.",
            "Set another database.instance_class.",
        )
    elif database.version not in offers:
        yield _missing_version(place, subject, _newest(database.version, offers))
    else:
        zones = place.foundation.zones[: database.instances]
        missing = [zone for zone in zones if zone not in offers[database.version]]
        if missing:
            yield problem(
                place.name,
                f"Aurora has no {subject} in {series(missing)}, where the database would have an instance.",
                f"Set another database.instance_class, or name zones first that have it: "
                f"{series(sorted(offers[database.version]))}.",
            )
        else:
            yield ok(place.name, f"Aurora has {subject} in {series(zones)}.")


def service_role(place: Place) -> Iterator[Finding]:
    """The account has the role that RDS makes with its first database, and may then not have in time.

    "Unable to create the resource. Verify that you have permission to create service linked role. Otherwise
    wait and try again later" (aws-samples/eks-workshop-v2#1609, of an account that never had one).
    """
    if place.settings.database is None or not place.home:
        return
    if place.find("iam", "get_role", "NoSuchEntity", RoleName=SERVICE_ROLE) is None:
        yield warning(
            place.name,
            f"Account {place.account} has no role {SERVICE_ROLE}: RDS makes it with the first database, "
            "whose creation may fail for it.",
            "Make it before (aws iam create-service-linked-role --aws-service-name rds.amazonaws.com), or "
            "run `up` again.",
        )


def _missing_version(place: Place, subject: str, newest: str | None) -> Finding:
    """What a version that is no longer offered comes to: a database that is there stays."""
    assert place.settings.database is not None
    identifier = database_identifier(place.settings.prefix, place.settings.database.generation)
    existing = place.find("rds", "describe_db_clusters", "DBClusterNotFound", DBClusterIdentifier=identifier)
    remedy = f"Set database.version: {newest}." if newest else "Set another database.version."
    if existing:
        return warning(
            place.name,
            f"Aurora makes no new database of {subject}; {identifier}, which is there, it will upgrade.",
            f"{remedy} No other generation can be made until then.",
        )
    return problem(place.name, f"Aurora does not offer {subject} here.", remedy)


def _newest(version: str, versions: Iterable[str]) -> str | None:
    """The newest of the same major version, without those of Aurora Limitless, `16.11-limitless`."""
    major = version.partition(".")[0]
    minors = [int(text[len(major) + 1 :]) for text in versions if re.fullmatch(rf"{major}\.\d+", text)]
    return f"{major}.{max(minors)}" if minors else None
