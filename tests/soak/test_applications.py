"""Hundreds of Spark applications at once: `MOKA_APPLICATIONS`, by default as sizes.py says."""

from dataclasses import replace

from localcloud.cloud import Cloud
from tests.soak.sizes import size
from tests.support.application_load import Watch, application, cases, load_cluster, until

NUMBER = size("MOKA_APPLICATIONS")

# Machines of 64 vCPUs in each of the four groups: all applications find room at once.
MACHINES = 1 + NUMBER // 50
PER_MINUTE = 30
FINISHED_PODS = NUMBER // 10

# Seconds.
PATIENCE = 3600


def test_applications_at_once_all_end_as_their_drivers_do_and_leave_nothing(tmp_path, progress):
    # Drivers take between half a minute and five.
    load = [
        replace(case, runs_for=30 + 37 * index % 270)
        for index, case in enumerate(cases(NUMBER, runs_for=0, retries=1))
    ]
    with load_cluster(
        Cloud(tmp_path), machines=MACHINES, per_minute=PER_MINUTE, finished_pods=FINISHED_PODS
    ) as cluster:
        watch = Watch(cluster.api).start()
        progress(f"{NUMBER} applications, machines {4 * MACHINES}, finished pods kept {FINISHED_PODS}")
        cluster.submit(load)
        created = watch.now()

        def so_far():
            return dict(watch.states()), {kind: n for kind, n in watch.running.items() if n}

        until(lambda: watch.all_over(load), "all are over", PATIENCE, so_far)
        over = watch.now()
        statuses = {case.name: cluster.api.get(application(case))["status"] for case in load}
        cluster.delete(load)
        objects = cluster.leftovers
        until(lambda: not objects(), "nothing is left", PATIENCE, lambda: f"{len(objects())} objects")
        gone = watch.now()

        drivers = [pod for case in load for pod in watch.pods_of(case, "driver")]
        submitted = sorted(pod.began for pod in drivers)
        ran = sorted(pod.ran for pod in drivers if pod.ran is not None)
        for what, number in {
            "created, s": created,
            "first driver made, s": submitted[0],
            "last driver made, s": submitted[-1],
            "drivers made a minute": 60 * len(submitted) / submitted[-1],
            "first driver runs, s": ran[0],
            "last driver runs, s": ran[-1],
            "all over, s": over,
            "all gone once deleted, s": gone - over,
            **{f"most {kind} at a time": number for kind, number in sorted(watch.peak.items())},
            **{f"CPU of {name}, s": seconds for name, seconds in sorted(cluster.cpu().items())},
        }.items():
            progress(f"{what}: {number:,.0f}")

    assert {case.name: outcome(statuses, case) for case in load} == {
        case.name: (case.state, 1 + case.retries) for case in load
    }
    for case in load:
        for role in ("driver", "executor"):
            for placeholder in (False, True):
                pods = [pod for pod in watch.pods_of(case, role, placeholder=placeholder) if pod.node]
                assert {pod.node.rsplit("-", 1)[0] for pod in pods} <= {f"{role}-{case.architecture}"}


def outcome(statuses, case):
    """How an application ended, at which attempt."""
    status = statuses[case.name]
    return status["applicationState"]["state"], status["executionAttempts"]
