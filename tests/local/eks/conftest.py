"""Small Pulumi projects that live as long as a module of tests."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DESCRIPTION = "name: {name}\nruntime:\n  name: python\n  options:\n    virtualenv: {virtualenv}\n"


@pytest.fixture(scope="module")
def small_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Write a project: its name and its program's text -> its folder."""

    def write(name: str, program: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        (folder / "Pulumi.yaml").write_text(DESCRIPTION.format(name=name, virtualenv=sys.prefix))
        (folder / "__main__.py").write_text(program)
        return folder

    return write
