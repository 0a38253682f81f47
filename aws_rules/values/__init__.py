"""Values that AWS would refuse: one by one, between each other, and resource by resource.

A call of AWS's API is a `Request`: it is held against botocore's model of it (`model`) and against the rules
of its operation (`calls`). A resource is held against CloudFormation's schema of its type in its region
(`resource`).
"""

from aws_rules.rule import Rule
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
    model,
    policies,
    principals,
    ranges,
    registries,
    resource,
    routes,
    schedules,
    secrets,
    security_groups,
    tags,
    volumes,
)

RULES: tuple[Rule, ...] = (
    *model.RULES,
    *resource.RULES,
    *instance_types.RULES,
    *instances.RULES,
    *tags.RULES,
    *arns.RULES,
    *ranges.RULES,
    *routes.RULES,
    *security_groups.RULES,
    *endpoints.RULES,
    *volumes.RULES,
    *launch_templates.RULES,
    *eks.RULES,
    *addons.RULES,
    *schedules.RULES,
    *policies.RULES,
    *principals.RULES,
    *buckets.RULES,
    *databases.RULES,
    *keys.RULES,
    *registries.RULES,
    *image_expiry.RULES,
    *logs.RULES,
    *secrets.RULES,
    *listeners.RULES,
)
