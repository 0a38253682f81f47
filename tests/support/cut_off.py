"""A stack with a network on a cloud of its own, states as a kill leaves them, and `moka recover`."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack, moka

NETWORK = """
import json
import pulumi
import pulumi_aws as aws
from stacks.identity_tags import add_identity

pulumi.runtime.register_stack_transformation(add_identity)
tags = {"moka:environment": pulumi.get_stack()}
aws_in = aws.Provider("main", region="us-east-1", default_tags={"tags": tags})
opts = pulumi.ResourceOptions(provider=aws_in)

vpc = aws.ec2.Vpc("net", cidr_block="10.9.0.0/16", opts=opts)
pods = aws.ec2.VpcIpv4CidrBlockAssociation("pods", vpc_id=vpc.id, cidr_block="100.64.0.0/16", opts=opts)
gateway = aws.ec2.InternetGateway("way-out", vpc_id=vpc.id, opts=opts)
subnet, _ = subnets = [
    aws.ec2.Subnet(
        zone, vpc_id=vpc.id, cidr_block=f"10.9.{n}.0/24", availability_zone=f"us-east-1{zone}", opts=opts)
    for n, zone in enumerate("ab")
]
table = aws.ec2.RouteTable("public", vpc_id=vpc.id, opts=opts)
aws.ec2.RouteTableAssociation("a", subnet_id=subnet.id, route_table_id=table.id, opts=opts)
aws.ec2.Route(
    "out", route_table_id=table.id, destination_cidr_block="0.0.0.0/0", gateway_id=gateway.id, opts=opts)
address, _ = [aws.ec2.Eip(name, domain="vpc", opts=opts) for name in ("nat", "spare")]
aws.ec2.NatGateway("nat", allocation_id=address.id, subnet_id=subnet.id,
    opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[gateway])))
group = aws.ec2.SecurityGroup("api", vpc_id=vpc.id, description="api", opts=opts)
aws.vpc.SecurityGroupIngressRule(
    "https", security_group_id=group.id, ip_protocol="tcp", from_port=443, to_port=443,
    cidr_ipv4="10.0.0.0/8", opts=opts)
aws.ec2.LaunchTemplate("nodes", name_prefix="nodes-", instance_type="m7g.large", opts=opts)
key, _ = [aws.kms.Key(name, description=name, opts=opts) for name in ("data", "spare")]
aws.kms.Alias("data", name="alias/cut-off", target_key_id=key.id, opts=opts)
logs = aws.cloudwatch.LogGroup("flows", name="/cut-off/flows", opts=opts)
trust = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "vpc-flow-logs.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
role = aws.iam.Role("flows", assume_role_policy=json.dumps(trust), opts=opts)
write = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Resource": "*", "Action": [
    "logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogGroups", "logs:DescribeLogStreams"]}]}
aws.iam.RolePolicy("flows", role=role.name, policy=json.dumps(write), opts=opts)
aws.ec2.FlowLog(
    "flows", vpc_id=vpc.id, traffic_type="ALL", log_destination=logs.arn, iam_role_arn=role.arn, opts=opts)
bucket = aws.s3.Bucket("data", bucket="cut-off-data", opts=opts)
aws.s3.BucketPublicAccessBlock("data", bucket=bucket.bucket, block_public_acls=True, opts=opts)
"""

CLUSTER = (
    NETWORK.replace(
        "import pulumi_aws as aws",
        "import pulumi_aws as aws\nimport pulumi_eks as eks\nimport pulumi_kubernetes as k8s",
    )
    + """
trusted = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
cluster_role = aws.iam.Role("cluster", name="cut-off", assume_role_policy=json.dumps(trusted), opts=opts)
permissions = aws.iam.RolePolicyAttachment(
    "cluster", role=cluster_role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy", opts=opts)
cluster = eks.Cluster(
    "cluster", name="cut-off", version="1.34", vpc_id=vpc.id, subnet_ids=[subnet.id for subnet in subnets],
    service_role=pulumi.Output.all(cluster_role, permissions.role).apply(lambda both: both[0]),
    authentication_mode=eks.AuthenticationMode.API, skip_default_node_group=True,
    skip_default_security_groups=True, use_default_vpc_cni=True,
    kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
    coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
    opts=pulumi.ResourceOptions(providers={"aws": aws_in}))
cluster_provider = k8s.Provider("cut-off", kubeconfig=cluster.kubeconfig_json)
inside = pulumi.ResourceOptions(provider=cluster_provider)
label = {"made-by": "cut-off"}
jobs = k8s.core.v1.Namespace("jobs", metadata={"name": "jobs", "labels": label}, opts=inside)


def metadata(name):
    return {"name": name, "namespace": jobs.metadata.name, "labels": label}


for name in ("one", "two", "three"):
    k8s.core.v1.ConfigMap(name, metadata=metadata(name), data={"name": name}, opts=inside)
k8s.core.v1.ServiceAccount("driver", metadata=metadata("driver"), opts=inside)
k8s.core.v1.ResourceQuota("jobs", metadata=metadata("jobs"), spec={"hard": {"pods": "10"}}, opts=inside)
k8s.policy.v1.PodDisruptionBudget(
    "drivers", metadata=metadata("drivers"),
    spec={"max_unavailable": 0, "selector": {"match_labels": {"spark-role": "driver"}}}, opts=inside)
k8s.core.v1.Service(
    "driver", metadata=metadata("driver"),
    spec={"cluster_ip": "None", "ports": [{"port": 4040}], "selector": {"spark-role": "driver"}}, opts=inside)
k8s.apiextensions.v1.CustomResourceDefinition(
    "kills", metadata={"name": "kills.moka.example", "labels": label},
    spec={"group": "moka.example", "scope": "Namespaced", "names": {"kind": "Kill", "plural": "kills"},
          "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
              "open_apiv3_schema": {"type": "object", "x_kubernetes_preserve_unknown_fields": True}}}]},
    opts=inside)
k8s.helm.v3.Release(
    "hello", chart="greeter", name="hello", namespace=jobs.metadata.name,
    repository_opts={"repo": "https://charts.invalid/stable"}, values={"replicas": 0}, opts=inside)
"""
)
"""The network with pulumi-eks's cluster on it, objects in that, and a release that Helm renders."""

CHARTS = REPOSITORY / "tests" / "charts"
"""Where the release's chart is."""


MADE = (
    "VpcIpv4CidrBlockAssociation pods", "InternetGateway way-out", "Subnet a", "Subnet b",
    "RouteTable public", "RouteTableAssociation a", "Route out", "Eip nat", "Eip spare", "NatGateway nat",
    "SecurityGroup api",
    "SecurityGroupIngressRule https", "LaunchTemplate nodes", "Key data", "Key spare", "Alias data",
    "Vpc net", "LogGroup flows", "Role flows", "RolePolicy flows", "FlowLog flows", "Bucket data",
    "BucketPublicAccessBlock data",
)  # fmt: skip


@contextmanager
def network_stack(folder: Path, program: str = NETWORK) -> Iterator[PulumiStack]:
    """Stack `dev` of the program, empty, on a cloud of its own that is ended afterwards."""
    engine = Engine(Cloud(folder / "cloud"), write_project(folder / "small", program))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(REPOSITORY))
        patch.setenv("MOKA_CHARTS", str(CHARTS))
        try:
            commands.create(engine, "dev")
            yield PulumiStack(engine, "dev")
        finally:
            commands.stop(engine)


@contextmanager
def network_up(folder: Path) -> Iterator[PulumiStack]:
    """The same, up."""
    with network_stack(folder) as stack:
        stack.up()
        yield stack


def client(stack: PulumiStack, service: str):
    """A boto3 client of the AWS of a stack's cloud."""
    return aws_clients(stack.engine.cloud)(service)


def name(resource: dict) -> str:
    return f"{resource['type'].rpartition(':')[2]} {resource['urn'].rpartition('::')[2]}"


def cut_off(stack: PulumiStack, *names: str, operation: str = "creating", recorded: bool = True) -> None:
    """Leave the state as a kill does while these were under way: what is created is not in it yet.

    recorded: that they were under way; a plugin that died while the engine went on leaves nothing of them.
    """
    path = stack.engine.state_file(stack.name).path
    path.write_text(cut_off_state(path.read_text(), *names, operation=operation, recorded=recorded))


def cut_off_state(text: str, *names: str, operation: str = "creating", recorded: bool = True) -> str:
    """The same, of a state as a backend has it."""
    state = json.loads(text)
    # `pulumi stack import` writes it with a capital letter.
    latest = state["checkpoint"].get("latest") or state["checkpoint"]["Latest"]
    under_way = [resource for resource in latest["resources"] if name(resource) in names]
    assert len(under_way) == len(names)
    if operation == "creating":
        latest["resources"] = [resource for resource in latest["resources"] if resource not in under_way]
        under_way = [{k: v for k, v in r.items() if k not in ("id", "outputs")} for r in under_way]
    pending = [{"resource": resource, "type": operation} for resource in under_way]
    latest["pending_operations"] = pending if recorded else []
    return json.dumps(state)


def recover(stack: PulumiStack, *options: str) -> subprocess.CompletedProcess[str]:
    """`make recover`, without the set-up."""
    laptop = ("--", "python", "-m", "localcloud", "--project", str(stack.engine.project))
    return moka(
        stack.engine, "recover", stack.name, *options, *laptop, "pulumi", "{verb}", "--stack", "{stack}", "--"
    )


def ids(stack: PulumiStack) -> dict[str, str]:
    return {name(resource): resource.get("id", "") for resource in stack.state()}
