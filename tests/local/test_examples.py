"""The program in examples/, which uses components and nothing else of moka."""

import ast
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from tests.support.installed_wheels import environment_with

PROGRAM = REPOSITORY / "examples" / "components"


@pytest.fixture
def example(tmp_path: Path):
    """The example on a cloud of its own, with moka as pip installs it."""
    project = shutil.copytree(PROGRAM, tmp_path / "components")
    environment_with(project / "venv", [REPOSITORY])
    (project / "Pulumi.demo.yaml").write_text(
        "config:\n  components:deployer: arn:aws:iam::123456789012:user/laptop\n"
    )
    engine = Engine(Cloud(tmp_path / "cloud"), project)
    yield engine
    commands.stop(engine)


def test_it_brings_up_nodes_of_both_architectures(example):
    assert commands.up(example, "demo", ("--non-interactive",)) == 0

    nodes = subprocess.run(
        ["kubectl", "get", "nodes", "-o", "json"], env=example.environment(), capture_output=True, text=True
    )
    labels = [node["metadata"]["labels"] for node in json.loads(nodes.stdout)["items"]]
    assert sorted(label["kubernetes.io/arch"] for label in labels) == ["amd64", "arm64"]


def test_it_uses_components_alone_and_is_short():
    text = (PROGRAM / "__main__.py").read_text()
    imported = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]

    assert [module for module in imported if not module.startswith("moka.components.")] == []
    assert len(text.splitlines()) < 65
