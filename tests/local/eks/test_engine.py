"""Our network, key, cluster and node group components, by the real engine onto a real API server."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.passing_time import pass_time
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = f"""
import os
import sys
import pulumi

sys.path.insert(0, {str(REPOSITORY)!r})

from moka.components.aws.addons import Addon, AddonIdentity, Addons, AddonsArgs
from moka.components.aws.cluster import Cluster, ClusterArgs
from moka.components.aws.key import Key, KeyArgs
from moka.components.aws.network import Network, NetworkArgs
from moka.components.aws.node_group import NodeGroup, NodeGroupArgs, ScheduledBounds

zones = ("us-east-1a", "us-east-1b", "us-east-1c")
network = Network(
    "net", NetworkArgs(region="us-east-1", cidr="10.8.0.0/16", zones=zones, nat="single", retain=False)
)
cni = AddonIdentity(service_account="aws-node", policies=("AmazonEKS_CNI_Policy",))
key = Key(
    "key",
    KeyArgs(
        alias="eks-test",
        description="Secrets",
        account_id="123456789012",
        region="us-east-1",
        services=("logs.us-east-1.amazonaws.com",),
        retain=False,
    ),
)
cluster = Cluster(
    "blue",
    ClusterArgs(
        name="eks-test-blue",
        region="us-east-1",
        version="1.34",
        vpc_id=network.vpc_id,
        subnet_ids=network.private_subnets.apply(lambda subnets: list(subnets.values())),
        key_arn=key.arn,
        deployer_arn="arn:aws:iam::123456789012:role/deployer",
        vpc_cni=Addon(version="v1.20.4-eksbuild.1", identity=cni),
        kube_proxy=Addon(version="v1.34.1-eksbuild.2"),
        pod_identity_agent=Addon(version="v1.3.9-eksbuild.3"),
        retain=False,
    ),
)


def group(name, role, architecture, instance_type):
    return NodeGroup(
        name,
        NodeGroupArgs(
            eks_cluster=cluster.eks_cluster,
            node_role_arn=cluster.node_role_arn,
            version="1.34",
            role=role,
            architecture=architecture,
            instance_types=(instance_type,),
            group_name=name,
            subnets={{
                zone: network.private_subnets.apply(lambda subnets, zone=zone: subnets[zone])
                for zone in zones
            }},
            min_size=int(os.environ.get("LEAST_NODES", "1")),
            max_size=int(os.environ.get("MOST_NODES", "3")),
            initial_size=int(os.environ.get("LEAST_NODES", "1")),
            schedule={{
                "night": ScheduledBounds(cron="0 20 * * *", minimum=minimum)
                for minimum in map(int, os.environ.get("NIGHT", "").split())
                if role == "executor"
            }},
            tags={{"cost-center": os.environ.get("COST_CENTER", "data")}},
        ),
    )


groups = [
    group("system", "system", "amd64", "m6i.large"),
    group("executor", "executor", "arm64", "m6g.large"),
]
if "RESERVED_NODES" in os.environ:
    NodeGroup(
        "reserved",
        NodeGroupArgs(
            eks_cluster=cluster.eks_cluster,
            node_role_arn=cluster.node_role_arn,
            version="1.34",
            role="executor",
            architecture="arm64",
            instance_types=("m6g.large",),
            group_name="reserved",
            subnets={{zones[0]: network.private_subnets.apply(lambda subnets: subnets[zones[0]])}},
            min_size=int(os.environ["RESERVED_NODES"]),
            max_size=int(os.environ["RESERVED_NODES"]),
            initial_size=int(os.environ["RESERVED_NODES"]),
            capacity_reservation_id="cr-0a1b2c3d4e5f60718",
        ),
    )
Addons(
    "blue",
    AddonsArgs(
        cluster_name=cluster.name,
        region="us-east-1",
        addons={{"coredns": Addon(version="v1.12.4-eksbuild.1")}},
    ),
    pulumi.ResourceOptions(depends_on=groups),
)
if "TALKS" in os.environ:
    import pulumi_kubernetes as k8s

    provider = k8s.Provider("blue", kubeconfig=cluster.kubeconfig)
    k8s.core.v1.ConfigMap("hello", data={{}}, opts=pulumi.ResourceOptions(provider=provider))
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("vpc", network.vpc_id)
"""


IDENTITIES = 'identities: {"123456789012": role/deployer}\n'


@pytest.fixture(scope="module")
def stack(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulumiStack]:
    """The program, up."""
    yield from brought_up(cloud, tmp_path_factory.mktemp("eks"))


def brought_up(cloud: Cloud, folder: Path) -> Iterator[PulumiStack]:
    """The program's stack, once it is up; destroyed afterwards."""
    project = write_project(folder / "eks-test", PROGRAM)
    (project / "localcloud.yaml").write_text(IDENTITIES)
    engine = Engine(cloud, project)
    engine.select("dev")
    stack = PulumiStack(engine, "dev")
    try:
        stack.up()
        yield stack
    finally:
        stack.destroy()


@pytest.fixture(scope="module")
def outputs(stack: PulumiStack) -> dict[str, Any]:
    """What the program exports."""
    return stack.outputs()


@pytest.fixture(scope="module")
def needs(stack: PulumiStack) -> dict[str, set[str]]:
    """What each resource came after, and goes before: types and logical names."""

    def short(urn: str) -> str:
        return urn.rpartition("$")[2]

    return {short(r["urn"]): {short(urn) for urn in r.get("dependencies", [])} for r in stack.state()}


@pytest.fixture(scope="module")
def nodes(outputs: dict[str, Any]) -> dict[str, Any]:
    """Nodes by role, seen with the kubeconfig that the cluster gives out."""
    kubeconfig = outputs["kubeconfig"]
    api = config.new_client_from_config_dict(
        json.loads(kubeconfig) if isinstance(kubeconfig, str) else kubeconfig
    )
    return {node.metadata.labels["moka.dev/role"]: node for node in client.CoreV1Api(api).list_node().items}


def test_the_kubeconfig_of_a_cluster_lets_its_deployer_in(nodes):
    assert nodes.keys() == {"system", "executor"}


def test_nodes_are_of_the_architecture_of_their_group(nodes):
    assert nodes["system"].metadata.labels["kubernetes.io/arch"] == "amd64"
    assert nodes["executor"].metadata.labels["kubernetes.io/arch"] == "arm64"


def test_executor_nodes_keep_other_pods_away_and_system_nodes_do_not(nodes):
    [taint] = [taint for taint in nodes["executor"].spec.taints or [] if taint.key == "moka.dev/role"]

    assert (taint.value, taint.effect) == ("executor", "NoSchedule")
    assert not [taint for taint in nodes["system"].spec.taints or [] if taint.key == "moka.dev/role"]


def test_a_kubeconfig_holds_no_secret(outputs):
    kubeconfig = outputs["kubeconfig"]
    [user] = (json.loads(kubeconfig) if isinstance(kubeconfig, str) else kubeconfig)["users"]

    assert user["user"].keys() == {"tokenFile"}
    assert Path(user["user"]["tokenFile"]).stat().st_mode & 0o077 == 0


def test_the_control_plane_has_what_no_argument_can_say(stack):
    [cluster] = [r for r in stack.engine.resources("dev") if r.type == "aws:eks/cluster:Cluster"]

    assert cluster.inputs["accessConfig"]["bootstrapClusterCreatorAdminPermissions"] is False
    assert cluster.inputs["zonalShiftConfig"] == {"enabled": True}


def test_what_a_cluster_needs_comes_before_it_and_goes_after_it(needs):
    [cluster] = [name for name in needs if "aws:eks/cluster:Cluster::" in name]

    assert "aws:cloudwatch/logGroup:LogGroup::blue" in needs[cluster]
    assert "aws:iam/rolePolicyAttachment:RolePolicyAttachment::blue-cluster" in needs[cluster]


def test_nodes_come_after_the_add_ons_that_they_cannot_do_without_and_go_before_them(needs):
    for group in ("system", "executor"):
        needed = needs[f"aws:eks/nodeGroup:NodeGroup::{group}"]
        for addon in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent"):
            assert f"aws:eks/addon:Addon::blue-{addon}" in needed


def test_add_ons_that_run_on_nodes_come_after_them(needs):
    needed = needs["aws:eks/addon:Addon::blue-coredns"]

    assert any(name.endswith("::system") for name in needed)
    assert any(name.endswith("::executor") for name in needed)


def test_aws_knows_the_cluster_its_node_groups_and_the_network(stack, outputs, aws):
    eks = aws("eks")

    cluster = eks.describe_cluster(name="eks-test-blue")["cluster"]
    assert cluster["resourcesVpcConfig"]["endpointPublicAccess"] is False
    assert len(eks.list_nodegroups(clusterName="eks-test-blue")["nodegroups"]) == 2
    subnets = aws("ec2").describe_subnets(Filters=[{"Name": "vpc-id", "Values": [outputs["vpc"]]}])["Subnets"]
    assert len({subnet["AvailabilityZone"] for subnet in subnets}) == 3


def test_a_preview_after_up_shows_no_change(stack):
    assert stack.operations() == {}


def test_other_bounds_change_a_node_group_and_do_not_replace_it(stack):
    assert stack.operations(MOST_NODES="5") == {"system": "update", "executor": "update"}


def test_a_schedule_leaves_its_minimum_behind_which_up_sees_with_refresh_only(stack, cloud):
    def sizes():
        eks = account_api(cloud, AwsServer(cloud).url, "123456789012").service("eks", "us-east-1")
        group = eks.describe_nodegroup(clusterName="eks-test-blue", nodegroupName="executor")["nodegroup"]
        return [group["scalingConfig"][name] for name in ("minSize", "desiredSize", "maxSize")]

    def planned(*options, **variables):
        steps = json.loads(stack.run("preview", "--json", *options, **variables))["steps"]
        group = [step for step in steps if step["urn"].endswith("aws:eks/nodeGroup:NodeGroup::executor")][-1]
        return group["op"], group["newState"]["inputs"]["scalingConfig"]["minSize"]

    stack.up(NIGHT="2")
    evening = datetime(2026, 11, 25, 19, tzinfo=UTC)
    pass_time(cloud, AwsServer(cloud).url, evening, evening + timedelta(hours=2))
    assert sizes() == [2, 2, 3]

    # Another maximum takes along the minimum that the stack last saw.
    assert planned(NIGHT="2", MOST_NODES="5") == ("update", 1)
    assert planned("--refresh", NIGHT="2", MOST_NODES="5") == ("update", 2)
    # And without the schedule nothing is seen of it.
    assert stack.operations() == {"executor-night": "delete"}
    stack.run("up", "--yes", "--skip-preview", "--refresh")
    assert sizes() == [1, 2, 3]


def test_a_fixed_group_has_the_size_of_its_bounds_and_other_tags_replace_no_machine(stack, cloud):
    api = ControlPlane(cloud, "eks-test-blue").api()
    before = {node["metadata"]["uid"] for node in api.list("/api/v1/nodes")}

    stack.up(LEAST_NODES="2", MOST_NODES="2", COST_CENTER="other")

    after = {node["metadata"]["uid"] for node in api.list("/api/v1/nodes")}
    assert before < after
    assert len(after) == 4


def test_a_minimum_above_the_size_that_eks_keeps_is_refused_at_the_preview(stack):
    refused = stack.try_run("preview", LEAST_NODES="3", MOST_NODES="5", COST_CENTER="other")

    assert refused.returncode != 0
    assert "Minimum capacity 3 can't be greater than desired size 2" in refused.stdout


def test_a_version_that_eks_has_no_longer_is_refused_at_the_preview(stack):
    program = stack.engine.project / "__main__.py"
    text = program.read_text()
    program.write_text(text.replace('version="1.34",\n        vpc_id', 'version="1.36",\n        vpc_id'))
    try:
        refused = stack.try_run("preview")
    finally:
        program.write_text(text)

    assert refused.returncode != 0
    assert "Unsupported Kubernetes minor version update from 1.34 to 1.36" in refused.stdout


def test_a_component_argument_that_is_not_served_is_named_in_one_sentence(cloud, project):
    arguments = 'vpc_id="vpc-1", authentication_mode="API", skip_default_node_group=True, proxy="p"'
    program = f'import pulumi_eks\npulumi_eks.Cluster("c", {arguments})\n'
    engine = Engine(cloud, project(program, "eks-refused"))
    engine.select("dev")
    preview = PulumiStack(engine, "dev").try_run("preview")

    assert preview.returncode != 0
    assert "eks.Cluster c: the laptop cloud does not serve proxy: everything is on" in preview.stdout


def test_a_node_group_that_eks_could_not_create_fails_every_up_until_it_is_deleted(stack, aws):
    sizes = {"LEAST_NODES": "2", "MOST_NODES": "2", "COST_CENTER": "other"}

    def up(*options):
        return stack.try_run("up", "--yes", "--skip-preview", *options, RESERVED_NODES="2", **sizes)

    def reserve(instances):
        reservation = f"{{type: m6g.large, zone: us-east-1a, instances: {instances}}}"
        text = f"{IDENTITIES}capacity_reservations: {{cr-0a1b2c3d4e5f60718: {reservation}}}\n"
        (stack.engine.project / "localcloud.yaml").write_text(text)

    reserve(1)
    assert "unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'" in up().stdout
    reserve(2)
    for options in ((), ("--refresh",)):
        refused = up(*options)
        assert refused.returncode != 0
        assert (
            "EKS could not create node group reserved of eks-test-blue and does not try again "
            "(CREATE_FAILED): mend what its health says, delete it (aws eks delete-nodegroup --cluster-name "
            "eks-test-blue --nodegroup-name reserved), then run `up` with --refresh."
        ) in refused.stdout
        assert "Traceback" not in refused.stdout

    aws("eks").delete_nodegroup(clusterName="eks-test-blue", nodegroupName="reserved")
    mended = up("--refresh")

    assert mended.returncode == 0, mended.stdout
    group = aws("eks").describe_nodegroup(clusterName="eks-test-blue", nodegroupName="reserved")["nodegroup"]
    assert group["status"] == "ACTIVE"
    assert stack.operations(**sizes) == {"reserved": "delete"}


def test_an_api_server_that_lets_nobody_in_is_not_reached_from_where_up_runs(stack):
    project = stack.engine.project
    (project / "dev.yaml").write_text("deployer_network: 10.250.16.0/24\n")
    (project / "localcloud.yaml").write_text(
        'deployer_network: {file: "{environment}.yaml", key: deployer_network}\n'
    )

    up = stack.try_run("up", "--yes", "--skip-preview", TALKS="yes")

    assert up.returncode != 0
    assert "configured Kubernetes cluster is unreachable" in up.stdout
    assert "443: i/o timeout" in up.stdout
    assert "no rule lets tcp 443 in from 10.250.16.0/24" in up.stdout
    assert "(NO_ROUTE_TO_DESTINATION): add a route" in up.stdout


def test_what_is_taken_down_is_gone(stack, aws, cloud):
    stack.destroy()

    assert stack.engine.resources("dev") == []
    assert "eks-test-blue" not in aws("eks").list_clusters()["clusters"]
    assert "eks-test-blue" not in [plane.name for plane in ControlPlane.all(cloud)]
