import pytest

from moka import catalog
from policies.cadvisor import no_referenced_memory_scan, scan_flag
from policies.pack.resource import UNKNOWN, Resource
from policies.pack.types import RELEASE

DEFAULT_BUT_ONE = "advtcp,cpu_topology,cpuset,hugetlb,memory_numa,process,resctrl,sched,tcp,udp"
IMAGE = "ghcr.io/google/cadvisor:0.54.0"


def violations(type, inputs):
    return list(no_referenced_memory_scan(Resource(type, "watcher", "urn", inputs), {}))


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
        ("apps/v1:DaemonSet", daemon("--enable_metrics=referenced_memory")),
        ("apps/v1:Deployment", daemon("--disable_metrics=tcp")),
        (
            "apps/v1:StatefulSet",
            daemon(command=["/usr/bin/cadvisor", "--disable_metrics=tcp"], image="own/thing"),
        ),
        ("core/v1:Pod", daemon("--disable_metrics=tcp")["spec"]["template"]),
        ("batch/v1:CronJob", {"spec": {"jobTemplate": daemon("--disable_metrics=tcp")}}),
    ],
)
def test_a_workload_that_runs_cadvisor_so_is_refused_by_the_name_of_its_container(kind, workload):
    [violation] = violations(f"kubernetes:{kind}", workload)

    assert violation.startswith("Container watcher of ")
    assert "scans referenced memory (--" in violation


@pytest.mark.parametrize(
    "workload", [daemon(), daemon("--disable_metrics=tcp", image="docker.io/other/program:1"), {}]
)
def test_other_workloads_may_ship(workload):
    assert not violations("kubernetes:apps/v1:DaemonSet", workload)


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"cadvisor": {"container": {"additionalArgs": ["--disable_metrics=tcp"]}}}, "additionalArgs"),
        ({"extraArgs": {"disable_metrics": "percpu,tcp"}}, "extraArgs.disable_metrics"),
        ({"agents": [{"command": "cadvisor -enable_metrics=referenced_memory"}]}, "agents[0].command"),
    ],
)
def test_values_of_a_release_that_switch_it_on_are_refused_by_their_path(values, path):
    [violation] = violations(RELEASE, {"values": values})

    assert path in violation


def test_what_is_known_beside_a_value_that_is_not_known_yet_is_judged():
    values = {"cluster": UNKNOWN, "args": ["--enable_metrics=referenced_memory"]}

    assert violations(RELEASE, {"values": values})
    assert not violations(RELEASE, {"values": {"args": ["--disable_metrics", UNKNOWN]}})


def test_no_values_of_ours_switch_it_on():
    for release, values in catalog.read().values.items():
        assert not violations(RELEASE, {"values": values}), release
