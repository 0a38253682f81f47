"""`moka doctor` as people and scripts run it, against moto's server."""

import json
import os
import subprocess
import sys
from typing import get_args

import boto3
import pytest
from moto.rds.models import RDSBackend

from commands.doctor import CREDENTIALS, Subject
from doctor.checks import CHECKS
from doctor.checks.database import ENGINE
from stacks.settings.database import VERSION
from tests.support.moto_server import moto_server

OFFERS = [
    {
        "Engine": ENGINE,
        "EngineVersion": VERSION,
        "DBInstanceClass": "db.serverless",
        "AvailabilityZones": [{"Name": f"us-east-1{letter}"} for letter in "abc"],
    }
]
"""What Aurora offers; moto's own list ends before there was `db.serverless` (5.2: rds/resources/)."""


@pytest.fixture(scope="module")
def url():
    with pytest.MonkeyPatch.context() as patch, moto_server() as url:
        patch.setattr(RDSBackend, "describe_orderable_db_instance_options", lambda *_: OFFERS)
        yield url


@pytest.fixture
def doctor(url):
    """Run it with credentials of moto's account; whatever is not on loopback cannot be reached."""

    def run(*arguments, **environment):
        inherited = {
            name: os.environ[name]
            for name in ("PATH", "HOME", "MOTO_EC2_LOAD_DEFAULT_AMIS")
            if name in os.environ
        }
        credentials = {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_EC2_METADATA_DISABLED": "true",
            "HTTPS_PROXY": "http://127.0.0.1:9",
        }
        return subprocess.run(
            [sys.executable, "-m", "commands", "doctor", *arguments],
            env={**inherited, **credentials, **environment},
            capture_output=True,
            text=True,
        )

    return run


def test_it_prints_a_line_a_finding_and_a_verdict_at_the_end(doctor):
    completed = doctor("local")

    lines = completed.stdout.splitlines()
    assert completed.returncode == 0
    assert lines[-1].startswith("local can be deployed, as far as checked: ")
    assert "ok           main          There are zones us-east-1a, us-east-1b and us-east-1c." in lines
    assert [line for line in lines if line.startswith("not checked  main          Images docker.io/apache/")]
    assert completed.stderr.startswith("Asking AWS ")


def test_a_problem_is_its_exit_status_and_scripts_get_json_with_the_subject_of_each_finding(doctor, url):
    client = boto3.Session("test", "test").client
    client("s3", region_name="us-east-1", endpoint_url=url).create_bucket(
        Bucket="moka-local-123456789012-us-east-1-staging"
    )

    completed = doctor("local", "--json", "--only", "names")

    report = json.loads(completed.stdout)
    assert completed.returncode == 1
    assert (report["environment"], report["error"]) == ("local", None)
    assert {finding["check"] for finding in report["findings"]} == {"credentials", "names"}
    assert report["summary"]["problem"] == 1
    [problem] = [finding for finding in report["findings"] if finding["status"] == "problem"]
    assert problem["what"].startswith("Bucket moka-local-123456789012-us-east-1-staging exists already")


def test_without_an_answer_from_aws_it_says_so_in_one_sentence_for_scripts_too(doctor):
    completed = doctor("local", "--json", AWS_ENDPOINT_URL="http://127.0.0.1:9")

    assert completed.returncode == 2
    assert json.loads(completed.stdout)["error"] == completed.stderr.strip()
    assert completed.stderr.startswith("AWS does not say whose credentials these are, so nothing")
    assert len(completed.stderr.splitlines()) == 1


def test_what_stands_in_the_way_of_a_kubernetes_version_is_asked_instead_of_all_else(doctor):
    completed = doctor("local", "--upgrade", "1.36")

    lines = completed.stdout.splitlines()
    assert completed.returncode == 1
    assert lines[-1].startswith("local cannot go to Kubernetes 1.36 as it is: ")
    assert "ok           main/spark-a  Kubernetes 1.35 to 1.36 is one step." in lines
    assert [
        line for line in lines if line.startswith("problem      main          No add-ons are pinned for ")
    ]
    assert [line for line in lines if "zones" in line] == []


@pytest.mark.parametrize("version", ["next", "2.0", "1.35.4", "1.0", "v1.36"])
def test_what_is_no_kubernetes_version_is_refused(moka, version):
    result = moka("doctor", "local", "--upgrade", version)

    assert (result.status, result.out) == (2, "")
    assert result.err == f"{version!r} is no Kubernetes version: write one such as 1.36.\n"


def test_an_upgrade_is_not_asked_together_with_a_subject(moka):
    result = moka("doctor", "local", "--upgrade", "1.36", "--only", "zones")

    assert (result.status, result.err) == (2, "--upgrade asks its own questions: leave out --only.\n")


def test_wrong_settings_are_reported_and_nothing_is_asked(moka):
    result = moka("doctor", "nowhere")

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("Environment 'nowhere' has no settings")


def test_every_subject_can_be_asked_alone_and_another_is_refused_with_their_names(moka):
    assert list(get_args(Subject)) == [CREDENTIALS, *CHECKS]

    result = moka("doctor", "local", "--only", "nothing-of-the-kind")

    assert result.status == 2
    assert [subject for subject in CHECKS if subject not in result.err] == []
