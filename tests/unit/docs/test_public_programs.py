"""README's figure of public programs, against their list."""

import re

from localcloud.cloud import REPOSITORY
from tests.support.public_programs import PROGRAMS

README = (REPOSITORY / "README.md").read_text()


def test_readme_counts_and_names_the_programs_that_come_up():
    up = [program for program in PROGRAMS if not program.stops_at]

    [(all_of_them, come_up)] = re.findall(
        r"Of (\d+) public programs in Python.*?, (\d+) come up", README, re.DOTALL
    )

    assert (int(all_of_them), int(come_up)) == (len(PROGRAMS), len(up))
    for program in up:
        inside = program.path.partition("/")[2].removeprefix("examples/")
        assert f"`{inside}`" in README
