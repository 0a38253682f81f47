"""`moka shrink` as it is run: on a cluster's API server, and on the laptop's Auto Scaling."""

import json
from types import SimpleNamespace

import pytest
import yaml

from commands import shrink
from commands.app import main
from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.nodes import apply_node_group
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.eks_backend import described_machines
from moka.components.aws.node_group_guard import (
    generation_nodes,
    shrink_command,
    waited_for,
    waiting_message,
)
from stacks.settings import load
from stacks.settings.cluster import NodeGroup
from tests.local.eks.test_engine import brought_up
from tests.support.celeborn_server import CelebornServer

ACCOUNT, REGION, CLUSTER = "123456789012", "us-east-1", "eks-test-blue"
SELECTOR = "eks.amazonaws.com/nodegroup=executor"
REFERENCE = {"apiVersion": "v1", "kind": "Namespace", "controller": True}
"""Of an owner that has somebody make a pod again."""
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
    eks.update_nodegroup_config(
        clusterName=CLUSTER,
        nodegroupName="executor",
        scalingConfig={"minSize": 1, "maxSize": 3, "desiredSize": 3},
    )
    group["scalingConfig"] = {"minSize": 1, "maxSize": 3, "desiredSize": 3}
    apply_node_group(plane, described_machines(aws, REGION, group))
    for name in nodes(api):
        api.merge(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": None}})
    return eks


@pytest.fixture
def run(cloud, plane, monkeypatch, capfd):
    """Run the command: its exit status, its output, and what it says of errors."""
    local = load("local")
    [cluster] = local.clusters.values()
    executor = {"role": "executor", "architecture": "arm64", "instance_types": ["m6g.large"]}

    def settings(**sizes):
        group = NodeGroup(**{**executor, "minimum": 1, "maximum": 3, **sizes})
        return local.model_copy(
            update={
                "organization": "eks",
                "environment": "test",
                "clusters": {"blue": cluster.model_copy(update={"node_groups": {"executor": group}})},
                "home": "blue",
            }
        )

    for name, value in AwsServer(cloud).variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(plane.kubeconfig))

    def command(*arguments, **sizes):
        monkeypatch.setattr(shrink, "load", lambda environment: settings(**sizes))
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        said = capfd.readouterr()
        return end.value.code or 0, said.out.splitlines(), said.err

    return command


def nodes(api):
    return {node["metadata"]["name"]: node for node in api.list("/api/v1/nodes", labelSelector=SELECTOR)}


def sizes(eks):
    group = eks.describe_nodegroup(clusterName=CLUSTER, nodegroupName="executor")["nodegroup"]
    return [group["scalingConfig"][name] for name in ("minSize", "desiredSize", "maxSize")]


def desired(eks):
    return sizes(eks)[1]


def test_a_group_loses_its_emptiest_machines_and_auto_scaling_makes_no_others(api, eks, run):
    first, *others = nodes(api)
    owner = api.get("/api/v1/namespaces/default")["metadata"]
    reference = {**REFERENCE, "name": "default", "uid": owner["uid"]}
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


def test_a_group_of_fixed_size_is_shrunk_by_the_command_alone_which_says_what_the_settings_follow_with(
    aws, api, eks, run, monkeypatch
):
    aws("eks").update_nodegroup_config(
        clusterName=CLUSTER, nodegroupName="executor", scalingConfig={"minSize": 3}
    )
    names = list(nodes(api))
    follow = (
        "Set clusters.blue.node_groups.executor.minimum to 1 and clusters.blue.node_groups.executor.maximum "
        "to 1; `up` then leaves its machines as they are. With the settings as they are, `up` with "
        "ARGS=--refresh brings machines back."
    )

    status, output, errors = run(*ARGUMENTS, "2", "--dry-run", minimum=3)
    assert (status, output, errors) == (0, [*(f"{name} would go" for name in names[:2]), follow], "")
    assert sizes(eks) == [3, 3, 3]

    end = shrink.terminate

    def interrupt(place, instance):
        if len(nodes(api)) == 2:
            raise KeyboardInterrupt
        end(place, instance)

    monkeypatch.setattr(shrink, "terminate", interrupt)
    status, output, errors = run(*ARGUMENTS, "2", minimum=3)
    assert status == 130 and "the same command with --by 1 goes on" in errors
    monkeypatch.setattr(shrink, "terminate", end)
    status, output, errors = run(*ARGUMENTS, "1", minimum=3)

    assert (status, errors) == (0, "")
    assert output == [f"{names[1]} ends", "executor may have from 1 to 1 machines", follow]
    assert list(nodes(api)) == names[2:]
    assert sizes(eks) == [1, 1, 1]


def test_a_minimum_is_lowered_as_far_as_it_takes_and_a_schedule_is_named_that_raises_it_again(
    aws, api, eks, run
):
    for change in ({"minSize": 3}, {"maxSize": 5}):
        aws("eks").update_nodegroup_config(
            clusterName=CLUSTER, nodegroupName="executor", scalingConfig=change
        )
    night = {"cron": "0 20 * * *", "minimum": 3}

    status, output, errors = run(*ARGUMENTS, "1", "--json", maximum=5, schedule={"night": night})

    assert (status, errors) == (0, "")
    documents = [json.loads(line) for line in output]
    assert documents[0] == {"group": "executor", "minimum": 2, "maximum": 5}
    assert documents[-1]["settings"] == {"clusters.blue.node_groups.executor.schedule.night.minimum": 2}
    assert sizes(eks) == [2, 2, 5]


def test_what_is_left_of_a_fixed_group_is_what_settings_can_say(aws, api, eks, run):
    status, output, errors = run(*ARGUMENTS, "3", minimum=3)

    assert (status, output) == (1, [])
    assert errors.startswith("executor keeps 1 of its machines at least")
    assert not any(node["spec"].get("unschedulable") for node in nodes(api).values())


def test_eks_refuses_sizes_out_of_order_and_says_of_an_update_that_it_is_over(aws, eks):
    client, key = aws("eks"), {"clusterName": CLUSTER, "nodegroupName": "executor"}

    with pytest.raises(
        client.exceptions.InvalidParameterException,
        match=r"desired capacity 3 can't be greater than max size 2",
    ):
        client.update_nodegroup_config(**key, scalingConfig={"maxSize": 2})
    update = client.update_nodegroup_config(**key, scalingConfig={"minSize": 2})["update"]
    place = {"name": CLUSTER, "nodegroupName": "executor"}
    assert client.describe_update(**place, updateId=update["id"])["update"]["status"] == "Successful"
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_update(**place, updateId="none")
    assert sizes(eks) == [2, 3, 3]


def test_auto_scaling_refuses_what_goes_below_the_minimum_in_the_words_of_aws(api, eks, run, aws):
    scaling = aws("autoscaling")
    filters = [{"Name": "tag:eks:nodegroup-name", "Values": ["executor"]}]
    [group] = scaling.describe_auto_scaling_groups(Filters=filters)["AutoScalingGroups"]
    assert {instance["InstanceId"] for instance in group["Instances"]} == {
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


def test_a_generation_of_shuffle_machines_retires_by_the_command_that_up_names(
    plane, api, eks, run, monkeypatch
):
    eks.update_nodegroup_config(clusterName=CLUSTER, nodegroupName="executor", scalingConfig={"minSize": 0})
    labels = {"moka.dev/node-group": "executor", "moka.dev/generation": "1"}
    for name in nodes(api):
        api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "celeborn"}}])
    accounts = api.follow("/api/v1/namespaces/celeborn/serviceaccounts")
    assert any(account["metadata"]["name"] == "default" for account in accounts)
    names = {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": "worker"}
    workers = "/api/v1/namespaces/celeborn/pods"
    pod = {"nodeName": min(nodes(api)), "tolerations": [{"operator": "Exists"}]}
    owner = api.get("/api/v1/namespaces/celeborn")["metadata"]
    api.create(
        workers,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "celeborn-worker-0",
                "labels": names,
                "ownerReferences": [
                    {**REFERENCE, "name": "celeborn", "uid": owner["uid"]},
                ],
            },
            "spec": {**pod, "containers": [{"name": "main", "image": "any"}]},
        },
    )
    celeborn = CelebornServer()
    requests = SimpleNamespace(
        masters=lambda: [celeborn.leader],
        request=lambda pod, port, path, body=None: celeborn.answer(pod, port, path, body)[1],
    )
    monkeypatch.setattr(shrink, "Pods", lambda context, namespace: requests)
    monkeypatch.setattr(shrink, "sleep", lambda _: None)
    kubeconfig = json.dumps(yaml.safe_load(plane.kubeconfig.read_text()))
    inputs = {"nodeGroupName": "executor", "labels": labels, "tags": {"moka:environment": "test"}}

    waits = waited_for(kubeconfig, "executor")
    command = shrink_command("blue", inputs, len(generation_nodes(kubeconfig, inputs)))
    message = waiting_message("blue", "executor", waits, command)
    assert "ended: worker celeborn/celeborn-worker-0. Workers of Celeborn never end by themselves" in message
    program, *arguments = message.split("`")[1].split()
    status, output, errors = run(*arguments, role="shuffle", generation=2)

    assert (program, status, errors) == ("moka", 0, "")
    assert f"{pod['nodeName']} waits: celeborn-worker-0 to have no more data that a job needs" in output
    assert celeborn.events == [("DECOMMISSIONTHENIDLE", ["celeborn-worker-0"])]
    assert list(nodes(api)) == []
    assert waited_for(kubeconfig, "executor") == []


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
