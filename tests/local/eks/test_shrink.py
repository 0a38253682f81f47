"""`moka shrink` as it is run: on a cluster's API server, and on the laptop's Auto Scaling."""

import json

import pytest

from commands import shrink
from commands.app import main
from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.nodes import apply_node_group
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.eks_backend import described_machines
from stacks.settings import load
from stacks.settings.cluster import NodeGroup
from tests.local.eks.test_engine import brought_up

ACCOUNT, REGION, CLUSTER = "123456789012", "us-east-1", "eks-test-blue"
SELECTOR = "eks.amazonaws.com/nodegroup=executor"
ARGUMENTS = ("shrink", "test", "blue", "executor", "--by")


@pytest.fixture(scope="module")
def outputs(cloud, tmp_path_factory):
    """What the cluster's program exports: each of its node groups has a machine, and may have three."""
    for stack in brought_up(cloud, tmp_path_factory.mktemp("shrink")):
        yield stack.outputs()


@pytest.fixture
def plane(cloud, outputs):
    return ControlPlane(cloud, CLUSTER)


@pytest.fixture
def api(plane):
    return plane.api()


@pytest.fixture
def eks(cloud, plane, api):
    """EKS of the account, as the laptop has it; the group has three machines, none of them cordoned."""
    aws = account_api(cloud, AwsServer(cloud).url, ACCOUNT, REGION)
    eks = aws.service("eks", REGION)
    group = eks.describe_nodegroup(clusterName=CLUSTER, nodegroupName="executor")["nodegroup"]
    for scaling_group in group["resources"]["autoScalingGroups"]:
        aws.service("autoscaling", REGION).set_desired_capacity(scaling_group["name"], 3)
    group["scalingConfig"]["desiredSize"] = 3
    apply_node_group(plane, described_machines(aws, REGION, group))
    for name in nodes(api):
        api.merge(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": None}})
    return eks


@pytest.fixture
def run(cloud, plane, monkeypatch, capfd):
    """Run the command: its exit status, its output, and what it says of errors."""
    local = load("local")
    [cluster] = local.clusters.values()
    group = NodeGroup(
        role="executor", architecture="arm64", instance_types=["m6g.large"], minimum=1, maximum=3
    )
    settings = local.model_copy(
        update={
            "organization": "eks",
            "environment": "test",
            "clusters": {"blue": cluster.model_copy(update={"node_groups": {"executor": group}})},
            "home": "blue",
        }
    )
    monkeypatch.setattr(shrink, "load", lambda environment: settings)
    for name, value in AwsServer(cloud).variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(plane.kubeconfig))

    def command(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        said = capfd.readouterr()
        return end.value.code or 0, said.out.splitlines(), said.err

    return command


def nodes(api):
    return {node["metadata"]["name"]: node for node in api.list("/api/v1/nodes", labelSelector=SELECTOR)}


def desired(eks):
    group = eks.describe_nodegroup(clusterName=CLUSTER, nodegroupName="executor")["nodegroup"]
    return group["scalingConfig"]["desiredSize"]


def test_a_group_loses_its_emptiest_machines_and_auto_scaling_makes_no_others(api, eks, run):
    first, *others = nodes(api)
    owner = api.get("/api/v1/namespaces/default")["metadata"]
    reference = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "name": "default",
        "uid": owner["uid"],
        "controller": True,
    }
    pods = "/api/v1/namespaces/default/pods"
    api.create(
        pods,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "busy", "ownerReferences": [reference]},
            "spec": {
                "nodeName": first,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "main", "image": "any"}],
            },
        },
    )

    status, output, errors = run(*ARGUMENTS, "2", "--dry-run")
    assert (status, errors) == (0, "")
    assert output == [f"{name} would go" for name in others]
    assert desired(eks) == 3 and not any(node["spec"].get("unschedulable") for node in nodes(api).values())

    status, output, errors = run(*ARGUMENTS, "2", "--json")
    assert (status, errors) == (0, "")
    assert [json.loads(line) for line in output] == [
        {"machine": name, "state": "ends", "waits": []} for name in others
    ]
    assert list(nodes(api)) == [first]
    assert desired(eks) == 1
    assert api.get(f"{pods}/busy")["status"]["phase"] != "Failed"
    api.delete(f"{pods}/busy")


def test_below_the_minimum_nothing_goes_and_nothing_is_cordoned(api, eks, run):
    status, output, errors = run(*ARGUMENTS, "3")

    assert (status, output) == (1, [])
    assert errors.startswith("3 machines cannot go: executor has 3, and at least 1. Auto Scaling ends none")
    assert not any(node["spec"].get("unschedulable") for node in nodes(api).values())


def test_auto_scaling_refuses_what_goes_below_the_minimum_in_the_words_of_aws(api, eks, run, aws):
    scaling = aws("autoscaling")
    filters = [{"Name": "tag:eks:nodegroup-name", "Values": ["executor"]}]
    [group] = scaling.describe_auto_scaling_groups(Filters=filters)["AutoScalingGroups"]
    assert {one["InstanceId"] for one in group["Instances"]} == {
        node["spec"]["providerID"].rpartition("/")[2] for node in nodes(api).values()
    }
    ends = {"InstanceId": group["Instances"][0]["InstanceId"], "ShouldDecrementDesiredCapacity": True}
    assert run(*ARGUMENTS, "2")[0] == 0
    [left] = nodes(api).values()
    ends["InstanceId"] = left["spec"]["providerID"].rpartition("/")[2]

    with pytest.raises(
        scaling.exceptions.ClientError, match=r"Currently, desiredSize equals minSize \(1\)\."
    ):
        scaling.terminate_instance_in_auto_scaling_group(**ends)
    with pytest.raises(
        scaling.exceptions.ClientError, match="No managed instance found for instance ID: i-0"
    ):
        scaling.terminate_instance_in_auto_scaling_group(**ends | {"InstanceId": "i-0"})


def test_a_machine_that_somebody_cordoned_by_hand_is_neither_chosen_nor_uncordoned(api, eks, run):
    by_hand = min(nodes(api))
    api.merge(f"/api/v1/nodes/{by_hand}", {"spec": {"unschedulable": True}})

    status, _, errors = run(*ARGUMENTS, "2")

    assert (status, errors) == (0, "")
    [(name, node)] = nodes(api).items()
    assert name == by_hand and node["spec"]["unschedulable"] is True


def test_an_unknown_group_or_generation_is_refused_with_those_that_there_are(run):
    assert run("shrink", "test", "blue", "shuffle", "--by", "1") == (
        2,
        [],
        "blue has no node group 'shuffle'; it has executor.\n",
    )
    assert run(*ARGUMENTS, "1", "--generation", "2")[::2] == (
        2,
        "executor has no generation 2; the present one is 1.\n",
    )
