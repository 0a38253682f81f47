import re

import pytest
import yaml

from localcloud.cloud import REPOSITORY
from moka.observability.alerts import ALERTS
from moka.observability.rule import RUNBOOKS, as_yaml

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
