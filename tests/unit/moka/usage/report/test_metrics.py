"""The numbers of a report as Prometheus reads them."""

from prometheus_client.parser import text_string_to_metric_families

from moka.collectors.metric_names import SOURCES
from moka.metric_prefixes import USAGE_REPORT
from moka.usage.records import APPLICATIONS, PROFILES
from moka.usage.report.day import QUESTIONS, report
from moka.usage.report.metrics import ADVICE, GAUGES, as_metrics
from planning.history import ask
from tests.support import usage_day, usage_history


def test_what_is_collected_are_all_gauges_of_a_report():
    assert {f"{USAGE_REPORT}{gauge.name}" for gauge in GAUGES} == set(SOURCES["usage report"].metrics)


def test_prometheus_own_parser_reads_what_the_report_says(tmp_path):
    usage_day.write(tmp_path)
    day = usage_day.day()
    text = as_metrics(report(day, ask(tmp_path, QUESTIONS, day.scope, [day.day])))

    families = {family.name: family for family in text_string_to_metric_families(text)}

    # Nothing is to be changed on that day.
    assert set(families) == {f"{USAGE_REPORT}{gauge.name}" for gauge in GAUGES if gauge is not ADVICE}
    assert {family.type for family in families.values()} == {"gauge"}
    values = {
        (sample.name.removeprefix(USAGE_REPORT), *sample.labels.values()): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert values["hours", "batch-a", "1", "instances"] == 96
    assert values["capacity", "batch-a", "vcores"] == 100
    assert values["workflows_judged", "batch-a", "1"] == 2
    assert values["workflows_successful", "batch-a", "1"] == 1
    assert values["runs_in_time", "batch-a", "1"] == 10
    assert values["known_ratio", "batch-b"] == 22.5 / 24
    assert values["cost_usd", "batch-a", "1"] == 96
    assert values["day_seconds", "batch-a"] * 1000 == usage_day.BEGAN


def test_a_day_without_anything_has_no_use_rather_than_none_of_it(tmp_path):
    usage_history.write(tmp_path, PROFILES, [])
    usage_history.write(tmp_path, APPLICATIONS, [])
    day = usage_day.day()

    text = as_metrics(report(day, ask(tmp_path, QUESTIONS, day.scope, [day.day])))

    assert f"{USAGE_REPORT}capacity" in text
    assert f"{USAGE_REPORT}peak_ratio" not in text
    assert f"{USAGE_REPORT}hours" not in text
