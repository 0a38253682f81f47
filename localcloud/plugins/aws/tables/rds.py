"""Databases of RDS, and the subnets that they are in. No database runs: nothing answers at the endpoint."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

TAGS = Tagging(
    create="Tags",
    put=Call("add_tags_to_resource", {"ResourceName": P("arn"), "Tags": P("=tags")}),
    remove=Call("remove_tags_from_resource", {"ResourceName": P("arn"), "TagKeys": P("=keys")}),
    read_call=Call("list_tags_for_resource", {"ResourceName": P("arn")}),
    at="TagList",
)


def read_subnet_group(subject: Subject) -> dict[str, Any] | None:
    """A group, with the ids of its subnets."""
    describe = "describe_db_subnet_groups"
    answer = subject.request(describe, DBSubnetGroupName=subject.id)
    description = answer["DBSubnetGroups"][0]
    return {
        **subject.extract(describe, answer, "DBSubnetGroups[0]"),
        "subnetIds": [subnet["SubnetIdentifier"] for subnet in description["Subnets"]],
    }


SUBNET_GROUP = Kind(
    service="rds",
    schema="AWS::RDS::DBSubnetGroup",
    inputs="name namePrefix description subnetIds!",
    outputs="arn vpcId",
    create=Call("create_db_subnet_group", other_inputs=True),
    id="DBSubnetGroup.DBSubnetGroupName",
    name=Name(lower=True),
    arguments=words("namePrefix"),
    names={
        "name": "DBSubnetGroupName",
        "description": "DBSubnetGroupDescription",
        "arn": "DBSubnetGroupArn",
    },
    # As in Pulumi's provider.
    defaults={"description": "Managed by Pulumi"},
    unordered=words("subnetIds"),
    reads=(Read(read_subnet_group),),
    changes=(
        Change(
            ("subnetIds", "description"),
            Call("modify_db_subnet_group", {"DBSubnetGroupName": ID}, takes="subnetIds description"),
        ),
    ),
    delete=(Call("delete_db_subnet_group", {"DBSubnetGroupName": ID}),),
    tags=TAGS,
    schema_names={"name": "DBSubnetGroupName", "description": "DBSubnetGroupDescription"},
)

NAMES = {
    "identifier": "DBInstanceIdentifier",
    "instanceClass": "DBInstanceClass",
    "dbName": "DBName",
    "username": "MasterUsername",
    "password": "MasterUserPassword",
    "backupWindow": "PreferredBackupWindow",
    "maintenanceWindow": "PreferredMaintenanceWindow",
    "parameterGroupName": "DBParameterGroupName",
    "iamDatabaseAuthenticationEnabled": "EnableIAMDatabaseAuthentication",
    "arn": "DBInstanceArn",
    "resourceId": "DbiResourceId",
    "status": "DBInstanceStatus",
}

CHANGED = (
    "allocatedStorage maxAllocatedStorage instanceClass engineVersion password backupRetentionPeriod "
    "backupWindow maintenanceWindow multiAz publiclyAccessible deletionProtection storageType iops "
    "vpcSecurityGroupIds autoMinorVersionUpgrade copyTagsToSnapshot parameterGroupName "
    "iamDatabaseAuthenticationEnabled"
)
"""Properties that ModifyDBInstance changes."""


def read_database(subject: Subject) -> dict[str, Any] | None:
    """A database by its resource id, which is the provider's id of it; to import it, by its identifier."""
    describe = "describe_db_instances"
    filter_name = "dbi-resource-id" if subject.id.startswith("db-") else "db-instance-id"
    answer = subject.request(describe, Filters=[{"Name": filter_name, "Values": [subject.id]}])
    if not answer["DBInstances"]:
        return None
    description = answer["DBInstances"][0]
    subject.id = description["DbiResourceId"]
    endpoint = description.get("Endpoint") or {}
    return {
        **subject.extract(describe, answer, "DBInstances[0]"),
        "address": endpoint.get("Address"),
        "port": endpoint.get("Port"),
        "endpoint": f"{endpoint.get('Address')}:{endpoint.get('Port')}",
        "hostedZoneId": endpoint.get("HostedZoneId"),
        "dbSubnetGroupName": (description.get("DBSubnetGroup") or {}).get("DBSubnetGroupName"),
        "engineVersionActual": description.get("EngineVersion"),
        "vpcSecurityGroupIds": [
            group["VpcSecurityGroupId"] for group in description.get("VpcSecurityGroups", ())
        ],
        "parameterGroupName": next(
            (group["DBParameterGroupName"] for group in description.get("DBParameterGroups", ())), None
        ),
        "iamDatabaseAuthenticationEnabled": description.get("IAMDatabaseAuthenticationEnabled", False),
    }


def delete_database(subject: Subject) -> None:
    """Delete it, with a last snapshot or expressly without one, as the provider wants it."""
    properties = subject.properties
    skip, snapshot = properties.get("skipFinalSnapshot"), properties.get("finalSnapshotIdentifier")
    if not skip and not snapshot:
        raise Refusal(
            f"{subject.type}: finalSnapshotIdentifier is required when skipFinalSnapshot is false: set one "
            f"of the two for {properties['identifier']}, run `up`, and delete it then."
        )
    last = {"SkipFinalSnapshot": True} if skip else {"FinalDBSnapshotIdentifier": snapshot}
    backups = {"DeleteAutomatedBackups": properties.get("deleteAutomatedBackups", True)}
    subject.request("delete_db_instance", DBInstanceIdentifier=properties["identifier"], **last, **backups)


INSTANCE = Kind(
    service="rds",
    schema="AWS::RDS::DBInstance",
    inputs="identifier identifierPrefix engine instanceClass! dbName username port availabilityZone "
    "dbSubnetGroupName storageEncrypted kmsKeyId skipFinalSnapshot finalSnapshotIdentifier applyImmediately "
    f"deleteAutomatedBackups {CHANGED}",
    outputs="arn address endpoint engineVersionActual hostedZoneId resourceId status",
    create=Call("create_db_instance", other_inputs=True),
    id="DBInstance.DbiResourceId",
    name=Name("identifier", prefix="identifierPrefix", max_length=63, lower=True),
    names=NAMES,
    defaults={
        "applyImmediately": False,
        "autoMinorVersionUpgrade": True,
        "copyTagsToSnapshot": False,
        "deleteAutomatedBackups": True,
        "publiclyAccessible": False,
        "skipFinalSnapshot": False,
    },
    fixed={
        "allowMajorVersionUpgrade": False,
        "dedicatedLogVolume": False,
        "performanceInsightsEnabled": False,
    },
    arguments=words(
        "identifierPrefix skipFinalSnapshot finalSnapshotIdentifier applyImmediately deleteAutomatedBackups"
    ),
    write_only=words("password"),
    computed=words(
        "allocatedStorage engine engineVersion backupRetentionPeriod backupWindow maintenanceWindow multiAz "
        "storageType iops vpcSecurityGroupIds parameterGroupName port availabilityZone dbSubnetGroupName "
        "storageEncrypted kmsKeyId username dbName deletionProtection iamDatabaseAuthenticationEnabled "
        "maxAllocatedStorage"
    ),
    unordered=words("vpcSecurityGroupIds"),
    reads=(Read(read_database),),
    changes=(
        Change(
            tuple(CHANGED.split()),
            # On AWS some changes wait for the maintenance window where applyImmediately is not set.
            Call(
                "modify_db_instance",
                {"DBInstanceIdentifier": P("identifier"), "ApplyImmediately": True},
                takes=CHANGED,
            ),
        ),
    ),
    delete=(delete_database,),
    tags=TAGS,
    schema_names={
        name: member for name, member in NAMES.items() if name not in ("arn", "resourceId", "status")
    }
    | {"vpcSecurityGroupIds": "VPCSecurityGroups"},
)

TYPES = {
    "aws:rds/subnetGroup:SubnetGroup": SUBNET_GROUP,
    "aws:rds/instance:Instance": INSTANCE,
}
