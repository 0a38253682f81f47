"""`make` and `bootstrap` themselves, in a folder of their own, on a PATH of their own."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
USUAL = ("sh", "make", "cmp", "dirname", "awk", "cp", "df", "grep", "tail", "mkdir", "rm", "env", "test")

OLD = 'case "$1" in --version) echo "Python 3.9.2";; *) exit 1;; esac'
WITHOUT_VENV = 'case "$2" in *ensurepip*) exit 1;; esac'
OFFLINE = 'case "$2" in venv) echo "Collecting"; echo "no route to the package index"; exit 1;; esac'
LITTLE_ROOM = 'printf "Filesystem 1024-blocks Used Available\\n/dev/disk 1 1 102400\\n"'
SAYS_ALL = 'echo "arguments: $*"; env'
# Its python: runs what the rollout is to run, for one stack; otherwise it says how it is called.
ROLLS_OUT = """
if [ "$2" = commands.rollout ]; then
    echo "order: $*"
    stack=$3
    while [ "$1" != -- ]; do shift; done
    shift
    for word; do
        shift
        [ "$word" != "{stack}" ] || word=$stack
        set -- "$@" "$word"
    done
    exec "$@"
fi
"""


class Checkout:
    """A checkout with nothing but what starts everything, and a PATH of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.path = folder / "path"
        self.folder.mkdir()
        self.path.mkdir()
        for name in ("Makefile", "bootstrap", "requirements.txt"):
            shutil.copy(REPOSITORY / name, self.folder)
        for name in USUAL:
            if found := shutil.which(name):
                (self.path / name).symlink_to(found)

    def program(self, name: str, script: str, folder: Path | None = None) -> None:
        """Put a program on PATH, or in another folder, in place of what may be there."""
        place = (folder or self.path) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(0o755)

    def installed(self) -> None:
        """Make it look as if the Python packages were there; its python says how it is called."""
        virtual = self.folder / ".local" / "venv"
        self.program("python", ROLLS_OUT + SAYS_ALL, virtual / "bin")
        shutil.copy(REPOSITORY / "requirements.txt", virtual / "requirements.stamp")

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": str(self.path), "HOME": str(self.folder), **environment},
            capture_output=True,
            text=True,
        )

    def refused(self, *command: str, **environment: str) -> str:
        """The one line that it says when it fails, without what make adds."""
        done = self.run(*command, **environment)
        assert done.returncode != 0, done.stdout
        [said] = [line for line in done.stderr.splitlines() if not line.startswith("make: ")]
        return said


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_too_old_a_python_is_refused_by_its_version(checkout):
    checkout.program("python3", OLD)

    said = checkout.refused("make", "up")

    assert "Python 3.11 or newer" in said
    assert "Python 3.9.2" in said
    assert "PYTHON=" in said


def test_no_python_at_all_is_refused(checkout):
    assert "No Python 3.11 or newer" in checkout.refused("make", "up")


def test_a_newer_python_beside_too_old_a_one_is_found(checkout):
    checkout.program("python3", OLD)
    checkout.program("python3.12", OFFLINE)

    assert "no route to the package index" in checkout.refused("make", "up")


def test_a_python_that_cannot_make_virtual_environments_says_what_to_install(checkout):
    checkout.program("python3", WITHOUT_VENV)

    assert "python3-venv" in checkout.refused("make", "up")


def test_a_full_disk_is_refused_before_anything_is_installed(checkout):
    checkout.program("python3", "exit 0")
    checkout.program("df", LITTLE_ROOM)

    said = checkout.refused("make", "up")

    assert "2 GiB" in said
    assert "100 MiB left" in said
    assert not (checkout.folder / ".local" / "venv").exists()


def test_packages_that_cannot_be_had_are_one_sentence_with_the_last_word_and_the_log(checkout):
    checkout.program("python3", OFFLINE)

    said = checkout.refused("make", "up")

    assert "no route to the package index" in said
    assert ".local/bootstrap.log" in said


def test_python_packages_that_are_there_are_left_alone(checkout):
    checkout.installed()

    done = checkout.run("./bootstrap")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "target, arguments",
    [
        ("up", "up --stack prod"),
        ("preview", "preview --stack prod"),
        ("down", "destroy --stack prod"),
        ("status", "stack --stack prod"),
    ],
)
def test_a_real_stack_gets_the_installed_pulumi_and_nothing_of_the_laptops(checkout, target, arguments):
    checkout.installed()
    checkout.program("pulumi", SAYS_ALL)
    real = {
        "PULUMI_HOME": "/home/me/.pulumi",
        "PULUMI_BACKEND_URL": "s3://states",
        "PULUMI_ACCESS_TOKEN": "token",
        "AWS_PROFILE": "prod",
        "KUBECONFIG": "/home/me/.kube/config",
    }

    done = checkout.run("make", target, "STACK=prod", **real)

    assert done.returncode == 0, done.stderr
    assert f"arguments: {arguments}" in [line.strip() for line in done.stdout.splitlines()]
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert real.items() <= seen.items()
    assert seen["PATH"] == str(checkout.path)
    assert not {name for name in seen if name.startswith(("MOKA_", "AWS_")) and name not in real}


def test_a_real_stack_without_an_installed_pulumi_is_refused(checkout):
    checkout.installed()
    # What set-up puts here is for the laptop.
    checkout.program("pulumi", SAYS_ALL, checkout.folder / ".local" / "bin")

    said = checkout.refused("make", "up", "STACK=prod")

    assert "no pulumi on PATH" in said


def test_a_real_stack_is_refused_in_a_shell_of_the_laptop_cloud(checkout):
    checkout.installed()
    checkout.program("pulumi", SAYS_ALL)

    assert "laptop cloud" in checkout.refused("make", "up", "STACK=prod", MOKA_CLOUD="/home/me/cloud")


@pytest.mark.parametrize("stack", ["local", "local.spark-a"])
def test_stacks_of_the_laptop_never_reach_the_installed_pulumi(checkout, stack):
    checkout.installed()
    checkout.program("pulumi", "echo installed; exit 1")

    done = checkout.run("make", "up", f"STACK={stack}")

    said = [line.strip() for line in done.stdout.splitlines()]
    assert f"arguments: -m localcloud up --brief --stack {stack} --" in said
    assert "arguments: -m localcloud summary" in said
    assert "installed" not in done.stdout
    assert "MOKA_MACHINES" not in done.stdout


@pytest.mark.parametrize("target", ["up", "preview", "down"])
def test_any_environment_runs_on_the_laptop_when_asked_with_few_machines(checkout, target):
    checkout.installed()
    checkout.program("pulumi", "echo installed; exit 1")

    done = checkout.run("make", target, "STACK=prod", "ON=laptop", "WAVE=canary")

    said = [line.strip() for line in done.stdout.splitlines()]
    assert [s for s in said if s.startswith("order: -m commands.rollout prod --wave canary")]
    assert [s for s in said if s.startswith(f"arguments: -m localcloud {target} ") and "--stack prod" in s]
    assert "MOKA_MACHINES=3" in said
    assert "installed" not in done.stdout


def test_the_number_of_machines_is_what_the_caller_says(checkout):
    checkout.installed()

    done = checkout.run("make", "up", "STACK=prod", "ON=laptop", MOKA_MACHINES="7")

    assert "MOKA_MACHINES=7" in done.stdout.splitlines()


def test_what_down_takes_down_comes_in_its_own_order(checkout):
    checkout.installed()

    done = checkout.run("make", "down", "STACK=prod", "ON=laptop")

    assert "order: -m commands.rollout prod --down -- " in done.stdout


def test_a_mistyped_place_is_refused(checkout):
    checkout.installed()

    done = checkout.run("make", "up", "STACK=prod", "ON=labtop")

    assert done.returncode != 0
    assert "ON is `labtop` and may be `laptop`" in done.stderr


def test_clean_ends_the_laptop_cloud_and_leaves_real_stacks_alone(checkout):
    checkout.installed()
    checkout.program("pulumi", "echo destroyed")

    done = checkout.run("make", "clean", "STACK=prod")

    assert "arguments: -m localcloud stop" in done.stdout
    assert "destroyed" not in done.stdout
    assert not os.path.lexists(checkout.folder / ".local")
