"""What make takes from its caller: names, and nothing that a shell would do something with."""

import json
import os
import re
import shutil
import subprocess

import pytest

from localcloud.cloud import REPOSITORY
from tests.support import makefiles


def make(*arguments, folder=REPOSITORY, **environment):
    """Make, in a checkout that is set up."""
    return subprocess.run(
        ["make", "--silent", "--old-file=venv", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def checkout(tmp_path):
    """A folder with this Makefile, these Python packages, and in .local what a test puts there."""
    folder = tmp_path / "checkout"
    (folder / ".local").mkdir(parents=True)
    for name in makefiles.FILES:
        shutil.copy(REPOSITORY / name, folder)
    (folder / ".local" / "venv").symlink_to(REPOSITORY / ".local" / "venv")
    for package in ("localcloud", "aws_rules", "Pulumi.yaml"):
        (folder / package).symlink_to(REPOSITORY / package)
    return folder


COMMANDS = ["x; touch {}", "x$(shell touch {})", "x`touch {}`", "x' && touch {} '", "a\ntouch {}"]


@pytest.mark.parametrize(
    "name, value",
    [
        *(("STACK", value) for value in COMMANDS),
        *(
            (name, COMMANDS[0])
            for name in ("WAVE", "CLUSTER", "APPLICATION", "SERVICE", "ACCOUNT", "BASE", "REGISTRY")
        ),
    ],
)
def test_a_value_with_a_command_in_it_is_refused_and_the_command_does_not_run(tmp_path, name, value):
    trace = tmp_path / "trace"
    value = value.format(trace)

    for result in (make("help", f"{name}={value}"), make("help", **{name: value})):
        assert result.returncode == 2
        assert f"{name} is `{value}`, and can only have letters, digits and" in result.stderr
    assert not trace.exists()


def test_a_job_file_may_have_any_name_and_is_never_a_command(tmp_path):
    trace = tmp_path / "trace"

    printed = make("--dry-run", "job", f"JOB=my job's `touch {trace}` $(shell touch {trace}).yaml").stdout

    assert printed.rstrip().endswith(f"'my job'\\''s `touch {trace}` $(shell touch {trace}).yaml'")
    assert not trace.exists()


@pytest.mark.parametrize(
    "command", [("job", "JOB=pi.yaml"), ("logs", "APPLICATION=spark-0a1b"), ("leftovers",)]
)
def test_what_asks_the_laptop_says_where_it_was_never_started(checkout, command):
    result = make("--old-file=own-pulumi", *command, folder=checkout, MOKA_CLOUD=str(checkout / "nowhere"))

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("The laptop's AWS was never started here: run `make up` first.")


@pytest.mark.parametrize("argument", ["stack=prod", "STAK=prod", "on=laptop"])
def test_a_variable_that_nothing_reads_is_refused_with_those_that_there_are(argument):
    result = make("--dry-run", "up", argument)

    assert result.returncode == 2
    assert (
        f"Nothing here reads {argument.partition('=')[0]}: correct the name to one of STACK " in result.stderr
    )
    assert result.stdout == ""


def test_every_variable_that_the_makefile_declares_may_be_given():
    declared = re.findall(r"^([A-Z]+) \?=", makefiles.TEXT, re.MULTILINE)

    assert "STACK" in declared
    for name in declared:
        assert make("help", f"{name}=laptop").returncode == 0, name


def test_bytecode_is_kept_though_the_shell_says_not_to(checkout, tmp_path):
    bytecode = tmp_path / "bytecode"

    result = make(
        "status",
        folder=checkout,
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONPYCACHEPREFIX=str(bytecode),
        MOKA_CLOUD="",
    )

    assert result.returncode == 0, result.stderr
    assert list(bytecode.rglob("*.pyc"))


def test_an_empty_stack_is_not_local():
    result = make("--dry-run", "down", "STACK=")

    assert result.returncode == 2
    assert "STACK is empty: name an environment" in result.stderr


@pytest.mark.parametrize(
    "stack, sentence",
    [
        (
            "prdo",
            "Environment 'prdo' has no settings file stacks/prdo.yaml; the environments are dev, local, ",
        ),
        ("prod.shard", "stacks/prod.yaml names no slice 'shard'; it names shared, "),
    ],
)
@pytest.mark.parametrize("target", [("up",), ("preview", "ON=laptop")])
def test_a_mistyped_stack_is_refused_as_such_wherever_it_would_go(target, stack, sentence):
    result = make(*target, f"STACK={stack}", MOKA_CLOUD="")

    assert result.returncode == 2
    assert sentence in result.stderr
    assert "real stack" not in result.stderr


@pytest.mark.parametrize("arguments", [["STACK=dev"], ["STACK=dev", "ON=laptop"]])
def test_a_demo_is_of_local_and_of_nothing_else(arguments):
    result = make("demo", *arguments, MOKA_CLOUD="")

    assert result.returncode == 2
    assert "The demo is of `local`, and STACK is dev: leave it out." in result.stderr


def pulumi(folder, pending):
    """A program in place of pulumi, with a state of `dev`; it writes down what else it was asked for."""
    vpc = {"urn": "urn:pulumi:dev::moka::aws:ec2/vpc:Vpc::main", "type": "aws:ec2/vpc:Vpc", "custom": True}
    operations = [{"type": "deleting", "resource": vpc}] * pending
    state = {"version": 3, "deployment": {"resources": [], "pending_operations": operations}}
    (folder / "pulumi").write_text(
        "#!/bin/sh\n"
        'case "$1 $2" in\n'
        """"stack ls") echo '[{"name": "dev"}]' ;;\n"""
        f""""stack export") echo '{json.dumps(state)}' ;;\n"""
        f'*) echo "$1 $2 $3" >>{folder}/asked ;;\n'
        "esac\n"
    )
    (folder / "pulumi").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize(("target", "verb"), [("up", "up"), ("down", "destroy")])
def test_a_real_stack_whose_update_was_cut_off_is_recovered_first(tmp_path, target, verb):
    refused = make(target, "STACK=dev", MOKA_CLOUD="", PATH=pulumi(tmp_path, pending=1))

    assert refused.returncode == 2
    assert "An update of dev was cut off while it was deleting Vpc main" in refused.stderr
    assert "run `make recover STACK=dev`, then this again" in refused.stderr
    assert not (tmp_path / "asked").exists()

    assert make(target, "STACK=dev", MOKA_CLOUD="", PATH=pulumi(tmp_path, pending=0)).returncode == 0
    assert (tmp_path / "asked").read_text() == f"{verb} --stack dev\n"


@pytest.mark.parametrize("target", ["preview", "review", "drift"])
@pytest.mark.parametrize("status", [0, 7])
def test_what_only_looks_tidies_up_after_itself_and_ends_as_what_it_ran_did(checkout, target, status):
    python = checkout / ".local" / "venv" / "bin" / "python"
    python.parents[1].unlink()
    python.parent.mkdir(parents=True)
    # In place of Python: what runs a command for each stack has the status.
    python.write_text(
        f'#!/bin/sh\necho "$*" >>{checkout}/asked\ncase "$*" in *" -- "*) exit {status};; esac\n'
    )
    python.chmod(0o755)

    result = make(target, "STACK=local", folder=checkout, MOKA_CLOUD="")

    assert result.returncode == (2 if status else 0)
    assert (f"Error {status}\n" in result.stderr) == bool(status)
    assert (checkout / "asked").read_text().splitlines()[-1] == "-m localcloud tidy"


def test_clean_removes_the_cloud_that_is_named_and_the_checkouts_own_and_nothing_else(checkout, tmp_path):
    named, own = tmp_path / "named", checkout / ".local" / "cloud"
    for cloud in (named, own):
        (cloud / "state").mkdir(parents=True)
        (cloud / "clock.json").touch()
    theirs = named / "thesis.tex"
    theirs.touch()

    result = make("clean", folder=checkout, MOKA_CLOUD=str(named))

    assert result.returncode == 0, result.stderr
    assert list(named.iterdir()) == [theirs]
    assert not (checkout / ".local").exists()
    assert (REPOSITORY / ".local" / "venv" / "bin" / "python").exists()
