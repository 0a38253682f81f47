import re

import pytest
import yaml

from localcloud.cloud import REPOSITORY
from moka.observability.alerts import ALERTS
from moka.observability.rule import RUNBOOKS, Alert, as_yaml
from services.archer.keeper import keeper as archer_keeper
from services.history_gate import keeper as history_keeper

NUMBERS = {"a": 1, "an": 1, "half": 0.5, "two": 2, "three": 3, "five": 5, "ten": 10}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "m": 60, "h": 3600}

OF_PROGRAMS = {
    "ArcherNotKept": {archer_keeper.SECONDS},
    "EventLogsNotJoined": {1500 - history_keeper.SILENT_SECONDS},
}
"""Times in sections that no rule has, but the programs that they are about."""

PAGE = (REPOSITORY / RUNBOOKS).read_text()
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_has_a_section_for_each_alert_and_no_others():
    assert list(SECTIONS) == [alert.name for alert in ALERTS]


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_says_where_to_look_what_to_do_and_when_not_to_worry(name):
    text = SECTIONS[name]

    assert text.strip().split("\n")[0][0].isupper(), "first, what it means"
    assert re.search(r"^- Look", text, re.MULTILINE)
    assert re.search(r"^- (Do:|Look and do:)", text, re.MULTILINE)
    assert re.search(r"^- Not a reason to worry: ", text, re.MULTILINE)


def test_each_alert_is_found_by_its_name_and_leads_to_its_section():
    groups = yaml.safe_load(as_yaml(ALERTS))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]

    assert len({rule["alert"] for rule in rules}) == len(rules) == len(ALERTS)
    for rule in rules:
        assert rule["annotations"]["runbook_url"] == f"docs/operations/alerts.md#{rule['alert'].lower()}"


def test_what_a_summary_names_is_a_label_that_the_expression_leaves():
    grouped = re.compile(r"\bby \(([^)]*)\)")
    for alert in ALERTS:
        named = set(re.findall(r"\$labels\.(\w+)", alert.summary))
        left = [set(labels.split(", ")) for labels in grouped.findall(alert.expression)]
        if left:
            assert named <= set.union(*left) - {"le"}, alert.name


def times_in(text: str) -> set[float]:
    """Seconds of the times that a text names: 15 minutes, an hour, half an hour."""
    named = re.findall(r"\b(\d+|a|an|half|two|three|five|ten) (second|minute|hour|day)s?\b", text)
    return {float(NUMBERS.get(number, number)) * SECONDS[unit] for number, unit in named}


def times_of(alert: Alert) -> set[float]:
    """Seconds that a rule goes by: how long it has to hold, what it compares with, and both together."""
    compared = {float(number) for number in re.findall(r"\b\d+(?:\.\d+)?\b", alert.expression)}
    windows = {float(n) * SECONDS[unit] for n, unit in re.findall(r"(\d+)([mh])\b", alert.expression)}
    held = alert.minutes * 60
    return compared | windows | {held} | {held + number for number in compared}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_the_times_that_a_section_begins_with_are_those_of_the_rule(alert):
    meaning = SECTIONS[alert.name].strip().split("\n\n")[0].replace("\n", " ")

    assert times_in(meaning) - times_of(alert) - OF_PROGRAMS.get(alert.name, set()) == set()
