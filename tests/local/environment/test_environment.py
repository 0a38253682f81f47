"""`local`, brought up once: what is there, asked of AWS and of Kubernetes; then it is taken down."""

import contextlib
import io
import json
import os
import shlex
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import psutil
import pytest
from kubernetes import client, config

from commands import app
from commands.queues import SCHEDULERS_VARIABLE
from localcloud import commands, report
from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.engine import Engine
from tests.support.http_server import fixed_answers
from tests.support.pulumi_stack import PulumiStack
from tests.support.waiting import eventually

JOBS = "spark-jobs"
QUEUE = "root.science.models.tier2"


@pytest.fixture(scope="module")
def plane(local) -> ControlPlane:
    [plane] = ControlPlane.all(local.cloud)
    return plane


@pytest.fixture(scope="module")
def api(plane):
    return config.new_client_from_config(config_file=str(plane.kubeconfig))


@pytest.fixture(scope="module")
def core(api):
    return client.CoreV1Api(api)


@pytest.fixture(scope="module")
def account(local):
    def service(name: str):
        return boto3.client(
            name,
            endpoint_url=AwsServer(local.cloud).url,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    return service


def status(local: Engine) -> dict:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        report.status(local, as_json=True)
    return json.loads(output.getvalue())


def pod(name: str, architecture: str) -> dict:
    return {
        "metadata": {
            "name": name,
            "labels": {"applicationId": name, "queue": QUEUE},
        },
        "spec": {
            "schedulerName": "yunikorn",
            "nodeSelector": {"kubernetes.io/arch": architecture, "moka.dev/role": "executor"},
            "tolerations": [{"key": "moka.dev/role", "value": "executor", "effect": "NoSchedule"}],
            "containers": [
                {
                    "name": "main",
                    "image": "example.invalid/any",
                    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
                }
            ],
        },
    }


def application(name: str) -> dict:
    def role(which: str) -> dict:
        return {
            "cores": 1,
            "memory": "1g",
            "serviceAccount": "spark",
            "nodeSelector": {"kubernetes.io/arch": "arm64", "moka.dev/role": which},
            "tolerations": [{"key": "moka.dev/role", "value": which, "effect": "NoSchedule"}],
            # With its webhook off, what the operator says of scheduling comes from the template.
            "template": {
                "spec": {
                    "schedulerName": "yunikorn",
                    "nodeSelector": {"kubernetes.io/arch": "arm64", "moka.dev/role": which},
                    "tolerations": [{"key": "moka.dev/role", "value": which, "effect": "NoSchedule"}],
                    "containers": [{"name": f"spark-kubernetes-{which}"}],
                }
            },
        }

    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {"name": name, "namespace": JOBS},
        "spec": {
            "type": "Scala",
            "mode": "cluster",
            "image": "example.invalid/spark:4.1.4",
            "mainClass": "org.apache.spark.examples.SparkPi",
            "mainApplicationFile": "local:///opt/spark/examples/jars/spark-examples.jar",
            "sparkVersion": "4.1.4",
            "batchScheduler": "yunikorn",
            "batchSchedulerOptions": {"queue": QUEUE},
            "driver": role("driver"),
            "executor": {**role("executor"), "instances": 1},
        },
    }


def test_the_network_spans_three_zones(account):
    subnets = account("ec2").describe_subnets(
        Filters=[{"Name": "tag:moka:environment", "Values": ["local"]}]
    )["Subnets"]

    # A public one, one for nodes and one for pods in each.
    zones = [s["AvailabilityZone"] for s in subnets]
    assert {zone: zones.count(zone) for zone in zones} == {f"us-east-1{letter}": 3 for letter in "abc"}


def test_buckets_are_encrypted_and_closed(account):
    s3 = account("s3")
    names = [b["Name"] for b in s3.list_buckets()["Buckets"]]

    assert sorted(n.rsplit("us-east-1-")[1] for n in names) == [
        "access-logs",
        "code",
        "event-logs",
        "job-logs",
        "resource-usage",
        "staging",
        "system-logs",
    ]
    for name in names:
        rule = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"][0]
        # S3 delivers its records of access only where its own key encrypts them.
        own = name.endswith("-access-logs")
        assert rule["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == ("AES256" if own else "aws:kms")
        block = s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
        assert all(block.values())


def test_node_groups_of_both_architectures_are_there_with_their_machines(account, core):
    groups = account("eks").list_nodegroups(clusterName="moka-local-spark-a")["nodegroups"]
    nodes = core.list_node().items

    # Only executors span zones.
    assert len(groups) == 4 * 3 + 2
    by_architecture = {n.metadata.labels["kubernetes.io/arch"] for n in nodes}
    assert by_architecture == {"arm64", "amd64"}
    assert all(any(c.type == "Ready" and c.status == "True" for c in n.status.conditions) for n in nodes)


def test_celeborn_and_the_history_server_are_ready(api):
    apps = client.AppsV1Api(api)

    ready = {
        item.metadata.name: item.status.ready_replicas
        for item in apps.list_namespaced_stateful_set("celeborn").items
    }
    workers = {f"celeborn-worker-us-east-1{zone}": 1 for zone in "abc"}
    assert ready == {"celeborn-master": 3, **workers}
    assert apps.read_namespaced_stateful_set("history-server", "spark-history").status.ready_replicas == 1


def zones_of(core, role: str) -> dict[str, str]:
    """Pod of Celeborn -> zone of its node."""
    nodes = {node.metadata.name: node.metadata.labels for node in core.list_node().items}
    pods = core.list_namespaced_pod("celeborn", label_selector=f"app.kubernetes.io/role={role}").items
    return {p.metadata.name: nodes[p.spec.node_name]["topology.kubernetes.io/zone"] for p in pods}


def test_celeborn_workers_are_on_shuffle_nodes_of_the_zone_in_their_name(core):
    shuffle = {n.metadata.name for n in core.list_node(label_selector="moka.dev/role=shuffle").items}
    workers = core.list_namespaced_pod("celeborn", label_selector="app.kubernetes.io/role=worker").items

    assert {w.spec.node_name for w in workers} <= shuffle
    zones = ("us-east-1a", "us-east-1b", "us-east-1c")
    assert zones_of(core, "worker") == {f"celeborn-worker-{zone}-0": zone for zone in zones}


def test_celeborn_masters_are_in_three_zones(core):
    assert len(set(zones_of(core, "master").values())) == 3


def test_the_disruption_controller_finds_the_pods_of_celeborn(api):
    policy = client.PolicyV1Api(api)

    for name in ("celeborn-master", "celeborn-worker"):
        budget = eventually(
            lambda name=name: (
                (s := policy.read_namespaced_pod_disruption_budget(name, "celeborn").status).expected_pods
                and s.disruptions_allowed
                and s
            )
        )
        assert (budget.expected_pods, budget.disruptions_allowed, budget.current_healthy) == (3, 1, 3)


@pytest.fixture
def as_worker(core, plane):
    """A client with the service account of Celeborn's workers, and the token that it has."""
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    token = core.create_namespaced_service_account_token("celeborn-worker", "celeborn", request).status.token
    as_admin = config.new_client_from_config(config_file=str(plane.kubeconfig)).configuration
    own = client.Configuration(host=as_admin.host)
    own.ssl_ca_cert = as_admin.ssl_ca_cert
    own.api_key = {"authorization": f"Bearer {token}"}
    return client.ApiClient(own), token


def test_a_celeborn_worker_may_ask_how_many_there_are_to_be_and_no_more(as_worker):
    asking, _ = as_worker
    apps, own = client.AppsV1Api(asking), "celeborn-worker-us-east-1a"

    assert apps.read_namespaced_stateful_set_scale(own, "celeborn").spec.replicas == 1
    for denied in (
        lambda: apps.patch_namespaced_stateful_set_scale(own, "celeborn", {"spec": {"replicas": 2}}),
        lambda: apps.read_namespaced_stateful_set_scale("celeborn-master", "celeborn"),
        lambda: client.CoreV1Api(asking).list_namespaced_pod("celeborn"),
    ):
        with pytest.raises(client.ApiException) as refused:
            denied()
        assert refused.value.status == 403


@pytest.mark.parametrize(("number", "leaves"), [(0, False), (1, True)])
def test_a_celeborn_worker_finds_out_whether_it_goes_for_good(core, as_worker, tmp_path, number, leaves):
    """The script of its pods, with its token and the real API server, and a stand-in for the worker."""
    asking, token = as_worker
    (tmp_path / "token").write_text(token)
    (tmp_path / "ca.crt").write_bytes(Path(asking.configuration.ssl_ca_cert).read_bytes())
    script = core.read_namespaced_config_map("celeborn", "celeborn").data["leave.sh"]

    with fixed_answers({"/api/v1/workers/exit": "{}"}) as (port, requests):
        done = subprocess.run(
            ["bash", "-c", script],
            env={
                "PATH": os.environ["PATH"],
                "SECRETS": str(tmp_path),
                "KUBERNETES_API": asking.configuration.host,
                "NAMESPACE": "celeborn",
                "STATEFUL_SET": "celeborn-worker-us-east-1a",
                "POD_NAME": f"celeborn-worker-us-east-1a-{number}",
                "CELEBORN_LOCAL_HOSTNAME": "127.0.0.1",
                "HTTP_PORT": str(port),
            },
            check=True,
            capture_output=True,
            text=True,
        )

    assert (bool(requests), done.stderr) == (leaves, "")


def test_yunikorn_has_the_queues_of_the_settings_in_force(local, monkeypatch, capsys):
    """As `make queues STACK=local ARGS=--in-force` finds."""
    [export] = [line for line in commands.exports(local).splitlines() if SCHEDULERS_VARIABLE in line]
    monkeypatch.setenv(SCHEDULERS_VARIABLE, shlex.split(export)[1].partition("=")[2])

    def status() -> int:
        with pytest.raises(SystemExit) as end:
            app.main(["queues", "local", "--in-force"])
        return end.value.code

    assert eventually(lambda: status() == 0)
    assert capsys.readouterr().out.splitlines()[-1] == "spark-a: as the settings say"


def test_releases_whose_charts_cannot_be_reached_are_named_as_recorded(local):
    recorded = status(local)["stacks"]["local"]["recorded_releases"]

    assert "yunikorn/yunikorn" in recorded
    assert "ingress/traefik" in recorded


def test_pages_are_served_where_the_status_says(local):
    def answer(page: str) -> str:
        url = urlsplit(page)
        host = url.netloc.replace("*", "nightly")
        request = urllib.request.Request(f"http://127.0.0.1:{url.port}", headers={"Host": host})
        try:
            return urllib.request.urlopen(request).read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    pages = {urlsplit(page).hostname: page for page in status(local)["clusters"][0]["pages"]}

    assert set(pages) == {
        f"*.{JOBS}.spark-a.spark.localhost",
        "history.spark.localhost",
        "archer.spark.localhost",
    }
    jobs, history = pages[f"*.{JOBS}.spark-a.spark.localhost"], pages["history.spark.localhost"]
    eventually(lambda: "nightly" in answer(jobs))
    eventually(lambda: "History Server" in answer(history))


def test_straight_after_up_a_preview_shows_no_change(local):
    PulumiStack(local, "local").expect_no_changes()


def test_what_no_longer_works_though_aws_took_the_change_ends_up_with_1(local, account, capfd):
    iam = account("iam")
    [role] = [role["RoleName"] for role in iam.list_roles()["Roles"] if "autoscaler" in role["RoleName"]]
    [policy] = iam.list_role_policies(RoleName=role)["PolicyNames"]
    document = iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
    iam.delete_role_policy(RoleName=role, PolicyName=policy)

    try:
        assert commands.up(local, "local", ("--non-interactive",), brief=True) == 1
    finally:
        iam.put_role_policy(RoleName=role, PolicyName=policy, PolicyDocument=json.dumps(document))

    [sentence] = [line for line in capfd.readouterr().out.splitlines() if "Cluster Autoscaler gets" in line]
    assert "is not authorized to perform: autoscaling:" in sentence
    assert "because no identity-based policy allows" in sentence


def test_the_policy_pack_lets_local_pass(local):
    output = PulumiStack(local, "local").run("preview", "--policy-pack", "policies")

    assert "moka" in output.split("Policies:")[1]


@pytest.mark.parametrize("architecture", ["arm64", "amd64"])
def test_yunikorn_places_pods_on_nodes_of_their_architecture(core, architecture):
    name = f"probe-{architecture}"
    core.create_namespaced_pod(JOBS, pod(name, architecture))
    try:
        placed = eventually(lambda: core.read_namespaced_pod(name, JOBS).spec.node_name)
        node = core.read_node(placed)
        assert node.metadata.labels["kubernetes.io/arch"] == architecture
        assert node.metadata.labels["moka.dev/role"] == "executor"
    finally:
        core.delete_namespaced_pod(name, JOBS, grace_period_seconds=0)


def test_a_spark_application_becomes_a_driver_that_yunikorn_places_in_its_queue(api, core, plane):
    custom = client.CustomObjectsApi(api)
    place = ("sparkoperator.k8s.io", "v1beta2", JOBS, "sparkapplications")
    custom.create_namespaced_custom_object(*place, application("pi"))
    try:
        driver = eventually(
            lambda: next(
                (
                    p
                    for p in core.list_namespaced_pod(JOBS, label_selector="spark-role=driver").items
                    if p.spec.node_name
                ),
                None,
            )
        )
        assert driver.spec.scheduler_name == "yunikorn"
        assert driver.metadata.name == "pi-driver"
        node = core.read_node(driver.spec.node_name)
        assert node.metadata.labels["moka.dev/role"] == "driver"
        url = f"{yunikorn_url(plane)}/ws/v1/partition/default/queue/{QUEUE}/applications"
        with urllib.request.urlopen(url) as answer:
            assert any("pi" in a["applicationID"] or "spark" in a["applicationID"] for a in json.load(answer))
    finally:
        custom.delete_namespaced_custom_object(*place, "pi")
        eventually(lambda: not core.list_namespaced_pod(JOBS, label_selector="spark-role=driver").items)


@pytest.mark.takes_local_down
def test_down_leaves_nothing_and_ends_every_process(local, account):
    s3, eks, ec2 = account("s3"), account("eks"), account("ec2")
    PulumiStack(local, "local").destroy()

    assert local.resources("local") == []
    assert s3.list_buckets()["Buckets"] == []
    assert eks.list_clusters()["clusters"] == []
    filters = [{"Name": "tag:moka:environment", "Values": ["local"]}]
    assert ec2.describe_vpcs(Filters=filters)["Vpcs"] == []

    assert commands.down(local, "local", ("--non-interactive",)) == 0
    home = str(local.cloud.home)
    processes = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = [*process.cmdline(), process.cwd()]
            if any(home in word for word in words):
                processes.append(words)
    assert processes == []
