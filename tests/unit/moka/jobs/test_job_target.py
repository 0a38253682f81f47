import json

import pytest

from moka.jobs.job_target import JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_machines


@pytest.mark.parametrize("changes", [{}, {"celeborn": None, "finalizer": None}])
def test_what_a_stack_exports_is_read_back_the_same(target, changes):
    before = target(**changes)
    # As the engine hands it on: without what is None, and with every number a float.
    exported = json.loads(json.dumps(before.as_outputs()), parse_int=float)
    exported = {key: value for key, value in exported.items() if value is not None}

    after = JobTarget.from_outputs(exported)

    assert after.as_outputs() == before.as_outputs()
    assert after.machine("driver", "arm64") == before.machine("driver", "arm64")


def test_what_the_outputs_lack_is_named(target):
    exported = target().as_outputs()
    del exported["queues"], exported["region"]

    with pytest.raises(ValueError, match="the outputs lack region, queues"):
        JobTarget.from_outputs(exported)


def test_a_pod_has_less_than_its_machine():
    (machine,) = largest_machines(
        [NodeGroupShape(role="driver", architecture="arm64", instance_types=["r7g.2xlarge"])]
    )

    assert 7_000 < machine.millicores < 8_000
    assert 56 * 1024 < machine.memory_mib < 64 * 1024


def test_the_largest_machine_of_all_groups_of_a_role_counts():
    machines = largest_machines(
        [
            NodeGroupShape(
                role="executor", architecture="arm64", instance_types=["r7gd.4xlarge", "r7g.8xlarge"]
            ),
            NodeGroupShape(role="executor", architecture="arm64", instance_types=["c7gd.16xlarge"]),
            NodeGroupShape(
                role="executor", architecture="amd64", instance_types=["g5.48xlarge", "r7id.large"]
            ),
            NodeGroupShape(role="shuffle", architecture="arm64", instance_types=["i8g.48xlarge"]),
        ]
    )

    amd64, arm64 = machines
    assert (arm64.millicores // 1000, arm64.memory_mib // 1024) == (63, 246)
    assert not arm64.local_disks
    assert amd64.millicores < 2_000
    assert amd64.local_disks


def test_more_memory_than_the_names_tell_is_not_ruled_out():
    types = ["m7i.large", "u7i-12tb.224xlarge"]
    (machine,) = largest_machines(
        [NodeGroupShape(role="executor", architecture="amd64", instance_types=types)]
    )

    assert machine.memory_mib is None


def test_an_architecture_needs_machines_for_drivers_and_executors(target):
    machines = largest_machines(
        [
            NodeGroupShape(role="driver", architecture="arm64", instance_types=["m7g.large"]),
            NodeGroupShape(role="executor", architecture="arm64", instance_types=["m7g.large"]),
            NodeGroupShape(role="executor", architecture="amd64", instance_types=["m7i.large"]),
        ]
    )

    assert target(machines=machines).architectures() == ["arm64"]
