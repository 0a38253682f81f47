"""Rows of the database of the platform's services: Aurora, and what its instances stand on."""

from accounts.permissions.data import is_home
from accounts.permissions.row import REFERENCE, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

RDS = f"{REFERENCE}list_amazonrds.html, dependent actions"
TAGS = "rds:AddTagsToResource rds:RemoveTagsFromResource"
WAIT = "rds:DescribeDBClusters"


def has_database(settings: Environment, name: str, foundation: Foundation) -> bool:
    """The environment's database is there."""
    return is_home(settings, name, foundation) and settings.database is not None


ROWS = (
    Row(
        type="aws:rds/subnetGroup:SubnetGroup",
        schemas="AWS::RDS::DBSubnetGroup",
        create="rds:CreateDBSubnetGroup rds:AddTagsToResource",
        read="rds:DescribeDBSubnetGroups rds:ListTagsForResource",
        update=f"rds:ModifyDBSubnetGroup {TAGS}",
        delete="rds:DeleteDBSubnetGroup",
        when=has_database,
    ),
    Row(
        type="aws:rds/clusterParameterGroup:ClusterParameterGroup",
        schemas="AWS::RDS::DBClusterParameterGroup",
        create="rds:CreateDBClusterParameterGroup rds:ModifyDBClusterParameterGroup rds:AddTagsToResource",
        read="rds:DescribeDBClusterParameterGroups rds:DescribeDBClusterParameters rds:ListTagsForResource",
        update=f"rds:ModifyDBClusterParameterGroup rds:ResetDBClusterParameterGroup {TAGS}",
        delete="rds:DeleteDBClusterParameterGroup",
        when=has_database,
    ),
    Row(
        type="aws:rds/cluster:Cluster",
        schemas="AWS::RDS::DBCluster",
        create="rds:CreateDBCluster rds:RestoreDBClusterFromSnapshot rds:RestoreDBClusterToPointInTime "
        "rds:ModifyDBCluster rds:AddTagsToResource kms:CreateGrant kms:Decrypt kms:DescribeKey "
        "kms:GenerateDataKey secretsmanager:CreateSecret secretsmanager:TagResource "
        "iam:CreateServiceLinkedRole",
        read=f"{WAIT} rds:DescribeGlobalClusters rds:ListTagsForResource",
        update=f"rds:ModifyDBCluster {TAGS}",
        delete="rds:DeleteDBCluster rds:CreateDBClusterSnapshot",
        beyond={
            "kms:CreateGrant": RDS,
            "kms:Decrypt": RDS,
            "kms:DescribeKey": RDS,
            "kms:GenerateDataKey": RDS,
            "rds:ListTagsForResource": f"{REFERENCE}list_amazonrds.html",
        },
        when=has_database,
    ),
    Row(
        type="aws:rds/clusterInstance:ClusterInstance",
        schemas="AWS::RDS::DBInstance",
        create="rds:CreateDBInstance rds:AddTagsToResource",
        read=f"rds:DescribeDBInstances {WAIT} rds:ListTagsForResource",
        update=f"rds:ModifyDBInstance rds:RebootDBInstance {TAGS}",
        delete="rds:DeleteDBInstance",
        beyond={"rds:ListTagsForResource": f"{REFERENCE}list_amazonrds.html"},
        when=has_database,
    ),
)
