"""Where AWS's models and schemas say other things than the services do, and why."""

from collections.abc import Mapping

LOOSER: Mapping[tuple[str, str], str] = {}
"""Service, shape of botocore's model -> why the service takes what the model does not."""

GROWING: Mapping[tuple[str, str], str] = {
    ("ec2", "InstanceType"): "types are added every month; those of a region have a rule of their own",
    ("s3", "BucketLocationConstraint"): "regions are added; the client is of one that botocore knows",
}
"""Enumerations that grow faster than the model: a value that they lack is not known, rather than refused."""

_PATH = (
    "CloudFormation's pattern has no role with a path; the API's model (botocore: ecr) has no pattern at all"
)
_SOURCES = "Pulumi's rules have lists of sources, or the group itself; the request is checked for them"

SCHEMA_LOOSER: Mapping[tuple[str, str, str], str] = {
    ("AWS::EC2::SecurityGroup", "SecurityGroupEgress", "requiredXor"): _SOURCES,
    ("AWS::EC2::SecurityGroup", "SecurityGroupIngress", "requiredXor"): _SOURCES,
    ("AWS::EC2::SecurityGroupEgress", "", "requiredXor"): _SOURCES,
    ("AWS::EC2::SecurityGroupIngress", "", "requiredXor"): _SOURCES,
    ("AWS::EC2::SecurityGroup", "", "dependentRequired"): "a group without a VPC is in the default one",
    ("AWS::AutoScaling::AutoScalingGroup", "LaunchTemplate", "requiredXor"): "the provider has other names "
    "for both",
    ("AWS::EC2::SubnetRouteTableAssociation", "SubnetId", "required"): "a gateway can be associated, too: "
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html",
    ("AWS::IAM::InstanceProfile", "Roles", "required"): "CreateInstanceProfile takes no role: "
    "https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateInstanceProfile.html",
    ("AWS::ECR::PullThroughCacheRule", "CustomRoleArn", "pattern"): _PATH,
    ("AWS::ECR::RepositoryCreationTemplate", "CustomRoleArn", "pattern"): _PATH,
    ("AWS::SSM::Parameter", "Type", "enum"): "CloudFormation makes no SecureString, which the API does: "
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ssm-parameter.html",
}
"""CloudFormation's type, path in it, keyword -> why the service takes what the schema does not."""
