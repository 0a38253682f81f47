from moka.machines.machine_capacity import NodeGroupShape, largest_machines


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
    assert (arm64.millicores // 1000, arm64.memory_mib // 1024) == (63, 238)
    assert not arm64.local_disks
    assert amd64.millicores < 2_000
    assert amd64.local_disks


def test_more_memory_than_the_names_tell_is_not_ruled_out():
    types = ["m7i.large", "u7i-12tb.224xlarge"]
    (machine,) = largest_machines(
        [NodeGroupShape(role="executor", architecture="amd64", instance_types=types)]
    )

    assert machine.memory_mib is None
