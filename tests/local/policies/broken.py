"""Whole environments, each broken in one way, by a change of a rendered resource that settings would refuse.

A program registers `broken(names)` before the project's own; what it changes, the engine shows the policies.
None undoes another, so that one preview can have all of a stack: it takes much longer than the rules do.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

Props = dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A change of an environment.

    rule: of the policies, that refuses it.
    resource: `<last word of the type>::<logical name>`.
    change: inputs -> inputs.
    options: of the resource, that differ.
    stack: environment, or one of its slices.
    named: the resource that the rule names, where it is another one.
    """

    rule: str
    resource: str
    change: Callable[[Props], Props] = lambda props: props
    options: Mapping[str, Any] | None = None
    stack: str = "local"
    named: str = ""


def put(path: str, value: Any) -> Callable[[Props], Props]:
    """The change that puts a value at a dotted path."""

    def change(props: Props) -> Props:
        first, _, rest = path.partition(".")
        inner = put(rest, value)(props.get(first) or {}) if rest else value
        return {**props, first: inner}

    return change


def without(name: str) -> Callable[[Props], Props]:
    """The change that takes an input out."""
    return lambda props: {key: value for key, value in props.items() if key != name}


def policy(*statements: Props) -> str:
    """A policy's text."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def in_container(**fields: Any) -> Callable[[Props], Props]:
    """The change that sets fields of a workload's containers."""

    def change(props: Props) -> Props:
        spec = pulumi.Output.from_input(props["spec"])
        return {**props, "spec": spec.apply(lambda known: _with_containers(known, fields))}

    return change


def _with_containers(spec: Props, fields: Props) -> Props:
    template = spec["template"]
    containers = [{**container, **fields} for container in template["spec"]["containers"]]
    return {**spec, "template": {**template, "spec": {**template["spec"], "containers": containers}}}


def in_queues(old: str, new: str) -> Callable[[Props], Props]:
    """The change of a text in YuniKorn's queues."""

    def change(props: Props) -> Props:
        def replaced(data: Props) -> Props:
            assert old in data["queues.yaml"]
            return {**data, "queues.yaml": data["queues.yaml"].replace(old, new)}

        return {**props, "data": pulumi.Output.from_input(props["data"]).apply(replaced)}

    return change


def in_devices(**fields: Any) -> Callable[[Props], Props]:
    """The change that sets fields of a launch template's volumes."""

    def change(props: Props) -> Props:
        devices = [{**device, "ebs": {**device["ebs"], **fields}} for device in props["blockDeviceMappings"]]
        return {**props, "blockDeviceMappings": devices}

    return change


STAGING, CODE = (
    f"arn:aws:s3:::moka-local-123456789012-us-east-1-{purpose}" for purpose in ("staging", "code")
)
TLS_ONLY = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "s3:*",
    "Resource": [STAGING, f"{STAGING}/*"],
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}
TEMPLATE = "LaunchTemplate::spark-a-system-us-east-1a"
POD_TRUST = {
    "Effect": "Allow",
    "Principal": {"Service": "pods.eks.amazonaws.com"},
    "Action": ["sts:AssumeRole", "sts:TagSession"],
}

BROKEN: Mapping[str, Broken] = {
    "a public API server": Broken(
        "api-server-private", "Cluster::spark-a-eksCluster", put("vpcConfig.endpointPublicAccess", True)
    ),
    "Secrets without a key": Broken(
        "cluster-secrets-encrypted", "Cluster::spark-a-eksCluster", without("encryptionConfig")
    ),
    "no audit log": Broken(
        "cluster-logs", "Cluster::spark-a-eksCluster", put("enabledClusterLogTypes", ["api", "scheduler"])
    ),
    "aws-auth beside access entries": Broken(
        "cluster-api-authentication",
        "Cluster::spark-a-eksCluster",
        put("accessConfig.authenticationMode", "API_AND_CONFIG_MAP"),
    ),
    "an administrator by creation": Broken(
        "cluster-creator-no-admin",
        "Cluster::spark-a-eksCluster",
        put("accessConfig.bootstrapClusterCreatorAdminPermissions", True),
    ),
    "IMDSv1": Broken("imdsv2-required", TEMPLATE, put("metadataOptions.httpTokens", "optional")),
    "metadata for pods": Broken(
        "imds-hop-limit", TEMPLATE, put("metadataOptions.httpPutResponseHopLimit", 2)
    ),
    "plain disks": Broken("node-volumes-encrypted", TEMPLATE, in_devices(encrypted="false")),
    "drivers on spot machines": Broken(
        "spot-for-executors-only", "NodeGroup::spark-a-driver-arm64-us-east-1a", put("capacityType", "SPOT")
    ),
    "a driver group over zones": Broken(
        "drivers-zone-spread",
        "NodeGroup::spark-a-driver-arm64-us-east-1a",
        put("subnetIds", ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"]),
    ),
    "public addresses": Broken(
        "subnet-no-public-addresses", "Subnet::main-public-us-east-1a", put("mapPublicIpOnLaunch", True)
    ),
    "a group for everybody": Broken(
        "no-open-ingress",
        "SecurityGroup::main-endpoints",
        put("ingress", [{"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]}]),
    ),
    "half a flow log": Broken("flow-log-complete", "FlowLog::main", put("trafficType", "REJECT")),
    "a bucket that may become public": Broken(
        "bucket-not-public", "BucketPublicAccessBlock::main-job-logs", put("blockPublicPolicy", False)
    ),
    "S3's own key": Broken(
        "bucket-encrypted",
        "BucketServerSideEncryptionConfiguration::main-event-logs",
        put("rules", [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]),
    ),
    "a bucket for everybody": Broken(
        "policy-names-principals",
        "BucketPolicy::main-staging",
        put(
            "policy",
            policy(
                TLS_ONLY,
                {
                    "Effect": "Allow",
                    "Principal": "*",
                    "Action": "s3:GetObject",
                    "Resource": f"{STAGING}/*",
                },
            ),
        ),
    ),
    "a bucket over plain HTTP": Broken(
        "bucket-tls-only",
        "BucketPolicy::main-code",
        put(
            "policy",
            policy({"Effect": "Deny", "Principal": "*", "Action": "s3:DeleteBucket", "Resource": CODE}),
        ),
    ),
    "a key for ever": Broken("key-rotates", "Key::main", put("enableKeyRotation", False)),
    "tags that move": Broken(
        "repository-tags-immutable",
        "Repository::main-moka-local-spark",
        put("imageTagMutability", "MUTABLE"),
    ),
    "all of S3": Broken(
        "no-wildcard-action",
        "RolePolicy::spark-a-history",
        put(
            "policy", policy({"Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::moka-local-x/*"})
        ),
    ),
    "all keys": Broken(
        "no-wildcard-resource",
        "RolePolicy::spark-a-history-gate",
        put("policy", policy({"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "*"})),
    ),
    "data for nodes": Broken(
        "node-role-without-data",
        "RolePolicy::spark-a-node",
        put(
            "policy",
            policy({"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::moka-local-x/*"}),
        ),
    ),
    "a role for any pod": Broken(
        "pod-role-trust", "Role::spark-a-history", put("assumeRolePolicy", policy(POD_TRUST))
    ),
    "a privileged container": Broken(
        "no-privileged",
        "Deployment::spark-a-driver-finalizer",
        in_container(
            securityContext={
                "privileged": True,
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            }
        ),
    ),
    "whatever is newest": Broken(
        "image-not-latest",
        "Deployment::spark-a-driver-finalizer",
        in_container(image="123456789012.dkr.ecr.us-east-1.amazonaws.com/moka-local/driver-finalizer"),
    ),
    "a registry of anybody": Broken(
        "image-from-allowed-registry",
        "Deployment::spark-a-queue-keeper",
        in_container(image="registry.example.com/queue-keeper:1.0.0"),
    ),
    "no bound of memory": Broken(
        "memory-limited",
        "Deployment::spark-a-driver-finalizer",
        in_container(resources={"requests": {"cpu": "50m", "memory": "128Mi"}}),
    ),
    "a password in a variable": Broken(
        "no-plain-secrets",
        "Deployment::spark-a-driver-finalizer",
        in_container(env=[{"name": "DATABASE_PASSWORD", "value": "correct-horse-battery"}]),
    ),
    "critical jobs that can be preempted": Broken(
        "tier-1-not-preempted",
        "ConfigMap::spark-a-yunikorn",
        in_queues("preemption.policy: disabled", "preemption.policy: default"),
    ),
    "jobs of anybody in tier 1": Broken(
        "tier-1-claimed",
        "ValidatingAdmissionPolicy::spark-a-queue-claims",
        put("metadata", {"name": "moka-other-claims"}),
        named="Namespace::spark-a-spark-jobs",
    ),
    "jobs of any size": Broken(
        "job-namespace-bounded",
        "ValidatingAdmissionPolicy::spark-a-job-size",
        put("metadata", {"name": "moka-other-size"}),
        named="Namespace::spark-a-spark-jobs",
    ),
    "jobs that reach everything": Broken(
        "default-deny",
        "NetworkPolicy::spark-a-spark-jobs-default-deny",
        put("spec", {"podSelector": {}, "policyTypes": ["Ingress"]}),
        named="Namespace::spark-a-spark-jobs",
    ),
    "any version of a chart": Broken("chart-pinned", "Release::spark-a-yunikorn", put("version", ">=1.8.0")),
    "a load balancer on the internet": Broken(
        "load-balancer-internal",
        "Service::spark-a-celeborn-master",
        put("spec", {"type": "LoadBalancer", "ports": [{"port": 9097}]}),
    ),
    "data that can be deleted": Broken(
        "data-protected", "Bucket::main-event-logs", options={"protect": False}, stack="staging.shared"
    ),
    "a bucket that goes with all in it": Broken(
        "no-forced-deletion", "Bucket::main-event-logs", put("forceDestroy", True), stack="staging.shared"
    ),
}


def broken(names: Iterable[str]) -> None:
    """Break what the program registers from here on, as BROKEN has it. Each change has to meet a resource."""
    for name in names:
        pulumi.runtime.register_resource_transform(_transform(BROKEN[name]))


def _transform(entry: Broken) -> pulumi.ResourceTransform:
    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if f"{args.type_.rpartition(':')[2]}::{args.name}" != entry.resource:
            return None
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(**(entry.options or {})))
        return pulumi.ResourceTransformResult(entry.change(dict(args.props)), options)

    return transform
