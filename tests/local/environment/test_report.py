"""`moka report` on what the real engine says of a change of `local`."""

import json

import pytest
import yaml

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from tests.support.previews import STREAM
from tests.support.pulumi_project import copy_project
from tests.support.pulumi_stack import PulumiStack, moka

PACK = ("--policy-pack", str(REPOSITORY / "policies"))


@pytest.fixture
def changed(local, tmp_path) -> PulumiStack:
    """`local` as it is up, in a project in which a tier-1 queue and its protection from others are gone."""
    project = copy_project(tmp_path / "project")
    file = project / "stacks" / "local.yaml"
    settings = yaml.safe_load(file.read_text())
    del settings["queues"]["organizations"]["analytics"]["projects"]["reports"]["tiers"][1]
    settings["job_namespaces"]["spark-jobs"] = {"isolated": False}
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    return PulumiStack(Engine(local.cloud, project), "local")


@pytest.mark.parametrize(("variables", "options"), [(STREAM, PACK), ({}, ())])
def test_a_reviewer_reads_what_a_change_would_do(changed, tmp_path, variables, options):
    file = tmp_path / "preview.json"
    copy = str(changed.engine.config_file("local"))
    file.write_text(changed.run("preview", "--json", "--config-file", copy, *options, **variables))

    result = moka(changed.engine, "report", str(file), "--json")

    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert (report["stack"], report["summary"]) == ("local", "1 updated and 2 deleted")
    sections = report["sections"]
    assert "`root.analytics.reports.tier1` goes" in sections["queues"]["findings"][0]["says"]
    assert "No network policy isolates all pods" in sections["exposure"]["findings"][0]["says"]
    says = [finding["says"] for finding in sections["policies"]["findings"]]
    assert ("has no results of policies" in says[0]) == (variables == {})


def test_without_a_change_there_is_nothing_of_note(local, tmp_path):
    file = tmp_path / "preview.json"
    stack = PulumiStack(local, "local")
    copy = str(local.config_file("local"))
    file.write_text(stack.run("preview", "--json", "--config-file", copy, *PACK, **STREAM))

    result = moka(local, "report", str(file))

    assert (result.returncode, result.stderr) == (0, "")
    assert "Nothing of note: `local`" in result.stdout
