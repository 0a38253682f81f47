import re

import pytest

from localcloud.cloud import REPOSITORY
from moka.sizes.series import of_application

PAGE = (REPOSITORY / "docs" / "operations" / "metrics.md").read_text()


@pytest.mark.parametrize("executors", [0, 20])
def test_an_application_of_so_many_executors_is_bounded(executors):
    assert of_application(executors) == 60 + 3 * executors


def test_the_page_says_how_many_series_a_thousand_applications_make():
    [stated] = re.findall(r"a thousand applications of 20 executors\s+make ([\d,]+) series", PAGE)

    assert int(stated.replace(",", "")) == 1000 * of_application(20)
