"""docs/benchmarks.md: what was measured is within its `at most`, or the page says that it is not; and each
table of `make bench` has its place."""

import re
from collections.abc import Iterator

import pytest

from benchmarks.__main__ import TABLES
from localcloud.cloud import REPOSITORY

PAGE = (REPOSITORY / "docs" / "benchmarks.md").read_text()

AMOUNT = re.compile(r"([\d.,]+)(?: (\w+))?$")


def amount(cell: str) -> tuple[float, str] | None:
    """A number and its unit, `1.25` or `50 ms`; None where a cell has another text, or several."""
    match = AMOUNT.match(cell.strip())
    return (float(match[1].replace(",", "")), match[2] or "") if match else None


def limits() -> Iterator[tuple[str, str, str, str]]:
    """Section, row, what was measured, and the limit beside it, wherever both are of one unit."""
    for section in PAGE.split("\n## ")[1:]:
        for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
            head, _, *rows = [line.strip("|").split("|") for line in table.splitlines()]
            names = [name.strip() for name in head]
            if "at most" not in names:
                continue
            at = names.index("at most")
            for row in rows:
                measured, limit = row[at - 1].strip(), row[at].split(", ")[0].strip()
                if amount(measured) and amount(limit) and amount(measured)[1] == amount(limit)[1]:
                    yield section, row[0].strip(), measured, limit


LIMITS = list(limits())


@pytest.mark.parametrize("section, row, measured, limit", LIMITS, ids=[row for _, row, *_ in LIMITS])
def test_what_is_beyond_its_limit_is_said_to_be(section, row, measured, limit):
    words = re.sub(r"^\|.*\n", "", section, flags=re.MULTILINE)

    within = amount(measured)[0] <= amount(limit)[0]
    assert within or (measured in words and "beyond" in words), f"{row}: {measured}, at most {limit}"


def test_there_are_limits():
    assert len(LIMITS) > 10


def test_the_page_has_a_place_for_each_table_of_make_bench_and_for_no_other():
    assert sorted(re.findall("<!-- make bench: (.*) -->", PAGE)) == sorted(TABLES)
    assert sorted(re.findall("<!-- end of make bench: (.*) -->", PAGE)) == sorted(TABLES)
