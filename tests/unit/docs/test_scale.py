"""docs/scale.md: an environment of ten thousand nodes, counted."""

import re
from dataclasses import replace

import pytest

from localcloud.cloud import REPOSITORY
from stacks import settings
from stacks.scale import DAEMONS, GANG, STORED, TEN_THOUSAND_NODES, as_table, closest, shared_resources

PAGE = (REPOSITORY / "docs" / "scale.md").read_text()
BENCHMARKS = (REPOSITORY / "docs" / "benchmarks.md").read_text()
EXAMPLE = REPOSITORY / "examples" / "ten-thousand-nodes.yaml"


@pytest.fixture(scope="module")
def environment():
    """The example, which the checks of settings take."""
    return settings.parse(EXAMPLE.read_text(), EXAMPLE.name)


@pytest.fixture(scope="module")
def rows(environment):
    return shared_resources(environment, TEN_THOUSAND_NODES)


def names_in(section: str) -> list[str]:
    """First cells of the table below a heading."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return [
        cell for cell in re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE) if cell not in ("what", "---")
    ]


def test_the_example_has_ten_thousand_nodes_and_room_for_the_jobs(environment):
    clusters = environment.clusters.values()
    machines = [group for cluster in clusters for group in cluster.node_groups.values()]

    assert sum(group.maximum for group in machines) == 10_000
    assert environment.history.jobs_per_day == TEN_THOUSAND_NODES.jobs_a_day == 200_000
    assert TEN_THOUSAND_NODES.jobs * (1 + TEN_THOUSAND_NODES.executors) == pytest.approx(50_000)
    # A placeholder beside each pod.
    room = sum(
        group.maximum * ((group.max_pods - DAEMONS) // GANG) for group in machines if group.role == "executor"
    )
    assert room >= TEN_THOUSAND_NODES.jobs * TEN_THOUSAND_NODES.executors


def test_nothing_takes_more_than_it_can(rows):
    assert [row.name for row in rows if row.use > row.limit] == []


def test_the_page_has_the_table_as_it_is(rows):
    assert as_table(rows) in PAGE


def test_the_page_says_of_the_five_closest_what_was_run(rows):
    assert names_in("The five closest") == [row.name for row in closest(rows)]


@pytest.mark.parametrize(
    ("table", "measured", "said"),
    [
        ("history_full", r"\| 1,000,000 \|.*\| (\d+) s \| 300 s", "a scan takes {} s of 300"),
        ("policy_endpoints", r"sent, to what is counted \| ([\d.]+)", "it sent {} of what is counted"),
        ("policy_endpoints", r"a GB that is sent \| ([\d.]+)", "for {} s of CPU a GB"),
        ("services", r"; ([\d,]+) Services of drivers", "with {} of them and their EndpointSlices"),
        ("services", r"with all \| \d+, (\d+) MiB", "a real CoreDNS takes {} MiB with them"),
        ("services", r"with all \| (\d+), \d+ MiB", "with them, {} without"),
    ],
)
def test_what_the_page_says_was_run_is_what_was_measured(table, measured, said):
    [number] = re.findall(
        measured, BENCHMARKS.partition(f"<!-- make bench: {table} -->")[2].partition("<!-- end")[0]
    )

    assert said.format(number) in PAGE


def test_sizes_in_etcd_are_those_that_were_measured():
    measured = BENCHMARKS.partition("<!-- make bench: etcd -->")[2].partition("<!-- end")[0]
    cells = [line.strip("| ").split(" | ") for line in measured.splitlines() if " times | " in line]

    assert {kind: int(taken.replace(",", "")) for kind, *_, taken, _ in cells} == {
        kind: pytest.approx(size, rel=0.05) for kind, size in STORED.items()
    }


def test_the_page_says_what_twice_the_jobs_is_too_much_for(environment):
    twice = replace(TEN_THOUSAND_NODES, jobs_a_day=400_000, pods=100_000)

    assert names_in("Twice as many jobs") == [
        row.name for row in shared_resources(environment, twice) if row.share > 1
    ]
