import pytest

from tests.support.wrong_settings import Changes

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "nodes that go before their executors do": (
        {"charts": {"values": {"cluster-autoscaler": {"extraArgs": {"scale-down-unneeded-time": "1m"}}}}},
        "charts.values.cluster-autoscaler.extraArgs.scale-down-unneeded-time: is 1m, but idle "
        "executors stay for 60s by default; choose a longer time, or nodes go before their executors "
        "do.",
    ),
    "a delay that is no duration": (
        {"charts": {"values": {"cluster-autoscaler": {"extraArgs": {"scale-down-unneeded-time": 600}}}}},
        "scale-down-unneeded-time: is 600, which is no duration; write one such as 10m or 1h30m.",
    ),
    "more requests to an API server than its tier is for": (
        {
            "clusters.spark-a.control_plane_tier": "tier-xl",
            "charts": {"values": {"yunikorn": {"yunikornDefaults": {"kubernetes.qps": "250"}}}},
        },
        "charts.values.yunikorn.yunikornDefaults.kubernetes.qps: is 250 requests a second, but the control "
        "plane of clusters.spark-a is tier-xl, for 167 pods a second; leave it out, or make it tier-2xl.",
    ),
    "a service account that has no Pod Identity": (
        {"charts": {"values": {"fluent-bit": {"serviceAccount": {"name": "logger"}}}}},
        "charts.values.fluent-bit.serviceAccount.name: is 'logger', but its pods have their AWS "
        "permissions as 'fluent-bit'; remove it.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
