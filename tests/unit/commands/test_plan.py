"""What is printed of plans, with Archer and without."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from moka.allocation import plan as plan_files
from stacks import settings

LOCAL = settings.load("local")
[CLUSTER] = LOCAL.clusters
OURS = LOCAL.cluster_settings(CLUSTER)
[PATH, *_] = [path for path, queue in LOCAL.queue_tree(CLUSTER).leaves() if queue.guaranteed]


@pytest.fixture(autouse=True)
def nobody(monkeypatch):
    """No Archer is named."""
    for name in ("ARCHER_URL", "ARCHER_TOKEN", "ARCHER_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path):
    """Write a plan of one queue with so many jobs at a time; its path."""

    def write(jobs=3, digest=OURS.digest, **changes):
        queue = dict(LOCAL.queue_tree(CLUSTER).leaves())[PATH]
        row = {"guaranteed": queue.guaranteed.quantities(), "max_applications": jobs}
        planned = {PATH: {"hours": [row], "reasons": ["It ran 2 at the most."]}}
        data = {
            "format": "moka-plan/1",
            "id": f"plan-{jobs}",
            "made": "2026-11-26T03:00:00Z",
            "by": "allocator",
            "basis": {
                "engine": "cp-sat",
                "window": {"began": "2026-10-27T00:00:00Z", "ended": "2026-11-26T00:00:00Z"},
                "seed": 1,
                "gap": 0.008,
            },
            "clusters": {
                CLUSTER: {"settings": digest, "queues": planned, "says": ["One node more: nothing."]}
            },
            "routes": {"daily": {"cluster": CLUSTER, "why": "room"}},
            "slos": {"daily": {"tier": 1, "in_force": 0.5, "expected": 0.95}},
            **changes,
        }
        path = tmp_path / f"plan-{jobs}.json"
        path.write_text(json.dumps(data))
        return str(path)

    return write


def test_a_plan_is_shown_from_a_file_with_what_it_changes_and_why(moka, file):
    result = moka("plan", "show", "local", file())

    assert result.status == 0, result.err
    assert result.out.splitlines() == [
        "Plan plan-3, made 2026-11-26T03:00:00Z by allocator: cp-sat, seed 1, at most 0.8% from the best",
        "  of what was used from 2026-10-27T00:00:00Z to 2026-11-26T00:00:00Z",
        "  tier 1: 0 of 1 workflows keep their SLO, 1 with this plan",
        f"  {CLUSTER}: One node more: nothing.",
        "",
        "Compared with the settings:",
        f"  daily goes to {CLUSTER} instead of where it fits.",
        f"  {PATH} on {CLUSTER}: jobs at a time 3 instead of none.",
        "    It ran 2 at the most.",
    ]


def test_a_plan_is_compared_with_another(moka, file):
    result = moka("plan", "show", "local", file(4), "--against", file(3))

    assert f"  {PATH} on {CLUSTER}: jobs at a time 4 instead of 3." in result.out.splitlines()
    assert "daily goes" not in result.out
    assert "  nothing changes." in moka("plan", "show", "local", file(3), "--against", file(3)).out


def test_a_plan_is_drawn_and_is_json(moka, file, tmp_path):
    drawing = tmp_path / "plan.svg"

    assert moka("plan", "show", "local", file(), "--svg", str(drawing)).out.split() == [str(drawing)]
    texts = [one.text for one in ElementTree.parse(drawing).iter() if one.text]
    assert "tier 1: 0 of 1 workflows keep their SLO, 1 with this plan" in texts
    printed = moka("plan", "show", "local", file(), "--json").out
    assert plan_files.loads(printed, "printed").id == "plan-3"


def test_a_plan_that_does_not_fit_the_settings_is_told(moka, file):
    result = moka("plan", "show", "local", file(digest="sha256:" + "0" * 64))

    assert result.status == 1
    assert f"clusters.{CLUSTER}.settings: is of other queues than the settings" in result.err


def test_queues_are_shown_with_a_plan(moka, file):
    with_plan = moka("queues", "local", "--plan", file(7), "--json")

    assert (with_plan.status, with_plan.err) == (0, "")
    assert '"max_applications": 7' in with_plan.out
    assert '"max_applications": 7' not in moka("queues", "local", "--json").out


def test_queues_that_are_not_as_a_plan_has_them_are_said_to_be_so(moka, file):
    plan = json.loads(Path(file()).read_text())
    [row] = plan["clusters"][CLUSTER]["queues"][PATH]["hours"]
    row["guaranteed"]["cpu"] = "1000000"

    too_large = moka("queues", "local", "--plan", file(clusters=plan["clusters"]))
    elsewhere = {"spark-z": plan["clusters"][CLUSTER]}
    of_another = moka("queues", "local", "--plan", file(clusters=elsewhere, routes={}))

    assert too_large.status == of_another.status == 0
    assert too_large.err.startswith(f"{CLUSTER}: the plan: ")
    assert f"is 1000000, more than the maximum of {PATH} in the settings" in too_large.err
    assert of_another.err == (
        f"{CLUSTER}: plan plan-3 has nothing for it; its queues are those of the settings.\n"
    )
    assert of_another.out == moka("queues", "local").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "local", "gone.json"], "gone.json is no file; for a plan that Archer has, set ARCHER_URL."),
        (["list"], "ARCHER_URL is not set, so Archer's address is unknown: set it."),
        (
            ["apply", "monday", "--why", "it is"],
            "ARCHER_URL is not set, so Archer's address is unknown: set it",
        ),
    ],
)
def test_without_archer_what_needs_it_says_so(moka, arguments, says):
    result = moka("plan", *arguments)

    assert result.status == 2
    assert says in result.err


def test_what_is_no_plan_is_told(moka, tmp_path):
    (tmp_path / "wrong.yaml").write_text("format: moka-plan/9\n")

    result = moka("plan", "show", "local", str(tmp_path / "wrong.yaml"))

    assert result.status == 2
    assert "wrong.yaml: format: is 'moka-plan/9'" in result.err
