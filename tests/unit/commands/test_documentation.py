"""Every command that README.md and docs/ show exists."""

import importlib.util
import re

import pytest
from typer.core import TyperGroup

from localcloud.cloud import REPOSITORY
from tests.support import makefiles
from tests.support.command_line import COMMANDS, pages, shown_commands

PAGES = [str(page.relative_to(REPOSITORY)) for page in pages()]
TARGETS = re.findall(r"^([a-z-]+):", makefiles.TEXT, re.MULTILINE)
SETTABLE = {"PYTHON", "MOKA_AS_OF", "MOKA_CHARTS", "MOKA_MACHINES"}
VARIABLES = {*re.findall(r"^([A-Z]+) \?=", makefiles.TEXT, re.MULTILINE), *SETTABLE}


def mistake_in(arguments: list[str]) -> str | None:
    """What is wrong with a call of `moka`; None if nothing is."""
    command = COMMANDS
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for word in words:
        option = word.partition("=")[0].rstrip("`,.)")
        if option.startswith("-"):
            options = {name for parameter in command.params for name in parameter.opts} | {"--help", "-h"}
            if option not in options:
                return f"{command.name} has no option {option}"
        elif isinstance(command, TyperGroup):
            if word not in command.commands:
                return f"{command.name} has no subcommand {word}"
            command = command.commands[word]
    return None


@pytest.mark.parametrize("page", PAGES)
def test_every_call_of_moka_names_a_subcommand_and_its_options(page):
    calls = shown_commands((REPOSITORY / page).read_text(), "moka")

    assert [mistake for arguments in calls if (mistake := mistake_in(arguments))] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_call_of_make_names_a_target_and_its_variables(page):
    calls = [words for words in shown_commands((REPOSITORY / page).read_text(), "make") if words]

    assert {target for target, *_ in calls} - set(TARGETS) == set()
    assert {
        match[1] for _, *words in calls for w in words if (match := re.match(r"([A-Z_]+)=", w))
    } <= VARIABLES


@pytest.mark.parametrize("page", PAGES)
def test_every_module_that_python_runs_exists(page):
    calls = shown_commands((REPOSITORY / page).read_text(), "python -m")

    modules = [words[0] for words in calls if not words[0].startswith("<")]

    assert [name for name in modules if importlib.util.find_spec(name) is None] == []


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("    moka rolout prod", "moka has no subcommand rolout"),
        ("say `moka queues prod\n--colour`", "queues has no option --colour"),
        ("    . .local/env && .local/venv/bin/moka celeborn drain x --force", "drain has no option --force"),
        ("    moka rollout prod -- pulumi up --diff", None),
    ],
)
def test_a_call_that_does_not_exist_is_found(line, mistake):
    [arguments] = shown_commands(line, "moka")

    assert mistake_in(arguments) == mistake
