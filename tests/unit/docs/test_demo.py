"""What the page of the demo says of it, against the demo."""

import re
from collections import Counter
from datetime import date

import pytest

from demo import fleet, history, steps
from demo.__main__ import MOST
from localcloud.cloud import REPOSITORY
from stacks.offers import offer
from stacks.settings import load
from tests.support.documented import in_one_line

PAGE = in_one_line((REPOSITORY / "docs" / "demo.md").read_text())


@pytest.fixture(scope="module")
def habits():
    """Those of the demo as it is by itself."""
    settings = load(steps.ENVIRONMENT)
    return fleet.habits([offer(settings, name) for name in settings.clusters], 2_000)


def test_the_workflows_are_as_many_as_the_page_says(habits):
    tiers = Counter(habit.tier for habit in habits)
    queues = Counter(habit.queue for habit in habits)

    said = {int(tier): int(of) for tier, of in re.findall(r"tier (\d): \d+ of (\d+) workflows", PAGE)}
    assert said == tiers
    assert f"though {queues['root.analytics.reports.tier2']} workflows are in that queue" in PAGE
    assert f"{len(habits):,} workflows and what they used" in PAGE


def test_the_page_says_what_the_settings_have():
    reports = load(steps.ENVIRONMENT).queue_tree("spark-a")
    [tier2] = [queue for path, queue in reports.leaves() if path == "root.analytics.reports.tier2"]

    assert f"no more than {tier2.max_applications} jobs of tier 2 at a time" in PAGE
    assert f"before 8 cores and 64 GiB, {tier2.max_applications} jobs at a time" in PAGE


def test_the_page_says_which_days_part_and_sizes_there_are():
    assert f"number of their own, {steps.PART}" in PAGE
    assert f"from 10 to {MOST - 1:,}" in PAGE
    assert len(history.window(date(2026, 11, 26))) == 30 and "Thirty days up to yesterday" in PAGE
