"""Types and inputs that many tests of the provider use."""

import json

VPC, SUBNET, ROLE = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:iam/role:Role"
BUCKET, GROUP = "aws:s3/bucket:Bucket", "aws:ec2/securityGroup:SecurityGroup"
CLUSTER, NODE_GROUP, ADDON = "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup", "aws:eks/addon:Addon"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ROLE_ARN = "arn:aws:iam::123456789012:role/somebody"


def trust(service):
    """The trust policy of a role that a service takes."""
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": f"{service}.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    )
