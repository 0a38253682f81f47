"""The command line as a whole: what `moka --help` lists, and what starting it loads."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import COMMANDS, leaf_commands

FOLDER = Path(__file__).resolve().parents[3] / "commands"
APIS = {
    "archer_api",
    "log_bucket",
    "celeborn_api",
    "machines_api",
    "price_list_api",
    "s3_api",
    "yunikorn_api",
}
SHARED = {
    "arguments",
    "distributions",
    "group_sizes",
    "history_source",
    "plan_source",
    "workflow_file",
    "preview_files",
    "refusals",
    "repository_files",
    "reviewing",
}
NOT_SUBCOMMANDS = {"__init__", "__main__", "app", *SHARED, *APIS}

IMPORT_ALL = """
import pkgutil, sys
import commands, commands.app, delivery, doctor, report
for package in (commands, delivery, doctor, report):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(("__main__", "delivery.recording")):
            __import__(module.name)
print(*(name for name in sys.modules if name.split(".")[0].startswith("pulumi")))
"""


def test_help_lists_every_module_that_is_a_subcommand(moka):
    modules = {path.stem for path in FOLDER.glob("*.py")} - NOT_SUBCOMMANDS

    assert set(COMMANDS.commands) == {name.replace("_", "-") for name in modules}
    result = moka("--help")
    assert result.status == 0
    listed = result.out.split("Commands:\n")[1]
    assert [name for name in COMMANDS.commands if f"\n  {name} " not in f"\n{listed}"] == []
    assert "..." not in listed, "the first sentence of a subcommand is short enough for the list"


@pytest.mark.parametrize("name", leaf_commands())
def test_the_help_of_a_subcommand_explains_every_parameter_and_has_an_example(moka, name):
    command = leaf_commands()[name]

    text = moka(*name.split(), "--help").out

    assert [parameter.name for parameter in command.params if not getattr(parameter, "help", None)] == []
    assert f"  moka {name}" in text or not command.params


def test_the_version_is_that_of_the_project(moka):
    assert moka("--version").out == "moka 0.1.0\n"


def test_a_mistyped_subcommand_is_refused_with_what_was_probably_meant(moka):
    result = moka("rolout", "prod")

    assert result.status == 2
    assert result.err.endswith("Error: No such command 'rolout'. Did you mean 'rollout'?\n")


def test_no_subcommand_loads_pulumi():
    completed = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=True)

    assert completed.stdout == "\n"


def test_help_loads_neither_boto3_nor_the_kubernetes_client():
    program = (
        "import sys, commands.app; print({'boto3', 'botocore', 'kubernetes', 'rich'} & set(sys.modules))"
    )

    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ast.literal_eval(completed.stdout) == set()
