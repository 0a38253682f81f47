"""RDS as boto3's client answers it: moto's answers, but for a change of a subnet group, which moto loses."""

from localcloud.plugins.aws.services.base import Members, Service


class Rds(Service):
    """A client of RDS in one region."""

    def modify_db_subnet_group(
        self, DBSubnetGroupName: str, SubnetIds: list[str], DBSubnetGroupDescription: str = ""
    ) -> Members:
        """Give a group other subnets: moto forgets a group that is changed, so it is made anew."""
        [shown] = self.client.describe_db_subnet_groups(DBSubnetGroupName=DBSubnetGroupName)["DBSubnetGroups"]
        tags = self.client.list_tags_for_resource(ResourceName=shown["DBSubnetGroupArn"])["TagList"]
        self.api.client("ec2", self.region).describe_subnets(SubnetIds=SubnetIds)
        self.client.delete_db_subnet_group(DBSubnetGroupName=DBSubnetGroupName)
        answer: Members = self.client.create_db_subnet_group(
            DBSubnetGroupName=DBSubnetGroupName,
            DBSubnetGroupDescription=DBSubnetGroupDescription or shown["DBSubnetGroupDescription"],
            SubnetIds=SubnetIds,
            Tags=tags,
        )
        return answer
