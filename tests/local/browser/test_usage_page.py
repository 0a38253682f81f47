"""The page of a day's report in a real browser: on a narrow screen, on light ground and on dark."""

import pytest

from moka.usage.report.day import QUESTIONS, report
from moka.usage.report.page import as_page
from planning.history import ask
from tests.support import chromium, usage_day
from tests.support.loops import run_apart

pytestmark = chromium.NEEDED

LOOK = """() => ({
  wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  pictures: [...document.querySelectorAll('svg')].map(one => one.getBoundingClientRect().width),
  bar: getComputedStyle(document.querySelector('svg rect.tier1')).fill,
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page, as a file."""
    folder = usage_day.write(tmp_path_factory.mktemp("history"))
    day = usage_day.day()
    file = folder / "usage.html"
    file.write_text(as_page(report(day, ask(folder, QUESTIONS, day.scope, [day.day]))))
    return file


def seen(page, scheme):
    """What a browser makes of it on a screen of a telephone."""

    async def look():
        async with chromium.tab() as tab:
            await tab.page.set_viewport_size({"width": 400, "height": 800})
            await tab.page.emulate_media(color_scheme=scheme)
            await tab.open(page.as_uri())
            tree = await tab.page.get_by_role("img").all()
            names = [await one.get_attribute("aria-label") for one in tree]
            return await tab.page.evaluate(LOOK), names, tab.wrong

    return run_apart(look())


@pytest.mark.parametrize(
    ("scheme", "ground", "ink"),
    [("light", "rgb(255, 255, 255)", "rgb(31, 35, 40)"), ("dark", "rgb(13, 17, 23)", "rgb(230, 237, 243)")],
)
def test_the_page_fits_a_narrow_screen_on_either_ground(page, scheme, ground, ink):
    look, names, wrong = seen(page, scheme)

    assert wrong == []
    assert look["wider"] <= 0
    assert (look["ground"], look["ink"]) == (ground, ink)
    # Three resources by hour, balance, and SLOs of the cluster and of all.
    assert len(look["pictures"]) == 6 and all(0 < width <= 400 for width in look["pictures"])
    assert len(names) == 6 and all(names)
    assert look["bar"] != "rgb(0, 0, 0)"
