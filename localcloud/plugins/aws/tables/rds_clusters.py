"""Clusters of Aurora, their instances, and groups of their parameters."""

import json
from collections.abc import Mapping
from typing import Any

from localcloud import databases
from localcloud.databases import Database
from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, change, words
from localcloud.plugins.aws.tables.rds import TAGS

# --- clusters ---

CLUSTER_NAMES = {
    "clusterIdentifier": "DBClusterIdentifier",
    "dbClusterParameterGroupName": "DBClusterParameterGroupName",
    "dbSubnetGroupName": "DBSubnetGroupName",
    "masterPassword": "MasterUserPassword",
    "iamDatabaseAuthenticationEnabled": "EnableIAMDatabaseAuthentication",
    "enabledCloudwatchLogsExports": "EnableCloudwatchLogsExports",
    "serverlessv2ScalingConfiguration": "ServerlessV2ScalingConfiguration",
    "arn": "DBClusterArn",
    "clusterResourceId": "DbClusterResourceId",
}

CLUSTER_CHANGED = (
    "engineVersion port masterPassword backupRetentionPeriod preferredBackupWindow "
    "preferredMaintenanceWindow deletionProtection copyTagsToSnapshot vpcSecurityGroupIds "
    "dbClusterParameterGroupName iamDatabaseAuthenticationEnabled serverlessv2ScalingConfiguration"
)
"""Properties that ModifyDBCluster changes."""


def read_cluster(subject: Subject) -> dict[str, Any] | None:
    """A cluster."""
    describe = "describe_db_clusters"
    answer = subject.request(describe, DBClusterIdentifier=subject.id)
    description = answer["DBClusters"][0]
    secret = description.get("MasterUserSecret")
    return {
        **subject.extract(describe, answer, "DBClusters[0]"),
        "clusterIdentifier": description["DBClusterIdentifier"],
        "dbSubnetGroupName": description.get("DBSubnetGroup"),
        "dbClusterParameterGroupName": description.get("DBClusterParameterGroup"),
        "clusterMembers": sorted(
            member["DBInstanceIdentifier"] for member in description.get("DBClusterMembers", ())
        ),
        "engineVersionActual": description.get("EngineVersion"),
        "iamDatabaseAuthenticationEnabled": description.get("IAMDatabaseAuthenticationEnabled", False),
        "enabledCloudwatchLogsExports": description.get("EnabledCloudwatchLogsExports") or None,
        "vpcSecurityGroupIds": [
            group["VpcSecurityGroupId"] for group in description.get("VpcSecurityGroups", ())
        ],
        "manageMasterUserPassword": True if secret else None,
        "masterUserSecrets": [
            {
                "kmsKeyId": secret["KmsKeyId"],
                "secretArn": secret["SecretArn"],
                "secretStatus": secret["SecretStatus"],
            }
        ]
        if secret
        else [],
    }


def export_logs(subject: Subject) -> None:
    """Have the cluster write other logs to CloudWatch Logs."""
    new, old = (
        set(inputs.get("enabledCloudwatchLogsExports") or ()) for inputs in (subject.inputs, subject.old)
    )
    subject.request(
        "modify_db_cluster",
        DBClusterIdentifier=subject.id,
        CloudwatchLogsExportConfiguration={
            "EnableLogTypes": sorted(new - old),
            "DisableLogTypes": sorted(old - new),
        },
    )


def delete_cluster(subject: Subject) -> None:
    """Delete it, with a last snapshot or expressly without one, as the provider wants it."""
    properties = subject.properties
    skip, snapshot = properties.get("skipFinalSnapshot"), properties.get("finalSnapshotIdentifier")
    if not skip and not snapshot:
        raise Refusal(
            f"{subject.type}: finalSnapshotIdentifier is required when skipFinalSnapshot is false: set one "
            f"of the two for {subject.id}, run `up`, and delete it then."
        )
    last = {"SkipFinalSnapshot": True} if skip else {"FinalDBSnapshotIdentifier": snapshot}
    subject.request("delete_db_cluster", DBClusterIdentifier=subject.id, **last)


def database_of(subject: Subject, cluster: str) -> Database:
    """PostgreSQL in place of a cluster."""
    return Database.of(subject.api.cloud, subject.api.account, subject.region, cluster)


def note_database(subject: Subject) -> None:
    """Note what the cluster's database is like; it runs once there is an instance."""
    database = database_of(subject, subject.id)
    [description] = subject.request("describe_db_clusters", DBClusterIdentifier=subject.id)["DBClusters"]
    if description["Engine"] != databases.ENGINE or database.noted:
        return
    user, password = description["MasterUsername"], subject.properties.get("masterPassword")
    if secret := description.get("MasterUserSecret"):
        password = databases.new_password()
        subject.api.client("secretsmanager", subject.region).put_secret_value(
            SecretId=secret["SecretArn"], SecretString=json.dumps({"username": user, "password": password})
        )
    database.note(
        master=user,
        password=password,
        database=description.get("DatabaseName"),
        version=description["EngineVersion"],
        endpoint=f"{description['Endpoint']}:{description['Port']}",
    )


def remove_database(subject: Subject) -> None:
    """What stood in for the cluster goes with it."""
    database_of(subject, subject.id).remove()


CLUSTER = Kind(
    service="rds",
    schema="AWS::RDS::DBCluster",
    inputs="clusterIdentifier clusterIdentifierPrefix engine! engineMode databaseName port masterUsername "
    "manageMasterUserPassword masterUserSecretKmsKeyId storageEncrypted kmsKeyId dbSubnetGroupName "
    "enabledCloudwatchLogsExports skipFinalSnapshot finalSnapshotIdentifier applyImmediately "
    f"allowMajorVersionUpgrade deleteAutomatedBackups {CLUSTER_CHANGED}",
    outputs="arn endpoint readerEndpoint engineVersionActual hostedZoneId clusterResourceId clusterMembers "
    "masterUserSecrets availabilityZones",
    create=Call("create_db_cluster", other_inputs=True),
    id="DBCluster.DBClusterIdentifier",
    name=Name("clusterIdentifier", prefix="clusterIdentifierPrefix", max_length=63, lower=True),
    names=CLUSTER_NAMES,
    defaults={"engineMode": "provisioned", "skipFinalSnapshot": False},
    fixed={"performanceInsightsEnabled": False},
    arguments=words(
        "clusterIdentifierPrefix skipFinalSnapshot finalSnapshotIdentifier applyImmediately "
        "allowMajorVersionUpgrade deleteAutomatedBackups"
    ),
    write_only=words("masterPassword masterUserSecretKmsKeyId"),
    computed=words(
        "engineVersion port backupRetentionPeriod preferredBackupWindow preferredMaintenanceWindow "
        "dbSubnetGroupName dbClusterParameterGroupName storageEncrypted kmsKeyId vpcSecurityGroupIds "
        "masterUsername databaseName iamDatabaseAuthenticationEnabled deletionProtection copyTagsToSnapshot"
    ),
    # Instances come after their cluster.
    volatile=words("clusterMembers"),
    unordered=words("vpcSecurityGroupIds enabledCloudwatchLogsExports"),
    reads=(Read(read_cluster),),
    changes=(
        Change(
            tuple(CLUSTER_CHANGED.split()),
            # On AWS some changes wait for the maintenance window where applyImmediately is not set.
            Call(
                "modify_db_cluster",
                {"DBClusterIdentifier": ID, "ApplyImmediately": True},
                takes=CLUSTER_CHANGED,
            ),
        ),
        change(
            "manageMasterUserPassword masterUserSecretKmsKeyId",
            "modify_db_cluster",
            {"DBClusterIdentifier": ID, "ApplyImmediately": True},
        ),
        Change(("enabledCloudwatchLogsExports",), export_logs),
    ),
    delete=(delete_cluster, remove_database),
    final_steps=(note_database,),
    tags=TAGS,
    schema_names={
        name: member for name, member in CLUSTER_NAMES.items() if name not in ("arn", "clusterResourceId")
    }
    | {"masterUserSecretKmsKeyId": "MasterUserSecret/KmsKeyId"},
)

# --- instances ---

INSTANCE_NAMES = {
    "identifier": "DBInstanceIdentifier",
    "clusterIdentifier": "DBClusterIdentifier",
    "instanceClass": "DBInstanceClass",
    "dbParameterGroupName": "DBParameterGroupName",
    "caCertIdentifier": "CACertificateIdentifier",
    "performanceInsightsKmsKeyId": "PerformanceInsightsKMSKeyId",
    "performanceInsightsEnabled": "EnablePerformanceInsights",
    "arn": "DBInstanceArn",
    "dbiResourceId": "DbiResourceId",
}

INSTANCE_CHANGED = (
    "instanceClass autoMinorVersionUpgrade caCertIdentifier copyTagsToSnapshot publiclyAccessible "
    "promotionTier performanceInsightsEnabled performanceInsightsKmsKeyId performanceInsightsRetentionPeriod"
)


def read_instance(subject: Subject) -> dict[str, Any] | None:
    """An instance of a cluster."""
    describe = "describe_db_instances"
    answer = subject.request(describe, DBInstanceIdentifier=subject.id)
    description = answer["DBInstances"][0]
    endpoint = description.get("Endpoint") or {}
    clusters = subject.request("describe_db_clusters", DBClusterIdentifier=description["DBClusterIdentifier"])
    [member] = [
        member
        for member in clusters["DBClusters"][0]["DBClusterMembers"]
        if member["DBInstanceIdentifier"] == description["DBInstanceIdentifier"]
    ]
    return {
        **subject.extract(describe, answer, "DBInstances[0]"),
        "endpoint": endpoint.get("Address"),
        "port": endpoint.get("Port"),
        "dbSubnetGroupName": (description.get("DBSubnetGroup") or {}).get("DBSubnetGroupName"),
        "engineVersionActual": description.get("EngineVersion"),
        "writer": member["IsClusterWriter"],
        "promotionTier": member["PromotionTier"],
        "performanceInsightsEnabled": description.get("PerformanceInsightsEnabled", False),
    }


def run_database(subject: Subject) -> None:
    """Run what stands in for the cluster, now that it has an instance."""
    database = database_of(subject, subject.properties["clusterIdentifier"])
    if database.noted:
        database.start()


def end_database(subject: Subject) -> None:
    """End what stands in for the cluster once it has no instance; its data stay."""
    cluster = subject.properties["clusterIdentifier"]
    [description] = subject.request("describe_db_clusters", DBClusterIdentifier=cluster)["DBClusters"]
    database = database_of(subject, cluster)
    if database.noted and not description.get("DBClusterMembers"):
        database.stop()


INSTANCE = Kind(
    service="rds",
    schema="AWS::RDS::DBInstance",
    inputs="identifier identifierPrefix clusterIdentifier! engine! engineVersion instanceClass! "
    f"availabilityZone applyImmediately {INSTANCE_CHANGED}",
    outputs="arn endpoint port dbSubnetGroupName engineVersionActual dbiResourceId writer storageEncrypted "
    "kmsKeyId",
    create=Call("create_db_instance", other_inputs=True),
    id="DBInstance.DBInstanceIdentifier",
    name=Name("identifier", prefix="identifierPrefix", max_length=63, lower=True),
    names=INSTANCE_NAMES,
    defaults={"autoMinorVersionUpgrade": True, "copyTagsToSnapshot": False, "promotionTier": 0},
    # An instance has its cluster's version, whatever it is told.
    arguments=words("identifierPrefix applyImmediately engineVersion"),
    computed=words(
        "engineVersion availabilityZone caCertIdentifier publiclyAccessible performanceInsightsEnabled "
        "performanceInsightsKmsKeyId performanceInsightsRetentionPeriod"
    ),
    reads=(Read(read_instance),),
    changes=(
        change(
            INSTANCE_CHANGED, "modify_db_instance", {"DBInstanceIdentifier": ID, "ApplyImmediately": True}
        ),
    ),
    delete=(
        Call("delete_db_instance", {"DBInstanceIdentifier": ID, "SkipFinalSnapshot": True}),
        end_database,
    ),
    final_steps=(run_database,),
    tags=TAGS,
    schema_names={
        name: member for name, member in INSTANCE_NAMES.items() if name not in ("arn", "dbiResourceId")
    },
)

# --- groups of parameters ---


def read_parameter_group(subject: Subject) -> dict[str, Any] | None:
    """A group, with the parameters that are not the engine's own."""
    describe = "describe_db_cluster_parameter_groups"
    answer = subject.request(describe, DBClusterParameterGroupName=subject.id)
    parameters = subject.request("describe_db_cluster_parameters", DBClusterParameterGroupName=subject.id)
    return {
        **subject.extract(describe, answer, "DBClusterParameterGroups[0]"),
        "parameters": [
            {
                "name": parameter["ParameterName"],
                "value": parameter["ParameterValue"],
                "applyMethod": parameter.get("ApplyMethod", "immediate"),
            }
            for parameter in sorted(
                parameters["Parameters"], key=lambda parameter: str(parameter["ParameterName"])
            )
            if "ParameterValue" in parameter
        ],
    }


def set_parameters(subject: Subject) -> None:
    """Set the group's parameters, and give those that are no longer in it the engine's values again."""
    new = {parameter["name"]: parameter for parameter in subject.inputs.get("parameters") or ()}
    old = {parameter["name"]: parameter for parameter in subject.old.get("parameters") or ()}
    group = {"DBClusterParameterGroupName": subject.id}
    removals = [
        {"ParameterName": name, "ApplyMethod": _method(old[name])} for name in sorted(old.keys() - new)
    ]
    if removals:
        subject.request(
            "reset_db_cluster_parameter_group", **group, ResetAllParameters=False, Parameters=removals
        )
    put = [
        {"ParameterName": name, "ParameterValue": str(parameter["value"]), "ApplyMethod": _method(parameter)}
        for name, parameter in sorted(new.items())
    ]
    # RDS takes twenty in a request.
    for start in range(0, len(put), 20):
        subject.request("modify_db_cluster_parameter_group", **group, Parameters=put[start : start + 20])


def _method(parameter: Mapping[str, Any]) -> str:
    return parameter.get("applyMethod") or "immediate"


PARAMETER_GROUP = Kind(
    service="rds",
    schema="AWS::RDS::DBClusterParameterGroup",
    inputs="name namePrefix family! description parameters",
    outputs="arn",
    create=Call(
        "create_db_cluster_parameter_group",
        {
            "DBClusterParameterGroupName": P("name"),
            "DBParameterGroupFamily": P("family"),
            "Description": P("description"),
        },
    ),
    id="DBClusterParameterGroup.DBClusterParameterGroupName",
    name=Name(lower=True),
    arguments=words("namePrefix"),
    names={
        "name": "DBClusterParameterGroupName",
        "family": "DBParameterGroupFamily",
        "arn": "DBClusterParameterGroupArn",
    },
    # As in Pulumi's provider.
    defaults={"description": "Managed by Pulumi"},
    unordered=words("parameters"),
    reads=(Read(read_parameter_group),),
    changes=(Change(("parameters",), set_parameters),),
    delete=(Call("delete_db_cluster_parameter_group", {"DBClusterParameterGroupName": ID}),),
    tags=TAGS,
    schema_names={"name": "DBClusterParameterGroupName", "family": "Family"},
)

TYPES = {
    "aws:rds/cluster:Cluster": CLUSTER,
    "aws:rds/clusterInstance:ClusterInstance": INSTANCE,
    "aws:rds/clusterParameterGroup:ClusterParameterGroup": PARAMETER_GROUP,
}
