"""Values that AWS refuses are refused at the preview: one change each of inputs that pass."""

import json
from base64 import b64encode
from functools import cache

import pytest

from localcloud import unknowns
from localcloud.cloud import Cloud
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.aws.refusals import values
from localcloud.plugins.provider import Naming, Target
from localcloud.plugins.values import UNKNOWN, Secret

ACCOUNT = "123456789012"
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/nodes"
KEY_ARN = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
SUBNETS = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
GROUP = "sg-0123456789abcdef0"
VPC = "vpc-0123456789abcdef0"


def policy(resource="arn:aws:s3:::acme-event-logs/*", filler=0, principal=None):
    statement = {"Sid": "x" * filler, "Effect": "Allow", "Action": "s3:GetObject", "Resource": resource}
    whose = {"Principal": principal} if principal else {}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement | whose]})


def bucket_policy(resource="arn:aws:s3:::acme-event-logs/*", principal="*"):
    return policy(resource, principal=principal)


def trust(filler=0):
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement | {"Sid": "x" * filler}]})


def disk(**ebs):
    volume = {"volumeType": "gp3", "volumeSize": 100, "iops": 3000, "throughput": 125, **ebs}
    return [{"deviceName": "/dev/xvda", "ebs": {k: v for k, v in volume.items() if v is not None}}]


def tags(count):
    return {f"tag-{number}": "x" for number in range(count)}


PASS = {
    "aws:autoscaling/schedule:Schedule": {
        "autoscalingGroupName": "eks-a",
        "scheduledActionName": "night",
        "recurrence": "0 19 * * MON-FRI",
        "timeZone": "Europe/Berlin",
        "minSize": 0,
        "maxSize": -1,
        "desiredCapacity": -1,
    },
    "aws:cloudwatch/logGroup:LogGroup": {"name": "/spark/jobs", "retentionInDays": 30},
    "aws:ec2/flowLog:FlowLog": {
        "vpcId": VPC,
        "trafficType": "ALL",
        "logDestinationType": "s3",
        "logDestination": "arn:aws:s3:::flow-logs",
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {
        "name": "system",
        "instanceType": "m7g.2xlarge",
        "blockDeviceMappings": disk(),
        "userData": b64encode(b"#!/bin/sh").decode(),
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
        "tagSpecifications": [{"resourceType": "instance", "tags": {"kubernetes.io/name": "a"}}],
    },
    "aws:ec2/securityGroup:SecurityGroup": {"name": "nodes", "description": "Nodes", "vpcId": VPC},
    "aws:ec2/subnet:Subnet": {"vpcId": VPC, "cidrBlock": "10.0.0.0/20", "availabilityZone": "us-east-1a"},
    "aws:ec2/vpc:Vpc": {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "main"}},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {
        "vpcId": VPC,
        "serviceName": "com.amazonaws.us-east-1.ecr.api",
        "vpcEndpointType": "Interface",
        "subnetIds": SUBNETS,
    },
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": {
        "vpcId": VPC,
        "cidrBlock": "100.64.0.0/16",
    },
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": {
        "ecrRepositoryPrefix": "docker-hub",
        "upstreamRegistryUrl": "registry-1.docker.io",
        "credentialArn": f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:ecr-pullthroughcache/a-1b2c3d",
    },
    "aws:ecr/repository:Repository": {"name": "acme/spark"},
    "aws:ec2/route:Route": {
        "routeTableId": "rtb-0123456789abcdef0",
        "destinationCidrBlock": "0.0.0.0/0",
        "gatewayId": "igw-0123456789abcdef0",
    },
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {
        "bucket": "acme-event-logs",
        "blockPublicAcls": True,
    },
    "aws:eks/accessEntry:AccessEntry": {
        "clusterName": "a",
        "principalArn": ROLE_ARN,
        "kubernetesGroups": ["developers"],
        "type": "STANDARD",
    },
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {
        "clusterName": "a",
        "principalArn": ROLE_ARN,
        "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
        "accessScope": {"type": "namespace", "namespaces": ["spark"]},
    },
    "aws:eks/addon:Addon": {
        "clusterName": "a",
        "addonName": "vpc-cni",
        "configurationValues": '{"env": {"WARM_PREFIX_TARGET": "1"}}',
    },
    "aws:eks/cluster:Cluster": {
        "name": "a",
        "version": "1.34",
        "roleArn": ROLE_ARN,
        "vpcConfig": {
            "subnetIds": SUBNETS,
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["54.240.0.0/16"],
        },
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
        "enabledClusterLogTypes": ["audit"],
    },
    "aws:eks/nodeGroup:NodeGroup": {
        "clusterName": "a",
        "nodeGroupName": "system",
        "nodeRoleArn": ROLE_ARN,
        "subnetIds": SUBNETS,
        "instanceTypes": ["m7g.2xlarge"],
        "amiType": "AL2023_ARM_64_STANDARD",
        "capacityType": "ON_DEMAND",
        "scalingConfig": {"minSize": 1, "desiredSize": 2, "maxSize": 3},
        "updateConfig": {"maxUnavailable": 1},
        "labels": {"acme.example/role": "system"},
        "taints": [{"key": "acme.example/role", "value": "system", "effect": "NO_SCHEDULE"}],
    },
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": {
        "clusterName": "a",
        "namespace": "spark",
        "serviceAccount": "spark",
        "roleArn": ROLE_ARN,
    },
    "aws:iam/policy:Policy": {"name": "p", "policy": policy()},
    "aws:iam/role:Role": {
        "name": "nodes",
        "assumeRolePolicy": trust(),
        "maxSessionDuration": 3600,
        "path": "/acme/",
        "tags": {"Größe": "5 µm"},
        "permissionsBoundary": f"arn:aws:iam::{ACCOUNT}:policy/boundary",
    },
    "aws:iam/rolePolicy:RolePolicy": {"role": "nodes", "name": "p", "policy": policy()},
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {
        "role": "nodes",
        "policyArn": "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy",
    },
    "aws:kms/alias:Alias": {"name": "alias/main", "targetKeyId": KEY_ARN},
    "aws:kms/key:Key": {"deletionWindowInDays": 30, "enableKeyRotation": True, "rotationPeriodInDays": 365},
    "aws:s3/bucket:Bucket": {"bucket": "acme-event-logs"},
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
        "bucket": "acme-event-logs",
        "rules": [
            {
                "id": "expire",
                "status": "Enabled",
                "filter": {"prefix": ""},
                "transitions": [{"days": 30, "storageClass": "STANDARD_IA"}],
                "expiration": {"days": 90},
            }
        ],
    },
    "aws:s3/bucketPolicy:BucketPolicy": {"bucket": "acme-event-logs", "policy": bucket_policy()},
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": {
        "bucket": "acme-event-logs",
        "rules": [
            {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": KEY_ARN}}
        ],
    },
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {
        "securityGroupId": GROUP,
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "cidrIpv4": "10.0.0.0/16",
        "description": "API server",
    },
    "aws:ec2/securityGroupRule:SecurityGroupRule": {
        "type": "ingress",
        "securityGroupId": GROUP,
        "protocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "cidrBlocks": ["10.0.0.0/16"],
    },
}
"""Inputs that AWS takes, by type."""


def lifecycle(**rule):
    key = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
    return {"rules": [PASS[key]["rules"][0] | rule]}


# Last word of the type, change, place and code of the refusal, and a part of AWS's words.
SABOTAGES = [
    # --- networks ---
    ("Vpc", {"cidrBlock": "10.0.0.0/8"}, "cidrBlock", "InvalidVpc.Range", "The CIDR '10.0.0.0/8' is invalid"),
    ("Vpc", {"cidrBlock": "10.0.0.0/29"}, "cidrBlock", "InvalidVpc.Range", "is invalid"),
    ("Vpc", {"cidrBlock": "10.0.0.300/16"}, "cidrBlock", "InvalidParameterValue", "not a valid CIDR block"),
    ("Vpc", {"cidrBlock": "10.0.9.0/16"}, "cidrBlock", "InvalidParameterValue", "did you mean"),
    ("Vpc", {"instanceTenancy": "shared"}, "instanceTenancy", "InvalidParameterValue", "enum value set"),
    ("Vpc", {"tags": tags(51)}, "tags", "TagLimitExceeded", "at most 50"),
    ("Vpc", {"tags": {"aws:name": "x"}}, "tags", "InvalidParameterValue", "reserved for internal use"),
    ("Vpc", {"tags": {"x" * 129: "x"}}, "tags", "InvalidParameterValue", "maximum length of 128"),
    ("Vpc", {"tags": {"x": "x" * 257}}, "tags", "InvalidParameterValue", "maximum length of 256"),
    ("Subnet", {"cidrBlock": "10.0.0.0/30"}, "cidrBlock", "InvalidSubnet.Range", "is invalid"),
    ("Subnet", {"availabilityZone": "us-west-2a"}, "availabilityZone", "InvalidParameterValue", "us-west-2a"),
    ("Subnet", {"cidrBlock": None}, "", "InvalidParameterValue", "Specify one of CidrBlock"),
    (
        "VpcIpv4CidrBlockAssociation",
        {"cidrBlock": "100.64.0.0/10"},
        "cidrBlock",
        "InvalidVpc.Range",
        "100.64",
    ),
    (
        "VpcEndpoint",
        {"serviceName": "com.amazonaws.us-west-2.ecr.api"},
        "serviceName",
        "InvalidServiceName",
        "does not exist",
    ),
    ("VpcEndpoint", {"vpcEndpointType": "Gateway"}, "vpcEndpointType", "InvalidParameter", "does not match"),
    ("VpcEndpoint", {"vpcEndpointType": "Interfaces"}, "vpcEndpointType", "InvalidParameterValue", "enum"),
    ("FlowLog", {"maxAggregationInterval": 300}, "maxAggregationInterval", "InvalidParameter", "300"),
    ("FlowLog", {"trafficType": "SOME"}, "trafficType", "InvalidParameterValue", "ACCEPT, REJECT, ALL"),
    ("SecurityGroup", {"description": "Nodes → API"}, "description", "InvalidParameterValue", "a-zA-Z0-9"),
    ("SecurityGroup", {"name": "sg-nodes"}, "name", "InvalidParameterValue", "may not be in the format sg-"),
    ("SecurityGroupIngressRule", {"toPort": 70000}, "", "InvalidParameterValue", "'70000' for portRange"),
    ("SecurityGroupIngressRule", {"fromPort": 8443}, "", "InvalidParameterValue", "Invalid TCP port range"),
    ("SecurityGroupIngressRule", {"fromPort": None}, "", "InvalidParameterValue", "Must specify both"),
    ("SecurityGroupIngressRule", {"ipProtocol": "tpc"}, "", "InvalidParameterValue", "Unknown protocol"),
    ("SecurityGroupIngressRule", {"cidrIpv4": "10.0.0.0/33"}, "", "InvalidParameterValue", "is malformed"),
    ("SecurityGroupIngressRule", {"cidrIpv4": None}, "", "MissingParameter", "another source"),
    ("SecurityGroupRule", {"cidrBlocks": ["10.0.0.1"]}, "", "InvalidParameterValue", "is malformed"),
    # --- machines ---
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(throughput=1000)},
        "blockDeviceMappings[0].ebs.throughput",
        "InvalidParameterValue",
        "ratio of 0.333333 is too high; maximum is 0.250000 MiBps per iops",
    ),
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(iops=None, throughput=800)},
        "blockDeviceMappings[0].ebs.throughput",
        "InvalidParameterValue",
        "maximum is 0.250000 MiBps per iops",
    ),
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(iops=90000, volumeSize=1000)},
        "blockDeviceMappings[0].ebs.iops",
        "InvalidParameterValue",
        "maximum is 80000",
    ),
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(iops=8000, volumeSize=10)},
        "blockDeviceMappings[0].ebs.iops",
        "InvalidParameterValue",
        "maximum is 500",
    ),
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(volumeType="gp2", iops=None)},
        "blockDeviceMappings[0].ebs.throughput",
        "InvalidParameterValue",
        "throughput is not supported for gp2",
    ),
    (
        "LaunchTemplate",
        {"blockDeviceMappings": disk(volumeType="gp4")},
        "blockDeviceMappings[0].ebs.volumeType",
        "InvalidParameterValue",
        "enum value set",
    ),
    (
        "LaunchTemplate",
        {"instanceType": "m7g.3xlarge"},
        "instanceType",
        "InvalidParameterValue",
        "m7g.3xlarge",
    ),
    (
        "LaunchTemplate",
        {"userData": b64encode(bytes(17000)).decode()},
        "userData",
        "InvalidUserData.Malformed",
        "limited to 16384 bytes",
    ),
    ("LaunchTemplate", {"userData": "#!/bin/sh"}, "userData", "InvalidUserData.Malformed", "BASE64"),
    ("LaunchTemplate", {"description": "x" * 256}, "description", "InvalidParameterValue", "255"),
    ("LaunchTemplate", {"name": "sy"}, "name", "InvalidLaunchTemplateName", "between 3 and 128"),
    (
        "LaunchTemplate",
        {"metadataOptions": {"httpTokens": "always"}},
        "metadataOptions.httpTokens",
        "InvalidParameterValue",
        "optional, required",
    ),
    (
        "LaunchTemplate",
        {"metadataOptions": {"httpPutResponseHopLimit": 65}},
        "metadataOptions.httpPutResponseHopLimit",
        "InvalidParameterValue",
        "between 1 and 64",
    ),
    (
        "LaunchTemplate",
        {"metadataOptions": {"instanceMetadataTags": "enabled"}},
        "tagSpecifications[0].tags",
        "InvalidParameterValue",
        "Tag keys must match pattern",
    ),
    ("Schedule", {"recurrence": "0 0 19 * * MON-FRI"}, "recurrence", "ValidationError", "Given recurrence"),
    ("Schedule", {"recurrence": "0 25 * * *"}, "recurrence", "ValidationError", "is invalid"),
    ("Schedule", {"recurrence": "0 19 ? * MON"}, "recurrence", "ValidationError", "is invalid"),
    ("Schedule", {"timeZone": "Europe/Bärlin"}, "timeZone", "ValidationError", "Invalid time zone"),
    # --- EKS ---
    (
        "NodeGroup",
        {"nodeRoleArn": f"arn:aws:iam::{ACCOUNT}:instance-profile/nodes"},
        "nodeRoleArn",
        "InvalidParameterException",
        "Invalid Role Arn",
    ),
    (
        "NodeGroup",
        {"instanceTypes": ["m7g.2xlarge", "m7g.2xlargee"]},
        "instanceTypes[1]",
        "InvalidParameterException",
        "instance types do not exist: [m7g.2xlargee]",
    ),
    (
        "NodeGroup",
        {"instanceTypes": [f"m{n}.large" for n in "456"] * 7},
        "instanceTypes",
        "InvalidParameterException",
        "maximum of 20",
    ),
    ("NodeGroup", {"amiType": "AL2023_ARM64"}, "amiType", "InvalidParameterException", "enum value set"),
    ("NodeGroup", {"capacityType": "RESERVED"}, "capacityType", "InvalidParameterException", "ON_DEMAND"),
    (
        "NodeGroup",
        {"scalingConfig": {"minSize": 3, "desiredSize": 2, "maxSize": 3}},
        "scalingConfig.desiredSize",
        "InvalidParameterException",
        "Minimum capacity 3 can't be greater than desired size 2",
    ),
    (
        "NodeGroup",
        {"scalingConfig": {"minSize": 0, "desiredSize": 0, "maxSize": 0}},
        "scalingConfig.maxSize",
        "InvalidParameterException",
        "greater than or equal to 1",
    ),
    (
        "NodeGroup",
        {"scalingConfig": {"minSize": 1, "desiredSize": 4, "maxSize": 3}},
        "scalingConfig.desiredSize",
        "InvalidParameterException",
        "can't be greater than max size 3",
    ),
    (
        "NodeGroup",
        {"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 10}},
        "updateConfig.maxUnavailablePercentage",
        "InvalidParameterException",
        "Only one of",
    ),
    (
        "NodeGroup",
        {"updateConfig": {"maxUnavailablePercentage": 101}},
        "updateConfig.maxUnavailablePercentage",
        "InvalidParameterException",
        "less than or equal to 100",
    ),
    (
        "NodeGroup",
        {"labels": {"node-role.kubernetes.io/system": ""}},
        'labels["node-role.kubernetes.io/system"]',
        "InvalidParameterException",
        "Label cannot contain reserved prefixes",
    ),
    ("NodeGroup", {"labels": {"role": "x" * 64}}, "labels.role", "InvalidParameterException", "63"),
    (
        "NodeGroup",
        {"taints": [{"key": "role", "value": "system", "effect": "NoSchedule"}]},
        "taints[0].effect",
        "InvalidParameterException",
        "NO_SCHEDULE",
    ),
    (
        "NodeGroup",
        {"nodeGroupName": "system group"},
        "nodeGroupName",
        "InvalidParameterException",
        "not valid",
    ),
    ("NodeGroup", {"nodeGroupName": "x" * 64}, "nodeGroupName", "InvalidParameterException", "not valid"),
    ("NodeGroup", {"version": "latest"}, "version", "InvalidParameterException", "unsupported Kubernetes"),
    (
        "NodeGroup",
        {"nodeRoleArn": f"arn:aws-cn:iam::{ACCOUNT}:role/nodes"},
        "nodeRoleArn",
        "InvalidParameterException",
        "not of the partition aws",
    ),
    ("Cluster", {"name": "my cluster"}, "name", "InvalidParameterException", "regular expression"),
    ("Cluster", {"version": "v1.34"}, "version", "InvalidParameterException", "unsupported Kubernetes"),
    (
        "Cluster",
        {"controlPlaneScalingConfig": {"tier": "tier-3xl"}},
        "controlPlaneScalingConfig.tier",
        "InvalidParameterException",
        "enum value set: [standard, tier-xl, tier-2xl, tier-4xl, tier-8xl]",
    ),
    (
        "Cluster",
        {"upgradePolicy": {"supportType": "LONG"}},
        "upgradePolicy.supportType",
        "InvalidParameter",
        "",
    ),
    (
        "Cluster",
        {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "100.64.0.0/16"}},
        "kubernetesNetworkConfig.serviceIpv4Cidr",
        "InvalidParameterException",
        "is not within 10.0.0.0/8",
    ),
    (
        "Cluster",
        {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.0.0.0/8"}},
        "kubernetesNetworkConfig.serviceIpv4Cidr",
        "InvalidParameterException",
        "between /24 and /12",
    ),
    (
        "Cluster",
        {"encryptionConfig": {"resources": ["configmaps"], "provider": {"keyArn": KEY_ARN}}},
        "encryptionConfig.resources",
        "InvalidParameterException",
        "The only supported value of encryptionConfig.resources is secrets",
    ),
    (
        "Cluster",
        {"vpcConfig": {"subnetIds": SUBNETS, "publicAccessCidrs": ["10.0.0.0/8"]}},
        "vpcConfig.publicAccessCidrs[0]",
        "InvalidParameterException",
        "not allowed in publicAccessCidrs: [10.0.0.0/8]",
    ),
    (
        "AccessEntry",
        {"kubernetesGroups": ["system:masters"]},
        "kubernetesGroups[0]",
        "InvalidParam",
        "system:",
    ),
    (
        "AccessEntry",
        {"userName": "eks:me"},
        "userName",
        "InvalidParameterException",
        "must not begin with eks:",
    ),
    (
        "AccessEntry",
        {"principalArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/a/b"},
        "principalArn",
        "InvalidParameterException",
        "The specified principalArn is invalid: invalid principal",
    ),
    ("AccessEntry", {"type": "EC2_LINUX"}, "kubernetesGroups[0]", "InvalidParameterException", "STANDARD"),
    (
        "AccessPolicyAssociation",
        {"policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewsPolicy"},
        "policyArn",
        "ResourceNotFoundException",
        "did you mean arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
    ),
    (
        "AccessPolicyAssociation",
        {"accessScope": {"type": "namespace"}},
        "accessScope.namespaces",
        "InvalidParameterException",
        "needs namespaces",
    ),
    # --- IAM ---
    ("Role", {"name": "x" * 65}, "name", "ValidationError", "less than or equal to 64"),
    ("Role", {"name": "spark/nodes"}, "name", "ValidationError", "[\\w+=,.@-]+"),
    ("Role", {"path": "acme"}, "path", "ValidationError", "regular expression pattern"),
    ("Role", {"maxSessionDuration": 60}, "maxSessionDuration", "ValidationError", "equal to 3600"),
    ("Role", {"assumeRolePolicy": trust(2048)}, "assumeRolePolicy", "LimitExceeded", "ACLSizePerRole: 2048"),
    ("Role", {"assumeRolePolicy": "{"}, "assumeRolePolicy", "MalformedPolicyDocument", "invalid Json"),
    ("Role", {"tags": {"cost center!": "x"}}, "tags", "ValidationError", "invalid characters"),
    (
        "Role",
        {"permissionsBoundary": f"arn:aws-us-gov:iam::{ACCOUNT}:policy/boundary"},
        "permissionsBoundary",
        "InvalidInput",
        "not of the partition aws",
    ),
    (
        "RolePolicy",
        {"policy": policy(filler=10240)},
        "policy",
        "LimitExceeded",
        "10240 bytes exceeded for role",
    ),
    (
        "RolePolicy",
        {"policy": policy("arn:aws-cn:s3:::bucket/*")},
        "policy",
        "MalformedPolicyDocument",
        'Partition "aws-cn" is not valid for resource "arn:aws-cn:s3:::bucket/*"',
    ),
    ("Policy", {"policy": policy(filler=6144)}, "policy", "LimitExceeded", "PolicySize: 6144"),
    (
        "RolePolicyAttachment",
        {"policyArn": "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy"},
        "policyArn",
        "InvalidInput",
        "not of the partition aws",
    ),
    # --- data ---
    ("Bucket", {"bucket": "Acme-Logs"}, "bucket", "InvalidBucketName", "not valid: Acme-Logs"),
    ("Bucket", {"bucket": "acme_logs"}, "bucket", "InvalidBucketName", "not valid"),
    ("Bucket", {"bucket": "192.168.5.4"}, "bucket", "InvalidBucketName", "not valid"),
    ("Bucket", {"bucket": "acme-s3alias"}, "bucket", "InvalidBucketName", "not valid"),
    ("Bucket", {"bucket": "x" * 64}, "bucket", "InvalidBucketName", "not valid"),
    (
        "BucketLifecycleConfiguration",
        lifecycle(transitions=[{"days": 7, "storageClass": "STANDARD_IA"}]),
        "rules[0].transitions[0].days",
        "InvalidArgument",
        "greater than or equal to 30 for storageClass 'STANDARD_IA'",
    ),
    (
        "BucketLifecycleConfiguration",
        lifecycle(expiration={"days": 30}),
        "rules[0].expiration.days",
        "InvalidArgument",
        "must be greater than 'Days' in the Transition action",
    ),
    (
        "BucketLifecycleConfiguration",
        lifecycle(status="On"),
        "rules[0].status",
        "MalformedXML",
        "Enabled, Disabled",
    ),
    (
        "BucketServerSideEncryptionConfiguration",
        {
            "rules": [
                {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256", "kmsMasterKeyId": KEY_ARN}}
            ]
        },
        "rules[0].applyServerSideEncryptionByDefault.kmsMasterKeyId",
        "InvalidArgument",
        "KMSMasterKeyID is not applicable",
    ),
    ("BucketPolicy", {"policy": policy(filler=20480)}, "policy", "PolicyTooLarge", "20480"),
    ("Key", {"deletionWindowInDays": 6}, "deletionWindowInDays", "ValidationException", "between 7 and 30"),
    ("Key", {"rotationPeriodInDays": 30}, "rotationPeriodInDays", "ValidationException", "equal to 90"),
    ("Key", {"customerMasterKeySpec": "AES"}, "customerMasterKeySpec", "ValidationException", "enum"),
    ("Alias", {"name": "main"}, "name", "ValidationException", "Invalid identifier"),
    ("Alias", {"name": "alias/aws/main"}, "name", "NotAuthorizedException", "reserved"),
    ("LogGroup", {"retentionInDays": 31}, "retentionInDays", "InvalidParameterException", "30, 60"),
    ("LogGroup", {"name": "/spark jobs"}, "name", "InvalidParameterException", "[\\.\\-_/#A-Za-z0-9]+"),
    ("Repository", {"name": "Acme/Spark"}, "name", "InvalidParameterException", "regular expression"),
    (
        "Repository",
        {"imageTagMutability": "YES"},
        "imageTagMutability",
        "InvalidParameterException",
        "MUTABLE",
    ),
    (
        "PullThroughCacheRule",
        {"upstreamRegistryUrl": "docker.io"},
        "upstreamRegistryUrl",
        "UnsupportedUpstreamRegistryException",
        "isn't supported",
    ),
    (
        "PullThroughCacheRule",
        {"credentialArn": None},
        "credentialArn",
        "InvalidParameterException",
        "needs a",
    ),
    (
        "PullThroughCacheRule",
        {"ecrRepositoryPrefix": "docker-hub-of-all-our-teams-and-more"},
        "ecrRepositoryPrefix",
        "InvalidParameterException",
        "less than or equal to 30",
    ),
    # Values of another type, which would be anything in a call.
    (
        "Key",
        {"deletionWindowInDays": "a week"},
        "",
        "",
        "deletionWindowInDays is 'a week', but takes a whole",
    ),
    (
        "BucketPublicAccessBlock",
        {"blockPublicAcls": "yes"},
        "",
        "",
        "blockPublicAcls is 'yes', but takes true or false",
    ),
    (
        "Addon",
        {"configurationValues": '{"env": {"WARM_PREFIX_TARGET": 1}}'},
        "configurationValues",
        "InvalidParameterException",
        "ConfigurationValue provided in request is not supported: Json schema validation failed with error",
    ),
    (
        "BucketPolicy",
        {"policy": bucket_policy(resource="arn:aws:s3:::other/*")},
        "policy",
        "MalformedPolicy",
        "Policy has invalid resource",
    ),
    (
        "BucketPolicy",
        {"policy": bucket_policy(principal={"Service": "logging.s3.amazonaws"})},
        "policy",
        "MalformedPolicy",
        'Invalid principal in policy: "SERVICE":"logging.s3.amazonaws"',
    ),
]


def type_of(word):
    [type] = [type for type in PASS if type.rpartition(":")[2] == word]
    return type


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    return Cloud(tmp_path_factory.mktemp("cloud"))


@pytest.fixture(scope="module")
def provider_of(cloud):
    """The provider of a region; nothing of AWS is running."""
    return cache(lambda region: Aws(cloud, "http://127.0.0.1:9", region))


@pytest.fixture
def checked(cloud, provider_of, monkeypatch):
    """The preview's check of inputs: type, inputs -> failures."""
    unknowns.clear(cloud)

    def check(type, inputs, region="us-east-1", default_tags=None):
        provider = provider_of(region)
        monkeypatch.setattr(provider, "default_tags", default_tags or {})
        set_inputs = {name: value for name, value in inputs.items() if value is not None}
        return provider.check(target_of(type), {}, set_inputs, Naming(seed=b"it"))[1]

    return check


def target_of(type):
    return Target(f"urn:pulumi:test::test::{type}::it")


@pytest.mark.parametrize("type", PASS)
def test_what_aws_takes_is_taken(checked, type, cloud):
    assert checked(type, PASS[type]) == []
    assert unknowns.noted(cloud) == []


@pytest.mark.parametrize("type", PASS)
def test_what_is_known_later_is_not_refused(checked, type):
    for name in PASS[type]:
        assert checked(type, PASS[type] | {name: UNKNOWN}) == []


@pytest.mark.parametrize(("word", "change", "place", "code", "words"), SABOTAGES)
def test_one_value_that_aws_refuses_is_refused_in_its_words(checked, word, change, place, code, words):
    type = type_of(word)

    [failure] = checked(type, PASS[type] | change)

    assert failure.property.startswith(place)
    assert f"({code}" in failure.reason or not code
    assert words in failure.reason


def test_a_type_that_another_region_has_is_refused_where_it_is_not(checked):
    type = type_of("NodeGroup")
    inputs = PASS[type] | {"instanceTypes": ["m4.large"]}

    assert checked(type, inputs) == []
    [failure] = checked(type, inputs, region="eu-south-2")
    assert "do not exist: [m4.large]" in failure.reason
    assert "offered in ap-northeast-1" in failure.reason


def test_a_family_that_nobody_knows_yet_is_noted_and_not_refused(checked, cloud):
    type = type_of("NodeGroup")

    assert checked(type, PASS[type] | {"instanceTypes": ["m99g.large"]}) == []

    [note] = unknowns.noted(cloud)
    assert "does not know instance type m99g.large" in note


def test_a_region_that_nobody_knows_yet_is_noted_and_not_refused(checked, cloud):
    type = type_of("Repository")

    assert checked(type, PASS[type], region="ap-north-9") == []

    assert any("region ap-north-9" in note for note in unknowns.noted(cloud))


def test_arns_of_china_are_right_in_china(checked):
    type = type_of("RolePolicyAttachment")
    inputs = {"role": "nodes", "policyArn": "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy"}

    assert checked(type, inputs, region="cn-north-1") == []
    assert len(checked(type, PASS[type], region="cn-north-1")) == 1


def test_default_tags_count_too(checked):
    type = type_of("Vpc")

    assert checked(type, PASS[type] | {"tags": tags(48)}, default_tags={"a": "1", "b": "2"}) == []
    [failure] = checked(type, PASS[type] | {"tags": tags(49)}, default_tags={"a": "1", "b": "2"})
    assert "51 tags" in failure.reason


def test_a_secret_value_is_not_told(checked):
    type = type_of("Role")
    inputs = PASS[type] | {"description": Secret("hush → hush")}

    [failure] = checked(type, inputs)

    assert failure.property == "description"
    assert "hush" not in failure.reason


def test_what_has_not_changed_is_not_checked_again(provider_of, monkeypatch):
    provider, type = provider_of("us-east-1"), type_of("Vpc")
    target = target_of(type)
    old, _ = provider.check(target, {}, PASS[type], Naming())
    calls = []
    monkeypatch.setattr(values, "failures", lambda *_: calls.append(1) or [])

    provider.check(target, old, PASS[type], Naming())
    assert calls == []
    provider.check(target, old, PASS[type] | {"cidrBlock": "10.1.0.0/16"}, Naming())
    assert calls == [1]
