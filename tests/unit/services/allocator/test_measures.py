from dataclasses import replace
from datetime import UTC, datetime

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from moka.usage.report.day import QUESTIONS, report
from moka.usage.report.metrics import as_metrics, samples
from planning.history import ask
from services.allocator.day import DayReport
from services.allocator.desk import OwnPlan, PlanStanding
from services.allocator.failure import Failure
from services.allocator.measures import Measures
from services.allocator.night import Night
from services.common.metrics import Metrics
from tests.support import usage_day

NOW = datetime(2026, 11, 26, 4, tzinfo=UTC)
EARLIER = datetime(2026, 11, 26, 3, tzinfo=UTC)
NIGHT = Night(
    result="waits",
    plan="tonight",
    proposed=EARLIER,
    gap=0.01,
    says=("queues: change more.",),
    refused=("waits-for-a-person",),
    seconds={"archer": 1.0, "history": 9.0, "search": 13.0},
    workflows=3,
)


def parsed(text):
    """Name and labels -> value."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


class Page:
    """What Prometheus would read."""

    def __init__(self):
        self._metrics = Metrics("allocator")
        self.measures = Measures(self._metrics, EARLIER)

    @property
    def all(self):
        return parsed(generate_latest(self._metrics.registry).decode())

    def __getitem__(self, name):
        """A value, or several by their labels."""
        found = {
            tuple(value for _, value in sorted(labels)): value
            for (own, labels), value in self.all.items()
            if own == f"moka_allocator_{name}"
        }
        return found.get((), found)


def test_a_plan_that_waits_says_so_in_the_words_of_archer_until_the_next():
    page = Page()

    page.measures.show_failure("plan", Failure("archer-away", "Archer is away."), EARLIER)
    assert page["failing"] == {("plan", "archer-away"): 1}
    assert page["says"] == {("failed", "Archer is away."): 1}
    assert page["last_failure_seconds"] == EARLIER.timestamp() and page["last_success_seconds"] == 0
    page.measures.show_night(NIGHT, NOW)

    assert page["failing"] == {} and page["says"] == {("waits", "queues: change more."): 1}
    assert page["attempts_total"] == {("proposed",): 0, ("applied",): 0, ("waits",): 1, ("failed",): 1}
    assert page["refused_total"] == {("waits-for-a-person",): 1}
    assert page["last_plan_seconds"] == EARLIER.timestamp()
    assert page["last_success_seconds"] == NOW.timestamp()
    assert page["plan_seconds"] == {("archer",): 1, ("history",): 9, ("search",): 13}
    assert (page["plan_gap_ratio"], page["workflows_proposed_total"]) == (0.01, 3)
    page.measures.show_night(replace(NIGHT, result="applied", says=(), refused=()), NOW)
    assert page["says"] == {} and page["attempts_total"][("applied",)] == 1


def test_one_that_starts_knows_of_archer_when_the_last_plan_was_made():
    page = Page()

    last_plan = OwnPlan(id="tonight", state="applied", made=EARLIER, proposed=EARLIER)
    page.measures.show_standing(PlanStanding(last_plan=last_plan, plan="tonight", since=NOW))
    assert page["last_plan_seconds"] == page["last_success_seconds"] == EARLIER.timestamp()
    assert page["in_force_seconds"] == NOW.timestamp()
    page.measures.show_standing(PlanStanding(last_plan=last_plan, plan=None, since=NOW))
    assert page["in_force_seconds"] == 0


def test_a_report_that_fails_is_no_plan_that_does():
    page = Page()

    page.measures.show_failure("report", Failure("bucket", "S3 is away."), NOW)
    page.measures.show_night(NIGHT, NOW)
    assert page["failing"] == {("report", "bucket"): 1}
    page.measures.show_report(DayReport(usage_day.DATE, {}))
    assert page["failing"] == {} and page["report_day_seconds"] == usage_day.BEGAN / 1000


def test_the_report_is_shown_as_the_command_writes_it(tmp_path):
    usage_day.write(tmp_path)
    day = usage_day.day()
    document = report(day, ask(tmp_path, QUESTIONS, day.scope, [day.day]))
    page = Page()

    page.measures.show_report(DayReport(day.day, samples(document)))

    written = parsed(as_metrics(document))
    assert len(written) > 20
    shown = {key: value for key, value in page.all.items() if key[0].startswith("moka_usage_")}
    assert shown.keys() == written.keys()
    assert all(abs(shown[key] - value) <= 1e-9 * abs(value) for key, value in written.items())
