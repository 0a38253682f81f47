"""A change by hand of a resource of each type, as a person makes it in AWS's console.

moto is asked by boto3, and what the plugin keeps is edited as a file.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3

from localcloud.cloud import ACCOUNT, REGION, Cloud
from localcloud.engine import Resource
from localcloud.plugins.aws.kept import Kept, folder

ANYBODY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "byhand",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::999999999999:root"},
                "Action": ["s3:GetObject"],
                "Resource": ["*"],
            }
        ],
    }
)
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
        ],
    }
)
PERMISSION = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:DeleteObject"], "Resource": ["*"]}],
    }
)


@dataclass(frozen=True)
class Console:
    """AWS's console in one account and region, so to speak."""

    cloud: Cloud
    endpoint: str
    account: str = ACCOUNT
    region: str = REGION

    def client(self, service: str) -> Any:
        """boto3's client."""
        return _client(self.endpoint, self.account, self.region, service)

    def edit(self, service: str, *key: str, **members: Any) -> None:
        """Change members of an object that the plugin keeps."""
        kept = Kept(folder(self.cloud) / self.account / self.region / service)
        before = kept.get(*key)
        assert before is not None, f"{service} {key} is kept"
        kept.put(*key, thing={**before, **members})


@cache
def _client(endpoint: str, account: str, region: str, service: str) -> Any:
    """A client; in another account than moto's first, as some role there."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    if account != ACCOUNT:
        role = f"arn:aws:iam::{account}:role/hand"
        sts = boto3.client("sts", endpoint_url=endpoint, region_name=region, **keys)
        session = sts.assume_role(RoleArn=role, RoleSessionName="hand")["Credentials"]
        keys = {
            "aws_access_key_id": session["AccessKeyId"],
            "aws_secret_access_key": session["SecretAccessKey"],
            "aws_session_token": session["SessionToken"],
        }
    return boto3.client(service, endpoint_url=endpoint, region_name=region, **keys)


Change = Callable[[Console, Resource], Any]


def tag(console: Console, resource: Resource) -> None:
    """Put a tag on something of EC2."""
    console.client("ec2").create_tags(Resources=[resource.id], Tags=[{"Key": "by-hand", "Value": "yes"}])


def vpc(console: Console, resource: Resource) -> None:
    off = {"Value": not resource.outputs["enableDnsHostnames"]}
    console.client("ec2").modify_vpc_attribute(VpcId=resource.id, EnableDnsHostnames=off)
    tag(console, resource)


def subnet(console: Console, resource: Resource) -> None:
    public = {"Value": not resource.outputs["mapPublicIpOnLaunch"]}
    console.client("ec2").modify_subnet_attribute(SubnetId=resource.id, MapPublicIpOnLaunch=public)


def route(console: Console, resource: Resource) -> None:
    ec2 = console.client("ec2")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.replace_route(
        RouteTableId=resource.inputs["routeTableId"],
        DestinationCidrBlock=resource.inputs["destinationCidrBlock"],
        GatewayId=gateway,
    )


def route_table_association(console: Console, resource: Resource) -> None:
    ec2 = console.client("ec2")
    subnet = ec2.describe_subnets(SubnetIds=[resource.inputs["subnetId"]])["Subnets"][0]
    table = ec2.create_route_table(VpcId=subnet["VpcId"])["RouteTable"]["RouteTableId"]
    filters = [{"Name": "association.subnet-id", "Values": [resource.inputs["subnetId"]]}]
    [before] = ec2.describe_route_tables(Filters=filters)["RouteTables"]
    [association] = [a for a in before["Associations"] if a.get("SubnetId") == resource.inputs["subnetId"]]
    ec2.replace_route_table_association(
        AssociationId=association["RouteTableAssociationId"], RouteTableId=table
    )


def endpoint(console: Console, resource: Resource) -> None:
    if "policy" in resource.inputs:
        console.client("ec2").modify_vpc_endpoint(VpcEndpointId=resource.id, PolicyDocument=ANYBODY)
    tag(console, resource)


def group_rule(console: Console, resource: Resource) -> None:
    """Add a rule that the program does not have."""
    if not {"ingress", "egress"} & resource.inputs.keys() and "defaultSecurityGroup" not in resource.type:
        tag(console, resource)
        return
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 22,
        "ToPort": 22,
        "IpRanges": [{"CidrIp": "203.0.113.0/24", "Description": "by hand"}],
    }
    console.client("ec2").authorize_security_group_ingress(GroupId=resource.id, IpPermissions=[rule])


def single_rule(console: Console, resource: Resource) -> None:
    """Change the description of a rule."""
    ec2 = console.client("ec2")
    before = ec2.describe_security_group_rules(SecurityGroupRuleIds=[resource.id])["SecurityGroupRules"][0]
    fields = ("IpProtocol", "FromPort", "ToPort", "CidrIpv4")
    rule = {name: before[name] for name in fields if name in before}
    source = (before.get("ReferencedGroupInfo") or {}).get("GroupId")
    ec2.modify_security_group_rules(
        GroupId=resource.inputs["securityGroupId"],
        SecurityGroupRules=[
            {
                "SecurityGroupRuleId": resource.id,
                "SecurityGroupRule": {
                    **rule,
                    **({"ReferencedGroupId": source} if source else {}),
                    "Description": "by hand",
                },
            }
        ],
    )


def template(console: Console, resource: Resource) -> None:
    """Another version, unless its description is kept: that of ours, which a guard may keep as it is."""
    tag(console, resource)
    if "description" not in resource.inputs:
        console.client("ec2").create_launch_template_version(
            LaunchTemplateId=resource.id,
            LaunchTemplateData={"InstanceType": "m7g.metal", "MetadataOptions": {"HttpTokens": "optional"}},
        )


def alias(console: Console, resource: Resource) -> None:
    kms = console.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.update_alias(AliasName=resource.inputs["name"], TargetKeyId=key)


def key(console: Console, resource: Resource) -> None:
    kms = console.client("kms")
    kms.update_key_description(KeyId=resource.id, Description="by hand")
    if resource.outputs.get("enableKeyRotation"):
        kms.disable_key_rotation(KeyId=resource.id)


def bucket_tags(console: Console, resource: Resource) -> None:
    tags = {**(resource.outputs.get("tagsAll") or {}), "by-hand": "yes"}
    tag_set = [{"Key": name, "Value": value} for name, value in tags.items()]
    console.client("s3").put_bucket_tagging(Bucket=resource.id, Tagging={"TagSet": tag_set})


def public_access(console: Console, resource: Resource) -> None:
    console.client("s3").put_public_access_block(
        Bucket=resource.inputs["bucket"], PublicAccessBlockConfiguration={"BlockPublicAcls": False}
    )


def encryption(console: Console, resource: Resource) -> None:
    [rule] = resource.inputs["rules"]
    kind = rule["applyServerSideEncryptionByDefault"]["sseAlgorithm"]
    other = "AES256" if kind != "AES256" else "aws:kms"
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": other}}]
    console.client("s3").put_bucket_encryption(
        Bucket=resource.inputs["bucket"], ServerSideEncryptionConfiguration={"Rules": rules}
    )


def lifecycle(console: Console, resource: Resource) -> None:
    rule = {"ID": "byhand", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}
    console.client("s3").put_bucket_lifecycle_configuration(
        Bucket=resource.inputs["bucket"], LifecycleConfiguration={"Rules": [rule]}
    )


def versioning(console: Console, resource: Resource) -> None:
    on = resource.inputs["versioningConfiguration"]["status"] == "Enabled"
    status = {"Status": "Suspended" if on else "Enabled"}
    console.client("s3").put_bucket_versioning(
        Bucket=resource.inputs["bucket"], VersioningConfiguration=status
    )


def ownership(console: Console, resource: Resource) -> None:
    rules = [{"ObjectOwnership": "ObjectWriter"}]
    console.client("s3").put_bucket_ownership_controls(
        Bucket=resource.inputs["bucket"], OwnershipControls={"Rules": rules}
    )


def access_log(console: Console, resource: Resource) -> None:
    console.edit("s3", "logging", resource.inputs["bucket"], TargetPrefix="s3/by-hand/")


def policy_version(console: Console, resource: Resource) -> None:
    console.client("iam").create_policy_version(
        PolicyArn=resource.id, PolicyDocument=PERMISSION, SetAsDefault=True
    )


def role(console: Console, resource: Resource) -> None:
    iam = console.client("iam")
    iam.update_assume_role_policy(RoleName=resource.id, PolicyDocument=TRUST)
    iam.put_role_permissions_boundary(
        RoleName=resource.id, PermissionsBoundary="arn:aws:iam::aws:policy/AdministratorAccess"
    )


def role_policy(console: Console, resource: Resource) -> None:
    console.client("iam").put_role_policy(
        RoleName=resource.inputs["role"], PolicyName=resource.inputs["name"], PolicyDocument=PERMISSION
    )


def profile(console: Console, resource: Resource) -> None:
    console.client("iam").remove_role_from_instance_profile(
        InstanceProfileName=resource.id, RoleName=resource.inputs["role"]
    )


def thumbprint(console: Console, resource: Resource) -> None:
    console.client("iam").update_open_id_connect_provider_thumbprint(
        OpenIDConnectProviderArn=resource.id, ThumbprintList=["0" * 40]
    )


def retention(console: Console, resource: Resource) -> None:
    console.client("logs").put_retention_policy(logGroupName=resource.id, retentionInDays=1)


def mutability(console: Console, resource: Resource) -> None:
    other = "MUTABLE" if resource.outputs["imageTagMutability"] == "IMMUTABLE" else "IMMUTABLE"
    console.client("ecr").put_image_tag_mutability(repositoryName=resource.id, imageTagMutability=other)


def repository_lifecycle(console: Console, resource: Resource) -> None:
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1}
    rule = {"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}
    console.client("ecr").put_lifecycle_policy(
        repositoryName=resource.inputs["repository"], lifecyclePolicyText=json.dumps({"rules": [rule]})
    )


def repository_policy(console: Console, resource: Resource) -> None:
    policy = json.loads(ANYBODY)
    policy["Statement"][0]["Action"] = ["ecr:BatchGetImage"]
    del policy["Statement"][0]["Resource"]
    console.client("ecr").set_repository_policy(
        repositoryName=resource.inputs["repository"], policyText=json.dumps(policy)
    )


def parameter(console: Console, resource: Resource) -> None:
    console.client("ssm").put_parameter(
        Name=resource.id, Value="by hand", Type=resource.inputs["type"], Overwrite=True
    )


def labels(console: Console, resource: Resource) -> None:
    console.client("eks").update_nodegroup_config(
        clusterName=resource.inputs["clusterName"],
        nodegroupName=resource.outputs["nodeGroupName"],
        labels={"addOrUpdateLabels": {"by-hand": "yes"}},
    )


def cluster(console: Console, resource: Resource) -> None:
    support = (resource.outputs.get("upgradePolicy") or {}).get("supportType")
    other = "STANDARD" if support == "EXTENDED" else "EXTENDED"
    console.edit("eks", "cluster", resource.id, upgradePolicy={"supportType": other})


def in_cluster(noun: str, *names: str, **members: Any) -> Change:
    """Edit what is kept of a thing of a cluster."""

    def change(console: Console, resource: Resource) -> None:
        values = (resource.outputs.get(name) or resource.inputs.get(name) for name in names)
        console.edit("eks", noun, *(str(value) for value in values), **members)

    return change


def schedule(console: Console, resource: Resource) -> None:
    console.edit(
        "autoscaling",
        "schedule",
        resource.inputs["autoscalingGroupName"],
        resource.id,
        Recurrence="1 2 3 4 *",
    )


def group_tag(console: Console, resource: Resource) -> None:
    name = resource.inputs["tag"]["key"]
    console.edit("autoscaling", "tag", resource.inputs["autoscalingGroupName"], name, Value="by hand")


CHANGES: Mapping[str, Change | None] = {
    "aws:autoscaling/schedule:Schedule": schedule,
    "aws:autoscaling/tag:Tag": group_tag,
    "aws:cloudwatch/logGroup:LogGroup": retention,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": group_rule,
    "aws:ec2/eip:Eip": tag,
    "aws:ec2/flowLog:FlowLog": tag,
    "aws:ec2/internetGateway:InternetGateway": tag,
    "aws:ec2/launchTemplate:LaunchTemplate": template,
    "aws:ec2/natGateway:NatGateway": tag,
    "aws:ec2/route:Route": route,
    "aws:ec2/routeTable:RouteTable": tag,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": route_table_association,
    "aws:ec2/securityGroup:SecurityGroup": group_rule,
    "aws:ec2/securityGroupRule:SecurityGroupRule": None,
    "aws:ec2/subnet:Subnet": subnet,
    "aws:ec2/vpc:Vpc": vpc,
    "aws:ec2/vpcEndpoint:VpcEndpoint": endpoint,
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": None,
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": repository_lifecycle,
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": lambda console, resource: console.edit(
        "ecr", "pull-through", resource.id, credentialArn="arn:aws:secretsmanager:::secret:by-hand"
    ),
    "aws:ecr/registryPolicy:RegistryPolicy": lambda console, resource: console.edit(
        "ecr", "registry-policy", policyText=ANYBODY
    ),
    "aws:ecr/repository:Repository": mutability,
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": lambda console, resource: console.edit(
        "ecr", "template", resource.id, description="by hand"
    ),
    "aws:ecr/repositoryPolicy:RepositoryPolicy": repository_policy,
    "aws:eks/accessEntry:AccessEntry": in_cluster(
        "access-entry", "clusterName", "principalArn", tags={"by-hand": "yes"}
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": in_cluster(
        "policy",
        "clusterName",
        "principalArn",
        "policyArn",
        accessScope={"type": "namespace", "namespaces": ["default"]},
    ),
    "aws:eks/addon:Addon": in_cluster("addon", "clusterName", "addonName", addonVersion="v0.0.1-eksbuild.1"),
    "aws:eks/cluster:Cluster": cluster,
    "aws:eks/nodeGroup:NodeGroup": labels,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": in_cluster(
        "podidentityassociation",
        "clusterName",
        "associationId",
        roleArn="arn:aws:iam::123456789012:role/by-hand",
    ),
    "aws:iam/instanceProfile:InstanceProfile": profile,
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": thumbprint,
    "aws:iam/policy:Policy": policy_version,
    "aws:iam/role:Role": role,
    "aws:iam/rolePolicy:RolePolicy": role_policy,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": None,
    "aws:kms/alias:Alias": alias,
    "aws:kms/key:Key": key,
    "aws:s3/bucket:Bucket": bucket_tags,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": lifecycle,
    "aws:s3/bucketLogging:BucketLogging": access_log,
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": ownership,
    "aws:s3/bucketPolicy:BucketPolicy": lambda console, resource: console.client("s3").put_bucket_policy(
        Bucket=resource.inputs["bucket"], Policy=ANYBODY
    ),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": public_access,
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": encryption,
    "aws:s3/bucketVersioning:BucketVersioning": versioning,
    "aws:ssm/parameter:Parameter": parameter,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": single_rule,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": single_rule,
}
"""Type -> how a resource of it is changed; None where all of it is fixed, and it can only be deleted."""

NOT_DELETED = {
    # With what is in or on them they would be gone too, or cannot go before it.
    "aws:ec2/vpc:Vpc",
    "aws:ec2/subnet:Subnet",
    "aws:ec2/internetGateway:InternetGateway",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/eip:Eip",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:eks/cluster:Cluster",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:iam/role:Role",
    "aws:iam/policy:Policy",
    "aws:kms/key:Key",
    "aws:s3/bucket:Bucket",
    "aws:ecr/repository:Repository",
    # Cannot be deleted at all.
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:s3/bucketVersioning:BucketVersioning",
}
"""Types of which others are in the way of a deletion by hand."""
