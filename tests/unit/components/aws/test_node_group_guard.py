import asyncio
import json

import pulumi
import pytest

from moka.components.aws import node_group_guard
from moka.components.aws.node_group_guard import (
    NodeGroupGuard,
    same_kind,
    same_machines,
    shrink_command,
    waiting_message,
)

TEMPLATE = {
    "description": "AL2023_ARM_64_STANDARD on-demand r8g.4xlarge in us-east-1a at 1.34",
    "userData": "bWF4UG9kcw==",
    "tags": {"Name": "old"},
    "updateDefaultVersion": True,
}


def update(**changes):
    return pulumi.ResourceHookArgs(
        urn="urn:pulumi:dev::moka::aws:ec2/launchTemplate:LaunchTemplate::spark-a-driver",
        id="lt-1",
        name="spark-a-driver",
        type="aws:ec2/launchTemplate:LaunchTemplate",
        old_inputs=TEMPLATE,
        new_inputs=TEMPLATE | changes,
    )


def test_another_kind_of_machines_is_refused_with_what_to_do():
    description = TEMPLATE["description"].replace("r8g", "r7g")

    with pytest.raises(ValueError) as refusal:
        same_kind(update(description=description))

    assert str(refusal.value) == (
        "this would replace the machines of node group spark-a-driver under what runs on them "
        f"({TEMPLATE['description']} -> {description}): count up its generation and list the present one "
        "under retiring, or take the change back"
    )


def test_other_settings_of_the_same_machines_are_refused_only_where_their_pods_cannot_be_moved():
    same_kind(update(userData="b3RoZXI="))
    with pytest.raises(ValueError, match=r"\(userData\): count up its generation"):
        same_machines(update(userData="b3RoZXI="))


def test_what_a_template_says_of_itself_may_change():
    same_machines(update(tags={"Name": "new"}, updateDefaultVersion=False))


COMMAND = "moka shrink prod spark-a shuffle --generation 1 --by 6"


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        (["driver jobs/a"], "once what runs on it has ended: driver jobs/a. It is safe to stop here"),
        (["executor jobs/a"], f"has ended: executor jobs/a. `{COMMAND}` drains executors sooner. It is safe"),
        (
            ["driver jobs/a", "executor jobs/b", "executor jobs/c", "worker celeborn/celeborn-worker-1"],
            "driver jobs/a, executor jobs/b, executor jobs/c and 1 more. Workers of Celeborn never end by "
            f"themselves: `{COMMAND}`, or fewer at a time, drains them. It is safe",
        ),
    ],
)
def test_whoever_waits_is_told_for_what_and_what_does_not_end_by_itself(pods, message):
    assert message in waiting_message("spark-a", "shuffle", pods, COMMAND)


@pytest.mark.parametrize(
    ("inputs", "command"),
    [
        (
            {
                "labels": {"moka.dev/node-group": "shuffle", "moka.dev/generation": "1", "role": "x"},
                "tags": {"moka:environment": "prod"},
            },
            COMMAND,
        ),
        ({"labels": None}, "moka shrink ENVIRONMENT spark-a GROUP --generation NUMBER --by 6"),
    ],
)
def test_the_command_is_that_of_the_generation(inputs, command):
    assert shrink_command("spark-a", inputs, 6) == command


def test_a_group_stays_when_nobody_can_be_asked_for_its_drivers(deploy, monkeypatch):
    monkeypatch.setattr(node_group_guard, "PAUSES_SECONDS", (0, 0, 0))
    # Nobody listens on port 1.
    nowhere = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "gone", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "gone", "user": {}}],
        "contexts": [{"name": "gone", "context": {"cluster": "gone", "user": "gone"}}],
        "current-context": "gone",
    }
    guards = []
    deploy(lambda: guards.append(NodeGroupGuard("spark-a", json.dumps(nowhere))))
    deletion = pulumi.ResourceHookArgs(
        urn="urn", id="spark-a:driver", name="driver", type="group", old_inputs={"nodeGroupName": "driver"}
    )

    async def delete():
        await guards[0].emptied(deletion)

    with pytest.raises(ValueError, match=r"cannot ask spark-a what .* driver \(.*\), so it stays: check"):
        asyncio.run(delete())


def test_a_fixed_group_that_would_be_smaller_is_refused_with_the_command_that_empties_machines(
    deploy, monkeypatch
):
    monkeypatch.setattr(node_group_guard, "nodes", lambda kubeconfig, group: ["a", "b", "c"])
    guards = []
    deploy(lambda: guards.append(NodeGroupGuard("spark-a", "{}")))

    def sized(size):
        scaling = {"minSize": size, "maxSize": size, "desiredSize": size}
        return {"nodeGroupName": "driver", "scalingConfig": scaling}

    change = pulumi.ResourceHookArgs(
        urn="urn", id="spark-a:driver", name="driver", type="group", old_inputs=sized(3), new_inputs=sized(2)
    )

    async def update():
        await guards[0].not_smaller(change)

    with pytest.raises(ValueError, match=r"has 3 nodes, .* come down to 2: have `moka shrink` empty and end"):
        asyncio.run(update())
