"""A database: who reaches it, how it is entered, and what happens to what it holds."""

import json

import pytest

from moka.components.aws.database import (
    CapacityRange,
    Database,
    DatabaseArgs,
    RestoreFrom,
    connect_statement,
)
from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs

KEY = "arn:aws:kms:us-east-1:111122223333:key/k"
CLUSTER = "aws:rds/cluster:Cluster"
INSTANCE = "aws:rds/clusterInstance:ClusterInstance"


@pytest.fixture
def made(deploy):
    """Make a database: what is different -> what was registered."""

    def make(**changes):
        usual = {
            "identifier": "acme-prod-database-1",
            "account": "111122223333",
            "region": "us-east-1",
            "engine_version": "16.11",
            "database_name": "moka",
            "vpc_id": "vpc-1",
            "subnets": {"us-east-1b": "subnet-b", "us-east-1a": "subnet-a"},
            "zones": ("us-east-1a", "us-east-1b"),
            "key_arn": KEY,
            "clients": {"nodes": "sg-nodes"},
        }
        return deploy(lambda: Database("home-database", DatabaseArgs(**{**usual, **changes})))

    return make


def only(recorder, type):
    [inputs] = recorder.inputs(type)
    return inputs


def test_it_is_reached_on_its_port_by_those_that_are_named_and_reaches_nobody(made):
    recorder = made(clients={"nodes": "sg-nodes", "bastion": "sg-bastion"})

    rules = recorder.inputs("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    assert {rule["referencedSecurityGroupId"] for rule in rules} == {"sg-nodes", "sg-bastion"}
    assert {(rule["ipProtocol"], rule["fromPort"], rule["toPort"]) for rule in rules} == {("tcp", 5432, 5432)}
    assert not recorder.inputs("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule")
    group = only(recorder, "aws:ec2/securityGroup:SecurityGroup")
    assert not {"ingress", "egress"} & set(group)


def test_no_instance_has_a_public_address_and_every_connection_is_tls(made):
    recorder = made()

    assert [instance["publiclyAccessible"] for instance in recorder.inputs(INSTANCE)] == [False, False]
    parameters = only(recorder, "aws:rds/clusterParameterGroup:ClusterParameterGroup")
    values = {parameter["name"]: parameter["value"] for parameter in parameters["parameters"]}
    assert values["rds.force_ssl"] == "1"
    assert parameters["family"] == "aurora-postgresql16"


def test_data_password_insights_and_logs_are_encrypted_with_the_given_key(made):
    recorder = made()
    cluster = only(recorder, CLUSTER)

    assert cluster["storageEncrypted"] is True
    assert (cluster["kmsKeyId"], cluster["masterUserSecretKmsKeyId"]) == (KEY, KEY)
    assert {instance["performanceInsightsKmsKeyId"] for instance in recorder.inputs(INSTANCE)} == {KEY}
    logs = only(recorder, "aws:cloudwatch/logGroup:LogGroup")
    assert (logs["kmsKeyId"], logs["name"]) == (KEY, "/aws/rds/cluster/acme-prod-database-1/postgresql")


def test_it_is_entered_by_iam_and_nobody_writes_its_password_down(made):
    cluster = only(made(), CLUSTER)

    assert cluster["iamDatabaseAuthenticationEnabled"] is True
    assert cluster["manageMasterUserPassword"] is True
    assert not {"masterPassword", "masterPasswordWo"} & set(cluster)


def test_instances_are_spread_over_the_zones(made):
    zones = [instance["availabilityZone"] for instance in made(instances=3).inputs(INSTANCE)]

    assert zones == ["us-east-1a", "us-east-1b", "us-east-1a"]


def test_serverless_instances_have_bounds_and_others_a_class(made):
    serverless, fixed = (
        made(capacity=CapacityRange(minimum=1, maximum=16)),
        made(instance_class="db.r8g.large"),
    )

    assert only(serverless, CLUSTER)["serverlessv2ScalingConfiguration"] == {
        "minCapacity": 1,
        "maxCapacity": 16,
    }
    assert "serverlessv2ScalingConfiguration" not in only(fixed, CLUSTER)
    assert {instance["instanceClass"] for instance in fixed.inputs(INSTANCE)} == {"db.r8g.large"}


@pytest.mark.parametrize("retain", [True, False])
def test_one_that_is_kept_cannot_be_deleted_without_more_ado(made, retain):
    recorder = made(retain=retain)
    cluster = only(recorder, CLUSTER)

    registered = recorder.tree()[f"moka:aws:Database${CLUSTER}::home-database"]
    assert (registered.protect, registered.retainOnDelete) == (retain, retain)
    assert cluster["deletionProtection"] is retain
    assert cluster["skipFinalSnapshot"] is not retain
    assert cluster.get("finalSnapshotIdentifier") == ("acme-prod-database-1-final" if retain else None)


@pytest.mark.parametrize(
    ("source", "inputs"),
    [
        (RestoreFrom(snapshot="before-the-change"), {"snapshotIdentifier": "before-the-change"}),
        (
            RestoreFrom(cluster="acme-prod-database-1", time="2026-11-24T01:05:00Z"),
            {
                "restoreToPointInTime": {
                    "sourceClusterIdentifier": "acme-prod-database-1",
                    "restoreToTime": "2026-11-24T01:05:00Z",
                }
            },
        ),
        (
            RestoreFrom(cluster="acme-prod-database-1"),
            {
                "restoreToPointInTime": {
                    "sourceClusterIdentifier": "acme-prod-database-1",
                    "useLatestRestorableTime": True,
                }
            },
        ),
    ],
)
def test_it_begins_with_what_it_is_restored_from(made, source, inputs):
    cluster = only(made(restore_from=source), CLUSTER)

    restored = ("snapshotIdentifier", "restoreToPointInTime")
    assert {name: cluster[name] for name in restored if name in cluster} == inputs
    assert not [name for name in restored if name in only(made(), CLUSTER)]


def test_a_user_may_connect_to_this_cluster_as_himself_only(deploy):
    def program():
        args = PodIdentityArgs(
            cluster_name="acme-prod-spark-a",
            namespace="archer",
            service_account="archer",
            statements=[connect_statement("cn-north-1", "111122223333", "cluster-ABC", "archer")],
        )
        PodIdentity("archer", args)

    [statement] = json.loads(only(deploy(program), "aws:iam/rolePolicy:RolePolicy")["policy"])["Statement"]
    assert statement["Action"] == ["rds-db:connect"]
    assert statement["Resource"] == ["arn:aws-cn:rds-db:cn-north-1:111122223333:dbuser:cluster-ABC/archer"]
