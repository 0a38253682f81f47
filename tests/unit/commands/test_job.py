import json
from pathlib import Path

import boto3
import pytest
import yaml
from moto import mock_aws

from commands.s3_api import ObjectLookup
from tests.support import documented
from tests.support.aws_stubs import Scripted
from tests.support.documented import in_one_line

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "jobs"


@pytest.fixture(autouse=True)
def without_credentials(monkeypatch):
    """Nobody's account is asked."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def outputs(tmp_path, target):
    """Write what stacks export: clusters of each of them -> the file."""

    def write(*stacks):
        file = tmp_path / "outputs.json"
        texts = [
            json.dumps(
                {"foundation/main": {}}
                | {f"spark/{name}": {"jobs": target.as_outputs()} for name, target in stack.items()}
            )
            for stack in stacks
        ]
        file.write_text("\n".join(texts))
        return str(file)

    return write


@pytest.mark.parametrize("name", ["pi", "nightly", "adhoc", "usage-questions"])
def test_an_example_is_rendered_as_it_stands(outputs, target, moka, name):
    file = str(EXAMPLES / f"{name}.yaml")

    result = moka("job", "render", file, "--target", outputs({"spark-a": target()}))

    assert result.status == 0
    manifests = list(yaml.safe_load_all(result.out))
    jobs = list(yaml.safe_load_all(Path(file).read_text()))
    assert [manifest["metadata"]["name"] for manifest in manifests] == [job["name"] for job in jobs]
    assert {manifest["kind"] for manifest in manifests} == {"SparkApplication"}


def test_json_holds_the_same(outputs, target, moka):
    arguments = ["job", "render", str(EXAMPLES / "adhoc.yaml"), "--target", outputs({"spark-a": target()})]

    as_yaml = list(yaml.safe_load_all(moka(*arguments).out))

    assert json.loads(moka(*arguments, "--json").out) == as_yaml


def test_every_mistake_of_every_job_is_reported_and_nothing_is_written(outputs, target, tmp_path, moka):
    file = tmp_path / "jobs.yaml"
    file.write_text(
        "{name: a, namespace: nowhere, queue: science.models, main_file: /a.jar, conf: {spark.master: x}}\n"
        "---\n"
        "{name: b, namespace: spark-jobs, queue: analytics.reports, tier: 1, main_file: 'local:///b.py'}\n"
    )

    result = moka("job", "render", str(file), "--target", outputs({"spark-a": target()}))

    assert (result.status, result.out) == (2, "")
    assert [line.removeprefix(f"{file}: ").split(": ")[:2] for line in result.err.splitlines()] == [
        ["a", "tier"],
        ["a", "namespace"],
        ["a", "main_class"],
        ["a", "main_file"],
        ["a", "conf.spark.master"],
        ["b", "main_file"],
    ]


def test_the_page_on_jobs_shows_mistakes_as_they_are_reported(outputs, target, tmp_path, moka):
    [pi] = yaml.safe_load_all((EXAMPLES / "pi.yaml").read_text())
    del pi["tier"]
    file = tmp_path / "jobs.yaml"
    file.write_text(
        yaml.safe_dump({**pi, "namespace": "spark-job", "executor": {"memory": "100g", "overhead": "40g"}})
    )

    result = moka("job", "render", str(file), "--target", outputs({"spark-a": target()}))

    shown = in_one_line(documented.commands("docs/jobs.md", "## What a job says", 0))
    assert in_one_line(result.err.replace(f"{tmp_path}/", "")) == shown


def test_the_cluster_is_chosen_where_stacks_have_several(outputs, target, moka):
    targets = {name: target(cluster=name, ui_domain=f"{name}.example") for name in ("batch-a", "batch-b")}
    file = outputs({"batch-a": targets["batch-a"]}, {"batch-b": targets["batch-b"]})
    arguments = ["job", "render", str(EXAMPLES / "pi.yaml"), "--target", file]

    several = moka(*arguments)
    assert (several.status, several.err) == (
        2,
        "The stack has several clusters: choose one of batch-a, batch-b with --cluster.\n",
    )
    unknown = moka(*arguments, "--cluster", "batch-c")
    assert unknown.status == 2
    assert unknown.err.startswith("Cluster batch-c is not in the stack: did you mean 'batch-")
    result = moka(*arguments, "--cluster", "batch-b")
    assert result.status == 0
    assert "http://pi.spark-jobs.batch-b.example" in result.out


# Outputs; how they are refused.
OUTPUTS = {
    "none": ("", "The stack has no cluster for jobs: take the outputs of the one with layer spark"),
    "of another layer": ('{"history/home": {}}', "The stack has no cluster for jobs: take the outputs"),
    "an error of pulumi's": ("error: no stack", "The target is not JSON with outputs: give what"),
    "of an earlier version": (
        '{"spark/a": {"jobs": {"cluster": "a"}}}',
        "Cluster a cannot be read (the outputs lack environment, region, queues,",
    ),
}


@pytest.mark.parametrize("case", OUTPUTS, ids=str)
def test_outputs_without_a_target_are_refused(tmp_path, moka, case):
    content, reason = OUTPUTS[case]
    file = tmp_path / "outputs.json"
    file.write_text(content)

    result = moka("job", "render", str(EXAMPLES / "pi.yaml"), "--target", str(file))

    assert result.status == 2
    assert result.err.startswith(reason)


def test_a_file_that_does_not_exist_is_named(outputs, target, moka):
    result = moka("job", "render", "nowhere.yaml", "--target", outputs({"spark-a": target()}))

    assert (result.status, result.err) == (
        2,
        "nowhere.yaml cannot be read (No such file or directory): name a file that is there.\n",
    )


JOB = """
name: orders
namespace: spark-jobs
queue: analytics.reports
tier: 1
language: python
main_file: s3a://staging/spark-jobs/main.py
dependencies: {py_files: [s3a://staging/spark-jobs/orders.zip#orders]}
"""


@pytest.fixture
def render(tmp_path, outputs, target, moka):
    """Render the job -> how it ended, with standard error by line; options go to the command."""
    file = tmp_path / "orders.yaml"
    file.write_text(JOB)

    def run(*options, **of_target):
        arguments = [str(file), "--target", outputs({"spark-a": target(readable={}, **of_target)}), *options]
        result = moka("job", "render", *arguments)
        return result, [line.removeprefix(f"{file}: orders: ") for line in result.err.splitlines()]

    return run


@pytest.fixture
def s3():
    """A bucket for staging in an account in memory."""
    with mock_aws():
        client = boto3.client("s3", "us-east-1")
        client.create_bucket(Bucket="staging")
        yield client


def test_a_job_whose_files_are_on_s3_is_rendered(render, s3):
    for key in ("main.py", "orders.zip"):
        s3.put_object(Bucket="staging", Key=f"spark-jobs/{key}")

    result, lines = render()

    assert (result.status, lines) == (0, [])
    assert result.out.startswith("apiVersion: ")


def test_files_that_are_not_on_s3_are_told_at_once_with_what_to_do(render, s3):
    result, lines = render()

    assert (result.status, result.out) == (2, "")
    assert lines == [
        "main_file: is s3a://staging/spark-jobs/main.py, but that is not there; upload it with "
        "`aws s3 cp main.py s3://staging/spark-jobs/main.py`.",
        "dependencies.py_files: is s3a://staging/spark-jobs/orders.zip#orders, but that is not there; "
        "upload it with `aws s3 cp orders.zip s3://staging/spark-jobs/orders.zip`.",
    ]


def test_a_bucket_that_is_not_there_is_named(render, s3):
    s3.delete_bucket(Bucket="staging")

    _, lines = render()

    assert lines[0] == (
        "main_file: is s3a://staging/spark-jobs/main.py, but there is no bucket staging; correct its name."
    )


def test_whoever_may_not_see_the_files_is_told_so_and_gets_the_application(render, monkeypatch):
    keys = ("main.py", "orders.zip")
    answers = [("head_object", {"Bucket": "staging", "Key": f"spark-jobs/{key}"}, "403") for key in keys]
    with Scripted("s3", answers) as client:
        monkeypatch.setattr(ObjectLookup, "_connected", lambda self: client)
        result, lines = render()

    assert result.status == 0
    assert result.out.startswith("apiVersion: ")
    assert lines[0] == (
        "main_file: cannot check whether s3a://staging/spark-jobs/main.py exists: your own AWS credentials "
        "may not see it (403); check it yourself, or leave the check out with --no-look."
    )


def test_without_credentials_files_are_taken_for_granted_and_that_is_said(render):
    result, lines = render()

    assert result.status == 0
    assert len(lines) == 2
    assert "exists: Unable to locate credentials; check it yourself" in lines[0]
    assert render("--no-look")[1] == []


def test_what_jobs_may_not_read_anyway_is_not_looked_for(render, s3):
    _, lines = render(staging={"spark-jobs": "s3a://elsewhere/spark-jobs/"})

    assert [line.partition(";")[0] for line in lines] == [
        "main_file: is s3a://staging/spark-jobs/main.py, but jobs in spark-jobs may only read "
        "s3a://elsewhere/spark-jobs/",
        "dependencies.py_files: is s3a://staging/spark-jobs/orders.zip#orders, but jobs in spark-jobs may "
        "only read s3a://elsewhere/spark-jobs/",
    ]
