"""Queues: what a hundred and a thousand of them take, from the settings to what a scheduler is given."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from localcloud import tools
from moka.queues import QueueTree, Resources, queue_file, queues_yaml
from moka.queues.definitions import Queues
from moka.queues.picture import as_svg
from moka.queues.problems import problems
from moka.queues.resolution import resolve

LEAVES = (100, 1_000)
RUNS = 7
"""Of each, taken in turn; the median counts."""

CAPACITY = Resources.of(cpu="400000", memory="3000Ti", gpu=2_000)
OURS = ("share out and build", "check", "render")
MOST = 1.0
"""Seconds that we hold ourselves to, for a thousand leaves."""

Step = Callable[[], Any]


def table() -> str:
    """Measure, and tell."""
    taken = {leaves: _taken(leaves) for leaves in LEAVES}
    few, many = LEAVES
    lines = [
        f"medians of {RUNS}; a tier in three has limits, weights share the capacity out.",
        "",
        f"| step | {few} leaf queues | {many} leaf queues | growth | at most |",
        "| --- | --- | --- | --- | --- |",
    ]
    for step in [*taken[few], "share out, build, check, render"]:
        one, other = (sum(taken[leaves].get(each, 0.0) for each in _parts(step)) for leaves in LEAVES)
        most = f"{MOST:.0f} s" if len(_parts(step)) > 1 else ""
        lines.append(f"| {step} | {one * 1000:.0f} ms | {other * 1000:.0f} ms | {other / one:.1f} | {most} |")
    return "\n".join(lines) + "\n"


def _parts(step: str) -> tuple[str, ...]:
    return OURS if step.startswith("share out, ") else (step,)


def _taken(leaves: int) -> dict[str, float]:
    """Seconds of each step."""
    with TemporaryDirectory() as folder:
        rendered = Path(folder) / "queues.yaml"
        text = queue_file.dumps(queues(leaves))
        said = queue_file.loads(text, "queues")
        made = _made(said)
        rendered.write_text(queues_yaml(made))
        steps: dict[str, Step] = {
            "read the file": lambda: queue_file.loads(text, "queues"),
            OURS[0]: lambda: _made(said),
            OURS[1]: lambda: list(problems(made)),
            OURS[2]: lambda: queues_yaml(made),
            "draw": lambda: as_svg(made, "queues", CAPACITY),
            "write the file": lambda: queue_file.dumps(said),
            "YuniKorn's own check": lambda: subprocess.run(
                [tools.path("queueconfigchecker"), rendered], check=True, capture_output=True
            ),
        }
        runs = [{name: _seconds(step) for name, step in steps.items()} for _ in range(RUNS)]
    return {name: median(run[name] for run in runs) for name in steps}


def _seconds(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def _made(said: Queues) -> QueueTree:
    made, mistakes = resolve(said, CAPACITY)
    assert not mistakes, mistakes
    return made


def queues(leaves: int) -> Queues:
    """Queues with so many leaves at least: ten organizations, projects with three tiers."""
    projects = -(-leaves // 30)
    limit = {"users": ["*"], "max_applications": 20, "maximum": {"percent": 1}}
    tiers = {
        "1": {"weight": 1, "max_applications": 50},
        "2": {"weight": 4, "maximum": {"percent": 50}, "limits": [limit]},
        "3": {"weight": 1, "maximum": {"percent": 10}},
    }
    return Queues.model_validate(
        {
            "organizations": {
                f"organization-{o}": {
                    "weight": o + 1,
                    "maximum": {"percent": 60},
                    "max_applications": 5_000,
                    "projects": {
                        f"project-{p}": {"weight": p % 7 + 1, "tiers": tiers} for p in range(projects)
                    },
                }
                for o in range(10)
            }
        }
    )
