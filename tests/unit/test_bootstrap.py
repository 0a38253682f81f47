"""`make` and `bootstrap` themselves, in a folder of their own, on a PATH of their own."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support import makefiles

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = (
    "sh",
    "make",
    "cmp",
    "dirname",
    "awk",
    "cp",
    "df",
    "grep",
    "ln",
    "tail",
    "mkdir",
    "readlink",
    "rm",
    "env",
    "test",
)

TOO_OLD = 'case "$1" in --version) echo "Python 3.9.2";; *) exit 1;; esac'
WITHOUT_VENV = 'case "$2" in *ensurepip*) exit 1;; esac'
OFFLINE = 'case "$2" in venv) echo "Collecting"; echo "no route to the package index"; exit 1;; esac'
FULL_DISK = 'printf "Filesystem 1024-blocks Used Available\\n/dev/disk 1 1 102400\\n"'
INSTALL_UV = r"""
echo "$*" >>calls
case "$*" in
    "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python";;
    *"config list") echo "$PIP_CONFIGURATION";;
    *.local/uv.txt) printf '#!/bin/sh\necho "uv $*" >>calls\nexit $UV_STATUS\n' >.local/venv/bin/uv
        chmod +x .local/venv/bin/uv;;
esac
"""
PIP_UV, BY_UV, BY_PIP = ("-m", ".local/uv.txt"), ("uv", "requirements.txt"), ("-m", "requirements.txt")
"""Who is called, and which file it installs."""

MAKE_VENV = 'case "$2" in venv) mkdir -p "$3/bin"; cp "$0" "$3/bin/python";; *import*main*) echo "$*";; esac'
PRINT_CALL = 'echo "arguments: $*"; env'
# `moka rollout` of one stack: prints its arguments, and runs the command if there is one.
ROLL_OUT = """
if [ "$2 $3" = "commands rollout" ]; then
    echo "rollout: $*"
    stack=$4
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
    [ $# -gt 0 ] || exit 0
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
    """A checkout with nothing but its entry points, and a PATH of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.path = folder / "path"
        self.environment = {"PATH": str(self.path), "HOME": str(self.folder)}
        self.folder.mkdir()
        self.path.mkdir()
        (self.folder / "commands").mkdir()
        for name in (*makefiles.FILES, "bootstrap", "requirements.txt", "commands/moka"):
            shutil.copy(REPOSITORY / name, self.folder / name)
        for name in TOOLS:
            if program := shutil.which(name):
                (self.path / name).symlink_to(program)

    def program(self, name: str, script: str, folder: Path | None = None) -> None:
        """Put a program on PATH, or in another folder, in place of the one that may be there."""
        file = (folder or self.path) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def install(self) -> None:
        """Make it look as if the Python packages were installed; the python there prints how it is called."""
        virtual = self.folder / ".local" / "venv"
        self.program("python", ROLL_OUT + PRINT_CALL, virtual / "bin")
        shutil.copy(REPOSITORY / "requirements.txt", virtual / "requirements.stamp")

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
        )

    def refusal(self, *command: str, **environment: str) -> str:
        """The one line on stderr of a command that fails, without what make adds."""
        completed = self.run(*command, **environment)
        assert completed.returncode != 0, completed.stdout
        [message] = [line for line in completed.stderr.splitlines() if not line.startswith("make: ")]
        return message


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_a_python_that_is_too_old_is_refused_with_its_version(checkout):
    checkout.program("python3", TOO_OLD)

    message = checkout.refusal("make", "up")

    assert "Python 3.11 or newer" in message
    assert "Python 3.9.2" in message
    assert "PYTHON=" in message


def test_no_python_at_all_is_refused(checkout):
    assert "No Python 3.11 or newer" in checkout.refusal("make", "up")


def test_a_newer_python_beside_one_that_is_too_old_is_used(checkout):
    checkout.program("python3", TOO_OLD)
    checkout.program("python3.12", OFFLINE)

    assert "no route to the package index" in checkout.refusal("make", "up")


def test_a_python_that_cannot_make_virtual_environments_says_what_to_install(checkout):
    checkout.program("python3", WITHOUT_VENV)

    assert "python3-venv" in checkout.refusal("make", "up")


def test_a_full_disk_is_refused_before_anything_is_installed(checkout):
    checkout.program("python3", "exit 0")
    checkout.program("df", FULL_DISK)

    message = checkout.refusal("make", "up")

    assert "2 GiB" in message
    assert "100 MiB left" in message
    assert not (checkout.folder / ".local" / "venv").exists()


def test_a_failed_installation_is_one_sentence_with_pips_last_line_and_the_log(checkout):
    checkout.program("python3", OFFLINE)

    message = checkout.refusal("make", "up")

    assert "no route to the package index" in message
    assert ".local/bootstrap.log" in message


@pytest.mark.parametrize(
    "pin, refusal",
    [
        ("ours==1 --hash=sha256:" + 64 * "0", "not the one that requirements.txt names by its hash"),
        ("ours==1", "Hashes are required"),
    ],
)
def test_a_package_without_its_hash_is_not_installed(checkout, pin, refusal):
    checkout.program("python3", f'exec {sys.executable} "$@"')
    with zipfile.ZipFile(checkout.folder / "ours-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("ours.py", "")
        wheel.writestr("ours-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: ours\nVersion: 1\n")
        wheel.writestr("ours-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("ours-1.dist-info/RECORD", "")
    (checkout.folder / "requirements.txt").write_text(pin + "\n")

    completed = checkout.run("./bootstrap", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(checkout.folder))

    assert completed.returncode == 1
    log = (checkout.folder / ".local" / "bootstrap.log").read_text()
    assert refusal in completed.stderr + log
    assert not list(checkout.folder.glob(".local/venv/lib/*/site-packages/ours*"))


@pytest.mark.parametrize(
    ("configuration", "status", "installers"),
    [
        (":env:.find-links='/wheels'", "0", [PIP_UV, BY_UV]),
        ("global.index-url='https://index.acme.example/simple'", "0", [BY_PIP]),
        ("global.proxy='http://proxy.acme.example:3128'", "0", [BY_PIP]),
        ("", "1", [PIP_UV, BY_UV, BY_PIP]),
    ],
    ids=["nothing configured", "an index of its own", "a proxy of its own", "uv does not get through"],
)
def test_packages_are_installed_by_uv_where_it_can(checkout, configuration, status, installers):
    checkout.program("python3", INSTALL_UV)
    (checkout.path / "chmod").symlink_to(shutil.which("chmod"))

    completed = checkout.run("./bootstrap", PIP_CONFIGURATION=configuration, UV_STATUS=status)

    assert completed.returncode == 0, completed.stderr
    calls = [line for line in (checkout.folder / "calls").read_text().splitlines() if " install " in line]
    assert [(call.split()[0], call.split()[-1]) for call in calls] == installers
    assert all("--require-hashes" in call for call in calls)
    assert (checkout.folder / ".local" / "uv.txt").read_text().startswith("uv==")


def test_an_environment_that_is_up_to_date_is_left_alone(checkout):
    checkout.install()

    completed = checkout.run("./bootstrap")

    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", "")


def test_the_command_moka_is_in_the_virtual_environment_and_runs_from_any_folder(checkout, tmp_path):
    checkout.program("python3", MAKE_VENV)

    assert checkout.run("./bootstrap").returncode == 0

    moka = checkout.folder / ".local" / "venv" / "bin" / "moka"
    (tmp_path / "moka").symlink_to(moka)
    for command in (moka, tmp_path / "moka"):
        completed = subprocess.run(
            [command, "queues", "prod"],
            cwd=tmp_path,
            env=checkout.environment,
            capture_output=True,
            text=True,
        )
        assert completed.stdout.startswith("-c import sys;"), completed.stderr
        assert completed.stdout.endswith(f" {checkout.folder} queues prod\n")


@pytest.mark.parametrize(
    "target, arguments",
    [
        ("up", "up --stack prod --policy-pack policies"),
        ("preview", "preview --stack prod --policy-pack policies"),
        ("down", "destroy --stack prod"),
        ("status", "stack --stack prod"),
    ],
)
def test_a_real_stack_gets_the_installed_pulumi_and_nothing_of_the_laptops(checkout, target, arguments):
    checkout.install()
    checkout.program("pulumi", PRINT_CALL)
    real = {
        "PULUMI_HOME": "/home/me/.pulumi",
        "PULUMI_BACKEND_URL": "s3://states",
        "PULUMI_ACCESS_TOKEN": "token",
        "AWS_PROFILE": "prod",
        "KUBECONFIG": "/home/me/.kube/config",
    }

    completed = checkout.run("make", target, "STACK=prod", **real)

    assert completed.returncode == 0, completed.stderr
    assert f"arguments: {arguments}" in [line.strip() for line in completed.stdout.splitlines()]
    variables = dict(line.split("=", 1) for line in completed.stdout.splitlines() if "=" in line)
    assert real.items() <= variables.items()
    # With the pinned `aws`, which pulumi_eks and kubeconfigs run.
    assert variables["PATH"] == f"{checkout.folder}/.local/venv/bin:{checkout.path}"
    assert not {name for name in variables if name.startswith(("MOKA_", "AWS_")) and name not in real}


def test_a_real_stack_without_an_installed_pulumi_is_refused(checkout):
    checkout.install()
    # What set-up puts here is for the laptop.
    checkout.program("pulumi", PRINT_CALL, checkout.folder / ".local" / "bin")

    message = checkout.refusal("make", "up", "STACK=prod")

    assert "no pulumi on PATH" in message


def test_a_real_stack_is_refused_in_a_shell_of_the_laptop_cloud(checkout):
    checkout.install()
    checkout.program("pulumi", PRINT_CALL)

    assert "laptop cloud" in checkout.refusal("make", "up", "STACK=prod", MOKA_CLOUD="/home/me/cloud")


@pytest.mark.parametrize("stack", ["local", "local.spark-a"])
def test_stacks_of_the_laptop_never_reach_the_installed_pulumi(checkout, stack):
    checkout.install()
    checkout.program("pulumi", "echo installed; exit 1")

    completed = checkout.run("make", "up", f"STACK={stack}")

    lines = [line.strip() for line in completed.stdout.splitlines()]
    policies = "--policy-pack policies --policy-pack-config policies/laptop.json"
    assert f"arguments: -m localcloud up --brief --stack {stack} -- {policies}" in lines
    assert "arguments: -m localcloud summary" in lines
    assert "installed" not in completed.stdout
    assert "MOKA_MACHINES" not in completed.stdout


@pytest.mark.parametrize("target", ["up", "preview", "down"])
def test_any_environment_runs_on_the_laptop_with_few_machines(checkout, target):
    checkout.install()
    checkout.program("pulumi", "echo installed; exit 1")

    completed = checkout.run("make", target, "STACK=prod", "ON=laptop", "WAVE=canary")

    lines = [line.strip() for line in completed.stdout.splitlines()]
    assert [line for line in lines if line.startswith("rollout: -m commands rollout prod --wave canary")]
    assert [
        line
        for line in lines
        if line.startswith(f"arguments: -m localcloud {target} ") and "--stack prod" in line
    ]
    assert "MOKA_MACHINES=3" in lines
    assert "installed" not in completed.stdout


def test_the_number_of_machines_is_what_the_caller_says(checkout):
    checkout.install()

    completed = checkout.run("make", "up", "STACK=prod", "ON=laptop", MOKA_MACHINES="7")

    assert "MOKA_MACHINES=7" in completed.stdout.splitlines()


def test_down_goes_through_the_stacks_in_their_own_order(checkout):
    checkout.install()

    completed = checkout.run("make", "down", "STACK=prod", "ON=laptop")

    assert "rollout: -m commands rollout prod --down -- " in completed.stdout


def test_a_mistyped_ON_is_refused(checkout):
    checkout.install()

    completed = checkout.run("make", "up", "STACK=prod", "ON=labtop")

    assert completed.returncode != 0
    assert "ON is `labtop`, and can only be `laptop`" in completed.stderr


def test_clean_ends_the_laptop_cloud_and_leaves_real_stacks_alone(checkout):
    checkout.install()
    checkout.program("pulumi", "echo destroyed")

    completed = checkout.run("make", "clean", "STACK=prod")

    assert "arguments: -m localcloud clean" in completed.stdout
    assert "destroyed" not in completed.stdout
    assert not os.path.lexists(checkout.folder / ".local")
