"""Two releases of the Spark Operator, each with a namespace of its own, beside one release with both."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.bench import CLOUD
from tests.support.application_load import (
    PROJECTS,
    UNTIL_ENDED,
    Case,
    Cluster,
    Watch,
    cases,
    load_cluster,
    until,
)

APPLICATIONS = int(os.environ.get("MOKA_BENCH_APPLICATIONS", "60"))
"""At once, of a round."""

PER_MINUTE = 60
"""That all releases are sized for; two cores carry less."""

Releases = Mapping[str, Sequence[str]]
"""Release -> its namespaces."""

ONE: Releases = {"spark-operator": PROJECTS}
TWO: Releases = {f"spark-operator-{name}": (name,) for name in PROJECTS}
ROUNDS = (ONE, TWO, TWO, ONE)
"""So that what the cluster has gathered by then falls on both."""

MACHINES, PATIENCE_SECONDS = 4, 1_800


@dataclass(frozen=True)
class Share:
    """What a release did. seconds: until its last driver was made. submitting, own: CPU of both."""

    applications: int
    seconds: float
    submitting: float
    own: float


@dataclass(frozen=True)
class Round:
    """Applications at once, and the shares of the releases.

    server: CPU seconds of the API server. repeated: submissions beyond the first of each.
    """

    shares: list[Share]
    server: float
    repeated: int

    @property
    def rate(self) -> float:
        """Applications submitted a minute, of all."""
        return 60 * APPLICATIONS / max(share.seconds for share in self.shares)

    @property
    def submission(self) -> float:
        """CPU seconds of one."""
        return sum(share.submitting for share in self.shares) / APPLICATIONS

    @property
    def own(self) -> float:
        """CPU seconds of the operators for one."""
        return sum(share.own for share in self.shares) / APPLICATIONS


def table() -> str:
    """Measure; the table."""
    rounds: list[tuple[int, Round]] = []
    with load_cluster(CLOUD, machines=MACHINES, per_minute=PER_MINUTE, finished_pods=1_000) as cluster:
        watch = Watch(cluster.api).start()
        cluster.stop_operator()
        for number, releases in enumerate(ROUNDS):
            outcome = _round(cluster, watch, number, releases)
            rounds.append((len(releases), outcome))
            print(f"operators: {len(releases)}, {outcome.rate:.0f} a minute", flush=True)
    return _lines(rounds)


def _round(cluster: Cluster, watch: Watch, number: int, releases: Releases) -> Round:
    for name, namespaces in releases.items():
        cluster.start_operator(PER_MINUTE // len(releases), namespaces, name)
    load = cases(APPLICATIONS, first=number * APPLICATIONS, runs_for=UNTIL_ENDED)
    before, began = cluster.cpu(), watch.now()
    cluster.submit(load)

    def driver_time(case: Case) -> float | None:
        return next((pod.began for pod in watch.pods_of(case, "driver")), None)

    def progress() -> str:
        return f"{sum(driver_time(case) is not None for case in load)} drivers"

    until(lambda: all(driver_time(case) for case in load), "all drivers are made", PATIENCE_SECONDS, progress)
    # What a submission used is known once it has ended, which is when its application has another state.
    until(lambda: all(watch.state(case) == "RUNNING" for case in load), "all run", PATIENCE_SECONDS)
    use = {name: seconds - before.get(name, 0) for name, seconds in cluster.cpu().items()}
    shares = [
        Share(
            applications=len(own),
            seconds=max(driver_time(case) or 0 for case in own) - began,
            submitting=use[f"spark-operator.{name}'s children"],
            own=use[f"spark-operator.{name}"],
        )
        for name, namespaces in releases.items()
        for own in [[case for case in load if case.project in namespaces]]
    ]
    attempts = sum(watch.statuses[case.name]["submissionAttempts"] for case in load)
    for name in releases:
        # They delete what is left.
        cluster.delete([case for case in load if case.project in releases[name]])
    until(lambda: not cluster.leftovers(), "nothing is left", PATIENCE_SECONDS)
    for name in releases:
        cluster.stop_operator(name)
    return Round(shares, use["kube-apiserver"], attempts - len(load))


def _lines(rounds: list[tuple[int, Round]]) -> str:
    of = {number: [result for releases, result in rounds if releases == number] for number in (1, 2)}
    lines = [
        f"{APPLICATIONS} applications at once, releases sized for {PER_MINUTE} a minute together; "
        f"rounds in the order {', '.join(str(releases) for releases, _ in rounds)}.",
        "",
        "| releases | submitted a minute | CPU of a submission | of the operators for it "
        "| of the API server | submitted again |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {releases} | {result.rate:.1f} | {result.submission:.1f} s | {result.own:.2f} s "
            f"| {result.server / APPLICATIONS:.2f} s | {result.repeated} |"
            for releases, result in rounds
        ),
        "",
        "| two to one | ratio of the medians |",
        "| --- | --- |",
    ]
    for subject, figure in (
        ("submitted a minute", lambda result: result.rate),
        ("CPU of a submission", lambda result: result.submission),
        ("CPU of the operators for it", lambda result: result.own),
    ):
        single, double = (median(map(figure, of[number])) for number in (1, 2))
        lines.append(f"| {subject} | {double / single:.2f} |")
    apart = [
        max(share.seconds for share in result.shares) / min(share.seconds for share in result.shares)
        for result in of[2]
    ]
    lines += ["", f"The later of two releases was done after {max(apart):.2f} times what the earlier took."]
    return "\n".join(lines) + "\n"
