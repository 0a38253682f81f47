"""What pods of Celeborn run besides it, run here by bash and curl against stand-ins for what they ask."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from moka.celeborn import configuration as conf
from moka.components.kubernetes.celeborn_members import READY_CHECKS, START
from tests.support.http_server import fixed_answers

SCALE = "/apis/apps/v1/namespaces/celeborn/statefulsets/celeborn-worker/scale"
EXIT = "/api/v1/workers/exit"


@pytest.fixture
def leave(tmp_path):
    """Run what a worker runs before it is stopped: pod and scale of its set -> requests to the worker."""
    (tmp_path / "token").write_text("secret")
    script = conf.files("celeborn", 3, ["/mnt/disk-1"], 800, 0.2, 6, rack_aware=False)[conf.LEAVE_SCRIPT]

    def run(pod: str, scale: object) -> list:
        with (
            fixed_answers({SCALE: scale} if scale else {}) as (api, _),
            fixed_answers({EXIT: "{}"}) as (worker, requests),
        ):
            subprocess.run(
                ["bash", "-c", script],
                env={
                    "PATH": os.environ["PATH"],
                    "SECRETS": str(tmp_path),
                    "KUBERNETES_API": f"http://127.0.0.1:{api}",
                    "NAMESPACE": "celeborn",
                    "STATEFUL_SET": "celeborn-worker",
                    "POD_NAME": pod,
                    "CELEBORN_LOCAL_HOSTNAME": "127.0.0.1",
                    "HTTP_PORT": str(worker),
                },
                check=True,
                capture_output=True,
            )
        return requests

    return run


def scale(desired: int, existing: int = 12, indent: int | None = None) -> str:
    """What the API server answers; to curl with line breaks, unless it is asked otherwise."""
    spec = {"replicas": desired} if desired else {}
    answer = {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "celeborn-worker", "namespace": "celeborn"},
        "spec": spec,
        "status": {"replicas": existing, "selector": "app.kubernetes.io/name=celeborn"},
    }
    return json.dumps(answer, indent=indent)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("pod", ["celeborn-worker-10", "celeborn-worker-11"])
def test_a_worker_that_is_too_many_is_decommissioned_before_it_is_stopped(leave, pod, indent):
    assert leave(pod, scale(10, indent=indent)) == [("POST", EXIT, '{"type":"DECOMMISSION"}')]


def test_a_worker_that_will_be_back_only_restarts(leave):
    assert leave("celeborn-worker-9", scale(10)) == []


@pytest.mark.parametrize(
    "answer", [None, "not what it was", scale(0)], ids=["gone", "something else", "wants none"]
)
def test_a_worker_that_cannot_know_goes_as_for_a_restart(leave, answer):
    assert leave("celeborn-worker-11", answer) == []


OWN_NAME = "celeborn-master-0.celeborn-master.celeborn.svc.cluster.local"


def test_a_member_starts_with_its_own_name_while_another_has_none(tmp_path):
    """With a zone out, a master waits for a node, and has no address."""
    names = tmp_path / "getent"
    # Its own is there when DNS is asked for the second time.
    names.write_text(f"""#!/bin/bash
echo "$2" >>{tmp_path}/lookups
[ "$2" = {OWN_NAME} ] && [ "$(grep -c . {tmp_path}/lookups)" -gt 1 ]
""")
    names.chmod(0o755)
    start = START.replace("/opt/celeborn/sbin/start-$ROLE.sh", "echo started $ROLE")

    output = subprocess.run(
        ["bash", "-c", start],
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "ROLE": "master",
            "CELEBORN_LOCAL_HOSTNAME": OWN_NAME,
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout

    assert output == "started master\n"
    assert set((tmp_path / "lookups").read_text().split()) == {OWN_NAME}


LEADER = {"id": "1", "address": "celeborn-master-1.celeborn-master.celeborn.svc.cluster.local:9872"}


@pytest.mark.parametrize(
    ("role", "path", "answer", "ready"),
    [
        ("master", "/api/v1/masters", {"groupId": "g", "leader": LEADER, "masterCommitInfo": []}, True),
        ("master", "/api/v1/masters", {"groupId": "g", "leader": {"id": "", "address": ""}}, False),
        ("master", "/api/v1/masters", {"groupId": "g", "leader": None, "other": {"address": "x"}}, False),
        ("master", "/api/v1/masters", {"groupId": "g"}, False),
        ("master", "/elsewhere", {"leader": LEADER}, False),
        ("worker", "/api/v1/workers", {"isShutdown": False, "isRegistered": True}, True),
        ("worker", "/api/v1/workers", {"isShutdown": True, "isRegistered": False}, False),
        ("worker", "/elsewhere", {"isRegistered": True}, False),
    ],
)
def test_masters_are_ready_with_a_leader_and_workers_once_the_masters_know_them(role, path, answer, ready):
    for text in (json.dumps(answer), json.dumps(answer, indent=2)):
        with fixed_answers({path: text}) as (port, _):
            done = subprocess.run(
                ["bash", "-c", f"curl -sf http://127.0.0.1:{port}{READY_CHECKS[role]}"], check=False
            )
        assert (done.returncode == 0) == ready


def test_what_is_run_is_written_for_bash():
    script = Path(conf.__file__).with_name("leave.sh")

    subprocess.run(["bash", "-n", str(script)], check=True)
