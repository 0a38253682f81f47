"""A Prometheus with the series of a cluster of the laptop, brought there by the collectors that are deployed.

Real: API server, YuniKorn, Spark Operator, kube-state-metrics, our services, a Spark driver with its sidecar,
the collectors and Prometheus, with our rules. Simulated, as they cannot be had here: the kubelet, and the
programs whose pages are in `tests/soak/metrics/simulated`.

For tests: fixture `laptop` of tests/soak/metrics. For people: `python -m tests.support.laptop_metrics FOLDER`
prints the address of the Prometheus, and keeps it up until it is interrupted.
"""

import json
import random
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from localcloud import tools
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.credentials import kubeconfig
from localcloud.loopback import free_port
from localcloud.processes import Process
from moka import catalog
from moka.components.kubernetes import metrics_store
from moka.components.kubernetes.opentelemetry import AGENT_RELEASE, GATEWAY_RELEASE, SCRAPER_RELEASE
from moka.components.kubernetes.rbac import Right
from moka.jobs.application import spark_application
from moka.jobs.conf import METRICS
from moka.jobs.job import Executor, Job
from moka.jobs.job_target import EventLogUploader
from moka.names import EVENT_LOG_PORT, MONITORING_NAMESPACE, PLATFORM_NAMESPACES, YUNIKORN_NAMESPACE
from moka.observability.files import rule_files
from moka.observability.limits import limits_yaml, store_series
from tests.support import collectors
from tests.support.application_load import (
    ENDS,
    PROJECTS,
    RUNS_FOR,
    TARGET,
    UNTIL_ENDED,
    Cluster,
    load_cluster,
    until,
)
from tests.support.laptop_archer import run_archer
from tests.support.laptop_services import Programs
from tests.support.program_pods import PATIENCE, phase, put_at, run
from tests.support.roles import bound_role
from tests.support.simulated_kubelet import kubelet
from tests.support.spark_processes import compiled_job, running_job
from tests.support.spark_releases import spark_home

TOOLS = ("prometheus", "collector", "kube-state-metrics")

NAMESPACE, JOB, TIER = PROJECTS[0], "daily", 1
DRIVERS = f"/api/v1/namespaces/{NAMESPACE}/pods"
DRIVER = f"{DRIVERS}/{JOB}-driver"

EXPECTED = (
    "container_memory_working_set",
    "kube_node_info",
    "metrics_executor_maxTasks",
    "metrics_spark_driver_DAGScheduler_job_activeJobs_Value",
    "moka_allocator_started_seconds",
    "moka_archer_keeper_months_ahead",
    "moka_archer_requests_total",
    "moka_archer_worker_waiting_seconds",
    "moka_driver_finalizer_waiting",
    "moka_event_log_uploader_behind_seconds",
    "moka_history_gate_scan_age_seconds",
    "moka_pods",
    "moka_queue_keeper_behind_seconds",
    'moka_spark_application_state_info{state="RUNNING"}',
    "moka_ui_gateway_drivers",
    "moka_usage_recorder_standing_by",
    "otelcol_exporter_sent_metric_points_total",
    "spark_application_submit_count",
    "yunikorn_queue_resource",
    # Twice: what is asked for rates.
    "rate(otelcol_exporter_sent_metric_points_total[1m]) > 0",
)
"""A series of each program, besides those that are simulated."""


@dataclass
class Laptop:
    """The Prometheus, and the programs that bring series to it.

    url: of its API. processes: by name; `prometheus` is one of them.
    """

    url: str
    processes: dict[str, Process] = field(default_factory=dict)

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series of an instant query: their labels in `metric`, and `value`. Raises HTTPError."""
        data = self.get("query", query=expression)["data"]
        series: list[dict[str, Any]] = data["result"]
        return [{"metric": {}, "value": series}] if data["resultType"] == "scalar" else series

    def get(self, path: str, **query: str) -> Any:
        """An answer of its API. Raises HTTPError, which has what Prometheus says of a wrong expression."""
        parameters = urllib.parse.urlencode(query)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{parameters}", timeout=60) as answer:
            return json.load(answer)

    def until(self, expression: str) -> list[dict[str, Any]]:
        """Ask until there are series, and hand them out."""
        until(lambda: self.query(expression), expression, PATIENCE)
        return self.query(expression)


@contextmanager
def laptop_metrics(folder: Path) -> Iterator[Laptop]:
    """The Prometheus, once it has series of every program; all that runs is ended with it."""
    tools.build(TOOLS)
    with ExitStack() as stack:
        cluster = stack.enter_context(
            load_cluster(Cloud(folder / "cloud"), machines=1, per_minute=20, finished_pods=100)
        )
        node = submit(cluster)
        net = f"127.{random.randrange(64, 128)}.{random.randrange(256)}."
        programs = Programs(cluster, folder, net, node, stack)
        programs.of_the_cluster()
        programs.kube_state_metrics()
        programs.services()
        run_archer(programs, NAMESPACE)
        programs.simulated()
        run_driver(programs)
        laptop = run_store(programs)
        run_collectors(programs, laptop)
        run(cluster.api, programs.pods)
        for expression in EXPECTED:
            laptop.until(expression)
        yield laptop


def submit(cluster: Cluster) -> str:
    """Jobs of each end, the namespaces of the platform -> the node of the driver that goes on."""
    api = cluster.api
    have = {namespace["metadata"]["name"] for namespace in api.list("/api/v1/namespaces")}
    api.apply_all(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in sorted(PLATFORM_NAMESPACES - have)
    )
    path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{NAMESPACE}/sparkapplications"
    api.apply_all([queues()])
    for name, tier, seconds, end in (
        (JOB, TIER, UNTIL_ENDED, "Succeeded"),
        ("second", 2, UNTIL_ENDED, "Succeeded"),
        ("wrong", TIER, 1, "Failed"),
        ("short", TIER, 1, "Succeeded"),
        ("third", 3, UNTIL_ENDED, "Succeeded"),
        # Its queue takes one at a time.
        ("waiting", 3, UNTIL_ENDED, "Succeeded"),
    ):
        api.create(path, application(name, tier, seconds, end))
        if name == "third":
            until(lambda: phase(api, f"{DRIVERS}/third-driver") == "Running", "the third runs", PATIENCE)
    until(lambda: phase(api, DRIVER) == "Running", "the driver's pod runs", PATIENCE)
    node: str = (api.get(DRIVER) or {})["spec"]["nodeName"]
    return node


def queues() -> dict[str, Any]:
    """YuniKorn's queues: each tier has a guarantee, and in the third one job runs at a time."""
    guarantee = {"guaranteed": {"vcore": "2", "memory": "4Gi"}}
    tiers = [
        {"name": "tier1", "resources": guarantee},
        {"name": "tier2", "resources": guarantee},
        {"name": "tier3", "resources": guarantee, "maxapplications": 1},
    ]
    projects = {"name": "acme", "queues": [{"name": name, "queues": tiers} for name in PROJECTS]}
    root = {"name": "root", "submitacl": "*", "queues": [projects]}
    text = yaml.safe_dump({"partitions": [{"name": "default", "queues": [root]}]})
    metadata = {"name": "yunikorn-configs", "namespace": YUNIKORN_NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"queues.yaml": text}}


def application(name: str, tier: int, seconds: int, end: str) -> dict[str, Any]:
    """A job whose simulated driver runs for so long, and ends so."""
    job = Job(
        name=name,
        namespace=NAMESPACE,
        queue=f"acme.{NAMESPACE}",
        tier=tier,
        architecture="arm64",
        main_file="local:///opt/spark/examples/jars/spark-examples.jar",
        main_class="org.apache.spark.examples.SparkPi",
        executor=Executor(instances=2, memory="1g"),
    )
    uploader = EventLogUploader(image="uploader:1", bucket="logs", region="us-east-1", seconds=5)
    manifest = spark_application(job, replace(TARGET, event_log_uploader=uploader))
    manifest["spec"]["driver"]["annotations"] |= {RUNS_FOR: str(seconds), ENDS: end}
    return manifest


def run_driver(programs: Programs) -> None:
    """A real driver with the configuration of jobs, and its sidecar, at the address of the driver's pod."""
    folder, address = programs.folder, f"{programs.net}20"
    jar = compiled_job(folder)
    steps = ["3", "hang"]
    (folder / "spark-events").mkdir()
    conf = {**METRICS, "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file:{folder}/spark-events"}
    job = running_job(spark_home(), jar, folder / "job", f"spark-{JOB}", conf, steps, address=address)
    programs.stack.enter_context(job).wait_for_step("last-task")
    (folder / "event-logs").mkdir()
    # Its bucket is not there.
    command = [
        *(sys.executable, "-m", "services.event_log_uploader", f"--listen={address}:{EVENT_LOG_PORT}"),
        *(f"--folder={folder / 'event-logs'}", "--bucket=none", "--region=us-east-1", "--seconds=5"),
        *(f"--cluster={collectors.ORIGIN['cluster']}", f"--namespace={NAMESPACE}", f"--application={JOB}"),
        "--volume-mib=64",
    ]
    health = f"http://{address}:{EVENT_LOG_PORT}/healthz"
    programs.start("event-log-uploader", command, {"PYTHONPATH": str(REPOSITORY)}, health)
    put_at(programs.cluster.api, DRIVER, address)


def run_store(programs: Programs) -> Laptop:
    """Prometheus with the configuration and the rules of the cluster's own store."""
    address = f"127.0.0.1:{free_port()}"
    folder = programs.folder / "prometheus"
    folder.mkdir()
    text = metrics_store.configuration(collectors.ORIGIN)
    text = text.replace(f"localhost:{metrics_store.PORT}", address)
    (folder / "prometheus.yml").write_text(text.replace("30s", f"{collectors.SECONDS}s"))
    for name, rules in rule_files().items():
        (folder / name).write_text(rules.replace("interval: 1m", f"interval: {collectors.SECONDS}s"))
    limits = {
        "moka_cluster": 1,
        "moka_archer": 1,
        "moka_plans_by_itself": 1,
        "moka_pod_addresses": 4096,
        "moka_store_series": store_series(1),
    }
    (folder / "limits.rules.yaml").write_text(limits_yaml([(limits, collectors.ORIGIN)]))
    args = metrics_store.MetricsStoreArgs(
        catalog=catalog.read(), namespace=MONITORING_NAMESPACE, storage_class="monitoring"
    )
    deployed = [
        argument.replace("/etc/prometheus", str(folder)).replace("/data", str(folder / "data"))
        for argument in metrics_store.arguments(args)
    ]
    command = [str(tools.path("prometheus")), *deployed, f"--web.listen-address={address}"]
    process = programs.start("prometheus", command, {}, f"http://{address}/-/ready")
    return Laptop(f"http://{address}", {"prometheus": process})


def run_collectors(programs: Programs, laptop: Laptop) -> None:
    """The gateway, the shards of the scraper, and the agent of the driver's node."""
    api, args, address = programs.cluster.api, collectors.arguments(PROJECTS), f"{programs.net}30"
    for release in (GATEWAY_RELEASE, SCRAPER_RELEASE, AGENT_RELEASE):
        api.apply_all(collectors.account(release, args))
    lease = (Right("coordination.k8s.io", "leases", ("create", "get", "update", "patch")),)
    api.apply_all(bound_role(SCRAPER_RELEASE, MONITORING_NAMESPACE, lease, MONITORING_NAMESPACE))
    credentials = programs.cluster.plane.credentials.folder

    def pods() -> list[dict[str, Any]]:
        return [pod for pod in api.list("/api/v1/pods") if pod["spec"].get("nodeName") == programs.node]

    programs.stack.enter_context(
        kubelet(address, programs.node, credentials / "server.crt", credentials / "server.key", pods)
    )
    run_collector(programs, laptop, GATEWAY_RELEASE, 2, {})
    for shard in range(collectors.SHARDS):
        run_collector(programs, laptop, SCRAPER_RELEASE, 10 + shard, {"SHARD": str(shard)})
    run_collector(
        programs, laptop, AGENT_RELEASE, 30, {"K8S_NODE_NAME": programs.node, "K8S_NODE_IP": address}
    )


def run_collector(
    programs: Programs, laptop: Laptop, release: str, number: int, more: Mapping[str, str]
) -> None:
    """One collector, at the address with this number; `more` is its environment."""
    address, name = f"{programs.net}{number}", f"{release}-{number}"
    args, plane = collectors.arguments(PROJECTS), programs.cluster.plane
    namespace = collectors.account(release, args)[0]["metadata"]["namespace"]
    folder = programs.folder / name
    (folder / "queue").mkdir(parents=True)
    # Its account may do what the chart lets it, and no more.
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{release}/token"
    token = plane.api().create(path, {"kind": "TokenRequest", "spec": {}})["status"]["token"]
    (folder / "kubeconfig").write_text(
        kubeconfig(plane.endpoint, plane.credentials.authority, token, release)
    )
    places = collectors.Places(
        store=laptop.url.removeprefix("http://"),
        folder=folder / "queue",
        kubeconfig=folder / "kubeconfig",
        certificate=plane.credentials.folder / "server.crt",
        key=plane.credentials.folder / "server.key",
    )
    config = collectors.deployed(release, args, f"{programs.net}2:4317")
    (folder / "config.yaml").write_text(yaml.safe_dump(collectors.on_the_laptop(config, places)))
    variables = collectors.environment(release, address, {**more, "KUBECONFIG": str(places.kubeconfig)})
    command = [str(tools.path("collector")), f"--config={folder / 'config.yaml'}"]
    laptop.processes[name] = programs.start(name, command, variables, f"http://{address}:13133/")
    labels = {
        "app.kubernetes.io/name": "opentelemetry-collector",
        "app.kubernetes.io/instance": release,
    }
    programs.pod(name, namespace, address, labels=labels, ports={"metrics": 8888})


def main() -> None:
    """Keep it running for people, until they end it."""
    with laptop_metrics(Path(sys.argv[1]).absolute()) as laptop:
        print(laptop.url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
