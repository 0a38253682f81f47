"""What a person may do by hand to a resource of each type: in AWS's console, so to speak.

moto is asked by boto3, and what the plugin keeps is edited as a file.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3

from localcloud.cloud import ACCOUNT, REGION, Cloud
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
class Made:
    """A resource in a state."""

    type: str
    id: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


@dataclass(frozen=True)
class Hand:
    """Somebody in one account and region."""

    cloud: Cloud
    endpoint: str
    account: str = ACCOUNT
    region: str = REGION

    def client(self, service: str) -> Any:
        """boto3's client."""
        return _client(self.endpoint, self.account, self.region, service)

    def edit(self, service: str, *key: str, **members: Any) -> None:
        """Change members of a thing that the plugin keeps."""
        kept = Kept(folder(self.cloud) / self.account / self.region / service)
        thing = kept.get(*key)
        assert thing is not None, f"{service} {key} is kept"
        kept.put(*key, thing={**thing, **members})


@cache
def _client(endpoint: str, account: str, region: str, service: str) -> Any:
    """A client; in another account than moto's first, as some role there."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    if account != ACCOUNT:
        role = f"arn:aws:iam::{account}:role/hand"
        sts = boto3.client("sts", endpoint_url=endpoint, region_name=region, **keys)
        taken = sts.assume_role(RoleArn=role, RoleSessionName="hand")["Credentials"]
        keys = {
            "aws_access_key_id": taken["AccessKeyId"],
            "aws_secret_access_key": taken["SecretAccessKey"],
            "aws_session_token": taken["SessionToken"],
        }
    return boto3.client(service, endpoint_url=endpoint, region_name=region, **keys)


Change = Callable[[Hand, Made], Any]


def tag(hand: Hand, made: Made) -> None:
    """Put a tag on something of EC2."""
    hand.client("ec2").create_tags(Resources=[made.id], Tags=[{"Key": "by-hand", "Value": "yes"}])


def vpc(hand: Hand, made: Made) -> None:
    off = {"Value": not made.outputs["enableDnsHostnames"]}
    hand.client("ec2").modify_vpc_attribute(VpcId=made.id, EnableDnsHostnames=off)
    tag(hand, made)


def subnet(hand: Hand, made: Made) -> None:
    public = {"Value": not made.outputs["mapPublicIpOnLaunch"]}
    hand.client("ec2").modify_subnet_attribute(SubnetId=made.id, MapPublicIpOnLaunch=public)


def route(hand: Hand, made: Made) -> None:
    ec2 = hand.client("ec2")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.replace_route(
        RouteTableId=made.inputs["routeTableId"],
        DestinationCidrBlock=made.inputs["destinationCidrBlock"],
        GatewayId=gateway,
    )


def route_table_association(hand: Hand, made: Made) -> None:
    ec2 = hand.client("ec2")
    subnet = ec2.describe_subnets(SubnetIds=[made.inputs["subnetId"]])["Subnets"][0]
    table = ec2.create_route_table(VpcId=subnet["VpcId"])["RouteTable"]["RouteTableId"]
    filters = [{"Name": "association.subnet-id", "Values": [made.inputs["subnetId"]]}]
    [now] = ec2.describe_route_tables(Filters=filters)["RouteTables"]
    [association] = [
        each["RouteTableAssociationId"]
        for each in now["Associations"]
        if each.get("SubnetId") == made.inputs["subnetId"]
    ]
    ec2.replace_route_table_association(AssociationId=association, RouteTableId=table)


def endpoint(hand: Hand, made: Made) -> None:
    if "policy" in made.inputs:
        hand.client("ec2").modify_vpc_endpoint(VpcEndpointId=made.id, PolicyDocument=ANYBODY)
    tag(hand, made)


def group_rule(hand: Hand, made: Made) -> None:
    """Let somebody in whom the program did not name."""
    if not {"ingress", "egress"} & made.inputs.keys() and "defaultSecurityGroup" not in made.type:
        tag(hand, made)
        return
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 22,
        "ToPort": 22,
        "IpRanges": [{"CidrIp": "203.0.113.0/24", "Description": "by hand"}],
    }
    hand.client("ec2").authorize_security_group_ingress(GroupId=made.id, IpPermissions=[rule])


def single_rule(hand: Hand, made: Made) -> None:
    """Change what a rule is said to be for."""
    ec2 = hand.client("ec2")
    shown = ec2.describe_security_group_rules(SecurityGroupRuleIds=[made.id])["SecurityGroupRules"][0]
    kept = ("IpProtocol", "FromPort", "ToPort", "CidrIpv4")
    rule = {name: shown[name] for name in kept if name in shown}
    source = (shown.get("ReferencedGroupInfo") or {}).get("GroupId")
    ec2.modify_security_group_rules(
        GroupId=made.inputs["securityGroupId"],
        SecurityGroupRules=[
            {
                "SecurityGroupRuleId": made.id,
                "SecurityGroupRule": {
                    **rule,
                    **({"ReferencedGroupId": source} if source else {}),
                    "Description": "by hand",
                },
            }
        ],
    )


def template(hand: Hand, made: Made) -> None:
    """Another version, unless its description is kept: that of ours, which a guard may keep as it is."""
    tag(hand, made)
    if "description" not in made.inputs:
        hand.client("ec2").create_launch_template_version(
            LaunchTemplateId=made.id,
            LaunchTemplateData={"InstanceType": "m7g.metal", "MetadataOptions": {"HttpTokens": "optional"}},
        )


def alias(hand: Hand, made: Made) -> None:
    kms = hand.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.update_alias(AliasName=made.inputs["name"], TargetKeyId=key)


def key(hand: Hand, made: Made) -> None:
    kms = hand.client("kms")
    kms.update_key_description(KeyId=made.id, Description="by hand")
    if made.outputs.get("enableKeyRotation"):
        kms.disable_key_rotation(KeyId=made.id)


def bucket_tags(hand: Hand, made: Made) -> None:
    tags = {**(made.outputs.get("tagsAll") or {}), "by-hand": "yes"}
    listed = [{"Key": name, "Value": value} for name, value in tags.items()]
    hand.client("s3").put_bucket_tagging(Bucket=made.id, Tagging={"TagSet": listed})


def public_access(hand: Hand, made: Made) -> None:
    hand.client("s3").put_public_access_block(
        Bucket=made.inputs["bucket"], PublicAccessBlockConfiguration={"BlockPublicAcls": False}
    )


def encryption(hand: Hand, made: Made) -> None:
    [rule] = made.inputs["rules"]
    kind = rule["applyServerSideEncryptionByDefault"]["sseAlgorithm"]
    other = "AES256" if kind != "AES256" else "aws:kms"
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": other}}]
    hand.client("s3").put_bucket_encryption(
        Bucket=made.inputs["bucket"], ServerSideEncryptionConfiguration={"Rules": rules}
    )


def lifecycle(hand: Hand, made: Made) -> None:
    rule = {"ID": "byhand", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}
    hand.client("s3").put_bucket_lifecycle_configuration(
        Bucket=made.inputs["bucket"], LifecycleConfiguration={"Rules": [rule]}
    )


def versioning(hand: Hand, made: Made) -> None:
    on = made.inputs["versioningConfiguration"]["status"] == "Enabled"
    status = {"Status": "Suspended" if on else "Enabled"}
    hand.client("s3").put_bucket_versioning(Bucket=made.inputs["bucket"], VersioningConfiguration=status)


def ownership(hand: Hand, made: Made) -> None:
    rules = [{"ObjectOwnership": "ObjectWriter"}]
    hand.client("s3").put_bucket_ownership_controls(
        Bucket=made.inputs["bucket"], OwnershipControls={"Rules": rules}
    )


def access_log(hand: Hand, made: Made) -> None:
    hand.edit("s3", "logging", made.inputs["bucket"], TargetPrefix="s3/by-hand/")


def policy_version(hand: Hand, made: Made) -> None:
    hand.client("iam").create_policy_version(PolicyArn=made.id, PolicyDocument=PERMISSION, SetAsDefault=True)


def role(hand: Hand, made: Made) -> None:
    iam = hand.client("iam")
    iam.update_assume_role_policy(RoleName=made.id, PolicyDocument=TRUST)
    iam.put_role_permissions_boundary(
        RoleName=made.id, PermissionsBoundary="arn:aws:iam::aws:policy/AdministratorAccess"
    )


def role_policy(hand: Hand, made: Made) -> None:
    hand.client("iam").put_role_policy(
        RoleName=made.inputs["role"], PolicyName=made.inputs["name"], PolicyDocument=PERMISSION
    )


def profile(hand: Hand, made: Made) -> None:
    hand.client("iam").remove_role_from_instance_profile(
        InstanceProfileName=made.id, RoleName=made.inputs["role"]
    )


def thumbprint(hand: Hand, made: Made) -> None:
    hand.client("iam").update_open_id_connect_provider_thumbprint(
        OpenIDConnectProviderArn=made.id, ThumbprintList=["0" * 40]
    )


def retention(hand: Hand, made: Made) -> None:
    hand.client("logs").put_retention_policy(logGroupName=made.id, retentionInDays=1)


def mutability(hand: Hand, made: Made) -> None:
    other = "MUTABLE" if made.outputs["imageTagMutability"] == "IMMUTABLE" else "IMMUTABLE"
    hand.client("ecr").put_image_tag_mutability(repositoryName=made.id, imageTagMutability=other)


def repository_lifecycle(hand: Hand, made: Made) -> None:
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1}
    rule = {"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}
    hand.client("ecr").put_lifecycle_policy(
        repositoryName=made.inputs["repository"], lifecyclePolicyText=json.dumps({"rules": [rule]})
    )


def repository_policy(hand: Hand, made: Made) -> None:
    said = json.loads(ANYBODY)
    said["Statement"][0]["Action"] = ["ecr:BatchGetImage"]
    del said["Statement"][0]["Resource"]
    hand.client("ecr").set_repository_policy(
        repositoryName=made.inputs["repository"], policyText=json.dumps(said)
    )


def parameter(hand: Hand, made: Made) -> None:
    hand.client("ssm").put_parameter(Name=made.id, Value="by hand", Type=made.inputs["type"], Overwrite=True)


def labels(hand: Hand, made: Made) -> None:
    hand.client("eks").update_nodegroup_config(
        clusterName=made.inputs["clusterName"],
        nodegroupName=made.outputs["nodeGroupName"],
        labels={"addOrUpdateLabels": {"by-hand": "yes"}},
    )


def cluster(hand: Hand, made: Made) -> None:
    support = (made.outputs.get("upgradePolicy") or {}).get("supportType")
    other = "STANDARD" if support == "EXTENDED" else "EXTENDED"
    hand.edit("eks", "cluster", made.id, upgradePolicy={"supportType": other})


def in_cluster(noun: str, *names: str, **members: Any) -> Change:
    """Edit what is kept of a thing of a cluster."""

    def change(hand: Hand, made: Made) -> None:
        values = (made.outputs.get(name) or made.inputs.get(name) for name in names)
        hand.edit("eks", noun, *(str(value) for value in values), **members)

    return change


def schedule(hand: Hand, made: Made) -> None:
    hand.edit("autoscaling", "schedule", made.inputs["autoscalingGroupName"], made.id, Recurrence="1 2 3 4 *")


def group_tag(hand: Hand, made: Made) -> None:
    name = made.inputs["tag"]["key"]
    hand.edit("autoscaling", "tag", made.inputs["autoscalingGroupName"], name, Value="by hand")


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
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": lambda hand, made: hand.edit(
        "ecr", "pull-through", made.id, credentialArn="arn:aws:secretsmanager:::secret:by-hand"
    ),
    "aws:ecr/registryPolicy:RegistryPolicy": lambda hand, made: hand.edit(
        "ecr", "registry-policy", policyText=ANYBODY
    ),
    "aws:ecr/repository:Repository": mutability,
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": lambda hand, made: hand.edit(
        "ecr", "template", made.id, description="by hand"
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
    "aws:s3/bucketPolicy:BucketPolicy": lambda hand, made: hand.client("s3").put_bucket_policy(
        Bucket=made.inputs["bucket"], Policy=ANYBODY
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
