"""The laptop cloud, installed by pip with all that it requires, and used as documented."""

import pytest

from tests.support.installed_laptop import InstalledLaptop, documented
from tests.support.pulumi_project import write_project

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
    assert "Stack            dev: 1 resources" in done.stdout
