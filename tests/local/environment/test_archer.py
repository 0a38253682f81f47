"""Archer on `local`: a job is submitted by the client as people do it, and who has no right is refused."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.control_plane import ControlPlane, pod_identity
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.accounts import token_of
from moka.names import ALLOCATOR, ALLOCATOR_NAMESPACE
from tests.support.aws_clients import aws_clients
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [".local/venv/bin/python", "-m", "archer"]


@pytest.fixture(scope="module")
def shell(local):
    """Variables of a shell after `. .local/env`."""
    exports = (line.removeprefix("export ") for line in commands.exports(local).splitlines())
    pairs = (shlex.split(line)[0].partition("=") for line in exports if not line.startswith("unset"))
    return {
        "HOME": os.environ["HOME"],
        "PYTHONPATH": str(ROOT / "clients" / "archer"),
        **{name: value for name, _, value in pairs},
    }


@pytest.fixture(scope="module")
def archer(shell):
    """Run `archer` with arguments, and with other credentials."""

    def run(*arguments, **credentials):
        return subprocess.run(
            [*COMMAND, *arguments], cwd=ROOT, env={**shell, **credentials}, capture_output=True, text=True
        )

    return run


@pytest.fixture(scope="module")
def somebody(local):
    """Credentials of a role that has no right."""
    clients = aws_clients(local.cloud)
    trust = {"Version": "2012-10-17", "Statement": []}
    role = clients("iam").create_role(RoleName="somebody", AssumeRolePolicyDocument=json.dumps(trust))["Role"]
    keys = clients("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="me")["Credentials"]
    yield {
        "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
        "AWS_SESSION_TOKEN": keys["SessionToken"],
    }
    clients("iam").delete_role(RoleName="somebody")


def test_a_job_that_is_submitted_runs_on_the_cluster_and_ends_well(archer, local):
    done = archer("submit", "examples/jobs/pi.yaml", "--wait", "--json")

    assert done.returncode == 0, done.stdout + done.stderr
    job = json.loads(done.stdout)
    assert (job["state"], job["cluster"], len(job["attempts"])) == ("succeeded", "spark-a", 1)
    assert job["owner"].startswith("arn:aws:sts::123456789012:")
    # Others look at what there is in the namespace.
    [plane] = ControlPlane.all(local.cloud)
    [attempt] = job["attempts"]
    namespace = f"namespaces/{attempt['namespace']}"
    plane.api().delete(
        f"/apis/sparkoperator.k8s.io/v1beta2/{namespace}/sparkapplications/{attempt['application']}"
    )
    pods = f"/api/v1/{namespace}/pods"
    eventually(
        lambda: not any(attempt["application"] in pod["metadata"]["name"] for pod in plane.api().list(pods))
    )


def test_who_has_no_right_submits_nothing_and_sees_nothing(archer, somebody):
    refused = archer("submit", "examples/jobs/pi.yaml", **somebody)
    seen = archer("list", "--json", **somebody)

    assert refused.returncode == 3
    assert "analytics.reports" in refused.stderr
    assert seen.stdout.strip() in ("", "[]")


def test_who_does_not_say_who_it_is_is_not_let_in(archer):
    refused = archer("list", ARCHER_TOKEN="nobody's")

    assert refused.returncode == 3
    assert "does not identify its sender" in refused.stderr


OPERATE = """
from archer import Archer, IamCredentials
import os
credentials = IamCredentials(os.environ["ARCHER_ENVIRONMENT"], "us-east-1")
with Archer(os.environ["ARCHER_URL"], credentials) as archer:
    archer.cordon("spark-a", "a test")
    archer.uncordon("spark-a")
"""


@pytest.fixture
def allocator(local, tmp_path):
    """The credentials of the allocator's pod."""
    [plane] = ControlPlane.all(local.cloud)
    token = tmp_path / pod_identity.TOKEN
    token.write_text(token_of(plane, ALLOCATOR_NAMESPACE, ALLOCATOR, audience=pod_identity.AUDIENCE))
    return pod_identity.variables(pods.network(plane), str(token))


def test_the_allocator_operates_by_its_role_and_may_submit_nothing(archer, shell, allocator):
    done = subprocess.run(
        [COMMAND[0], "-c", OPERATE], cwd=ROOT, env={**shell, **allocator}, capture_output=True, text=True
    )
    refused = archer("submit", "examples/jobs/pi.yaml", **allocator)

    assert done.returncode == 0, done.stdout + done.stderr
    assert refused.returncode == 3
    assert "assumed-role/spark-a-allocator-" in refused.stderr + refused.stdout
