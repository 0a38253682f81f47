"""What a change touches, by what previews read: on a small project, and on this one."""

import subprocess

import pytest

from delivery.affected_stacks import RecordingFailed, affected_stacks, reads_among, recorded_reads
from delivery.git import GitError
from localcloud.cloud import REPOSITORY

PROGRAM = """
from pathlib import Path
import pulumi
from parts import network
pulumi.CustomResource("a:b:C", "c", {"text": Path(f"{pulumi.get_stack()}.txt").read_text()})
extra = Path(f"{pulumi.get_stack()}.extra")
if extra.is_file():
    extra.read_text()
network.names = sorted(path.name for path in Path("charts").iterdir())
"""
FILES = {
    "Pulumi.yaml": "name: small\nruntime: python\nstackConfigDir: stacks\n",
    "requirements.txt": "pulumi\n",
    "__main__.py": PROGRAM,
    "parts/__init__.py": "",
    "parts/network.py": "names = []\n",
    "parts/unused.py": "",
    "policies/exposure.py": "import shared\n",
    "policies/limits.json": "{}",
    "shared.py": "",
    "charts/a.yaml": "",
    "one.txt": "1",
    "two.txt": "2",
    "two.extra": "",
    "stacks/Pulumi.one.yaml": "config: {}\n",
    "stacks/Pulumi.two.yaml": "config:\n  small:token: {secure: AAAA}\n",
}
STACKS = ["one", "two"]


def git(folder, *arguments):
    identity = ("-c", "user.name=moka", "-c", "user.email=moka@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A project of two stacks in a repository with one commit."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=All of it")
    return tmp_path


def touched(repository, stacks=STACKS):
    return {stack.stack: stack.why for stack in affected_stacks(repository, stacks, "main")}


@pytest.mark.parametrize(
    ("path", "stacks"),
    [
        ("one.txt", ["one"]),
        ("stacks/Pulumi.two.yaml", ["two"]),
        ("parts/network.py", STACKS),
        ("requirements.txt", STACKS),
        ("policies/limits.json", STACKS),
        ("shared.py", STACKS),
        ("parts/unused.py", []),
        ("README.md", []),
    ],
)
def test_a_stack_is_touched_by_the_files_that_its_preview_reads(repository, path, stacks):
    with (repository / path).open("a") as file:
        file.write("\n# changed\n" if path.endswith(".py") else "\n")

    assert touched(repository) == dict.fromkeys(stacks, (path,))


def test_a_file_more_in_a_folder_that_is_listed_touches_and_one_beside_modules_does_not(repository):
    (repository / "charts" / "b.yaml").touch()
    (repository / "parts" / "new.py").touch()

    assert touched(repository) == dict.fromkeys(STACKS, ("charts/b.yaml",))


def test_a_file_that_is_gone_touches_the_stack_that_read_it_while_it_was_there(repository):
    (repository / "two.extra").unlink()

    assert touched(repository) == {"two": ("two.extra",)}


def test_changes_are_counted_from_where_a_branch_left_the_base(repository):
    git(repository, "switch", "--quiet", "--create=mine")
    git(repository, "switch", "--quiet", "main")
    (repository / "one.txt").write_text("somebody else's")
    git(repository, "commit", "--quiet", "--all", "--message=Theirs")
    git(repository, "switch", "--quiet", "mine")
    (repository / "two.txt").write_text("mine")
    git(repository, "commit", "--quiet", "--all", "--message=Mine")

    assert touched(repository) == {"two": ("two.txt",)}


def test_a_program_that_fails_touches_its_stack_and_says_why(repository):
    (repository / "__main__.py").write_text("raise ValueError('no such zone')\n")

    assert touched(repository)["one"] == (
        "Its program fails, so all may concern it: ValueError: no such zone",
    )


def test_a_stack_that_is_new_is_touched(repository):
    (repository / "three.txt").write_text("3")
    git(repository, "add", "three.txt")
    git(repository, "commit", "--message=Its text")
    (repository / "stacks" / "Pulumi.three.yaml").write_text("config: {}\n")

    assert touched(repository, ["three"]) == {"three": ("stacks/Pulumi.three.yaml",)}


def test_a_first_push_touches_everything(repository):
    assert [entry.stack for entry in affected_stacks(repository, STACKS, "0" * 40)] == STACKS


def test_without_a_change_nothing_is_touched(repository):
    assert touched(repository) == {}


def test_a_base_that_is_not_there_is_refused(repository):
    with pytest.raises(GitError, match="Name a branch or commit whose history is here"):
        affected_stacks(repository, STACKS, "no-such-branch")


def test_a_failing_program_reads_nothing_that_could_be_relied_on(repository):
    (repository / "one.txt").unlink()

    with pytest.raises(RecordingFailed, match=r"No such file or directory: 'one\.txt'"):
        recorded_reads(repository, "one")


@pytest.fixture(scope="module")
def reads():
    """What two stacks of this project read."""
    return {stack: recorded_reads(REPOSITORY, stack) for stack in ("staging.adhoc-a", "prod.shared")}


@pytest.mark.parametrize(
    ("path", "stacks"),
    [
        ("stacks/staging.yaml", ["staging.adhoc-a"]),
        ("stacks/Pulumi.prod.shared.yaml", ["prod.shared"]),
        ("charts-values/charts.yaml", ["staging.adhoc-a", "prod.shared"]),
        ("charts-values/yunikorn.yaml", ["staging.adhoc-a", "prod.shared"]),
        ("components/aws/bucket.py", ["staging.adhoc-a", "prod.shared"]),
        ("components/kubernetes/celeborn.py", ["staging.adhoc-a"]),
        ("stacks/layers/history.py", []),
        ("moka/queues/tree.py", ["staging.adhoc-a", "prod.shared"]),
        ("policies/network.py", ["staging.adhoc-a", "prod.shared"]),
        ("docs/operations/README.md", []),
        ("commands/doctor.py", []),
        ("delivery/affected_stacks.py", []),
        ("localcloud/engine.py", []),
        ("services/driver_finalizer/__main__.py", []),
        ("stacks/local.yaml", []),
    ],
)
def test_what_the_previews_of_this_project_read(reads, path, stacks):
    assert (REPOSITORY / path).exists()

    assert [stack for stack in reads if reads_among(reads[stack], {path: "changed"})] == stacks
