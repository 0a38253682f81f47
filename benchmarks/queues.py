"""Queues: the time that a hundred and a thousand of them take, from the settings to the scheduler's file."""

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
"""Runs of each step, in turn; the median counts."""

CAPACITY = Resources.of(cpu="400000", memory="3000Ti", gpu=2_000)
OWN_STEPS = ("share out and build", "check", "render")
MAX_SECONDS = 1.0
"""For a thousand leaves, of the steps that are our own."""

Step = Callable[[], Any]


def table() -> str:
    """Measure; the table."""
    seconds = {leaves: _measure(leaves) for leaves in LEAVES}
    few, many = LEAVES
    lines = [
        f"medians of {RUNS}; a tier in three has limits, weights share the capacity out.",
        "",
        f"| step | {few} leaf queues | {many} leaf queues | growth | at most |",
        "| --- | --- | --- | --- | --- |",
    ]
    for step in [*seconds[few], "share out, build, check, render"]:
        small, large = (sum(seconds[leaves].get(part, 0.0) for part in _parts(step)) for leaves in LEAVES)
        limit = f"{MAX_SECONDS:.0f} s" if len(_parts(step)) > 1 else ""
        lines.append(
            f"| {step} | {small * 1000:.0f} ms | {large * 1000:.0f} ms | {large / small:.1f} | {limit} |"
        )
    return "\n".join(lines) + "\n"


def _parts(step: str) -> tuple[str, ...]:
    return OWN_STEPS if step.startswith("share out, ") else (step,)


def _measure(leaves: int) -> dict[str, float]:
    """Step -> its seconds."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "queues.yaml"
        text = queue_file.dumps(queues(leaves))
        document = queue_file.loads(text, "queues")
        tree = _resolve(document)
        file.write_text(queues_yaml(tree))
        steps: dict[str, Step] = {
            "read the file": lambda: queue_file.loads(text, "queues"),
            OWN_STEPS[0]: lambda: _resolve(document),
            OWN_STEPS[1]: lambda: list(problems(tree)),
            OWN_STEPS[2]: lambda: queues_yaml(tree),
            "draw": lambda: as_svg(tree, "queues", CAPACITY),
            "write the file": lambda: queue_file.dumps(document),
            "YuniKorn's own check": lambda: subprocess.run(
                [tools.path("queueconfigchecker"), file], check=True, capture_output=True
            ),
        }
        runs = [{name: _seconds(step) for name, step in steps.items()} for _ in range(RUNS)]
    return {name: median(run[name] for run in runs) for name in steps}


def _seconds(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def _resolve(document: Queues) -> QueueTree:
    tree, mistakes = resolve(document, CAPACITY)
    assert not mistakes, mistakes
    return tree


def queues(leaves: int) -> Queues:
    """Queues with at least a number of leaves: ten organizations, projects with three tiers."""
    projects = -(-leaves // 30)
    limit = {"users": ["*"], "max_applications": 20, "maximum": {"percent": 1}}
    tiers = {
        "1": {"weight": 1, "max_applications": 50},
        "2": {"weight": 4, "maximum": {"percent": 50}, "max_applications": 40, "limits": [limit]},
        "3": {"weight": 1, "maximum": {"percent": 10}, "max_applications": 20},
    }
    return Queues.model_validate(
        {
            "organizations": {
                f"organization-{o}": {
                    "weight": o + 1,
                    "maximum": {"percent": 60},
                    "projects": {
                        f"project-{p}": {"weight": p % 7 + 1, "tiers": tiers} for p in range(projects)
                    },
                }
                for o in range(10)
            }
        }
    )
