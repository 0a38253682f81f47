"""The example jobs on `local`, applied as docs/jobs.md says, from a missing library to their end."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from localcloud.control_plane import ControlPlane
from moka.jobs.files import named_objects
from moka.jobs.job_file import read
from tests.support.aws_clients import aws_clients

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "examples" / "jobs").glob("*.yaml"))
APPLICATIONS = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/spark-jobs/sparkapplications"
DRIVERS = "/api/v1/namespaces/spark-jobs/pods"
ENDED = ("COMPLETED", "FAILED", "SUBMISSION_FAILED")

KUBECTL = f"""#!{sys.executable}
import sys
import yaml
from localcloud.control_plane.api import Api, path_of
from localcloud.plugins.kubernetes.kubeconfig import access, read
assert sys.argv[1:] == ["apply", "-f", "-"]
objects = [thing for thing in yaml.safe_load_all(sys.stdin) if thing]
cluster = access(read(None))
api = Api(cluster.server, cluster.authority, cluster.bearer())
for thing in objects:
    api.apply(path_of(thing), thing)
sys.exit(0 if objects else "error: no objects passed to apply")
"""


@pytest.fixture(scope="module")
def plane(local):
    [plane] = ControlPlane.all(local.cloud)
    return plane


@pytest.fixture(scope="module")
def shell(local, plane, tmp_path_factory):
    """Run the line of docs/jobs.md for a job file, in a shell that has kubectl for the cluster."""
    [line] = re.findall(r"^    (make job .*nightly\.yaml.*)$", (ROOT / "docs" / "jobs.md").read_text(), re.M)
    folder = tmp_path_factory.mktemp("bin")
    (folder / "kubectl").write_text(KUBECTL)
    (folder / "kubectl").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "MOKA_CLOUD": str(local.cloud.home),
        "KUBECONFIG": str(plane.kubeconfig),
    }

    def run(example):
        command = line.replace("nightly.yaml", example.name)
        return subprocess.run(
            ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
        )

    return run


def jobs(example):
    return [draft.job for draft in read(example.read_text(), example.name)]


def objects(example):
    """The objects on S3 that the jobs of a file name."""
    return sorted({s3_object for job in jobs(example) for _, s3_object in named_objects(job)}, key=str)


def test_a_library_that_is_not_there_is_told_before_anything_is_submitted(shell, plane):
    [nightly] = [example for example in EXAMPLES if example.stem == "nightly"]

    done = shell(nightly)

    assert done.returncode != 0
    for s3_object in objects(nightly):
        assert (
            f"that is not there; upload it with `aws s3 cp {s3_object.name} {s3_object.url}`." in done.stderr
        )
    assert plane.api().list(APPLICATIONS) == []


def test_every_example_runs_to_its_end(shell, plane, local):
    api, s3 = plane.api(), aws_clients(local.cloud)("s3")
    names = {job.name for example in EXAMPLES for job in jobs(example)}
    try:
        for example in EXAMPLES:
            for s3_object in objects(example):
                s3.put_object(Bucket=s3_object.bucket, Key=s3_object.key, Body=b"")
            done = shell(example)
            assert (done.returncode, done.stderr) == (0, ""), done.stderr

        states = {}
        for thing in api.follow(APPLICATIONS):
            name, state = thing["metadata"]["name"], state_of(thing)
            if state == "RUNNING" and states.get(name) != "RUNNING":
                # Its work is simulated, and need not take half a minute.
                hurry = {"metadata": {"annotations": {"localcloud/runs-for": "1"}}}
                api.merge(f"{DRIVERS}/{name}-driver", hurry)
            states[name] = state
            if names <= states.keys() and all(states[name] in ENDED for name in names):
                break
        assert {name: states[name] for name in names} == dict.fromkeys(names, "COMPLETED")
    finally:
        for name in names:
            api.delete(f"{APPLICATIONS}/{name}")
        for example in EXAMPLES:
            for s3_object in objects(example):
                s3.delete_object(Bucket=s3_object.bucket, Key=s3_object.key)


def state_of(application):
    return (application.get("status") or {}).get("applicationState", {}).get("state", "")
