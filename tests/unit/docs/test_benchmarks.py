"""docs/benchmarks.md has a place for each table of `make bench`, and no other."""

import re

from benchmarks.__main__ import PAGE, TABLES


def test_each_table_of_the_page_is_measured_by_make_bench_and_the_other_way_round():
    page = PAGE.read_text()

    assert sorted(re.findall("<!-- make bench: (.*) -->", page)) == sorted(TABLES)
    assert sorted(re.findall("<!-- end of make bench: (.*) -->", page)) == sorted(TABLES)
