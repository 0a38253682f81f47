"""Charts at hand, and what Helm makes of them."""

import json
import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from localcloud import tools

CHARTS = Path(os.environ.get("MOKA_CHARTS") or Path(__file__).parents[3] / "shared" / "charts").expanduser()
"""A folder with a folder a chart; beside the checkout there may be one of charts without templates."""


def chart_at_hand(name: str) -> Path:
    """Folder of a chart, with its default values at least; skips the test if there is none."""
    if not (CHARTS / name / "values.yaml").is_file():
        pytest.skip(f"chart {name} is not at hand: name a folder of charts in MOKA_CHARTS")
    return CHARTS / name


def whole_chart_at_hand(name: str) -> Path:
    """Folder of a chart with its templates; skips the test if there is none, or no Helm."""
    chart = chart_at_hand(name)
    if not (chart / "templates").is_dir():
        pytest.skip(f"chart {name} is at hand without templates: name a folder of charts in MOKA_CHARTS")
    if tools.missing(["helm"]):
        pytest.skip("there is no Helm: run `make tools`")
    return chart


def template(chart: Path, release: str, namespace: str, values: Mapping[str, Any]) -> str:
    """What Helm makes of a chart and values, hooks included. Raises AssertionError with what it says."""
    return _template(chart, release, namespace, json.dumps(values, sort_keys=True))


@cache
def _template(chart: Path, release: str, namespace: str, values: str) -> str:
    process = subprocess.run(
        [tools.path("helm"), "template", release, chart, "--namespace", namespace, "--values", "-"],
        input=values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def manifests(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a release, from the inputs of its resource."""
    chart = whole_chart_at_hand(release["chart"].rpartition("/")[2])
    text = template(chart, release["name"], release["namespace"], release["values"])
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [manifest for manifest in yaml.load_all(text, Loader=loader) if manifest]
