"""The components as a provider, in other languages: the engine and the hosts of languages are real."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from localcloud import commands, tools
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from moka.components.provider.component_index import offers
from tests.support.installed_wheels import environment_with


class Examples:
    """The examples beside the provider, as in a checkout; with moka as pip installs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(REPOSITORY / "provider", folder / "provider", ignore=shutil.ignore_patterns("venv"))
        for name in ("components-yaml", "components-typescript"):
            ignored = shutil.ignore_patterns("node_modules", "Pulumi.*.yaml")
            shutil.copytree(REPOSITORY / "examples" / name, folder / "examples" / name, ignore=ignored)
        environment_with(folder / "provider" / "venv", [REPOSITORY])
        self.engine = Engine(Cloud(folder / "cloud"), folder)
        commands.start(self.engine)

    def run(
        self, script: str, example: str = ".", host: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run shell commands in the folder of an example, with a language host on PATH."""
        environment = self.engine.environment()
        if host:
            environment["PATH"] += os.pathsep + str(tools.path(host).parent)
        return subprocess.run(
            ["bash", "-ec", script],
            cwd=self.folder / "examples" / example,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    tools.build(["pulumi-language-yaml", "pulumi-language-nodejs"])
    examples = Examples(tmp_path_factory.mktemp("languages"))
    yield examples
    commands.stop(examples.engine)


STACK = """
pulumi stack init dev
pulumi config set --stack dev deployer arn:aws:iam::123456789012:user/laptop
"""


def test_every_component_is_in_the_schema_that_the_engine_reads(examples):
    done = examples.run("pulumi package get-schema ../provider 2>/dev/null")

    schema = json.loads(done.stdout)
    assert schema["resources"].keys() == offers().keys()
    network = schema["resources"]["moka:aws:Network"]
    assert network["isComponent"]
    assert network["requiredInputs"] == ["cidr", "region", "zones"]
    assert network["inputProperties"]["nat"]["description"].startswith("`single` shares one NAT gateway")


def test_a_program_in_yaml_is_previewed(examples):
    done = examples.run(f"{STACK} pulumi preview", "components-yaml", "pulumi-language-yaml")

    assert done.returncode == 0, done.stdout
    assert "+ 54 to create" in done.stdout
    for made in ("moka:aws:Cluster demo", "eks:index:ManagedNodeGroup nodes", "aws:eks:Addon addons-coredns"):
        assert made in done.stdout


def test_an_input_that_it_does_not_take_is_named(examples):
    text = (examples.folder / "examples" / "components-yaml" / "Pulumi.yaml").read_text()
    wrong = examples.folder / "examples" / "wrong"
    wrong.mkdir()
    (wrong / "Pulumi.yaml").write_text(
        text.replace("nat: single", "nat: none").replace("name: components-yaml", "name: wrong")
    )

    done = examples.run(f"{STACK} pulumi preview", "wrong", "pulumi-language-yaml")

    assert done.returncode != 0
    assert "moka:aws:Network 'network'" in done.stdout
    assert "is 'none': it can be 'single' or 'zonal'" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.skipif(not shutil.which("npm"), reason="no npm on PATH")
def test_a_program_in_typescript_is_previewed(examples):
    script = "npm ci --silent --no-audit --no-fund; pulumi stack init dev; pulumi preview"
    done = examples.run(script, "components-typescript", "pulumi-language-nodejs")

    assert done.returncode == 0, done.stdout
    assert "moka:aws:Network demo" in done.stdout
    assert "+ 22 to create" in done.stdout
