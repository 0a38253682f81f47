"""The command as people and scripts run it, against moto's server."""

import json
import os
import subprocess
import sys

import boto3
import pytest
from moto.server import ThreadedMotoServer

from commands.doctor import main
from doctor.checks import CHECKS


@pytest.fixture(scope="module")
def url():
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def doctor(url):
    """Run it with credentials of moto's account; whatever is not on loopback cannot be reached."""

    def run(*arguments, **environment):
        kept = {
            name: os.environ[name]
            for name in ("PATH", "HOME", "MOTO_EC2_LOAD_DEFAULT_AMIS")
            if name in os.environ
        }
        given = {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_EC2_METADATA_DISABLED": "true",
            "HTTPS_PROXY": "http://127.0.0.1:9",
        }
        return subprocess.run(
            [sys.executable, "-m", "commands.doctor", *arguments],
            env={**kept, **given, **environment},
            capture_output=True,
            text=True,
        )

    return run


def test_it_tells_a_line_a_finding_and_a_verdict_at_the_end(doctor):
    ran = doctor("local")

    told = ran.stdout.splitlines()
    assert ran.returncode == 0
    assert told[-1].startswith("local can be deployed, as far as checked: ")
    assert "ok           main          There are zones us-east-1a, us-east-1b and us-east-1c." in told
    assert [line for line in told if line.startswith("not checked  main          Images docker.io/apache/")]
    assert ran.stderr.startswith("Asking AWS ")


def test_a_problem_is_its_exit_status_and_scripts_get_json_with_the_subject_of_each_finding(doctor, url):
    make = boto3.Session("test", "test").client
    make("s3", region_name="us-east-1", endpoint_url=url).create_bucket(
        Bucket="moka-local-123456789012-us-east-1-staging"
    )

    ran = doctor("local", "--json", "--only", "names")

    told = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert (told["environment"], told["error"]) == ("local", None)
    assert {finding["check"] for finding in told["findings"]} == {"credentials", "names"}
    assert told["summary"]["problem"] == 1
    [problem] = [finding for finding in told["findings"] if finding["status"] == "problem"]
    assert problem["what"].startswith("Bucket moka-local-123456789012-us-east-1-staging is there already")


def test_without_an_answer_from_aws_it_says_so_in_one_sentence_for_scripts_too(doctor):
    ran = doctor("local", "--json", AWS_ENDPOINT_URL="http://127.0.0.1:9")

    assert ran.returncode == 2
    assert json.loads(ran.stdout)["error"] == ran.stderr.strip()
    assert ran.stderr.startswith("AWS does not say who we are, so nothing can be asked: ")
    assert len(ran.stderr.splitlines()) == 1


def test_wrong_settings_are_told_and_nothing_is_asked(capsys):
    assert main(["nowhere"]) == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Environment 'nowhere' has no settings")


def test_a_subject_that_is_not_there_is_told_with_those_that_are(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["local", "--only", "nothing-of-the-kind"])

    told = capsys.readouterr().err
    assert [subject for subject in CHECKS if subject not in told] == []
