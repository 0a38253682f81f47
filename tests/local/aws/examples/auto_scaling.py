"""Auto Scaling: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import Changes, Console, Example


def scaling_group(w):
    return w.output("node_group", "resources")[0]["autoscalingGroups"][0]["name"]


EXAMPLES = [
    Example(
        "aws:autoscaling/group:Group",
        lambda w: {
            "minSize": 1,
            "maxSize": 3,
            "desiredCapacity": 2,
            "launchTemplate": {"name": w.output("template", "name"), "version": "1"},
            "vpcZoneIdentifiers": [w.subnet],
            "instanceRefresh": {"strategy": "Rolling"},
            "tags": [
                {"key": "team", "value": "data", "propagateAtLaunch": True},
                {"key": "Name", "value": "one", "propagateAtLaunch": False},
            ],
        },
        lambda w: {
            "maxSize": 5,
            "desiredCapacity": 4,
            "healthCheckGracePeriod": 60,
            "tags": [{"key": "team", "value": "other", "propagateAtLaunch": True}],
        },
        lambda w: {"name": "another"},
    ),
    Example(
        "aws:autoscaling/schedule:Schedule",
        lambda w: {
            "autoscalingGroupName": scaling_group(w),
            "scheduledActionName": "night",
            "minSize": 20,
            "maxSize": -1,
            "desiredCapacity": -1,
            "recurrence": "0 20 * * *",
            "timeZone": "Europe/Zurich",
        },
        lambda w: {"minSize": 0, "desiredCapacity": 10, "recurrence": "0 21 * * *"},
        lambda w: {"scheduledActionName": "day"},
        imported=lambda resource: f"{resource.inputs['autoscalingGroupName']}/night",
    ),
    Example(
        "aws:autoscaling/tag:Tag",
        lambda w: {
            "autoscalingGroupName": scaling_group(w),
            "tag": {
                "key": "k8s.io/cluster-autoscaler/node-template/label/moka.dev/role",
                "value": "executor",
                "propagateAtLaunch": False,
            },
        },
        lambda w: {
            "tag": {
                "key": "k8s.io/cluster-autoscaler/node-template/label/moka.dev/role",
                "value": "shuffle",
                "propagateAtLaunch": True,
            }
        },
    ),
]


def change_group(console: Console, resource: Resource) -> None:
    console.edit("autoscaling", "group", resource.id, MaxSize=9)


def change_schedule(console: Console, resource: Resource) -> None:
    console.edit(
        "autoscaling",
        "schedule",
        resource.inputs["autoscalingGroupName"],
        resource.id,
        Recurrence="1 2 3 4 *",
    )


def change_group_tag(console: Console, resource: Resource) -> None:
    name = resource.inputs["tag"]["key"]
    console.edit("autoscaling", "tag", resource.inputs["autoscalingGroupName"], name, Value="by hand")


CHANGES_BY_HAND: Changes = {
    "aws:autoscaling/group:Group": change_group,
    "aws:autoscaling/schedule:Schedule": change_schedule,
    "aws:autoscaling/tag:Tag": change_group_tag,
}
