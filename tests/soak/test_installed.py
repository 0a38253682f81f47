"""The laptop cloud, and components, installed by pip with all that they require, and used as documented."""

import shutil
import subprocess

import pytest

from localcloud.cloud import REPOSITORY, Cloud
from localcloud.commands import preview, stop
from localcloud.engine import Engine
from tests.support.documented import commands
from tests.support.installed_laptop import InstalledLaptop, documented
from tests.support.pulumi_project import write_project

pytestmark = pytest.mark.usefixtures("checkpoints")

PROGRAM = """
import pulumi_aws as aws

aws.s3.Bucket("somebodys")
"""


@pytest.fixture
def laptop(tmp_path):
    laptop = InstalledLaptop(tmp_path)
    yield laptop
    laptop.run("laptop-cloud stop")


def test_it_is_installed_and_used_by_the_commands_of_the_documentation(laptop):
    laptop.install()
    write_project(laptop.home / "my-project", PROGRAM)

    done = laptop.run(documented(1).replace("kubectl get namespaces", "kubectl version --client"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Stack            dev: 2 resources" in done.stdout, "a provider among them"


INSTALL = commands("docs/package.md", "## Components in a program of yours", 0)


def test_a_program_of_components_is_previewed_with_what_pip_takes_from_the_repository(tmp_path):
    """Of the commit at hand, into an empty environment; what it requires comes from the package index."""
    project = shutil.copytree(REPOSITORY / "examples" / "components", tmp_path / "components")
    (project / "Pulumi.demo.yaml").write_text(
        "config:\n  components:deployer: arn:aws:iam::123456789012:user/laptop\n"
    )
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=REPOSITORY, check=True, capture_output=True, text=True
    ).stdout.strip()
    # Python's pips up to 24 take no file's address behind a name.
    ours = ("moka-eks @ git+<address of the repository>@<tag>", f"git+file://{REPOSITORY}@{commit}")
    assert ours[0] in INSTALL
    install = INSTALL.replace(*ours)

    subprocess.run(["bash", "-ec", install], cwd=project, check=True)

    assert (project / "venv" / "bin" / "python").exists()
    engine = Engine(Cloud(tmp_path / "cloud"), project)
    try:
        assert preview(engine, "demo", ("--non-interactive",)) == 0
    finally:
        stop(engine)
