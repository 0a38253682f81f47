"""Aurora: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

ENGINE = "aurora-postgresql"

BASES: Bases = {
    "database_cluster": lambda w: (
        "aws:rds/cluster:Cluster",
        {
            "clusterIdentifier": "base-cluster",
            "engine": ENGINE,
            "engineVersion": "16.11",
            "masterUsername": "somebody",
            "manageMasterUserPassword": True,
            "dbSubnetGroupName": w.database_subnets,
            "skipFinalSnapshot": True,
            "serverlessv2ScalingConfiguration": {"minCapacity": 0.5, "maxCapacity": 1},
        },
    ),
}

EXAMPLES = [
    Example(
        "aws:rds/cluster:Cluster",
        lambda w: {
            "clusterIdentifier": "some-cluster",
            "engine": ENGINE,
            "engineVersion": "16.11",
            "databaseName": "votes",
            "port": 5432,
            "masterUsername": "somebody",
            "manageMasterUserPassword": True,
            "masterUserSecretKmsKeyId": w.output("key", "arn"),
            "storageEncrypted": True,
            "kmsKeyId": w.output("key", "arn"),
            "iamDatabaseAuthenticationEnabled": True,
            "dbSubnetGroupName": w.database_subnets,
            "vpcSecurityGroupIds": [w.group],
            "enabledCloudwatchLogsExports": ["postgresql"],
            "backupRetentionPeriod": 7,
            "copyTagsToSnapshot": True,
            "serverlessv2ScalingConfiguration": {"minCapacity": 0.5, "maxCapacity": 4},
            "skipFinalSnapshot": True,
            "applyImmediately": True,
            "tags": TAGS,
        },
        lambda w: {
            "backupRetentionPeriod": 14,
            "serverlessv2ScalingConfiguration": {"minCapacity": 1, "maxCapacity": 8},
            "tags": OTHER_TAGS,
        },
        lambda w: {"databaseName": "others"},
    ),
    Example(
        "aws:rds/clusterInstance:ClusterInstance",
        lambda w: {
            "identifier": "some-instance",
            "clusterIdentifier": w.database_cluster,
            "engine": ENGINE,
            "engineVersion": "16.11",
            "instanceClass": "db.serverless",
            "availabilityZone": "us-east-1b",
            "publiclyAccessible": False,
            "caCertIdentifier": "rds-ca-rsa2048-g1",
            "autoMinorVersionUpgrade": False,
            "performanceInsightsEnabled": True,
            "performanceInsightsKmsKeyId": w.output("key", "arn"),
            "copyTagsToSnapshot": True,
            "applyImmediately": True,
            "tags": TAGS,
        },
        lambda w: {"instanceClass": "db.r8g.large", "tags": OTHER_TAGS},
        lambda w: {"availabilityZone": "us-east-1a"},
    ),
    Example(
        "aws:rds/clusterParameterGroup:ClusterParameterGroup",
        lambda w: {
            "name": "some-parameters",
            "family": "aurora-postgresql16",
            "description": "of an example",
            "parameters": [
                {"name": "log_statement", "value": "ddl", "applyMethod": "immediate"},
                {"name": "rds.force_ssl", "value": "1", "applyMethod": "immediate"},
            ],
            "tags": TAGS,
        },
        lambda w: {
            "parameters": [
                {"name": "log_lock_waits", "value": "1", "applyMethod": "immediate"},
                {"name": "rds.force_ssl", "value": "1", "applyMethod": "immediate"},
            ],
            "tags": OTHER_TAGS,
        },
        lambda w: {"family": "aurora-postgresql17"},
    ),
]


def keep_backups(console: Console, resource: Resource) -> None:
    console.client("rds").modify_db_cluster(
        DBClusterIdentifier=resource.id, BackupRetentionPeriod=30, ApplyImmediately=True
    )


def enlarge(console: Console, resource: Resource) -> None:
    console.client("rds").modify_db_instance(
        DBInstanceIdentifier=resource.id, DBInstanceClass="db.r8g.2xlarge", ApplyImmediately=True
    )


def take_plain_connections(console: Console, resource: Resource) -> None:
    parameter = {"ParameterName": "rds.force_ssl", "ParameterValue": "0", "ApplyMethod": "immediate"}
    console.client("rds").modify_db_cluster_parameter_group(
        DBClusterParameterGroupName=resource.id, Parameters=[parameter]
    )


CHANGES_BY_HAND: Changes = {
    "aws:rds/cluster:Cluster": keep_backups,
    "aws:rds/clusterInstance:ClusterInstance": enlarge,
    "aws:rds/clusterParameterGroup:ClusterParameterGroup": take_plain_connections,
}
