"""The zone of a job's executors."""

import pytest

from moka.jobs.application import spark_application
from moka.jobs.checks import mistakes
from moka.jobs.job import DynamicAllocation, Executor
from moka.jobs.job_target import CelebornDefault
from moka.jobs.pod_size import size
from moka.machines.zone_capacity import ZoneCapacity

LABEL = "topology.kubernetes.io/zone"
ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]


def capacities(*zones, cores=100, memory_gib=800, architecture="arm64", gpu=False):
    return [
        ZoneCapacity(
            zone=zone,
            architecture=architecture,
            gpu=gpu,
            millicores=cores * 1000,
            memory_mib=None if memory_gib is None else memory_gib * 1024,
        )
        for zone in zones
    ]


@pytest.fixture
def chosen(target, job):
    """The zone of a job's executors, None for any: what is different in the target, and in the job -> it."""

    def choose(of_target=None, **of_job):
        some = {"executor_zones": capacities(*ZONES), "executor_zone": "one", **(of_target or {})}
        spec = spark_application(job(**of_job), target(**some))["spec"]
        executor = spec["executor"]
        zone = executor["nodeSelector"].get(LABEL)
        # Placeholders have it from the one, pods from the other.
        assert executor["template"]["spec"]["nodeSelector"].get(LABEL) == zone
        assert LABEL not in spec["driver"]["nodeSelector"]
        return zone

    return choose


@pytest.fixture
def says(target, job):
    """What is said of a job's zone."""

    def find(of_target=None, **of_job):
        some = {"executor_zones": capacities(*ZONES), **(of_target or {})}
        return [
            mistake.says
            for mistake in mistakes(job(**of_job), target(**some))
            if mistake.at == "executor.zone"
        ]

    return find


def test_executors_of_a_job_are_in_one_zone_and_jobs_are_spread_over_all(chosen):
    zones = [chosen(name=f"job-{number}") for number in range(300)]

    assert [chosen(name=f"job-{number}") for number in range(300)] == zones
    assert all(zones.count(zone) > 70 for zone in ZONES)


def test_outputs_of_an_earlier_version_choose_none(chosen):
    assert chosen({"executor_zones": (), "executor_zone": "any"}) is None
    assert chosen({"executor_zones": ()}) is None


def test_a_job_says_otherwise(chosen):
    assert chosen(executor=Executor(zone="any")) is None
    assert chosen(executor=Executor(zone="us-east-1c")) == "us-east-1c"
    assert chosen({"executor_zone": "any"}, executor=Executor(zone="one")) in ZONES
    assert chosen({"executor_zone": "any"}) is None


def test_a_job_that_is_too_large_for_a_zone_goes_anywhere(chosen, job):
    # Half of 100 cores.
    assert chosen(executor=Executor(cores=1, instances=50)) in ZONES
    assert chosen(executor=Executor(cores=1, instances=51)) is None
    assert chosen(executor=Executor(cores=1, dynamic=DynamicAllocation(maximum=51))) is None
    mib = size(job(executor=Executor(memory="40g")), "executor").memory_mib
    assert 9 * mib <= 400 * 1024 < 10 * mib
    assert chosen(executor=Executor(memory="40g", instances=9)) in ZONES
    assert chosen(executor=Executor(memory="40g", instances=10)) is None
    assert (
        chosen({"executor_zones": capacities(*ZONES, memory_gib=None)}, executor=Executor(memory="40g"))
        in ZONES
    )


def test_a_job_is_no_larger_than_its_queue(chosen):
    many = Executor(dynamic=DynamicAllocation(maximum=5_000))
    small = {"queues": {"root.analytics.reports.tier1": {"cpu": "40", "memory": "300Gi"}}}
    large = {"queues": {"root.analytics.reports.tier1": {"cpu": "80", "memory": "300Gi"}}}

    assert chosen(small, executor=many) in ZONES
    assert chosen(large, executor=many) is None


def test_only_zones_with_machines_for_the_job_are_chosen(chosen):
    arm, amd = capacities("us-east-1a"), capacities("us-east-1b", architecture="amd64")
    zones = {"executor_zones": [*arm, *amd, *capacities("us-east-1c", gpu=True)]}

    assert {chosen(zones, name=f"job-{n}") for n in range(9)} == {"us-east-1a"}
    assert {chosen(zones, name=f"job-{n}", architecture="amd64") for n in range(9)} == {"us-east-1b"}
    both = {chosen(zones, name=f"job-{n}", architecture="any") for n in range(9)}
    assert both == {"us-east-1a", "us-east-1b"}


def test_a_zone_has_the_machines_of_all_architectures_for_a_job_of_any(chosen):
    both = [*capacities("us-east-1a"), *capacities("us-east-1a", architecture="amd64")]

    assert (
        chosen({"executor_zones": both}, architecture="any", executor=Executor(instances=60)) == "us-east-1a"
    )
    assert chosen({"executor_zones": both}, executor=Executor(instances=60)) is None


@pytest.mark.parametrize(
    "of_job",
    [{"celeborn": True}, {"executor": Executor(dynamic=DynamicAllocation(maximum=5))}],
    ids=["asked for", "by default"],
)
def test_with_celeborn_executors_go_where_its_workers_are(chosen, of_job):
    jobs = [{"name": f"job-{number}", **of_job} for number in range(9)]

    def zones(*workers, some=jobs):
        of_target = {"celeborn_zones": workers, "celeborn_default": CelebornDefault(clients=["4.1"], cores=1)}
        return {chosen(of_target, **one) for one in some}

    assert zones("us-east-1b") == {"us-east-1b"}
    assert zones(*ZONES) == set(ZONES)
    # In another zone each byte would cross twice.
    assert zones("us-east-1d") == {None}
    assert len(zones("us-east-1b", some=[{"name": job["name"]} for job in jobs])) > 1


@pytest.mark.parametrize(
    ("of_target", "executor", "sentence"),
    [
        ({}, Executor(zone="us-east-1d"), "has no executor nodes there for it; did you mean"),
        ({}, Executor(zone="us-east-1a", instances=101), "can never have 101 executors there; write any, or"),
        ({}, Executor(zone="one", instances=51), "has no zone that holds 51 executors well; write any, or"),
        (
            {"executor_zones": ()},
            Executor(zone="one"),
            "nobody can choose the zone; leave it out, or have its groups",
        ),
        ({"executor_zones": ()}, Executor(zone="us-east-1a"), "nobody can choose the zone; leave it out, or"),
    ],
)
def test_a_zone_that_cannot_be_is_refused(says, of_target, executor, sentence):
    [said] = says(of_target, executor=executor)

    assert sentence in said


@pytest.mark.parametrize("zone", ["anywhere", "phone", "us-east-1a!", "", "US-EAST-1A"])
def test_what_is_no_zone_is_no_job(zone):
    with pytest.raises(ValueError, match="write any, one, or a zone"):
        Executor(zone=zone)


@pytest.mark.parametrize("zone", [None, "any", "one", "us-east-1b"])
def test_what_can_be_is_not(says, zone):
    assert says(executor=Executor(zone=zone)) == []


def test_a_job_that_says_nothing_is_never_refused_for_its_zone(says):
    assert says({"executor_zones": (), "executor_zone": "one"}) == []
    assert says({"executor_zone": "one"}, executor=Executor(instances=500)) == []
