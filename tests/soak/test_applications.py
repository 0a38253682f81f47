"""Hundreds of Spark applications at once; `MOKA_APPLICATIONS` says how many, 500 by default."""

import os
from dataclasses import replace

from localcloud.cloud import Cloud
from tests.support.application_load import OVER, Seen, application, cases, cluster, until

NUMBER = int(os.environ.get("MOKA_APPLICATIONS", "500"))

# Machines of 64 vCPUs in each of the four groups: all applications find room at once.
MACHINES = 1 + NUMBER // 50
PER_MINUTE = 30
FINISHED_PODS = NUMBER // 10

# Seconds.
PATIENCE = 3600


def test_applications_at_once_all_end_as_their_drivers_do_and_leave_nothing(tmp_path, capsys):
    # Drivers take between half a minute and five.
    some = [
        replace(case, runs_for=30 + 37 * index % 270)
        for index, case in enumerate(cases(NUMBER, runs_for=0, retries=1))
    ]
    with (
        capsys.disabled(),
        cluster(
            Cloud(tmp_path), machines=MACHINES, per_minute=PER_MINUTE, finished_pods=FINISHED_PODS
        ) as made,
    ):
        seen = Seen(made.api).watch()
        print(f"\n{NUMBER} applications, machines {4 * MACHINES}, finished pods kept {FINISHED_PODS}")
        made.submit(some)
        created = seen.now()

        def progress():
            return dict(seen.states()), {kind: number for kind, number in seen.running.items() if number}

        until(lambda: all(seen.state(case) in OVER for case in some), "all are over", PATIENCE, progress)
        over = seen.now()
        statuses = {case.name: made.api.get(application(case))["status"] for case in some}
        made.delete(some)
        until(lambda: not made.left(), "nothing is left", PATIENCE, lambda: f"{len(made.left())} objects")
        gone = seen.now()

        submitted = sorted(pod.began for case in some for pod in seen.of(case, "driver"))
        ran = sorted(pod.ran for case in some for pod in seen.of(case, "driver") if pod.ran is not None)
        for what, number in {
            "created, s": created,
            "first driver made, s": submitted[0],
            "last driver made, s": submitted[-1],
            "drivers made a minute": 60 * len(submitted) / submitted[-1],
            "first driver runs, s": ran[0],
            "last driver runs, s": ran[-1],
            "all over, s": over,
            "all gone once deleted, s": gone - over,
            **{f"most {kind} at a time": number for kind, number in sorted(seen.most.items())},
            **{f"CPU of {name}, s": seconds for name, seconds in sorted(made.cpu().items())},
        }.items():
            print(f"{what}: {number:,.0f}")

    assert {case.name: status(statuses, case) for case in some} == {
        case.name: (case.state, 1 + case.retries) for case in some
    }
    for case in some:
        for role in ("driver", "executor"):
            for placeholder in (False, True):
                pods = [pod for pod in seen.of(case, role, placeholder=placeholder) if pod.node]
                assert {pod.node.rsplit("-", 1)[0] for pod in pods} <= {f"{role}-{case.architecture}"}


def status(statuses, case):
    """How an application ended, at which attempt."""
    one = statuses[case.name]
    return one["applicationState"]["state"], one["executionAttempts"]
