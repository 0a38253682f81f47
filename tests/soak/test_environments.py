"""Every environment that has settings, as `make up STACK=<environment> ON=laptop` brings it up."""

import sys

import pytest

from localcloud import report
from stacks import settings
from stacks.settings.reading import FOLDER

ENVIRONMENTS = sorted(path.stem for path in FOLDER.glob("*.yaml") if not path.stem.startswith("Pulumi."))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_comes_up_whole_with_few_machines_and_goes_down(
    copied, module, pulumi, monkeypatch, environment
):
    monkeypatch.setenv("MOKA_MACHINES", "3")
    files = {path.name: path.read_text() for path in (copied.project / "stacks").glob("*.yaml")}
    cloud = [sys.executable, "-m", "localcloud", "--project", str(copied.project)]
    quiet = ["--stack", "{stack}", "--", "--non-interactive"]
    stacks = module(copied, "commands.rollout", environment).stdout.split()

    fresh = module(copied, "commands.rollout", environment, "--", *cloud, "preview", *quiet)
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr
    up = module(copied, "commands.rollout", environment, "--", *cloud, "up", "--brief", *quiet)
    assert up.returncode == 0, up.stdout + up.stderr

    for stack in stacks:
        file = str(copied.config_file(stack))
        pulumi(copied, "preview", "--stack", stack, "--config-file", file, "--expect-no-changes")
    chosen = settings.load(environment)
    clusters = report.facts(copied)["clusters"]
    assert {each["name"] for each in clusters} == {chosen.eks_name(name) for name in chosen.clusters}
    asked = [group.initial for cluster in chosen.clusters.values() for group in cluster.node_groups.values()]
    assert any(each["capped"] for each in clusters) == any(machines > 3 for machines in asked)

    down = module(copied, "commands.rollout", environment, "--down", "--", *cloud, "down", *quiet)
    assert down.returncode == 0, down.stdout + down.stderr
    assert "All processes have ended." in down.stdout
    assert {path.name: path.read_text() for path in (copied.project / "stacks").glob("*.yaml")} == files
