import json

import pytest

from jobs.machines import Group, largest
from jobs.platform import Celeborn, Platform


def platform(**changes):
    return Platform(
        **{
            "cluster": "spark-a",
            "environment": "test",
            "region": "us-east-1",
            "queues": {"root.analytics.reports.tier1": {"cpu": "64", "memory": "512Gi"}},
            "namespaces": ["spark-jobs"],
            "priority_classes": {1: "moka-tier-1"},
            "machines": largest([Group(role="driver", architecture="arm64", instance_types=["r7g.2xlarge"])]),
            "event_logs": "s3a://logs/",
            "staging": {"spark-jobs": "s3a://staging/spark-jobs/"},
            "images": {"4.1": "spark:4.1.2"},
            "ui_domain": "spark-a.example",
            "history_url": "http://history.example",
            "celeborn": Celeborn(endpoints="celeborn:9097", version="0.7.0"),
            "finalizer": "moka.dev/driver",
            **changes,
        }
    )


@pytest.mark.parametrize("changes", [{}, {"celeborn": None, "finalizer": None}])
def test_what_a_stack_exports_is_read_back_the_same(changes):
    before = platform(**changes)
    # As the engine hands it on: without what is None, and with every number a float.
    exported = json.loads(json.dumps(before.as_outputs()), parse_int=float)
    exported = {key: value for key, value in exported.items() if value is not None}

    after = Platform.from_outputs(exported)

    assert after.as_outputs() == before.as_outputs()
    assert after.machine("driver", "arm64") == before.machine("driver", "arm64")


def test_what_the_outputs_lack_is_named():
    exported = platform().as_outputs()
    del exported["queues"], exported["region"]

    with pytest.raises(ValueError, match="the outputs lack region, queues"):
        Platform.from_outputs(exported)


def test_a_pod_has_less_than_its_machine():
    (machine,) = largest([Group(role="driver", architecture="arm64", instance_types=["r7g.2xlarge"])])

    assert 7_000 < machine.millicores < 8_000
    assert 56 * 1024 < machine.memory_mib < 64 * 1024


def test_the_largest_machine_of_all_groups_of_a_role_counts():
    machines = largest(
        [
            Group(role="executor", architecture="arm64", instance_types=["r7gd.4xlarge", "r7g.8xlarge"]),
            Group(role="executor", architecture="arm64", instance_types=["c7gd.16xlarge"]),
            Group(role="executor", architecture="amd64", instance_types=["g5.48xlarge", "r7id.large"]),
            Group(role="shuffle", architecture="arm64", instance_types=["i8g.48xlarge"]),
        ]
    )

    amd64, arm64 = machines
    assert (arm64.millicores // 1000, arm64.memory_mib // 1024) == (63, 246)
    assert not arm64.local_disks
    assert amd64.millicores < 2_000
    assert amd64.local_disks


def test_more_memory_than_the_names_tell_is_not_ruled_out():
    types = ["m7i.large", "u7i-12tb.224xlarge"]
    (machine,) = largest([Group(role="executor", architecture="amd64", instance_types=types)])

    assert machine.memory_mib is None


def test_an_architecture_needs_machines_for_drivers_and_executors():
    machines = largest(
        [
            Group(role="driver", architecture="arm64", instance_types=["m7g.large"]),
            Group(role="executor", architecture="arm64", instance_types=["m7g.large"]),
            Group(role="executor", architecture="amd64", instance_types=["m7i.large"]),
        ]
    )

    assert platform(machines=machines).architectures() == ["arm64"]
