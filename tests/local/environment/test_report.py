"""`moka report` on what the real engine says of a change of `local`."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from localcloud.engine import Engine
from tests.support.previews import STREAM
from tests.support.pulumi_project import copy_project
from tests.support.pulumi_stack import PulumiStack, moka

PACK = """
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy

def isolated(args, report):
    if args.name.endswith("yunikorn") and args.resource_type == "kubernetes:core/v1:ConfigMap":
        report("queues change")

PolicyPack(
    name="trial",
    enforcement_level=EnforcementLevel.ADVISORY,
    policies=[ResourceValidationPolicy(name="queues-stay", description="Queues stay.", validate=isolated)],
)
"""


@pytest.fixture
def pack(tmp_path) -> Path:
    """A policy pack with one policy, which advises against queues."""
    folder = tmp_path / "pack"
    folder.mkdir()
    runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
    (folder / "PulumiPolicy.yaml").write_text(yaml.safe_dump({"description": "trial", "runtime": runtime}))
    (folder / "__main__.py").write_text(PACK)
    return folder


@pytest.fixture
def changed(local, tmp_path) -> PulumiStack:
    """`local` as it is up, in a project in which a tier-1 queue goes, and the isolation of its jobs."""
    project = copy_project(tmp_path / "project")
    file = project / "stacks" / "local.yaml"
    settings = yaml.safe_load(file.read_text())
    del settings["queues"]["organizations"]["analytics"]["projects"]["reports"]["tiers"][1]
    settings["job_namespaces"]["spark-jobs"]["isolated"] = False
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    return PulumiStack(Engine(local.cloud, project), "local")


def test_a_reviewer_reads_what_a_change_would_do(changed, pack, tmp_path):
    file = tmp_path / "preview.json"
    copy = str(changed.engine.config_file("local"))
    options = ("--config-file", copy, "--policy-pack", str(pack))
    file.write_text(changed.run("preview", "--json", *options, **STREAM))

    result = moka(changed.engine, "report", str(file), "--json")

    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert (report["stack"], report["summary"]) == ("local", "5 updated and 2 deleted")
    sections = report["sections"]
    assert "`root.analytics.reports.tier1` goes" in sections["queues"]["findings"][0]["says"]
    assert "No network policy isolates pods" in sections["exposure"]["findings"][0]["says"]
    assert "Policy `queues-stay` advises against it" in sections["policies"]["findings"][0]["says"]
    # The queues once more, as Archer reads them.
    [rest] = sections["unjudged"]["findings"]
    assert rest["says"].endswith('ConfigMap `spark-a-archer` (`data["target.json"]`).')


def test_the_one_document_of_a_preview_lacks_policies_only(changed, tmp_path):
    file = tmp_path / "preview.json"
    copy = str(changed.engine.config_file("local"))
    file.write_text(changed.run("preview", "--json", "--config-file", copy))

    report = json.loads(moka(changed.engine, "report", str(file), "--json").stdout)

    assert report["summary"] == "5 updated and 2 deleted"
    assert "`root.analytics.reports.tier1` goes" in report["sections"]["queues"]["findings"][0]["says"]
    assert "has no results of policies" in report["sections"]["policies"]["findings"][0]["says"]
