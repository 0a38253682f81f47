import pytest

from doctor.checks.database import offer, service_role
from tests.support.aws_stubs import client, lines

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def with_database(**database):
    def change(written):
        written["database"] = database

    return change


def orderable(versions, instance_class="db.serverless"):
    """RDS's answer: the zones of each version."""
    options = [
        {
            "Engine": "aurora-postgresql",
            "EngineVersion": version,
            "DBInstanceClass": instance_class,
            "StorageType": storage,
            "AvailabilityZones": [{"Name": zone} for zone in zones],
        }
        for version, zones in versions.items()
        for storage in ("aurora", "aurora-iopt1")
    ]
    request = {"Engine": "aurora-postgresql", "DBInstanceClass": instance_class}
    return ("describe_orderable_db_instance_options", request, {"OrderableDBInstanceOptions": options})


CLUSTER_REQUEST = {"DBClusterIdentifier": "acme-trial-database-1"}


def test_without_a_database_nobody_is_asked(place):
    assert lines(offer, place(stubbed={"rds": []})) == []


def test_a_version_that_all_zones_have_is_fine(place):
    stubbed = {"rds": [orderable({"16.11": ZONES})]}

    assert lines(offer, place(with_database(instances=2), stubbed=stubbed)) == [
        "ok main Aurora has PostgreSQL 16.11 on db.serverless in us-east-1a and us-east-1b."
    ]


@pytest.mark.parametrize(
    ("cluster", "finding"),
    [
        (
            "DBClusterNotFoundFault",
            "problem main Aurora does not offer PostgreSQL 16.11 on db.serverless here. Set "
            "database.version: 16.15.",
        ),
        (
            {"DBClusters": [{"DBClusterIdentifier": "acme-trial-database-1"}]},
            "warning main Aurora makes no new database of PostgreSQL 16.11 on db.serverless; "
            "acme-trial-database-1, which is there, it will upgrade. Set database.version: 16.15. No other "
            "generation can be made until then.",
        ),
    ],
)
def test_a_version_that_is_gone_is_a_problem_of_a_new_database_only(place, cluster, finding):
    versions = {"16.9": ZONES, "16.15": ZONES, "16.16-limitless": ZONES, "17.7": ZONES}
    stubbed = {"rds": [orderable(versions), ("describe_db_clusters", CLUSTER_REQUEST, cluster)]}

    assert lines(offer, place(with_database(), stubbed=stubbed)) == [finding]


def test_a_class_that_the_region_lacks_is_a_problem(place):
    stubbed = {"rds": [orderable({}, "db.r9g.large")]}

    assert lines(offer, place(with_database(instance_class="db.r9g.large"), stubbed=stubbed)) == [
        "problem main Aurora has no db.r9g.large in us-east-1. Set another database.instance_class."
    ]


def test_a_zone_that_gets_an_instance_and_lacks_the_class_is_a_problem(place):
    stubbed = {"rds": [orderable({"16.11": ("us-east-1a", "us-east-1c")})]}

    assert lines(offer, place(with_database(instances=2), stubbed=stubbed)) == [
        "problem main Aurora has no PostgreSQL 16.11 on db.serverless in us-east-1b, where the database "
        "would have an instance. Set another database.instance_class, or name zones first that have it: "
        "us-east-1a and us-east-1c."
    ]


def test_a_zone_beyond_the_instances_does_not_matter(place):
    stubbed = {"rds": [orderable({"16.11": ("us-east-1a",)})]}

    assert lines(offer, place(with_database(instances=1), stubbed=stubbed)) == [
        "ok main Aurora has PostgreSQL 16.11 on db.serverless in us-east-1a."
    ]


def test_an_account_that_never_had_a_database_lacks_the_role_of_rds(place):
    assert lines(service_role, place()) == []

    [finding] = lines(service_role, place(with_database()))
    assert finding.startswith(
        "warning main Account 123456789012 has no role AWSServiceRoleForRDS: RDS makes it"
    )

    client("iam").create_role(RoleName="AWSServiceRoleForRDS", AssumeRolePolicyDocument="{}")
    assert lines(service_role, place(with_database())) == []
