"""What takes longer than a test may, on clouds of its own."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Engine]:
    """An engine, on a cloud of its own, whose project is a copy of this one that a test may change."""
    project = tmp_path / "moka"
    project.mkdir()
    for name in ("stacks", "components", "charts-values"):
        shutil.copytree(REPOSITORY / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "__main__.py", project)
    described = (REPOSITORY / "Pulumi.yaml").read_text().replace(".local/venv", sys.prefix)
    (project / "Pulumi.yaml").write_text(described)
    engine = Engine(Cloud(tmp_path / "cloud"), project)
    commands.start(engine)
    yield engine
    commands.stop(engine)
