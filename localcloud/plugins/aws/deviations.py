"""Where Pulumi's AWS provider changes or replaces in another way than CloudFormation's schemas, and why.

Also here: properties that CloudFormation does not have. A unit test walks every input of every type.
"""

from collections.abc import Mapping
from typing import Final, Literal

Outcome = Literal["update", "replace"]
Outcomes = Mapping[str, tuple[Outcome, str]]

UPDATES: Final[Outcome] = "update"
REPLACES: Final[Outcome] = "replace"

_NO_PROPERTY = "CloudFormation has no such property; the provider "
_OWNER = "Only says whose bucket it must be; the provider replaces."
_ROLE_ATTACHMENT = (
    "CloudFormation lists policies in the role; the provider has a resource for each, all of it fixed."
)
_RULE_IN_PLACE = "The provider calls ModifySecurityGroupRules, which CloudFormation does not."
_RULE_OF_CACHE = "The provider calls UpdatePullThroughCacheRule, which CloudFormation does not."
_SETTING: Outcomes = {"expectedBucketOwner": (REPLACES, _OWNER)}

_NO_TYPE = "CloudFormation has no type for objects; the provider "
_OBJECT: Outcomes = {
    **dict.fromkeys(("bucket", "key"), (REPLACES, _NO_TYPE + "makes a new one.")),
    **dict.fromkeys(
        (
            "source",
            "content",
            "contentBase64",
            "cacheControl",
            "contentDisposition",
            "contentEncoding",
            "contentLanguage",
            "contentType",
            "metadata",
            "storageClass",
            "websiteRedirect",
        ),
        (UPDATES, _NO_TYPE + "puts it anew."),
    ),
}

_BUCKET_V2: Outcomes = {
    "forceDestroy": (UPDATES, _NO_PROPERTY + "keeps it for the day of the deletion."),
    "objectLockEnabled": (REPLACES, "CloudFormation changes it in place; the provider replaces."),
}

_BUCKET: Outcomes = {
    **_BUCKET_V2,
    **dict.fromkeys(
        (
            "acl",
            "policy",
            "versioning",
            "website",
            "serverSideEncryptionConfiguration",
            "corsRules",
            "lifecycleRules",
            "logging",
            "accelerationStatus",
        ),
        (UPDATES, "CloudFormation has it in another form; the provider has a call for each."),
    ),
}

_ACL: Outcomes = {
    "acl": (UPDATES, "CloudFormation has other names for them; the provider calls PutBucketAcl.")
}

_ATTRIBUTE = "CloudFormation lists attributes by their keys; the provider sets each."
_BALANCER: Outcomes = dict.fromkeys(
    (
        "enableDeletionProtection",
        "idleTimeout",
        "enableHttp2",
        "dropInvalidHeaderFields",
        "enableCrossZoneLoadBalancing",
    ),
    (UPDATES, _ATTRIBUTE),
)
_TARGETS: Outcomes = {
    **dict.fromkeys(
        ("deregistrationDelay", "slowStart", "loadBalancingAlgorithmType"), (UPDATES, _ATTRIBUTE)
    ),
    "healthCheck": (UPDATES, "CloudFormation has a property for each part; the provider has one for all."),
}

_IN_GROUP = (
    "CloudFormation lists targets in the group; the provider has a resource for each, all of it fixed."
)
_ATTACHMENT: Outcomes = dict.fromkeys(
    ("targetGroupArn", "targetId", "availabilityZone"), (REPLACES, _IN_GROUP)
)
_LISTENER_RULE: Outcomes = {
    "conditions": (UPDATES, "CloudFormation has them in another form; the provider calls ModifyRule.")
}
_VALUE = "CloudFormation has the value in the secret; the provider puts another version."

_RULES: Outcomes = dict.fromkeys(
    (
        "ipProtocol",
        "fromPort",
        "toPort",
        "cidrIpv4",
        "cidrIpv6",
        "prefixListId",
        "referencedSecurityGroupId",
    ),
    (UPDATES, _RULE_IN_PLACE),
)

_NO_RESERVATION = "CloudFormation has no type for reservations; the provider fixes all of it."

DEVIATIONS: Mapping[str, Outcomes] = {
    "aws:ec2/subnetCidrReservation:SubnetCidrReservation": dict.fromkeys(
        ("subnetId", "reservationType", "description"), (REPLACES, _NO_RESERVATION)
    ),
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": {
        **dict.fromkeys(
            ("transitGatewayDefaultRouteTableAssociation", "transitGatewayDefaultRouteTablePropagation"),
            (UPDATES, _NO_PROPERTY + "associates the gateway's default route table, or ends that."),
        ),
        "subnetIds": (
            UPDATES,
            "The provider calls ModifyTransitGatewayVpcAttachment, which CloudFormation does not.",
        ),
    },
    "aws:ec2/vpc:Vpc": {
        "enableNetworkAddressUsageMetrics": (UPDATES, _NO_PROPERTY + "calls ModifyVpcAttribute."),
        "instanceTenancy": (
            REPLACES,
            "Only from dedicated to default can it change in place, which moto does not know.",
        ),
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {
        "defaultVersion": (UPDATES, _NO_PROPERTY + "calls ModifyLaunchTemplate."),
    },
    "aws:ec2/launchConfiguration:LaunchConfiguration": {
        "rootBlockDevice": (REPLACES, "CloudFormation lists all devices; the provider replaces."),
    },
    "aws:cloudformation/stack:Stack": {
        "name": (REPLACES, "CloudFormation makes the name of a stack in a stack up; the provider replaces."),
        "templateBody": (UPDATES, "CloudFormation takes an address of it only; the provider sends the text."),
        "capabilities": (UPDATES, "CloudFormation has no such property; the provider sends them again."),
    },
    "aws:ec2/instance:Instance": {
        "userDataBase64": (UPDATES, _NO_PROPERTY + "stops the instance and gives it other data."),
        "associatePublicIpAddress": (
            REPLACES,
            "CloudFormation has it in an interface; the provider replaces.",
        ),
        "tenancy": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
        "rootBlockDevice": (UPDATES, "CloudFormation lists all devices; the provider calls ModifyVolume."),
        **dict.fromkeys(
            ("rootBlockDevice.encrypted", "rootBlockDevice.kmsKeyId", "rootBlockDevice.deleteOnTermination"),
            (REPLACES, "CloudFormation lists all devices; here a new instance is made for it."),
        ),
    },
    **dict.fromkeys(("aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer"), _BALANCER),
    **dict.fromkeys(("aws:lb/targetGroup:TargetGroup", "aws:alb/targetGroup:TargetGroup"), _TARGETS),
    **dict.fromkeys(
        (
            "aws:lb/targetGroupAttachment:TargetGroupAttachment",
            "aws:alb/targetGroupAttachment:TargetGroupAttachment",
        ),
        _ATTACHMENT,
    ),
    **dict.fromkeys(
        ("aws:lb/listenerRule:ListenerRule", "aws:alb/listenerRule:ListenerRule"), _LISTENER_RULE
    ),
    "aws:secretsmanager/secret:Secret": {
        "policy": (UPDATES, "CloudFormation has another type for it; the provider puts and deletes it."),
    },
    "aws:secretsmanager/secretVersion:SecretVersion": {
        **dict.fromkeys(("secretId", "secretString", "secretBinary"), (REPLACES, _VALUE)),
        "versionStages": (UPDATES, "CloudFormation has no stages; the provider moves them."),
    },
    "aws:rds/instance:Instance": {
        "engine": (REPLACES, "CloudFormation changes it in some cases; the provider replaces."),
        "availabilityZone": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
        "port": (REPLACES, "The provider changes it in place with a restart; here it is replaced."),
    },
    "aws:rds/cluster:Cluster": {
        **dict.fromkeys(
            ("engine", "masterUsername"),
            (REPLACES, "CloudFormation changes it in some cases; the provider replaces."),
        ),
    },
    "aws:rds/clusterInstance:ClusterInstance": {
        **dict.fromkeys(
            ("engine", "performanceInsightsKmsKeyId"),
            (REPLACES, "CloudFormation changes it in some cases; the provider replaces."),
        ),
        "availabilityZone": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
    },
    "aws:acm/certificate:Certificate": {
        "validationMethod": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
    },
    "aws:acm/certificateValidation:CertificateValidation": {
        "certificateArn": (REPLACES, _NO_PROPERTY + "has a resource that waits, all of it fixed."),
        "validationRecordFqdns": (REPLACES, _NO_PROPERTY + "has a resource that waits, all of it fixed."),
    },
    "aws:route53/record:Record": {
        "name": (REPLACES, "The provider replaces; a record of another name is another one."),
    },
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": {
        "workspaceId": (REPLACES, "CloudFormation has it in the workspace; the provider replaces."),
    },
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace": {
        "workspaceId": (REPLACES, "CloudFormation takes the workspace's ARN; the provider replaces."),
    },
    "aws:ec2/internetGateway:InternetGateway": {
        "vpcId": (UPDATES, "CloudFormation attaches by another type; the provider detaches and attaches."),
    },
    "aws:ec2/eip:Eip": {
        "networkInterface": (UPDATES, _NO_PROPERTY + "associates it."),
        "associateWithPrivateIp": (UPDATES, _NO_PROPERTY + "associates it."),
        "domain": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
        "publicIpv4Pool": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
    },
    "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation": {
        "vpcId": (REPLACES, _NO_PROPERTY + "replaces: it is another VPC's association."),
        "routeTableId": (UPDATES, "The provider calls ReplaceRouteTableAssociation."),
    },
    "aws:ec2/routeTableAssociation:RouteTableAssociation": {
        "routeTableId": (UPDATES, "The provider calls ReplaceRouteTableAssociation."),
        "gatewayId": (REPLACES, "CloudFormation has another type for gateways; the provider replaces."),
    },
    "aws:ec2/securityGroupRule:SecurityGroupRule": {
        "type": (REPLACES, "CloudFormation has a type for each direction; the provider replaces."),
        "self": (REPLACES, "CloudFormation names the group itself as source; the provider replaces."),
    },
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _RULES,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _RULES,
    "aws:kms/key:Key": {
        "keyUsage": (REPLACES, "CloudFormation refuses or replaces by a setting; the provider replaces."),
        "customerMasterKeySpec": (
            REPLACES,
            "CloudFormation refuses or replaces by a setting; the provider replaces.",
        ),
        "multiRegion": (REPLACES, "CloudFormation refuses it; the provider replaces."),
    },
    "aws:s3/bucket:Bucket": _BUCKET,
    "aws:s3/bucketV2:BucketV2": _BUCKET_V2,
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": _SETTING,
    "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2": _SETTING,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": _SETTING,
    "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2": _SETTING,
    "aws:s3/bucketAcl:BucketAcl": _ACL,
    "aws:s3/bucketAclV2:BucketAclV2": _ACL,
    "aws:s3/bucketVersioning:BucketVersioning": _SETTING,
    "aws:s3/bucketVersioningV2:BucketVersioningV2": _SETTING,
    "aws:s3/bucketObject:BucketObject": _OBJECT,
    "aws:s3/bucketObjectv2:BucketObjectv2": _OBJECT,
    "aws:ec2/routeTable:RouteTable": {
        "routes": (UPDATES, "CloudFormation has a type for each route; the provider makes and deletes them."),
    },
    "aws:iam/groupMembership:GroupMembership": {
        "group": (REPLACES, "CloudFormation lists groups in the user; the provider replaces."),
        "name": (REPLACES, "CloudFormation lists groups in the user; the provider replaces."),
        "users": (UPDATES, "CloudFormation lists groups in the user; the provider puts in and takes out."),
    },
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment": {
        "group": (REPLACES, "CloudFormation lists policies in the group; the provider fixes all of it."),
        "policyArn": (REPLACES, "CloudFormation lists policies in the group; the provider fixes all of it."),
    },
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": {
        "user": (REPLACES, "CloudFormation lists policies in the user; the provider fixes all of it."),
        "policyArn": (REPLACES, "CloudFormation lists policies in the user; the provider fixes all of it."),
    },
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {
        "role": (REPLACES, _ROLE_ATTACHMENT),
        "policyArn": (REPLACES, _ROLE_ATTACHMENT),
    },
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {
        "policyArn": (
            REPLACES,
            "CloudFormation lists policies in the access entry; the provider fixes all of it.",
        ),
        "accessScope": (
            REPLACES,
            "CloudFormation lists policies in the access entry; the provider fixes all of it.",
        ),
    },
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": {
        "policy": (REPLACES, "CloudFormation has it in the repository; the provider fixes all of it."),
    },
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": {
        "credentialArn": (UPDATES, _RULE_OF_CACHE),
        "customRoleArn": (UPDATES, _RULE_OF_CACHE),
    },
    "aws:autoscaling/schedule:Schedule": {
        "scheduledActionName": (REPLACES, "CloudFormation makes the name up; the provider replaces."),
    },
    "aws:autoscaling/tag:Tag": {
        "tag.key": (REPLACES, "CloudFormation lists tags in the group; the provider has one for each key."),
    },
    "aws:cloudwatch/logGroup:LogGroup": {
        "logGroupClass": (REPLACES, "CloudFormation refuses it; the provider replaces."),
    },
    "aws:ssm/parameter:Parameter": {
        "keyId": (UPDATES, _NO_PROPERTY + "puts the parameter anew."),
        "dataType": (REPLACES, "CloudFormation replaces too, and does not say so in its schema."),
    },
}
