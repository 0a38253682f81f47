"""An example of every type of the table, and what the examples stand on."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["*"]}],
    }
)
OTHER_POLICY = POLICY.replace("s3:GetObject", "s3:PutObject")
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": ["sts:AssumeRole"],
            }
        ],
    }
)
LOG_DELIVERY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "logging.s3.amazonaws.com"},
                "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::base-access-logs/*",
            }
        ],
    }
)
REPOSITORY_POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "pull",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
                "Action": ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            }
        ],
    }
)
REGISTRY_POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "cache",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
                "Action": ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
                "Resource": "arn:aws:ecr:us-east-1:123456789012:repository/*",
            }
        ],
    }
)
LIFECYCLE = json.dumps(
    {
        "rules": [
            {
                "rulePriority": 1,
                "description": "what has no tag",
                "selection": {
                    "tagStatus": "untagged",
                    "countType": "sinceImagePushed",
                    "countUnit": "days",
                    "countNumber": 14,
                },
                "action": {"type": "expire"},
            }
        ]
    }
)
ROLE_ARN = "arn:aws:iam::123456789012:role/somebody"


class World:
    """What the examples stand on, made when one asks for it."""

    def __init__(self, bench):
        self.bench, self.made = bench, {}

    def __getattr__(self, name):
        if name not in self.made:
            type, inputs = BASES[name](self)
            self.made[name] = self.bench.make(type, inputs, name=f"base-{name}".replace("_", "-"))
        return self.made[name].id

    def second_version(self, name):
        template = getattr(self, name)
        self.made[name] = self.bench.change(
            self.made[name], {"name": "base-template", "description": "second"}
        )
        return template

    def scaling_group(self):
        return self.output("node_group", "resources")[0]["autoscalingGroups"][0]["name"]

    def output(self, name, output):
        getattr(self, name)
        return self.made[name].outputs[output]


BASES: Mapping[str, Callable[[World], tuple[str, dict[str, Any]]]] = {
    "vpc": lambda w: ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}),
    "other_vpc": lambda w: ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.9.0.0/16"}),
    "subnet": lambda w: (
        "aws:ec2/subnet:Subnet",
        {"vpcId": w.vpc, "cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-1a"},
    ),
    "other_subnet": lambda w: (
        "aws:ec2/subnet:Subnet",
        {"vpcId": w.vpc, "cidrBlock": "10.0.1.0/24", "availabilityZone": "us-east-1b"},
    ),
    "gateway": lambda w: ("aws:ec2/internetGateway:InternetGateway", {"vpcId": w.vpc}),
    "address": lambda w: ("aws:ec2/eip:Eip", {"domain": "vpc"}),
    "nat_address": lambda w: ("aws:ec2/eip:Eip", {"domain": "vpc"}),
    "nat": lambda w: ("aws:ec2/natGateway:NatGateway", {"subnetId": w.subnet, "allocationId": w.nat_address}),
    "table": lambda w: ("aws:ec2/routeTable:RouteTable", {"vpcId": w.vpc}),
    "other_table": lambda w: ("aws:ec2/routeTable:RouteTable", {"vpcId": w.vpc}),
    "group": lambda w: ("aws:ec2/securityGroup:SecurityGroup", {"vpcId": w.vpc}),
    "other_group": lambda w: ("aws:ec2/securityGroup:SecurityGroup", {"vpcId": w.vpc}),
    "key": lambda w: ("aws:kms/key:Key", {"description": "base"}),
    "other_key": lambda w: ("aws:kms/key:Key", {"description": "other base"}),
    "bucket": lambda w: ("aws:s3/bucket:Bucket", {"bucket": "base-bucket"}),
    "role": lambda w: ("aws:iam/role:Role", {"name": "base-role", "assumeRolePolicy": TRUST}),
    "other_role": lambda w: ("aws:iam/role:Role", {"name": "other-role", "assumeRolePolicy": TRUST}),
    "template": lambda w: ("aws:ec2/launchTemplate:LaunchTemplate", {"name": "base-template"}),
    "cluster": lambda w: (
        "aws:eks/cluster:Cluster",
        {
            "name": "base-cluster",
            "roleArn": ROLE_ARN,
            "version": "1.34",
            "vpcConfig": {"subnetIds": [w.subnet, w.other_subnet]},
            "bootstrapSelfManagedAddons": False,
        },
    ),
    "node_group": lambda w: (
        "aws:eks/nodeGroup:NodeGroup",
        {
            "clusterName": w.cluster,
            "nodeGroupName": "base",
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": [w.subnet],
            "scalingConfig": {"minSize": 0, "maxSize": 9, "desiredSize": 0},
            "instanceTypes": ["m8g.large"],
        },
    ),
    "repository": lambda w: ("aws:ecr/repository:Repository", {"name": "base-repository"}),
    "access_logs": lambda w: ("aws:s3/bucket:Bucket", {"bucket": "base-access-logs"}),
    "access_logs_policy": lambda w: (
        "aws:s3/bucketPolicy:BucketPolicy",
        {"bucket": w.access_logs, "policy": LOG_DELIVERY},
    ),
    "log_group": lambda w: ("aws:cloudwatch/logGroup:LogGroup", {"name": "/base/flow-logs"}),
    "entry": lambda w: (
        "aws:eks/accessEntry:AccessEntry",
        {"clusterName": w.cluster, "principalArn": ROLE_ARN + "-base"},
    ),
}

NO_CHANGE: dict[str, Any] = {}


@dataclass(frozen=True)
class Example:
    """Inputs of one resource.

    inputs: as a program gives them. change: what it says otherwise later, and the engine updates in place;
    None takes an input away. replace: what can only be had by a new resource. imported: id for an import,
    where it is not the id.
    """

    type: str
    inputs: Callable[[World], dict[str, Any]]
    change: Callable[[World], dict[str, Any]] = lambda world: NO_CHANGE
    replace: Callable[[World], dict[str, Any]] | None = None
    imported: Callable[[Any], str] = lambda made: made.id
    label: str = field(default="")

    def __str__(self):
        return self.type.rsplit(":", 1)[1] + self.label


TAGS = {"Name": "one", "kubernetes.io/role/elb": "1"}
OTHER_TAGS = {"Name": "two", "team": "data"}


EXAMPLES = [
    Example(
        "aws:ec2/vpc:Vpc",
        lambda w: {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True, "tags": TAGS},
        lambda w: {"enableDnsHostnames": False, "enableDnsSupport": False, "tags": OTHER_TAGS},
        lambda w: {"cidrBlock": "10.1.0.0/16"},
    ),
    Example(
        "aws:ec2/subnet:Subnet",
        lambda w: {
            "vpcId": w.vpc,
            "cidrBlock": "10.0.8.0/24",
            "availabilityZone": "us-east-1b",
            "mapPublicIpOnLaunch": True,
            "tags": TAGS,
        },
        lambda w: {"mapPublicIpOnLaunch": False, "tags": OTHER_TAGS},
        lambda w: {"availabilityZone": "us-east-1c"},
    ),
    Example(
        "aws:ec2/internetGateway:InternetGateway",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {"vpcId": w.other_vpc, "tags": OTHER_TAGS},
    ),
    Example("aws:ec2/eip:Eip", lambda w: {"domain": "vpc", "tags": TAGS}, lambda w: {"tags": OTHER_TAGS}),
    Example(
        "aws:ec2/natGateway:NatGateway",
        lambda w: {"subnetId": w.subnet, "allocationId": w.address, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"subnetId": w.other_subnet},
    ),
    Example(
        "aws:ec2/routeTable:RouteTable",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"vpcId": w.other_vpc},
    ),
    Example(
        "aws:ec2/route:Route",
        lambda w: {"routeTableId": w.table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": w.gateway},
        lambda w: {"gatewayId": None, "natGatewayId": w.nat},
        lambda w: {"destinationCidrBlock": "10.20.0.0/16"},
        imported=lambda made: f"{made.inputs['routeTableId']}_0.0.0.0/0",
    ),
    Example(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        lambda w: {"routeTableId": w.table, "subnetId": w.subnet},
        lambda w: {"routeTableId": w.other_table},
        lambda w: {"subnetId": w.other_subnet},
        imported=lambda made: f"{made.inputs['subnetId']}/{made.inputs['routeTableId']}",
    ),
    Example(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        lambda w: {
            "vpcId": w.vpc,
            "serviceName": "com.amazonaws.us-east-1.s3",
            "routeTableIds": [w.table],
            "tags": TAGS,
        },
        lambda w: {"routeTableIds": [w.other_table], "policy": POLICY, "tags": OTHER_TAGS},
        lambda w: {"serviceName": "com.amazonaws.us-east-1.dynamodb"},
    ),
    Example(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        lambda w: {
            "vpcId": w.vpc,
            "serviceName": "com.amazonaws.us-east-1.sts",
            "vpcEndpointType": "Interface",
            "subnetIds": [w.subnet],
            "securityGroupIds": [w.group],
            "privateDnsEnabled": True,
            "policy": POLICY,
            "tags": TAGS,
        },
        lambda w: {
            "subnetIds": [w.subnet, w.other_subnet],
            "securityGroupIds": [w.other_group],
            "privateDnsEnabled": False,
            "policy": OTHER_POLICY,
            "tags": OTHER_TAGS,
        },
        lambda w: {"vpcEndpointType": "GatewayLoadBalancer"},
        label="-interface",
    ),
    Example(
        "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
        lambda w: {"vpcId": w.vpc, "cidrBlock": "100.64.0.0/16"},
        replace=lambda w: {"cidrBlock": "100.65.0.0/16"},
    ),
    Example(
        "aws:ec2/flowLog:FlowLog",
        lambda w: {
            "vpcId": w.vpc,
            "trafficType": "ALL",
            "logDestinationType": "s3",
            "logDestination": w.output("access_logs", "arn"),
            "maxAggregationInterval": 60,
            "destinationOptions": {
                "fileFormat": "parquet",
                "hiveCompatiblePartitions": True,
                "perHourPartition": True,
            },
            "tags": TAGS,
        },
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"trafficType": "REJECT"},
    ),
    Example(
        "aws:ec2/flowLog:FlowLog",
        lambda w: {
            "subnetId": w.subnet,
            "trafficType": "REJECT",
            "logDestination": w.output("log_group", "arn"),
            "iamRoleArn": ROLE_ARN,
        },
        replace=lambda w: {"iamRoleArn": ROLE_ARN + "-else"},
        label="-log-group",
    ),
    Example(
        "aws:ec2/securityGroup:SecurityGroup",
        lambda w: {
            "vpcId": w.vpc,
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["10.0.0.0/8"],
                    "self": True,
                }
            ],
            "egress": [{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}],
            "tags": TAGS,
        },
        lambda w: {
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 80,
                    "toPort": 80,
                    "securityGroups": [w.group],
                    "description": "plain",
                }
            ],
            "tags": OTHER_TAGS,
        },
        lambda w: {"description": "another"},
    ),
    Example(
        "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {
            "egress": [{"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]}],
            "tags": OTHER_TAGS,
        },
        lambda w: {"vpcId": w.other_vpc},
    ),
    Example(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        lambda w: {
            "type": "ingress",
            "securityGroupId": w.group,
            "protocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrBlocks": ["10.1.0.0/16", "10.0.0.0/16"],
        },
        lambda w: {"description": "TLS"},
        lambda w: {"toPort": 444},
        imported=lambda made: f"{made.inputs['securityGroupId']}_ingress_tcp_443_443_10.1.0.0/16_10.0.0.0/16",
    ),
    Example(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        lambda w: {
            "type": "egress",
            "securityGroupId": w.group,
            "protocol": "-1",
            "fromPort": 0,
            "toPort": 0,
            "cidrBlocks": ["0.0.0.0/0"],
            "description": "Allow internet access.",
        },
        imported=lambda made: f"{made.inputs['securityGroupId']}_egress_-1_0_0_0.0.0.0/0",
        label="-egress",
    ),
    Example(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        lambda w: {
            "securityGroupId": w.group,
            "ipProtocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrIpv4": "10.0.0.0/16",
            "description": "TLS",
            "tags": TAGS,
        },
        lambda w: {"fromPort": 80, "toPort": 80, "tags": OTHER_TAGS},
    ),
    Example(
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        lambda w: {"securityGroupId": w.group, "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"},
        lambda w: {"cidrIpv4": "10.0.0.0/8", "description": "inside"},
    ),
    Example(
        "aws:ec2/launchTemplate:LaunchTemplate",
        lambda w: {
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "ebs": {
                        "volumeType": "gp3",
                        "volumeSize": 100,
                        "encrypted": "true",
                        "deleteOnTermination": "true",
                    },
                }
            ],
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpTokens": "required",
                "httpPutResponseHopLimit": 1,
            },
            "tagSpecifications": [
                {"resourceType": "instance", "tags": TAGS},
                {"resourceType": "volume", "tags": TAGS},
            ],
            "updateDefaultVersion": True,
            "tags": TAGS,
        },
        lambda w: {
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpTokens": "required",
                "httpPutResponseHopLimit": 2,
            },
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "another"},
    ),
    Example(
        "aws:ec2/launchTemplate:LaunchTemplate",
        lambda w: {
            "name": "reserved",
            "userData": "TUlNRS1WZXJzaW9uOiAxLjAK",
            "instanceType": "p5.48xlarge",
            "capacityReservationSpecification": {
                "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
            },
            "instanceMarketOptions": {"marketType": "capacity-block"},
            "updateDefaultVersion": True,
        },
        lambda w: {
            "userData": "TUlNRS1WZXJzaW9uOiAxLjAKCg==",
            "instanceMarketOptions": None,
            "capacityReservationSpecification": {"capacityReservationPreference": "open"},
        },
        label="-reserved",
    ),
    Example(
        "aws:autoscaling/schedule:Schedule",
        lambda w: {
            "autoscalingGroupName": w.scaling_group(),
            "scheduledActionName": "night",
            "minSize": 20,
            "maxSize": -1,
            "desiredCapacity": -1,
            "recurrence": "0 20 * * *",
            "timeZone": "Europe/Zurich",
        },
        lambda w: {"minSize": 0, "desiredCapacity": 10, "recurrence": "0 21 * * *"},
        lambda w: {"scheduledActionName": "day"},
        imported=lambda made: f"{made.inputs['autoscalingGroupName']}/night",
    ),
    Example(
        "aws:autoscaling/tag:Tag",
        lambda w: {
            "autoscalingGroupName": w.scaling_group(),
            "tag": {
                "key": "k8s.io/cluster-autoscaler/node-template/label/moka.dev/role",
                "value": "executor",
                "propagateAtLaunch": False,
            },
        },
        lambda w: {
            "tag": {
                "key": "k8s.io/cluster-autoscaler/node-template/label/moka.dev/role",
                "value": "shuffle",
                "propagateAtLaunch": True,
            }
        },
    ),
    Example(
        "aws:kms/key:Key",
        lambda w: {
            "description": "logs",
            "enableKeyRotation": True,
            "deletionWindowInDays": 7,
            "policy": POLICY,
            "tags": TAGS,
        },
        lambda w: {
            "description": "more logs",
            "enableKeyRotation": False,
            "deletionWindowInDays": 10,
            "policy": OTHER_POLICY,
            "isEnabled": False,
            "tags": OTHER_TAGS,
        },
        lambda w: {"keyUsage": "SIGN_VERIFY", "customerMasterKeySpec": "RSA_2048"},
    ),
    Example(
        "aws:kms/alias:Alias",
        lambda w: {"name": "alias/mine", "targetKeyId": w.key},
        lambda w: {"targetKeyId": w.other_key},
        lambda w: {"name": "alias/other"},
    ),
    Example(
        "aws:s3/bucket:Bucket",
        lambda w: {"bucket": "one-bucket", "tags": TAGS},
        lambda w: {"forceDestroy": True, "tags": OTHER_TAGS},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        lambda w: {"bucket": w.bucket, "blockPublicAcls": True, "blockPublicPolicy": True},
        lambda w: {"restrictPublicBuckets": True, "ignorePublicAcls": True},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        lambda w: {
            "bucket": w.bucket,
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {
                        "sseAlgorithm": "aws:kms",
                        "kmsMasterKeyId": w.output("key", "arn"),
                    },
                    "bucketKeyEnabled": True,
                }
            ],
        },
        lambda w: {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketPolicy:BucketPolicy",
        lambda w: {"bucket": w.bucket, "policy": POLICY},
        lambda w: {"policy": OTHER_POLICY},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        lambda w: {
            "bucket": w.bucket,
            "rules": [
                {
                    "id": "expire",
                    "status": "Enabled",
                    "filter": {"prefix": "logs/"},
                    "expiration": {"days": 30},
                    "noncurrentVersionExpiration": {"noncurrentDays": 7},
                    "abortIncompleteMultipartUpload": {"daysAfterInitiation": 3},
                },
                {
                    "id": "move",
                    "status": "Enabled",
                    "filter": {"and": {"prefix": "old/", "tags": {"keep": "no"}}},
                    "transitions": [
                        {"days": 30, "storageClass": "STANDARD_IA"},
                        {"days": 90, "storageClass": "GLACIER"},
                    ],
                    "noncurrentVersionTransitions": [{"noncurrentDays": 30, "storageClass": "STANDARD_IA"}],
                    "noncurrentVersionExpiration": {"noncurrentDays": 90, "newerNoncurrentVersions": 3},
                },
            ],
        },
        lambda w: {
            "rules": [
                {
                    "id": "expire",
                    "status": "Disabled",
                    "filter": {"prefix": "logs/"},
                    "expiration": {"days": 60},
                }
            ]
        },
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketVersioning:BucketVersioning",
        lambda w: {"bucket": w.bucket, "versioningConfiguration": {"status": "Enabled"}},
        lambda w: {"versioningConfiguration": {"status": "Suspended"}},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketLogging:BucketLogging",
        lambda w: {
            "bucket": w.bucket,
            "targetBucket": w.access_logs_policy,
            "targetPrefix": "base/",
            "targetObjectKeyFormat": {"partitionedPrefix": {"partitionDateSource": "EventTime"}},
        },
        lambda w: {"targetPrefix": "other/"},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        lambda w: {"bucket": w.bucket, "rule": {"objectOwnership": "BucketOwnerEnforced"}},
        lambda w: {"rule": {"objectOwnership": "BucketOwnerPreferred"}},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:iam/role:Role",
        lambda w: {
            "assumeRolePolicy": TRUST,
            "description": "of pods",
            "permissionsBoundary": "arn:aws:iam::aws:policy/PowerUserAccess",
            "managedPolicyArns": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"],
            "inlinePolicies": [{"name": "in", "policy": POLICY}],
            "tags": TAGS,
        },
        lambda w: {
            "assumeRolePolicy": TRUST.replace("ec2", "pods.eks"),
            "description": "of other pods",
            "maxSessionDuration": 7200,
            "permissionsBoundary": None,
            "managedPolicyArns": ["arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"],
            "inlinePolicies": [{"name": "in", "policy": OTHER_POLICY}],
            "tags": OTHER_TAGS,
        },
        lambda w: {"path": "/moka/"},
    ),
    Example(
        "aws:iam/rolePolicy:RolePolicy",
        lambda w: {"role": w.role, "policy": POLICY},
        lambda w: {"policy": OTHER_POLICY},
        lambda w: {"role": w.other_role},
    ),
    Example(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        lambda w: {"role": w.role, "policyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodeMinimalPolicy"},
        replace=lambda w: {"role": w.other_role},
        imported=lambda made: f"{made.inputs['role']}/{made.inputs['policyArn']}",
    ),
    Example(
        "aws:iam/policy:Policy",
        lambda w: {"policy": POLICY, "description": "reads", "tags": TAGS},
        lambda w: {"policy": OTHER_POLICY, "tags": OTHER_TAGS},
        lambda w: {"description": "writes"},
    ),
    Example(
        "aws:iam/instanceProfile:InstanceProfile",
        lambda w: {"role": w.role, "tags": TAGS},
        lambda w: {"role": w.other_role, "tags": OTHER_TAGS},
        lambda w: {"path": "/moka/"},
    ),
    Example(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        lambda w: {
            "url": "https://oidc.eks.us-east-1.amazonaws.com/id/ABC",
            "clientIdLists": ["sts.amazonaws.com"],
            "thumbprintLists": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"],
            "tags": TAGS,
        },
        lambda w: {
            "thumbprintLists": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7281"],
            "tags": OTHER_TAGS,
        },
        lambda w: {"url": "https://oidc.eks.us-east-1.amazonaws.com/id/DEF"},
    ),
    Example(
        "aws:eks/cluster:Cluster",
        lambda w: {
            "name": "spark-a",
            "roleArn": ROLE_ARN,
            "version": "1.33",
            "vpcConfig": {
                "subnetIds": [w.subnet, w.other_subnet],
                "endpointPrivateAccess": True,
                "endpointPublicAccess": False,
            },
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
            "encryptionConfig": {"resources": ["secrets"], "provider": {"keyArn": w.output("key", "arn")}},
            "enabledClusterLogTypes": ["audit", "api"],
            "upgradePolicy": {"supportType": "STANDARD"},
            "zonalShiftConfig": {"enabled": False},
            "bootstrapSelfManagedAddons": False,
            "tags": TAGS,
        },
        lambda w: {
            "version": "1.34",
            "vpcConfig": {
                "subnetIds": [w.subnet, w.other_subnet],
                "endpointPrivateAccess": True,
                "endpointPublicAccess": True,
                "publicAccessCidrs": ["198.51.100.0/24"],
            },
            "enabledClusterLogTypes": ["api"],
            "upgradePolicy": {"supportType": "EXTENDED"},
            "zonalShiftConfig": {"enabled": True},
            "tags": OTHER_TAGS,
        },
        lambda w: {"roleArn": ROLE_ARN + "-else"},
    ),
    Example(
        "aws:eks/nodeGroup:NodeGroup",
        lambda w: {
            "clusterName": w.cluster,
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": [w.subnet],
            "scalingConfig": {"minSize": 0, "maxSize": 9, "desiredSize": 2},
            "amiType": "AL2023_ARM_64_STANDARD",
            "capacityType": "SPOT",
            "instanceTypes": ["r8g.4xlarge", "r7g.4xlarge"],
            "labels": {"moka.dev/role": "executor"},
            "taints": [{"key": "moka.dev/role", "value": "executor", "effect": "NO_SCHEDULE"}],
            "launchTemplate": {"id": w.template, "version": "1"},
            "version": "1.33",
            "releaseVersion": "1.33.4-20251112",
            "nodeRepairConfig": {"enabled": True},
            "forceUpdateVersion": False,
            "tags": TAGS,
        },
        lambda w: {
            "scalingConfig": {"minSize": 1, "maxSize": 12, "desiredSize": 3},
            "labels": {"other": "label"},
            "taints": [],
            "launchTemplate": {"id": w.second_version("template"), "version": "2"},
            "version": "1.34",
            "releaseVersion": "1.34.1-20251201",
            "nodeRepairConfig": {"enabled": False},
            "forceUpdateVersion": True,
            "updateConfig": {"maxUnavailablePercentage": 20},
            "tags": OTHER_TAGS,
        },
        lambda w: {"instanceTypes": ["r8g.8xlarge"]},
    ),
    Example(
        "aws:eks/addon:Addon",
        lambda w: {
            "clusterName": w.cluster,
            "addonName": "coredns",
            "addonVersion": "v1.11.4-eksbuild.2",
            "configurationValues": '{"replicaCount": 2}',
            "resolveConflictsOnCreate": "OVERWRITE",
            "resolveConflictsOnUpdate": "OVERWRITE",
            "preserve": True,
            "tags": TAGS,
        },
        lambda w: {
            "addonVersion": "v1.12.4-eksbuild.1",
            "configurationValues": '{"replicaCount": 3}',
            "preserve": None,
            "tags": OTHER_TAGS,
        },
        lambda w: {"addonName": "kube-proxy"},
    ),
    Example(
        "aws:eks/accessEntry:AccessEntry",
        lambda w: {"clusterName": w.cluster, "principalArn": ROLE_ARN, "tags": TAGS},
        lambda w: {"kubernetesGroups": ["readers"], "userName": "somebody", "tags": OTHER_TAGS},
        lambda w: {"principalArn": ROLE_ARN + "-else"},
    ),
    Example(
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        lambda w: {
            "clusterName": w.cluster,
            "principalArn": w.output("entry", "principalArn"),
            "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
            "accessScope": {"type": "cluster"},
        },
        replace=lambda w: {"accessScope": {"type": "namespace", "namespaces": ["spark"]}},
    ),
    Example(
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        lambda w: {
            "clusterName": w.cluster,
            "namespace": "spark",
            "serviceAccount": "spark",
            "roleArn": ROLE_ARN,
            "tags": TAGS,
        },
        lambda w: {"roleArn": ROLE_ARN + "-else", "tags": OTHER_TAGS},
        lambda w: {"namespace": "other"},
        imported=lambda made: f"{made.inputs['clusterName']},{made.id}",
    ),
    Example(
        "aws:cloudwatch/logGroup:LogGroup",
        lambda w: {
            "name": "/aws/eks/spark-a/cluster",
            "retentionInDays": 30,
            "kmsKeyId": w.output("key", "arn"),
            "tags": TAGS,
        },
        lambda w: {
            "retentionInDays": None,
            "kmsKeyId": w.output("other_key", "arn"),
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "/aws/eks/spark-b/cluster"},
    ),
    Example(
        "aws:ecr/repository:Repository",
        lambda w: {
            "name": "moka/spark",
            "imageTagMutability": "IMMUTABLE",
            "imageScanningConfiguration": {"scanOnPush": True},
            "encryptionConfigurations": [
                {"encryptionType": "KMS", "kmsKey": w.output("key", "arn")},
            ],
            "tags": TAGS,
        },
        lambda w: {
            "imageTagMutability": None,
            "imageScanningConfiguration": {"scanOnPush": False},
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "moka/celeborn"},
    ),
    Example(
        "aws:ecr/lifecyclePolicy:LifecyclePolicy",
        lambda w: {"repository": w.repository, "policy": LIFECYCLE},
        replace=lambda w: {"policy": LIFECYCLE.replace("14", "7")},
    ),
    Example(
        "aws:ecr/repositoryPolicy:RepositoryPolicy",
        lambda w: {"repository": w.repository, "policy": REPOSITORY_POLICY},
        lambda w: {"policy": REPOSITORY_POLICY.replace("111122223333", "444455556666")},
        lambda w: {"repository": "another"},
    ),
    Example(
        "aws:ecr/registryPolicy:RegistryPolicy",
        lambda w: {"policy": REGISTRY_POLICY},
        lambda w: {"policy": REGISTRY_POLICY.replace("111122223333", "444455556666")},
    ),
    Example(
        "aws:ecr/pullThroughCacheRule:PullThroughCacheRule",
        lambda w: {
            "ecrRepositoryPrefix": "docker-hub",
            "upstreamRegistryUrl": "registry-1.docker.io",
            "credentialArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub",
        },
        lambda w: {
            "credentialArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/it"
        },
        lambda w: {"upstreamRegistryUrl": "public.ecr.aws"},
    ),
    Example(
        "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
        lambda w: {
            "prefix": "docker-hub",
            "appliedFors": ["PULL_THROUGH_CACHE"],
            "imageTagMutability": "IMMUTABLE",
            "encryptionConfigurations": [{"encryptionType": "KMS", "kmsKey": w.output("key", "arn")}],
            "customRoleArn": ROLE_ARN,
            "lifecyclePolicy": LIFECYCLE,
            "repositoryPolicy": REPOSITORY_POLICY,
            "resourceTags": TAGS,
        },
        lambda w: {
            "appliedFors": ["REPLICATION", "PULL_THROUGH_CACHE"],
            "description": "of Docker Hub",
            "lifecyclePolicy": LIFECYCLE.replace("14", "7"),
            "resourceTags": OTHER_TAGS,
        },
        lambda w: {"prefix": "quay"},
    ),
    Example(
        "aws:ssm/parameter:Parameter",
        lambda w: {"name": "/moka/version", "type": "String", "value": "1", "tags": TAGS},
        lambda w: {"value": "2", "tags": OTHER_TAGS},
        lambda w: {"name": "/moka/other"},
    ),
]


STAYS = {
    # A VPC's default group goes with the VPC, and a bucket that had versions has them suspended.
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:s3/bucketVersioning:BucketVersioning",
}
"""Types of which something stays when a resource is deleted."""
