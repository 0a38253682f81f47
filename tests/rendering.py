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

CHECKOUT = Path(__file__).parents[1]
CHARTS = Path(os.environ.get("MOKA_CHARTS") or CHECKOUT.parent / "shared" / "charts").expanduser()
HELM = CHECKOUT / ".local" / "bin" / "helm"


def chart_at_hand(name: str) -> Path:
    """Folder of a chart, its default values at least; skips the test where there is none."""
    if not (CHARTS / name / "values.yaml").is_file():
        pytest.skip(f"chart {name} is not at hand: name a folder of charts in MOKA_CHARTS")
    return CHARTS / name


def whole_chart_at_hand(name: str) -> Path:
    """Folder of a chart with its templates; skips the test where there is none, or no Helm."""
    chart = chart_at_hand(name)
    if not (chart / "templates").is_dir() or not HELM.exists():
        pytest.skip(f"chart {name} has no templates here, or there is no Helm: name charts in MOKA_CHARTS")
    return chart


def template(chart: Path, release: str, namespace: str, values: Mapping[str, Any]) -> str:
    """What Helm makes of a chart and values, hooks included. Raises AssertionError with what it says."""
    return _template(chart, release, namespace, json.dumps(values, sort_keys=True))


@cache
def _template(chart: Path, release: str, namespace: str, values: str) -> str:
    told = subprocess.run(
        [HELM, "template", release, chart, "--namespace", namespace, "--values", "-"],
        input=values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def manifests(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a release, as its resource's inputs say it."""
    chart = whole_chart_at_hand(release["chart"].rpartition("/")[2])
    text = template(chart, release["name"], release["namespace"], release["values"])
    return [
        each for each in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if each
    ]
