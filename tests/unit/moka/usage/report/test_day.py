"""The report of a day that is added up by hand: tests/support/usage_day.py."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from moka.queues.resources import Resources
from moka.usage.records import APPLICATIONS, GAPS, JOBS, PROFILES, Attempt, Gap, Job
from moka.usage.report.day import QUESTIONS, report
from moka.usage.report.rules import InvalidReportRules, ReportRules
from moka.usage.report.sizes import Machine, QueueSize
from planning.history import ask
from tests.support import usage_day, usage_history
from tests.support.usage_day import BEGAN, HOUR, MINUTE, ORDERS, SCIENCE, interval, run, size


@pytest.fixture
def reported(tmp_path):
    """The report of records."""

    def report_of(intervals=(), runs=(), gaps=(), jobs=(), **changes):
        tables = ((PROFILES, intervals), (APPLICATIONS, runs), (GAPS, gaps), (JOBS, jobs))
        for table, records in tables:
            usage_history.write(tmp_path, table, records)
        day = usage_day.day(**changes)
        return report(day, ask(tmp_path, QUESTIONS, day.scope, [day.day]))

    return report_of


@pytest.fixture
def known_day(reported):
    return reported(usage_day.intervals(), usage_day.runs(), [usage_day.GAP])


def test_use_is_counted_in_machines_by_the_resource_of_which_it_takes_most(known_day):
    [a, _] = known_day.clusters

    # Vcores: 24 h of 40 and 4 h of 10. Memory: 24 h of 80 GiB and 4 h of 200.
    assert (a.use.hours.vcores, a.use.hours.memory_gib) == (1000, 2720)
    assert a.use.hours.instances == 100
    # At noon 50 cores are 5 machines, and 280 GiB are 7.
    assert a.use.by_hour[11].instances == 4
    assert a.use.by_hour[12].instances == 7
    assert (a.use.busiest, a.use.peak_share) == (12, 0.7)


def test_tiers_have_their_own_hours_and_shares_of_the_capacity(known_day):
    tiers = {tier.tier: tier for tier in known_day.clusters[0].use.tiers}

    assert tiers[1].hours.instances == 96
    assert tiers[1].share == 0.4
    assert tiers[3].hours.instances == 20
    assert [tiers[3].by_hour[hour].instances for hour in (11, 12, 15, 16)] == [0, 5, 5, 0]


def test_a_workflow_is_judged_by_jobs_where_archer_knows_them(reported):
    # Three attempts of a job, of which each would have been in time, or failed; and a job of two minutes.
    runs = [
        run("orders", 0, minutes=20, outcome="failed"),
        run("orders", 1, minutes=20, outcome="failed"),
        run("orders", 2, minutes=3, outcome="failed"),
    ]

    def job(name, minutes, *numbers):
        at = BEGAN - 5 * MINUTE if name == "yesterday" else BEGAN
        attempts = [
            Attempt(
                number=number + 1,
                cluster="batch-a",
                application=f"orders-{number}",
                submitted=BEGAN + number * HOUR + 3 * MINUTE,
            )
            for number in numbers
        ]
        return Job(
            cluster="batch-a",
            job=name,
            workflow="orders",
            queue=ORDERS,
            state="succeeded",
            accepted=at,
            ended=at + minutes * MINUTE,
            attempts=tuple(attempts),
        )

    def orders(*jobs):
        found = reported(runs=runs, jobs=jobs).clusters[0].workflows
        return {one.name: one for one in found}.get("orders")

    by_applications = orders()
    late = orders(job("0a", 61, 0, 1), job("0b", 59, 2))

    assert (by_applications.runs, by_applications.failed, by_applications.held_seconds) == (3, 3, None)
    assert (late.runs, late.completed, late.failed, late.in_time, late.late) == (2, 2, 0, 1, 1)
    assert (late.share, late.successful) == (0.5, False)
    assert late.held_seconds == 2 * 3600 + 180
    assert late.waiting_seconds == 120


def test_a_workflow_is_successful_when_nine_of_ten_runs_are_in_time(known_day):
    workflows = {workflow.name: workflow for workflow in known_day.clusters[0].workflows}

    orders, billing = workflows["orders"], workflows["billing"]
    assert (orders.judged, orders.in_time, orders.late, orders.successful) == (10, 9, 1, True)
    assert (billing.judged, billing.in_time, billing.failed, billing.successful) == (2, 1, 1, False)
    assert (orders.waiting_seconds, orders.running_seconds, orders.took_seconds) == (60, 3540, 3600)
    [tier] = [slo for slo in known_day.slos if slo.tier == 1]
    assert (tier.judged, tier.successful, tier.share, tier.met) == (2, 1, 0.5, False)


@pytest.mark.parametrize("twice", [True, False])
def test_records_that_are_there_twice_count_once(reported, twice):
    times = 2 if twice else 1
    result = reported([*usage_day.intervals()] * times, [*usage_day.runs()] * times)

    [a, _] = result.clusters
    assert a.use.hours.vcores == 1000
    assert sum(workflow.runs for workflow in a.workflows) == 13
    kinds = {kind.kind: kind.hours for kind in a.kinds}
    # A core and a GiB for an hour, and ten cores that were taken, of each run.
    assert (kinds["used"].vcores, kinds["used"].memory_gib) == (13, 13)
    assert kinds["preempted"].instances == 13


def test_late_records_of_one_run_become_one(reported):
    begun = replace(run("orders", 0, minutes=60), finished=None, outcome="", workflow="")
    ended = run("orders", 0, minutes=60, started=None)

    [orders] = reported(runs=[begun, ended]).clusters[0].workflows

    assert (orders.name, orders.runs, orders.in_time, orders.waiting_seconds) == ("orders", 1, 1, 60)


@pytest.mark.parametrize(
    ("changes", "in_time", "late", "judged"),
    [
        ({"minutes": 60}, 1, 0, 1),
        ({"minutes": 61}, 0, 1, 1),
        ({"minutes": 5, "outcome": "failed"}, 0, 0, 1),
        ({"minutes": 5, "outcome": "stopped"}, 0, 0, 0),
        ({"minutes": 5, "outcome": "completed", "started": None}, 1, 0, 1),
        ({"minutes": -5}, 0, 0, 0),
        # At one o'clock of the next day, hours after it should have ended.
        ({"minutes": 5, "outcome": "", "finished": None}, 0, 1, 1),
    ],
)
def test_a_run_is_judged_by_the_time_from_submission_to_end(reported, changes, in_time, late, judged):
    [orders] = reported(runs=[run("orders", 3, **changes)]).clusters[0].workflows

    assert (orders.in_time, orders.late, orders.judged) == (in_time, late, judged)


def test_a_run_that_has_time_left_is_not_judged(reported):
    open_run = run("orders", 3, minutes=0, finished=None, outcome="")
    made = datetime.fromtimestamp((BEGAN + 3 * HOUR + 59 * MINUTE) / 1000, UTC)

    result = reported(runs=[open_run], made=made)

    [orders] = result.clusters[0].workflows
    assert (orders.judged, orders.unfinished) == (0, 1)
    assert "1 run had not ended: late are only those whose hours were over." in result.clusters[0].says


def test_a_workflow_of_two_clusters_is_one_of_the_environment(reported):
    runs = [run("orders", number, minutes=10) for number in range(9)]
    late = run("orders", 9, minutes=90)

    one_late = reported(runs=[*runs, replace(late, cluster="batch-b")])

    assert [workflow.successful for cluster in one_late.clusters for workflow in cluster.workflows] == [
        True,
        False,
    ]
    [tier] = one_late.slos
    assert (tier.judged, tier.successful) == (1, 1)


def test_cost_is_the_share_of_machines_that_was_in_use(reported):
    noon = interval("orders", ORDERS, 12, cpu=40_000, memory=0)
    dear = interval("train", SCIENCE, 12, cpu=1, memory=80 * 1024, instance_type="r7g.4xlarge")
    nobody_knows = interval("train", SCIENCE, 13, cpu=10_000, memory=0, instance_type="")

    cost = reported([noon, dear, nobody_knows]).clusters[0].cost

    assert cost.usd == pytest.approx(4 + 3 + 1)
    assert cost.by_workflow == {"orders": 4, "train": 4}
    assert cost.by_project == {"retail.orders": 4, "science.models": 4}
    assert cost.by_instance_type == {"m7g.4xlarge": 5, "r7g.4xlarge": 3}


def test_what_has_no_price_is_told_and_not_guessed(reported):
    free = {"m7g.4xlarge": Machine(cpu=10_000, memory=40 * 1024)}

    [a] = reported(usage_day.intervals(), clusters=[size(machines=free)]).clusters

    assert a.cost.usd is None
    [says] = [says for says in a.says if "machine-hours have no price" in says]
    assert says.endswith("`moka prices --refresh` asks AWS for them.")


def test_balance_names_the_resource_that_binds_and_the_family_that_fits(reported):
    heavy = [interval("orders", ORDERS, 3, cpu=10_000, memory=80 * 1024)]

    balance = reported(heavy).clusters[0].balance

    assert (balance.binds, balance.gib_a_vcore, balance.machine_gib_a_vcore) == ("memory", 8, 4)
    assert (balance.idle, balance.family, balance.family_idle) == (0.5, "r", 0)


def test_machines_that_fit_are_left_as_they_are(reported):
    balance = reported([interval("orders", ORDERS, 3, cpu=10_000, memory=36 * 1024)]).clusters[0].balance

    assert balance.binds == "vcores"
    assert balance.family is None


def advice(result):
    return {
        (recommendation.of, recommendation.name, recommendation.action): recommendation
        for recommendation in result.clusters[0].recommendations
    }


def test_a_cluster_with_busy_hours_grows_until_the_busiest_takes_the_target(reported):
    busy = [interval("orders", ORDERS, hour, cpu=90_000, memory=0) for hour in (1, 2, 3)]

    grown = advice(reported(busy))["cluster", "batch-a", "grow"]

    # Nine machines are 75% of twelve.
    assert grown.machines == 2
    assert "3 hours took 85% or more, the busiest 9.0 of 10 machines, 90%, at 01:00" in grown.says


def test_two_busy_hours_are_not_enough_to_grow(reported):
    busy = [interval("orders", ORDERS, hour, cpu=90_000, memory=0) for hour in (1, 2)]

    assert ("cluster", "batch-a", "grow") not in advice(reported(busy))


def test_a_cluster_that_would_be_too_large_is_split(reported):
    busy = [interval("orders", ORDERS, hour, cpu=90_000, memory=0) for hour in (1, 2, 3)]

    split = advice(reported(busy, rules=ReportRules(most=11)))["cluster", "batch-a", "split"]

    assert split.into == 2


def test_a_cluster_that_is_never_half_used_shrinks(reported):
    shrunk = advice(reported([interval("orders", ORDERS, 1, cpu=30_000, memory=0)]))

    # Three machines are 75% of four.
    assert shrunk["cluster", "batch-a", "shrink"].machines == 6


def test_half_a_day_does_not_say_that_a_cluster_is_too_large(reported):
    gap = Gap(cluster="batch-a", began=BEGAN + 12 * HOUR, ended=BEGAN + 24 * HOUR, says="Lost.")

    given = advice(reported([interval("orders", ORDERS, 1, cpu=30_000, memory=0)], gaps=[gap]))

    assert ("cluster", "batch-a", "shrink") not in given


def test_a_queue_that_is_full_and_whose_runs_wait_gets_more(reported):
    runs = [run("orders", 3, minutes=30, waits=20)]

    grown = advice(reported(usage_day.intervals(), runs))["queue", ORDERS, "grow"]

    # It has all of four machines, which are 75% of 5.3.
    assert grown.machines == 2
    assert "100% of its guarantee at 00:00, and 90% of its runs waited up to 20 min" in grown.says


def test_a_full_queue_whose_runs_do_not_wait_is_left_alone(reported):
    given = advice(reported(usage_day.intervals(), [run("orders", 3, minutes=30)]))

    assert ("queue", ORDERS, "grow") not in given


def test_a_queue_at_its_maximum_has_that_raised(reported):
    queues = {ORDERS: QueueSize(maximum=Resources(cpu=40_000))}
    runs = [run("orders", 3, minutes=30, waits=20)]

    grown = advice(reported(usage_day.intervals(), runs, clusters=[size(queues=queues)]))

    assert "raise the maximum by 2 machines" in grown["queue", ORDERS, "grow"].says


@pytest.mark.parametrize(
    ("max_applications", "says"),
    [(None, "by 2 machines."), (20, "by 2 machines. It runs no more than 20 jobs at a time: look whether")],
)
def test_of_a_queue_that_runs_no_more_than_some_jobs_at_a_time_that_is_told(reported, max_applications, says):
    guaranteed = Resources(cpu=40_000, memory=160 * 2**30)
    queues = {ORDERS: QueueSize(guaranteed=guaranteed, max_applications=max_applications)}
    runs = [run("orders", 3, minutes=30, waits=20)]

    grown = advice(reported(usage_day.intervals(), runs, clusters=[size(queues=queues)]))

    assert says in grown["queue", ORDERS, "grow"].says
    assert ("jobs at a time" in grown["queue", ORDERS, "grow"].says) == bool(max_applications)


def test_a_guarantee_that_is_never_half_used_is_lowered(reported):
    idle = [interval("science", SCIENCE, 12, cpu=30_000, memory=0)]

    lowered = advice(reported(idle))["queue", SCIENCE, "shrink"]

    # Three of eight machines; with four the busiest hour takes 75%.
    assert lowered.machines == 4


def test_a_cluster_without_records_says_so_and_its_gap_why(known_day):
    b = known_day.clusters[1]

    assert "There are no records of batch-b of 2026-11-25, neither of its use nor of its runs." in b.says
    [gap] = b.unknown
    assert (gap.began, gap.ended, gap.says) == ("00:00", "01:30", "The scheduler started anew.")
    assert b.use.known == 22.5
    assert b.recommendations == ()


def test_an_hour_that_is_half_known_is_averaged_over_the_half(reported):
    half = interval("orders", ORDERS, 0, cpu=40_000, memory=0, began=BEGAN + HOUR // 2)
    gaps = [
        Gap(cluster="batch-a", began=BEGAN, ended=BEGAN + HOUR // 2, says="One."),
        Gap(cluster="batch-a", began=BEGAN + HOUR // 4, ended=BEGAN + HOUR // 2, says="Another."),
    ]

    use = reported([half], gaps=gaps).clusters[0].use

    assert use.known == 23.5
    assert use.by_hour[0].vcores == 40


def test_a_gap_that_ended_before_the_day_is_none_of_it(reported):
    gap = Gap(cluster="batch-a", began=BEGAN - HOUR, ended=BEGAN, says="Yesterday's.")

    [a, _] = reported(usage_day.intervals(), gaps=[gap]).clusters

    assert a.unknown == ()


def test_a_clock_that_went_back_is_told(reported):
    back = "The scheduler's clock went back by 90 s: until it has made up, no time passes."
    gap = Gap(cluster="batch-a", began=BEGAN + HOUR, ended=BEGAN + HOUR, says=back)

    [a] = reported(usage_day.intervals(), [run("orders", 3, minutes=-5)], [gap], clusters=[size()]).clusters

    assert [one.says for one in a.unknown] == [back]
    assert any("contradict each other" in says for says in a.says)


def test_a_day_that_is_not_over_is_known_until_now(reported):
    made = datetime(2026, 11, 25, 6, tzinfo=UTC)

    [a] = reported([interval("orders", ORDERS, 1, 1, 1)], made=made, clusters=[size()]).clusters

    assert a.use.known == 6
    assert [one.says for one in a.unknown] == ["The day is not over."]


def test_a_capacity_of_zero_is_told_and_what_was_used_is_shown(reported):
    [a] = reported(
        usage_day.intervals(), clusters=[size(resources=Resources(cpu=0, memory=0), queues={})]
    ).clusters

    assert a.capacity is None
    assert "batch-a has a capacity of 0: of what it used it cannot be said how much that is." in a.says
    assert (a.use.share, a.use.hours.vcores) == (None, 1000)
    assert a.recommendations == ()


def test_a_day_without_anything_is_a_report_that_says_so(reported):
    result = reported(clusters=[size()])

    [a] = result.clusters
    assert "There are no records of batch-a of 2026-11-25, neither of its use nor of its runs." in a.says
    assert "No run is judged: no workflow that ran has an SLO." in result.says
    assert result.usd is None


def test_workflows_that_nobody_knows_and_that_did_not_run_are_told(known_day):
    assert "Did not run, and are not judged: asleep." in known_day.says
    assert any(says.startswith("1 run named no workflow") for says in known_day.clusters[0].says)


def test_the_document_has_its_format_and_the_rules_that_led_to_it(known_day):
    document = json.loads(known_day.as_json())

    assert document["format"] == "moka-usage-report/1"
    assert document["day"] == "2026-11-25"
    assert document["rules"]["busy"] == 85
    assert document["clusters"][0]["use"]["tiers"][0]["hours"]["instances"] == 96


@pytest.mark.parametrize(
    ("rules", "says"),
    [({"idle": 80}, "they rise"), ({"most": 0}, "most is 0: it is at least 1.")],
)
def test_rules_that_contradict_themselves_are_refused(rules, says):
    with pytest.raises(InvalidReportRules, match=says):
        ReportRules(**rules)
