"""RDS as boto3's client answers it: moto's answers, and what it forgets, in files."""

from collections.abc import Mapping, Sequence
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service

IAM = "EnableIAMDatabaseAuthentication"

SHOWN_AS = {
    IAM: "IAMDatabaseAuthenticationEnabled",
    "EnablePerformanceInsights": "PerformanceInsightsEnabled",
    "PerformanceInsightsKMSKeyId": "PerformanceInsightsKMSKeyId",
    "PerformanceInsightsRetentionPeriod": "PerformanceInsightsRetentionPeriod",
}
"""Member of requests that moto forgets -> of answers."""


class Rds(Service):
    """A client of RDS in one region."""

    def modify_db_subnet_group(
        self, DBSubnetGroupName: str, SubnetIds: list[str], DBSubnetGroupDescription: str = ""
    ) -> Members:
        """Give a group other subnets: moto forgets a group that is changed, so it is made anew."""
        [group] = self.client.describe_db_subnet_groups(DBSubnetGroupName=DBSubnetGroupName)["DBSubnetGroups"]
        tags = self.client.list_tags_for_resource(ResourceName=group["DBSubnetGroupArn"])["TagList"]
        self.api.client("ec2", self.region).describe_subnets(SubnetIds=SubnetIds)
        self.client.delete_db_subnet_group(DBSubnetGroupName=DBSubnetGroupName)
        answer: Members = self.client.create_db_subnet_group(
            DBSubnetGroupName=DBSubnetGroupName,
            DBSubnetGroupDescription=DBSubnetGroupDescription or group["DBSubnetGroupDescription"],
            SubnetIds=SubnetIds,
            Tags=tags,
        )
        return answer

    # --- clusters of Aurora ---

    def modify_db_cluster(self, **members: Any) -> Members:
        """Change a cluster: moto forgets whether IAM lets one in."""
        answer: Members = self.client.modify_db_cluster(**members)
        if IAM in members:
            identifier = members["DBClusterIdentifier"]
            self.store.update("cluster", identifier, members={SHOWN_AS[IAM]: members[IAM]})
        return answer

    def describe_db_clusters(self, **members: Any) -> Members:
        """Clusters, with what moto forgets."""
        answer: Members = self.client.describe_db_clusters(**members)
        return {**answer, "DBClusters": self._with_stored("cluster", "DBClusterIdentifier", answer)}

    def delete_db_cluster(self, DBClusterIdentifier: str, **members: Any) -> Members:
        """Delete a cluster, with its automated backups, which moto keeps."""
        answer: Members = self.client.delete_db_cluster(DBClusterIdentifier=DBClusterIdentifier, **members)
        self.store.remove("cluster", DBClusterIdentifier)
        snapshots = self.client.describe_db_cluster_snapshots(SnapshotType="automated")["DBClusterSnapshots"]
        for snapshot in snapshots:
            if snapshot["DBClusterIdentifier"] == DBClusterIdentifier:
                self.client.delete_db_cluster_snapshot(
                    DBClusterSnapshotIdentifier=snapshot["DBClusterSnapshotIdentifier"]
                )
        return answer

    def reset_db_cluster_parameter_group(
        self, DBClusterParameterGroupName: str, ResetAllParameters: bool, Parameters: Sequence[Members]
    ) -> Members:
        """Give parameters the engine's values: moto cannot, so the group is made anew without them."""
        name = DBClusterParameterGroupName
        [group] = self.client.describe_db_cluster_parameter_groups(DBClusterParameterGroupName=name)[
            "DBClusterParameterGroups"
        ]
        tags = self.client.list_tags_for_resource(ResourceName=group["DBClusterParameterGroupArn"])["TagList"]
        parameters = self.client.describe_db_cluster_parameters(DBClusterParameterGroupName=name)[
            "Parameters"
        ]
        removals = {parameter["ParameterName"] for parameter in Parameters}
        rest = [parameter for parameter in parameters if parameter["ParameterName"] not in removals]
        self.client.delete_db_cluster_parameter_group(DBClusterParameterGroupName=name)
        self.client.create_db_cluster_parameter_group(
            DBClusterParameterGroupName=name,
            DBParameterGroupFamily=group["DBParameterGroupFamily"],
            Description=group["Description"],
            Tags=tags,
        )
        if rest:
            self.client.modify_db_cluster_parameter_group(DBClusterParameterGroupName=name, Parameters=rest)
        return {"DBClusterParameterGroupName": name}

    # --- instances ---

    def create_db_instance(self, **members: Any) -> Members:
        """Make an instance: moto forgets Performance Insights."""
        answer: Members = self.client.create_db_instance(**members)
        self.store.remove("instance", members["DBInstanceIdentifier"])
        self._keep_insights(members)
        return answer

    def modify_db_instance(self, **members: Any) -> Members:
        """Change an instance."""
        answer: Members = self.client.modify_db_instance(**members)
        self._keep_insights(members)
        return answer

    def describe_db_instances(self, **members: Any) -> Members:
        """Instances, with what moto forgets."""
        answer: Members = self.client.describe_db_instances(**members)
        return {**answer, "DBInstances": self._with_stored("instance", "DBInstanceIdentifier", answer)}

    def delete_db_instance(self, DBInstanceIdentifier: str, **members: Any) -> Members:
        """Delete an instance."""
        answer: Members = self.client.delete_db_instance(DBInstanceIdentifier=DBInstanceIdentifier, **members)
        self.store.remove("instance", DBInstanceIdentifier)
        return answer

    def _keep_insights(self, members: Mapping[str, Any]) -> None:
        insights = {
            output_name: members[name]
            for name, output_name in SHOWN_AS.items()
            if name in members and name != IAM
        }
        if insights.get("PerformanceInsightsEnabled"):
            # RDS keeps seven days, without a charge, unless it is told otherwise.
            insights.setdefault("PerformanceInsightsRetentionPeriod", 7)
        if insights:
            self.store.update("instance", members["DBInstanceIdentifier"], members=insights)

    def _with_stored(self, kind: str, key: str, answer: Mapping[str, Any]) -> list[Members]:
        [things] = [value for name, value in answer.items() if isinstance(value, list)]
        return [{**thing, **(self.store.get(kind, thing[key]) or {})} for thing in things]
