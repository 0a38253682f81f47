"""Every command that README.md and docs/ show exists."""

import importlib.util
import re

import pytest
import typer
from archer.command_line import app as archer
from typer.core import TyperGroup

from localcloud.__main__ import arguments as laptop_cloud
from localcloud.cloud import REPOSITORY
from tests.support import makefiles
from tests.support.command_line import COMMANDS, pages, shown_commands

PAGES = [str(page.relative_to(REPOSITORY)) for page in pages()]
TARGETS = re.findall(r"^([a-z-]+):", makefiles.TEXT, re.MULTILINE)
SETTABLE = {"PYTHON", "MOKA_AS_OF", "MOKA_CHARTS", "MOKA_MACHINES"}
VARIABLES = {*re.findall(r"^([A-Z]+) \?=", makefiles.TEXT, re.MULTILINE), *SETTABLE}


ARCHER = typer.main.get_command(archer)
RECIPES = dict(re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", makefiles.TEXT, re.MULTILINE))
"""Target -> its recipe, on the laptop where it has two."""


def mistake_in(arguments: list[str], command=COMMANDS) -> str | None:
    """What is wrong with a call of `moka`, or of another command; None if nothing is."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for word in words:
        option = word.partition("=")[0].strip("[]").rstrip("`,.)")
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


def options_of_make(text: str) -> list[tuple[str, list[str]]]:
    """Target and what ARGS gives to the command of `moka` that it calls, for each such call of a page."""
    calls = re.findall(r"make ([a-z-]+)\b[^`\n|]*?\bARGS=(?:\"([^\"\n]*)\"|(\S+))", text)
    rows = re.findall(
        r"^\| `make ([a-z-]+)[^|]*\|[^|]*`ARGS=(?:\"([^\"\n]*)\"|([^\s`]+))`", text, re.MULTILINE
    )
    return [(target, (quoted or word).rstrip("`,.;)").split()) for target, quoted, word in (*calls, *rows)]


def moka_of(target: str) -> str | None:
    """The subcommand of `moka` that gets ARGS from make."""
    called = re.search(r"\$\(MOKA\) ([a-z-]+)(?: [^\n|;&]*)? \$\(ARGS\)", RECIPES.get(target, ""))
    return called[1] if called else None


@pytest.mark.parametrize("page", PAGES)
def test_every_option_that_make_hands_on_is_one_of_the_command(page):
    calls = [(moka_of(target), words) for target, words in options_of_make((REPOSITORY / page).read_text())]

    assert [
        mistake
        for command, words in calls
        if command and (mistake := mistake_in([command, *(word for word in words if word.startswith("-"))]))
    ] == []


def test_options_that_make_hands_on_are_found():
    text = "\n".join((REPOSITORY / page).read_text() for page in PAGES)
    handed_on = {target for target, _ in options_of_make(text) if moka_of(target)}

    assert {"bootstrap", "dashboards", "doctor", "draw", "leftovers", "queues", "recover"} <= handed_on


@pytest.mark.parametrize("page", PAGES)
def test_every_call_of_archer_names_a_subcommand_and_its_options(page):
    calls = shown_commands((REPOSITORY / page).read_text(), "archer")

    assert [mistake for words in calls if (mistake := mistake_in(words, ARCHER))] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_call_of_the_laptop_cloud_is_one_that_it_takes(page):
    text = (REPOSITORY / page).read_text()
    calls = [*shown_commands(text, "laptop-cloud"), *shown_commands(text, "python -m localcloud")]

    for words in filter(None, calls):
        laptop_cloud().parse_args([word.strip("`,.;)") for word in words])


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


def test_an_option_that_archer_does_not_have_is_found():
    [arguments] = shown_commands("    archer submit job.yaml --weit", "archer")

    assert mistake_in(arguments, ARCHER) == "submit has no option --weit"


def test_an_option_that_make_would_hand_on_in_vain_is_found():
    [(target, words)] = options_of_make('    make doctor STACK=prod ARGS="--jsn --only quotas"')

    assert mistake_in([moka_of(target), *words]) == "doctor has no option --jsn"
