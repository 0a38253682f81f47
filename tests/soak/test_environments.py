"""Environments that have settings, as `make up STACK=<environment> ON=laptop` brings them up.

`local` comes up in many tests: tests/local/environment, tests/soak/test_drift.py.
"""

import json
import sys

import pytest

from localcloud import commands, report
from stacks import settings
from stacks.settings.reading import FOLDER
from tests.support.pulumi_stack import PulumiStack, moka, succeeded

ENVIRONMENTS = sorted(
    {path.stem for path in FOLDER.glob("*.yaml") if not path.stem.startswith("Pulumi.")} - {"local"}
)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_comes_up_whole_with_few_machines_and_goes_down(copied, monkeypatch, environment):
    monkeypatch.setenv("MOKA_MACHINES", "3")
    files = {path.name: path.read_text() for path in (copied.project / "stacks").glob("*.yaml")}
    cloud = [sys.executable, "-m", "localcloud", "--project", str(copied.project)]
    quiet = ["--stack", "{stack}", "--", "--non-interactive"]
    stacks = moka(copied, "rollout", environment).stdout.split()

    succeeded(moka(copied, "rollout", environment, "--", *cloud, "preview", *quiet))
    succeeded(moka(copied, "rollout", environment, "--", *cloud, "up", "--brief", *quiet))

    for stack in stacks:
        PulumiStack(copied, stack).expect_no_changes()
    loaded = settings.load(environment)
    clusters = report.facts(copied)["clusters"]
    assert {cluster["name"] for cluster in clusters} == {loaded.eks_name(name) for name in loaded.clusters}
    sizes = [group.initial for cluster in loaded.clusters.values() for group in cluster.node_groups.values()]
    assert any(cluster["capped"] for cluster in clusters) == any(machines > 3 for machines in sizes)

    down = succeeded(moka(copied, "rollout", environment, "--down", "--", *cloud, "down", *quiet))
    assert "All processes have ended." in down.stdout
    assert {path.name: path.read_text() for path in (copied.project / "stacks").glob("*.yaml")} == files


def test_an_environment_of_a_lost_region_comes_up_in_another_and_needs_nothing_of_it(copied, monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "3")
    folder = copied.project / "stacks"
    text = (folder / "local.yaml").read_text()
    for old, new in (
        ("environment: local", "environment: elsewhere"),
        ("/moka-local/", "/moka-elsewhere/"),
        ("us-east-1", "us-west-2"),
    ):
        text = text.replace(old, new)
    (folder / "elsewhere.yaml").write_text(text)
    succeeded(moka(copied, "stack-files", "elsewhere"))

    assert commands.up(copied, "elsewhere", ("--non-interactive",)) == 0

    stack = PulumiStack(copied, "elsewhere")
    stack.expect_no_changes()
    state = stack.state()
    assert len(state) > 300
    for resource in state:
        assert "us-east-1" not in json.dumps(resource, indent=1), resource["urn"]
    stack.destroy()
