"""RDS: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

BASES: Bases = {
    "database_subnets": lambda w: (
        "aws:rds/subnetGroup:SubnetGroup",
        {"name": "base-subnets", "subnetIds": [w.subnet, w.other_subnet]},
    ),
    "third_subnet": lambda w: (
        "aws:ec2/subnet:Subnet",
        {"vpcId": w.vpc, "cidrBlock": "10.0.2.0/24", "availabilityZone": "us-east-1c"},
    ),
}

EXAMPLES = [
    Example(
        "aws:rds/subnetGroup:SubnetGroup",
        lambda w: {"name": "some-subnets", "subnetIds": [w.subnet, w.other_subnet], "tags": TAGS},
        lambda w: {"subnetIds": [w.subnet, w.third_subnet], "tags": OTHER_TAGS},
        lambda w: {"name": "other-subnets"},
    ),
    Example(
        "aws:rds/instance:Instance",
        lambda w: {
            "identifier": "some-database",
            "engine": "postgres",
            "engineVersion": "16.4",
            "instanceClass": "db.t4g.micro",
            "allocatedStorage": 20,
            "dbName": "votes",
            "username": "somebody",
            "password": "of the test".replace(" ", "-"),
            "dbSubnetGroupName": w.database_subnets,
            "vpcSecurityGroupIds": [w.group],
            "skipFinalSnapshot": True,
            "tags": TAGS,
        },
        lambda w: {"allocatedStorage": 40, "instanceClass": "db.t4g.small", "tags": OTHER_TAGS},
        lambda w: {"dbName": "others"},
        imported=lambda resource: resource.inputs["identifier"],
    ),
]


def change_subnets(console: Console, resource: Resource) -> None:
    tags = [{"Key": "by-hand", "Value": "yes"}]
    console.client("rds").add_tags_to_resource(ResourceName=resource.outputs["arn"], Tags=tags)


def grow(console: Console, resource: Resource) -> None:
    console.client("rds").modify_db_instance(
        DBInstanceIdentifier=resource.inputs["identifier"], AllocatedStorage=100, ApplyImmediately=True
    )


CHANGES_BY_HAND: Changes = {
    "aws:rds/subnetGroup:SubnetGroup": change_subnets,
    "aws:rds/instance:Instance": grow,
}
