"""Which rules a call is given to: its operation's own, and those of every call."""

from collections.abc import Callable, Iterator, Mapping

from aws_rules.values import (
    addons,
    arns,
    buckets,
    databases,
    eks,
    endpoints,
    image_expiry,
    instance_types,
    instances,
    keys,
    launch_templates,
    listeners,
    logs,
    policies,
    ranges,
    registries,
    routes,
    schedules,
    secrets,
    security_groups,
    tags,
    volumes,
)
from aws_rules.values.request import Request, ValueVerdict

Check = Callable[[Request], Iterator[ValueVerdict]]

EVERY: tuple[Check, ...] = (tags.verdicts, arns.verdicts)

_TEMPLATE: tuple[Check, ...] = (volumes.verdicts, launch_templates.verdicts, instance_types.launch_template)

CHECKS: Mapping[tuple[str, str], tuple[Check, ...]] = {
    ("autoscaling", "PutScheduledUpdateGroupAction"): (schedules.verdicts,),
    ("ec2", "AssociateVpcCidrBlock"): (ranges.vpc,),
    ("ec2", "AuthorizeSecurityGroupEgress"): (security_groups.permissions,),
    ("ec2", "AuthorizeSecurityGroupIngress"): (security_groups.permissions,),
    ("ec2", "CreateFlowLogs"): (logs.flow_log,),
    ("ec2", "CreateLaunchTemplate"): _TEMPLATE,
    ("ec2", "CreateLaunchTemplateVersion"): _TEMPLATE,
    ("ec2", "CreateRoute"): (routes.target,),
    ("ec2", "CreateSecurityGroup"): (security_groups.group,),
    ("ec2", "CreateSubnet"): (ranges.subnet,),
    ("ec2", "CreateSubnetCidrReservation"): (ranges.reservation,),
    ("ec2", "CreateVpc"): (ranges.vpc,),
    ("ec2", "CreateVpcEndpoint"): (endpoints.verdicts, policies.document),
    ("ec2", "RunInstances"): (instance_types.instance, instances.image_id),
    ("ecr", "CreatePullThroughCacheRule"): (registries.cache_rule,),
    ("ecr", "PutLifecyclePolicy"): (image_expiry.lifecycle,),
    ("ecr", "SetRepositoryPolicy"): (policies.document,),
    ("eks", "AssociateAccessPolicy"): (eks.access_policy,),
    ("eks", "CreateAccessEntry"): (eks.access_entry,),
    ("eks", "CreateAddon"): (addons.configuration,),
    ("eks", "CreateCluster"): (eks.cluster, ranges.cluster),
    ("eks", "CreateNodegroup"): (eks.node_group, instance_types.node_group),
    ("eks", "UpdateAccessEntry"): (eks.access_entry,),
    ("eks", "UpdateAddon"): (addons.configuration,),
    ("eks", "UpdateClusterConfig"): (ranges.cluster,),
    ("eks", "UpdateClusterVersion"): (eks.cluster,),
    ("eks", "UpdateNodegroupConfig"): (eks.node_group,),
    ("eks", "UpdateNodegroupVersion"): (eks.node_group,),
    ("elbv2", "CreateListener"): (listeners.listener,),
    ("elbv2", "ModifyListener"): (listeners.listener,),
    ("iam", "CreatePolicy"): (policies.document,),
    ("iam", "CreatePolicyVersion"): (policies.document,),
    ("iam", "CreateRole"): (policies.document,),
    ("iam", "PutRolePolicy"): (policies.document,),
    ("iam", "UpdateAssumeRolePolicy"): (policies.document,),
    ("kms", "CreateAlias"): (keys.alias,),
    ("kms", "CreateKey"): (policies.document,),
    ("kms", "PutKeyPolicy"): (policies.document,),
    ("kms", "ScheduleKeyDeletion"): (keys.deletion,),
    ("logs", "CreateLogGroup"): (logs.log_group,),
    ("logs", "PutRetentionPolicy"): (logs.retention,),
    ("rds", "CreateDBCluster"): (databases.cluster,),
    ("rds", "CreateDBInstance"): (databases.database, databases.instance),
    ("rds", "ModifyDBCluster"): (databases.cluster_change,),
    ("rds", "ModifyDBInstance"): (databases.password,),
    ("s3", "CreateBucket"): (buckets.bucket,),
    ("s3", "PutBucketEncryption"): (buckets.encryption,),
    ("s3", "PutBucketLifecycleConfiguration"): (buckets.lifecycle,),
    ("s3", "PutBucketPolicy"): (policies.document,),
    ("secretsmanager", "CreateSecret"): (secrets.secret,),
    ("secretsmanager", "DeleteSecret"): (secrets.deletion,),
    ("secretsmanager", "PutResourcePolicy"): (policies.document,),
}
"""Service and operation -> its rules."""


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """What AWS would refuse of a call's values, and of how they fit each other."""
    for check in (*EVERY, *CHECKS.get((request.service, request.operation), ())):
        yield from check(request)
