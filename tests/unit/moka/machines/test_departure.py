import pytest

from moka.machines.departure import Bounds, DepartureRefused, Machine, departing, stay

ROOM = {"executor": Bounds(minimum=1, desired=7)}


def machine(name, zone="a", *stays, group="executor", **facts):
    return Machine(name=name, group=group, zone=zone, stays=stays, **facts)


def names(machines):
    return [one.name for one in machines]


def pod(namespace="jobs", *, owner="Pod", phase="Running", annotations=None, **labels):
    owners = [{"kind": owner, "controller": True}] if owner else []
    metadata = {"name": "it", "namespace": namespace, "ownerReferences": owners, "annotations": annotations}
    return {
        "metadata": {**metadata, "labels": {key.replace("_", "-"): value for key, value in labels.items()}},
        "status": {"phase": phase},
    }


def test_those_go_first_that_least_has_to_be_waited_for():
    machines = [
        machine("drivers", "a", "driver"),
        machine("worker", "a", "worker"),
        machine("executors", "a", "movable", "movable"),
        machine("empty", "a"),
        machine("executor", "a", "movable"),
        machine("single", "a", "single"),
    ]

    assert names(departing(machines, 6, ROOM)) == [
        "empty",
        "executor",
        "executors",
        "worker",
        "single",
        "drivers",
    ]


def test_a_group_that_spans_zones_stays_even():
    machines = [
        *(machine(f"a{n}", "a", "movable") for n in range(3)),
        *(machine(f"b{n}", "b") for n in range(2)),
        machine("c0", "c"),
    ]

    chosen = departing(machines, 3, ROOM)

    assert names(chosen) == ["a0", "b0", "a1"]
    assert sorted(one.zone for one in machines if one not in chosen) == ["a", "b", "c"]


def test_of_groups_of_a_zone_each_the_emptiest_machine_goes_whatever_its_zone():
    machines = [
        machine("a0", "a", "driver", group="driver-a"),
        machine("a1", "a", "driver", group="driver-a"),
        machine("b0", "b", group="driver-b"),
    ]
    bounds = {"driver-a": Bounds(minimum=0, desired=2), "driver-b": Bounds(minimum=0, desired=1)}

    assert names(departing(machines, 1, bounds)) == ["b0"]


def test_what_was_cordoned_by_hand_is_left_alone_and_what_an_earlier_run_chose_goes_first():
    machines = [
        machine("by-hand", cordoned=True),
        machine("chosen", "a", "driver", cordoned=True, leaving=True),
        machine("other", "a", "movable"),
    ]

    assert names(departing(machines, 1, ROOM)) == ["chosen"]
    assert names(departing(machines, 2, ROOM)) == ["chosen", "other"]


def test_no_group_goes_below_its_minimum():
    machines = [machine("a0", group="g-a"), machine("b0", group="g-b"), machine("b1", group="g-b")]
    bounds = {"g-a": Bounds(minimum=1, desired=1), "g-b": Bounds(minimum=1, desired=2)}

    assert names(departing(machines, 1, bounds)) == ["b0"]
    with pytest.raises(DepartureRefused) as refusal:
        departing(machines, 2, bounds)
    assert str(refusal.value) == (
        "2 machines cannot go: g-a has 1, and keeps 1; g-b has 2, and keeps 1. Ask for fewer"
    )


def test_whoever_asks_for_too_many_reads_which_were_cordoned_by_hand():
    with pytest.raises(DepartureRefused, match=r"\(x stay, as somebody cordoned them by hand\)"):
        departing([machine("x", cordoned=True)], 1, ROOM)


@pytest.mark.parametrize(
    ("live", "means"),
    [
        (pod(spark_role="driver"), "driver"),
        (pod(spark_role="driver", phase="Succeeded"), None),
        (pod(spark_role="executor"), "movable"),
        (pod("celeborn", owner="StatefulSet", **{"app.kubernetes.io/role": "worker"}), "worker"),
        (pod("celeborn", owner="StatefulSet", **{"app.kubernetes.io/role": "master"}), "movable"),
        (pod("kube-system", owner="DaemonSet"), None),
        (pod("kube-system", owner="", annotations={"kubernetes.io/config.mirror": "x"}), None),
        (pod(owner=""), "single"),
    ],
)
def test_what_the_end_of_its_machine_means_for_a_pod(live, means):
    assert stay(live) == means
