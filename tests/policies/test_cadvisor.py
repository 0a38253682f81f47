import pytest
from pulumi_policy.proxy import UNKNOWN_ARRAY_VALUE, UNKNOWN_STRING_VALUE, unknown_checking_proxy

from moka import catalog
from policies.cadvisor import plain_inputs, pod_violations, scan_flag, value_violations

DEFAULT_BUT_ONE = "advtcp,cpu_topology,cpuset,hugetlb,memory_numa,process,resctrl,sched,tcp,udp"
IMAGE = "ghcr.io/google/cadvisor:0.54.0"


def daemon(*args, image=IMAGE, **container):
    pods = {"containers": [{"name": "watcher", "image": image, "args": list(args), **container}]}
    return {"spec": {"template": {"spec": pods}}}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--enable_metrics=cpu,referenced_memory"],
        ["-enable_metrics", "referenced_memory"],
        ["--enable_metrics=referenced_memory", "--disable_metrics=referenced_memory"],
        [f"--disable_metrics={DEFAULT_BUT_ONE}"],
        ["--disable_metrics="],
        ["--disable_metrics=percpu", "--housekeeping_interval=30s"],
        ["exec cadvisor --docker_only --disable_metrics='tcp,udp' --port=80"],
    ],
)
def test_arguments_that_switch_the_scan_on_are_seen(arguments):
    assert scan_flag(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--housekeeping_interval=30s"],
        ["--enable_metrics=cpu,memory"],
        ["--enable_metrics=cpu", "--disable_metrics=tcp"],
        [f"--disable_metrics={DEFAULT_BUT_ONE},referenced_memory"],
        ["--referenced_reset_interval=10"],
    ],
)
def test_arguments_that_leave_it_off_may_ship(arguments):
    assert scan_flag(arguments) is None


@pytest.mark.parametrize(
    ("kind", "workload"),
    [
        ("DaemonSet", daemon("--enable_metrics=referenced_memory")),
        ("Deployment", daemon("--disable_metrics=tcp")),
        ("StatefulSet", daemon(command=["/usr/bin/cadvisor", "--disable_metrics=tcp"], image="own/thing")),
        ("Pod", daemon("--disable_metrics=tcp")["spec"]["template"]),
        ("CronJob", {"spec": {"jobTemplate": daemon("--disable_metrics=tcp")}}),
    ],
)
def test_a_workload_that_runs_cadvisor_so_is_refused_by_the_name_of_its_container(kind, workload):
    [violation] = pod_violations(kind, workload)

    assert violation.startswith("Container watcher scans referenced memory (--")


@pytest.mark.parametrize(
    ("kind", "workload"),
    [
        ("DaemonSet", daemon()),
        ("DaemonSet", daemon("--disable_metrics=tcp", image="docker.io/other/program:1")),
        ("DaemonSet", {}),
        ("ConfigMap", {"data": {"args": "--enable_metrics=referenced_memory"}}),
    ],
)
def test_other_workloads_may_ship(kind, workload):
    assert not list(pod_violations(kind, workload))


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"cadvisor": {"container": {"additionalArgs": ["--disable_metrics=tcp"]}}}, "additionalArgs"),
        ({"extraArgs": {"disable_metrics": "percpu,tcp"}}, "extraArgs.disable_metrics"),
        ({"agents": [{"command": "cadvisor -enable_metrics=referenced_memory"}]}, "agents[0].command"),
    ],
)
def test_values_of_a_release_that_switch_it_on_are_refused_by_their_path(values, path):
    [violation] = value_violations(values)

    assert path in violation


def test_a_value_that_is_not_known_yet_is_no_violation():
    props = unknown_checking_proxy(
        {
            "values": {
                "clusterName": UNKNOWN_STRING_VALUE,
                "args": ["--disable_metrics", UNKNOWN_STRING_VALUE],
                "more": UNKNOWN_ARRAY_VALUE,
            }
        }
    )

    assert not list(value_violations(plain_inputs(props)["values"]))


def test_what_is_known_beside_it_is_judged():
    props = unknown_checking_proxy(
        {"values": {"cluster": UNKNOWN_STRING_VALUE, "args": ["--enable_metrics=referenced_memory"]}}
    )

    assert list(value_violations(plain_inputs(props)["values"]))


def test_no_values_of_ours_switch_it_on():
    for release, values in catalog.read().values.items():
        assert not list(value_violations(values)), release
