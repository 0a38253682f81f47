"""Previews with policies, and drift, by the real engine: what `make review` and `make drift` see."""

import sys

import pytest

from delivery import drift, preview
from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project

QUIET = ("--non-interactive",)

PROGRAM = """
import pulumi_aws as aws

data = aws.s3.Bucket("data", bucket="delivery-data", tags={"team": "spark"})
aws.s3.BucketVersioning("data", bucket=data.id, versioning_configuration={"status": "Enabled"})
aws.s3.Bucket("gone", bucket="delivery-gone")
aws.s3.Bucket("calm", bucket="delivery-calm")
"""

PENDING = """
aws.s3.BucketPublicAccessBlock("data", bucket=data.id, block_public_acls=False)
"""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    """A small project that is up and was changed by hand, and whose program has more than is deployed."""
    folder = tmp_path_factory.mktemp("delivery") / "small"
    engine = Engine(Cloud(folder.parent / "cloud"), write_project(folder, PROGRAM))
    try:
        assert commands.up(engine, "dev", QUIET) == 0
        s3 = aws_clients(engine.cloud)("s3")
        s3.put_bucket_tagging(Bucket="delivery-data", Tagging={"TagSet": [{"Key": "team", "Value": "hand"}]})
        s3.put_bucket_versioning(Bucket="delivery-data", VersioningConfiguration={"Status": "Suspended"})
        s3.delete_bucket(Bucket="delivery-gone")
        (folder / "__main__.py").write_text(PROGRAM + PENDING)
        yield engine
    finally:
        commands.stop(engine)


def run(engine, *arguments):
    """A preview as `make` runs it on the laptop."""
    command = (sys.executable, "-m", "localcloud", "--project", str(engine.project))
    events = ("preview", "--stack", "{stack}", "--", "--json", "--non-interactive", *arguments)
    return preview.run("dev", (*command, *events), print)


@pytest.fixture(autouse=True)
def on_its_cloud(deployed, monkeypatch):
    monkeypatch.setenv("MOKA_CLOUD", str(deployed.cloud.home))


def test_what_was_changed_and_deleted_by_hand_is_drift_and_what_is_not_deployed_yet_is_none(deployed):
    seen = drift.stack_drift(run(deployed, "--refresh"))

    assert seen.problem is None
    assert {(resource.name, resource.says) for resource in seen.resources} == {
        ("aws:s3/bucket:Bucket data", "changed: tags.team"),
        ("aws:s3/bucket:Bucket gone", "is gone"),
        ("aws:s3/bucketVersioning:BucketVersioning data", "changed: versioningConfiguration.status"),
    }


def test_only_an_up_that_looks_at_what_is_there_puts_it_right(deployed):
    blind, looking = (
        {(step.op, step.type, step.name) for step in run(deployed, *refresh).preview.changes}
        for refresh in ((), ("--refresh",))
    )

    pending = {("create", "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "data")}
    assert blind == pending
    assert looking == pending | {
        ("update", "aws:s3/bucket:Bucket", "data"),
        ("create", "aws:s3/bucket:Bucket", "gone"),
        ("update", "aws:s3/bucketVersioning:BucketVersioning", "data"),
    }
    report = drift.text("dev", [drift.stack_drift(run(deployed, "--refresh"))])
    assert "`make up STACK=dev ARGS=--refresh` puts it right" in report


def test_looking_for_drift_takes_no_lock_of_the_state(deployed):
    locks = deployed.cloud.state / ".pulumi" / "locks"
    before = {path: path.stat().st_mtime_ns for path in locks.rglob("*")}

    run(deployed, "--refresh")

    assert before, "the folder of a stack's locks stays, and changes with every lock"
    assert {path: path.stat().st_mtime_ns for path in locks.rglob("*")} == before


def test_a_preview_that_violates_a_policy_fails_with_the_policy_in_its_events(deployed):
    result = run(deployed, "--policy-pack", str(REPOSITORY / "policies"))

    assert result.status != 0
    assert any(problem.startswith("bucket-not-public: data: ") for problem in result.problems)
    assert result.preview.refusals


def test_a_program_that_fails_is_a_drift_that_is_not_known(deployed):
    program = deployed.project / "__main__.py"
    text = program.read_text()
    program.write_text("raise ValueError('no such zone')\n")
    try:
        seen = drift.stack_drift(run(deployed, "--refresh"))
    finally:
        program.write_text(text)

    assert "no such zone" in seen.problem
    assert drift.status([seen]) == "unknown"
