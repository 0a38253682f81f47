"""What the other subjects look at, and so what is left for a reviewer to look at without help."""

import re
from collections.abc import Iterator, Mapping

from moka.names import TAG_PREFIX
from previews import Preview, Step
from previews.values import differs, has_secret
from report.cost.charges import CHARGED
from report.model import Finding, Section
from report.node_groups import NODE_GROUP
from report.rights.holders import ROLE, SOURCES
from report.subjects import keeping, openings
from report.subjects.drivers import LIMITS, QUOTA
from report.subjects.isolation import NETWORK_POLICY
from report.subjects.queue_tree import CONFIG_MAP, is_queues
from report.words import code, listing, resource

ALL = ("",)

PATHS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SOURCES, ALL),
    **dict.fromkeys(keeping.READERS, ()),
    **dict.fromkeys(openings.READERS, ()),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ALL,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": ALL,
    "aws:ec2/securityGroupRule:SecurityGroupRule": ALL,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": ALL,
    "aws:ec2/route:Route": ALL,
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "metadataOptions",
        "blockDeviceMappings[].ebs.volumeSize",
        "blockDeviceMappings[].ebs.iops",
        "blockDeviceMappings[].ebs.throughput",
        "tagSpecifications",
        "name",
        "updateDefaultVersion",
    ),
    "aws:ec2/securityGroup:SecurityGroup": ("ingress", "egress"),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": ("ingress", "egress"),
    "aws:ec2/subnet:Subnet": ("mapPublicIpOnLaunch",),
    "aws:cloudwatch/logGroup:LogGroup": ("retentionInDays",),
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": ALL,
    "aws:ecr/repository:Repository": ("forceDelete",),
    "aws:eks/cluster:Cluster": (
        "version",
        "deletionProtection",
        "vpcConfig.endpointPublicAccess",
        "vpcConfig.endpointPrivateAccess",
        "vpcConfig.publicAccessCidrs",
    ),
    "aws:kms/key:Key": ("policy",),
    "aws:s3/bucket:Bucket": ("forceDestroy",),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": (
        "rules[].expiration.days",
        "rules[].noncurrentVersionExpiration.noncurrentDays",
    ),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": ALL,
    "aws:s3/bucketVersioning:BucketVersioning": ALL,
    ROLE: ("assumeRolePolicy", "inlinePolicies", "managedPolicyArns", "permissionsBoundary"),
    NODE_GROUP: ("launchTemplate", "version", "releaseVersion", "scalingConfig", "taints"),
    NETWORK_POLICY: ("spec",),
    QUOTA: ("spec.hard",),
    LIMITS: ("spec.limits[].max",),
    # What the keeper of queues is given; what they come to is in YuniKorn's own.
    CONFIG_MAP: ('data["moka-queues.yaml"]',),
    "kubernetes:apps/v1:StatefulSet": ("spec.replicas", "spec.persistentVolumeClaimRetentionPolicy"),
}
"""Type -> paths of inputs whose change a subject judges; `ALL` of them. `[]` is any place in a list."""

COVERED_WHEN_NEW = frozenset({*SOURCES, *CHARGED, *openings.READERS, NETWORK_POLICY, NODE_GROUP}) - {
    "kubernetes:core/v1:Service",
    "kubernetes:networking.k8s.io/v1:Ingress",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:apps/v1:StatefulSet",
}
"""Types of which a subject says what a new one brings. Of those left out it says a part only: what charts,
pods and Services do is for a reviewer."""

HARMLESS = ("tags", "tagsAll", "description", "__")
"""Paths whose change nobody needs to look at."""

READ_BY_MACHINES = ("k8s.io/", "kubernetes.io/", TAG_PREFIX)
"""Parts of tags that programs go by: load balancers by those of subnets, the autoscaler by those of nodes,
roles of CI by those of environments."""


def unreviewed(preview: Preview) -> Section:
    """The section of what changes in a stack that is there, and no subject says anything about."""
    return Section(subject="unjudged", title="Left to the reviewer", findings=[*_findings(preview)])


def _findings(preview: Preview) -> Iterator[Finding]:
    if not any(step.old for step in preview.steps if step.state.custom):
        return
    changes: list[str] = []
    fresh: list[str] = []
    for step in preview.changes:
        if not step.state.custom:
            continue
        if step.op in ("create", "import") and step.type not in COVERED_WHEN_NEW:
            fresh.append(resource(step))
        elif step.op == "update" and (paths := _paths(step)):
            changes.append(f"{resource(step)} ({listing(map(code, paths), 3)})")
    if changes:
        yield Finding(weight="look", says=f"Changes that nothing above judges: {listing(changes, 8)}.")
    if fresh:
        yield Finding(weight="look", says=f"New, and nothing above judges it: {listing(fresh, 8)}.")


def _paths(step: Step) -> list[str]:
    """Paths that change for certain, as far as no subject looks at them."""
    assert step.old is not None and step.new is not None, step.urn
    before, after = step.old.inputs, step.new.inputs
    keys = {key for key in {**before, **after} if differs(before.get(key), after.get(key))}
    # Of a secret only the engine knows whether it differs.
    keys |= {
        key for key in map(_key, step.changed) if has_secret(before.get(key)) or has_secret(after.get(key))
    }
    # The engine's paths are finer; where it gives none, inputs are compared.
    paths = [path for path in step.changed if _key(path) in keys] or sorted(keys)
    looked_at = (*HARMLESS, *PATHS.get(step.type, ()))
    if step.type == CONFIG_MAP and is_queues(step.state):
        looked_at = (*looked_at, 'data["queues.yaml"]')
    return [
        path
        for path in paths
        if not any(_within(path, prefix) for prefix in looked_at)
        or (_key(path) in HARMLESS and any(part in path for part in READ_BY_MACHINES))
    ]


def _key(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _within(path: str, prefix: str) -> bool:
    path = re.sub(r"\[\d+\]", "[]", path)
    return path.startswith(prefix) and (
        not prefix or path[len(prefix) :][:1] in ("", ".", "[") or prefix == "__"
    )
