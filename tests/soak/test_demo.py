"""`make demo` as it is by itself: 2,000 workflows."""

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.demo import demo, lines, quoted


def test_thirty_days_of_two_thousand_workflows_are_shown_as_the_page_says(tmp_path, progress):
    engine = Engine(Cloud(tmp_path / "cloud"))
    try:
        assert commands.up(engine, "local", ("--non-interactive",)) == 0
        printed = demo(engine, "--folder", str(tmp_path / "demo"))
    finally:
        commands.stop(engine)

    progress("\n".join(line for line in printed.splitlines() if line.endswith(" s]")))
    assert lines("".join(quoted())) - lines(printed) == set()
    assert "on spark-a: 94,500 runs" in printed
    assert "2,000 of 2,000 were not known so" in printed
    # Twenty jobs at a time are too few for the second tier, and the plan has more.
    assert "  tier 2: " in printed and "%: missed" in printed.partition("  tier 2: ")[2].splitlines()[0]
    assert "root.analytics.reports.tier2 on spark-a: jobs at a time " in printed
