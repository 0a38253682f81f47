"""What goes wrong on a laptop, done to clouds of their own: what people read, and that nothing is lost."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.engine import PLUGINS, Engine
from localcloud.errors import Refusal
from localcloud.loopback import port_taken
from localcloud.processes import Process
from tests.support.pulumi_project import copy_project

pytestmark = pytest.mark.usefixtures("checkpoints")

QUIET = ("--non-interactive",)

BUCKET = """
import pulumi_aws as aws

aws.s3.Bucket("data", bucket="bad-luck")
"""

CLUSTER = """
import json
import pulumi
import pulumi_aws as aws

trust = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
role = aws.iam.Role("role", assume_role_policy=json.dumps(trust))
permissions = aws.iam.RolePolicyAttachment(
    "role", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
network = aws.ec2.Vpc("network", cidr_block="10.9.0.0/16")
subnets = [
    aws.ec2.Subnet(f"subnet-{zone}", vpc_id=network.id, cidr_block=f"10.9.{n}.0/24",
                   availability_zone=f"us-east-1{zone}")
    for n, zone in enumerate("ab")
]
cluster = aws.eks.Cluster(
    "cluster", name="unlucky", role_arn=role.arn, version="1.34",
    vpc_config={"subnet_ids": [subnet.id for subnet in subnets]},
    opts=pulumi.ResourceOptions(depends_on=[permissions]),
)
"""

COMPONENT = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

from stacks import sdk_tuning

sdk_tuning.end_without_traceback()

network = aws.ec2.Vpc("network", cidr_block="10.9.0.0/16")
subnets = [
    aws.ec2.Subnet("subnet-" + zone, vpc_id=network.id, cidr_block="10.9.%s.0/24" % n,
                   availability_zone="us-east-1" + zone)
    for n, zone in enumerate("ab")
]
cluster = eks.Cluster(
    "cluster", name="unlucky", version="VERSION", vpc_id=network.id, authentication_mode="API",
    subnet_ids=[subnet.id for subnet in subnets], skip_default_node_group=True,
)
"""

WAITS_FOR_NODES = (
    COMPONENT.replace("VERSION", "1.34")
    + """
provider = kubernetes.Provider("provider", kubeconfig=cluster.kubeconfig_json)
labels = {"app": "web"}
kubernetes.apps.v1.Deployment(
    "web",
    metadata={"name": "web", "namespace": "default"},
    spec={"selector": {"matchLabels": labels}, "template": {
        "metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}},
    opts=pulumi.ResourceOptions(provider=provider),
)
"""
)

MakeEngine = Callable[..., Engine]


@pytest.fixture
def make_engine(tmp_path, project) -> Iterator[MakeEngine]:
    """An engine on a cloud of its own, for a program; all of it is ended afterwards."""
    engines = []

    def make(program: str) -> Engine:
        engines.append(Engine(Cloud(tmp_path / "cloud"), project(program)))
        return engines[-1]

    yield make
    for engine in engines:
        commands.stop(engine)


def kill(*processes: Process) -> None:
    for process in processes:
        running = psutil.Process(json.loads(process.pid_file.read_text())["pid"])
        running.kill()
        while process.alive():
            time.sleep(0.02)


@contextlib.contextmanager
def listening(port: int) -> Iterator[None]:
    """Take a port, as soon as the one who had it lets go of it."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        while port_taken(port):
            time.sleep(0.05)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        yield


def command_line(engine: Engine, *arguments: str) -> subprocess.Popen[str]:
    """`python -m localcloud`, as make runs it, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "localcloud", "--project", str(engine.project), *arguments],
        cwd=REPOSITORY,
        env={**os.environ, "MOKA_CLOUD": str(engine.cloud.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_when_aws_is_gone_that_is_said_down_clears_the_rest_away_and_up_starts_anew(make_engine, capfd):
    engine = make_engine(BUCKET)
    assert commands.up(engine, "dev", QUIET) == 0
    kill(AwsServer(engine.cloud).process)

    for ask in (commands.up, commands.preview):
        with pytest.raises(Refusal, match=r"what dev had there is lost: run `make down`"):
            ask(engine, "dev", QUIET)
    capfd.readouterr()
    assert commands.down(engine, "dev", QUIET) == 0
    assert "the state of dev is cleared away too" in capfd.readouterr().out
    assert list(engine.stacks()) == []

    assert commands.up(engine, "dev", QUIET) == 0
    assert commands.up(engine, "dev", QUIET) == 0
    assert "2 unchanged" in capfd.readouterr().out
    for _ in range(2):
        assert commands.down(engine, "dev", QUIET) == 0
    assert not AwsServer(engine.cloud).alive()


def test_a_preview_leaves_no_stack_and_clean_leaves_nothing(make_engine):
    engine = make_engine(BUCKET)
    assert commands.preview(engine, "dev", QUIET) == 0
    commands.tidy(engine)
    assert list(engine.stacks()) == []

    assert commands.up(engine, "dev", QUIET) == 0
    assert commands.preview(engine, "other", QUIET) == 0
    commands.tidy(engine)
    assert list(engine.stacks()) == ["dev"]
    assert commands.down(engine, "dev", QUIET) == 0
    commands.tidy(engine)
    assert list(engine.stacks()) == ["dev"], "one that was up keeps its history"

    commands.clean(engine)
    assert not engine.cloud.home.exists()


def test_a_control_plane_that_was_killed_is_started_again_on_its_data_unless_its_port_is_taken(
    make_engine, capfd
):
    engine = make_engine(CLUSTER)
    assert commands.up(engine, "dev", QUIET) == 0
    [plane] = ControlPlane.all(engine.cloud)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kept"}}
    plane.api().create("/api/v1/namespaces", namespace)
    kill(plane.process("kube-apiserver"), plane.process("etcd"))

    port = plane.ports["kube-apiserver"]
    refused = pytest.raises(Refusal, match=rf"Port {port} of 127\.0\.0\.1, .* is taken by another program")
    with listening(port), refused:
        commands.down(engine, "dev", QUIET)
    capfd.readouterr()
    assert commands.preview(engine, "dev", QUIET) == 0

    output = capfd.readouterr().out
    assert "Starting the control plane of unlucky again, on its data." in output
    assert "7 unchanged" in output
    assert plane.api().get("/api/v1/namespaces/kept") is not None


def test_an_up_whose_etcd_dies_ends_and_says_so_and_the_next_goes_on(make_engine):
    engine = make_engine(WAITS_FOR_NODES)
    up = command_line(engine, "up", "--stack", "dev", "--", *QUIET)
    deployment = "/apis/apps/v1/namespaces/default/deployments/web"

    def waits() -> bool:
        assert up.poll() is None, up.communicate()[0]
        return any(plane.alive() and plane.api().get(deployment) for plane in ControlPlane.all(engine.cloud))

    while not waits():
        time.sleep(0.05)
    [plane] = ControlPlane.all(engine.cloud)
    kill(plane.process("etcd"))
    output, _ = up.communicate()

    assert up.returncode != 0
    # What the plugin says besides follows from whether it asks before the API server has ended, too.
    assert "etcd of cluster unlucky has ended; its log, " in output
    assert "timed out" not in output
    assert plane.ended() == ["etcd", "kube-apiserver"]
    commands.start(engine)
    assert plane.ended() == []
    assert plane.api().get(deployment) is not None


def test_a_component_of_eks_that_fails_says_why_before_all_else(make_engine, capfd):
    engine = make_engine(COMPONENT.replace("VERSION", "1.11"))

    assert commands.up(engine, "dev", QUIET) != 0

    output = capfd.readouterr().out
    diagnostics = output.split("Diagnostics:")[1].split("Resources:")[0]
    # What follows may be the program's own report, which the engine interrupts wherever it is.
    first = "\n".join([line for line in diagnostics.splitlines() if line.strip()][:7])
    assert "Kubernetes version (InvalidParameterException): take a version that EKS still has" in first


def test_after_a_ctrl_c_what_was_under_way_is_ended_and_up_goes_on(make_engine, capfd):
    engine = make_engine(CLUSTER)
    first = command_line(engine, "up", "--stack", "dev", "--", *QUIET)
    while not (engine.cloud.clusters / "unlucky").exists():
        assert first.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGINT)
    output, _ = first.communicate()

    assert first.returncode != 0
    assert "Traceback" not in output
    assert engine.remove_stale_locks("dev") == []
    assert engine.cut_off("dev") == []
    assert commands.up(engine, "dev", QUIET) == 0
    assert [plane.alive() for plane in ControlPlane.all(engine.cloud)] == [True]


def test_what_a_killed_up_left_behind_is_gone_with_down(make_engine, capfd):
    engine = make_engine(CLUSTER)
    first = command_line(engine, "up", "--stack", "dev", "--", *QUIET)
    while not (engine.cloud.clusters / "unlucky").exists():
        assert first.poll() is None, "it ended before it could be killed"
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert engine.cut_off("dev") != []

    assert commands.down(engine, "dev", QUIET) == 0

    assert "Removed the lock" in capfd.readouterr().out
    assert engine.cut_off("dev") == []
    assert ControlPlane.all(engine.cloud) == []
    home = str(engine.cloud.home)
    assert not [
        p for p in psutil.process_iter(["cmdline"]) if any(home in w for w in p.info["cmdline"] or [])
    ]


def test_every_mistake_in_the_settings_is_told_by_our_own_lines_and_nothing_else(cloud, tmp_path, capfd):
    folder = copy_project(tmp_path / "moka")
    settings = folder / "stacks" / "local.yaml"
    settings.write_text(settings.read_text().replace("organization:", "organisation:") + "\ncolour: red\n")

    status = commands.up(Engine(cloud, folder), "local", QUIET)

    output = capfd.readouterr().out
    assert status != 0
    assert "stacks/local.yaml: organisation: unknown key; did you mean 'organization'?" in output
    assert "stacks/local.yaml: colour: unknown key" in output
    assert "Traceback" not in output
    assert "Outputs:" not in output


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize(
    "name, value",
    [
        ("MOKA_CLOUD", ""),
        ("PULUMI_BACKEND_URL", "s3://states"),
        ("AWS_ENDPOINT_URL", "https://eks.us-east-1.amazonaws.com"),
    ],
)
def test_a_plugin_as_it_is_laid_serves_nothing_but_a_laptop(cloud, plugin, name, value):
    engine = Engine(cloud)
    [program] = cloud.engine_home.glob(f"plugins/resource-{plugin}-v*/pulumi-resource-{plugin}")

    refused = subprocess.run(
        [program, "127.0.0.1:1"],
        env={**engine.environment(), name: value},
        capture_output=True,
        text=True,
    )

    assert refused.returncode == 1
    assert refused.stdout == ""
    [sentence] = refused.stderr.splitlines()
    assert name in sentence
