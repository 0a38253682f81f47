"""A Prometheus with the series of a cluster of the laptop, brought there by the collectors as they are deployed.

Real: API server, YuniKorn, Spark Operator, driver finalizer, kube-state-metrics, a Spark driver, its sidecar,
the collectors and Prometheus, with our rules. Simulated, as they cannot be had here: the kubelet, and the
programs whose pages are in `tests/local/metrics/simulated`.
"""

import json
import random
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from components.kubernetes import metrics_store
from components.kubernetes.opentelemetry import AGENT_RELEASE, GATEWAY_RELEASE, SCRAPER_RELEASE
from components.kubernetes.rbac import Right
from localcloud import tools
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.credentials import kubeconfig
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.processes import url
from localcloud.control_plane.stand_ins.spark_operator import METRICS as OPERATOR_METRICS
from localcloud.processes import Process, answers, free_port
from moka import catalog
from moka.jobs.application import spark_application
from moka.jobs.conf import METRICS
from moka.jobs.job import Executor, Job
from moka.jobs.job_target import EventLogUploader
from moka.names import EVENT_LOG_PORT, MONITORING_NAMESPACE, PLATFORM_NAMESPACES
from moka.observability.alerts import ALERTS
from moka.observability.limits import limits_yaml, store_series
from moka.observability.rule import as_yaml
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
from tests.support.program_pods import ProgramPod, page, put_at
from tests.support.roles import bound_role
from tests.support.simulated_kubelet import kubelet
from tests.support.spark_processes import compiled_job, running_job

TOOLS = ("prometheus", "collector", "kube-state-metrics")
SIMULATED = Path(__file__).parents[1] / "local" / "metrics" / "simulated"
"""`<namespace>.<name>.prom`: the page of a pod with that name."""

NAMESPACE, JOB, TIER = PROJECTS[0], "daily", 1
PATIENCE = 240
UI_PORT = 4040


@dataclass(frozen=True)
class Store:
    """The Prometheus. url: of its API."""

    url: str

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series of an instant query: their labels in `metric`, and `value`. Raises HTTPError."""
        answer = self.get("query", query=expression)
        assert answer["status"] == "success", answer
        data = answer["data"]
        return [{"metric": {}, "value": data["result"]}] if data["resultType"] == "scalar" else data["result"]

    def values(self, expression: str, label: str) -> set[str]:
        """The values of a label among the series of a query."""
        return {series["metric"].get(label, "") for series in self.query(expression)}

    def get(self, path: str, **query: str) -> Any:
        """An answer of its API."""
        parameters = urllib.parse.urlencode(query)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{parameters}", timeout=60) as answer:
            return json.load(answer)

    def until(self, expression: str) -> list[dict[str, Any]]:
        """Ask until there are series, and hand them out."""
        until(lambda: self.query(expression), expression, PATIENCE)
        return self.query(expression)


@contextmanager
def laptop_metrics(folder: Path) -> Iterator[Store]:
    """The Prometheus, once it has series of every program; all that runs is ended with it."""
    tools.build(TOOLS)
    with ExitStack() as stack:
        cluster = stack.enter_context(
            load_cluster(Cloud(folder / "cloud"), machines=1, per_minute=20, finished_pods=100)
        )
        laptop = Laptop(cluster, folder, f"127.{random.randrange(64, 128)}.{random.randrange(256)}.", stack)
        laptop.submit()
        laptop.show_programs()
        laptop.show_simulated()
        laptop.run_driver()
        store = laptop.run_collectors(laptop.run_store())
        for metric in EXPECTED:
            store.until(metric)
        yield store


EXPECTED = (
    "container_memory_working_set",
    "kube_node_info",
    "metrics_executor_totalCores",
    "metrics_spark_driver_DAGScheduler_job_activeJobs_Value",
    "moka_driver_finalizer_waiting",
    "moka_event_log_uploader_behind_seconds",
    'moka_spark_application_state_info{state="RUNNING"}',
    "otelcol_exporter_sent_metric_points",
    "spark_application_submit_count",
    "yunikorn_queue_resource",
)
"""A series of each program, besides those that are simulated."""


@dataclass(frozen=True)
class Laptop:
    """What runs. net: of addresses of loopback, without the last number; a pod with a fixed port has one."""

    cluster: Cluster
    folder: Path
    net: str
    stack: ExitStack

    @property
    def driver(self) -> str:
        """Path of the driver's pod."""
        return f"/api/v1/namespaces/{NAMESPACE}/pods/{JOB}-driver"

    def submit(self) -> None:
        """A job that runs until the end, one that fails, and namespaces of the platform."""
        api = self.cluster.api
        have = {namespace["metadata"]["name"] for namespace in api.list("/api/v1/namespaces")}
        api.apply_all(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            for name in sorted(PLATFORM_NAMESPACES - have)
        )
        for name, seconds, end in ((JOB, UNTIL_ENDED, "Succeeded"), ("wrong", 1, "Failed"), ("short", 1, "Succeeded")):
            path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{NAMESPACE}/sparkapplications"
            api.create(path, _application(name, seconds, end))
        until(lambda: self._phase() == "Running", "the driver's pod runs", PATIENCE)

    def _phase(self) -> str:
        pod = self.cluster.api.get(self.driver) or {}
        return str(pod.get("status", {}).get("phase"))

    def show_programs(self) -> None:
        """Pods in whose place the programs of the cluster run."""
        api, plane = self.cluster.api, self.cluster.plane
        release = next(r for r in charts.releases(plane) if r.chart_name == "spark-operator")
        operator, yunikorn = url(plane, release.key, OPERATOR_METRICS), charts.yunikorn_url(plane)
        scheduler = {"app": "yunikorn", "component": "yunikorn-scheduler", "app.kubernetes.io/name": "yunikorn"}
        for pod in (
            ProgramPod(
                name="yunikorn-scheduler",
                namespace="yunikorn",
                address="127.0.0.1",
                labels=scheduler,
                metrics=(_port(yunikorn), "/ws/v1/metrics"),
                ports={"http1": _port(yunikorn)},
            ),
            ProgramPod(
                name="spark-operator",
                namespace="spark-operator",
                address="127.0.0.1",
                metrics=(_port(operator), "/metrics"),
            ),
            ProgramPod(
                name="driver-finalizer",
                namespace="driver-finalizer",
                address="127.0.0.1",
                metrics=(self.cluster.remover_port, "/metrics"),
            ),
        ):
            pod.run(api)
        self._run_kube_state_metrics()

    def _run_kube_state_metrics(self) -> None:
        values, address = catalog.file_values("kube-state-metrics"), f"{self.net}7"
        custom = self.folder / "custom-resources.yaml"
        custom.write_text(yaml.safe_dump(values["customResourceState"]["config"]))
        # The chart's flags for these values (kube-state-metrics 8.4: templates/deployment.yaml).
        command = [
            str(tools.path("kube-state-metrics")),
            f"--kubeconfig={self.cluster.plane.kubeconfig}",
            f"--host={address}",
            "--port=8080",
            f"--telemetry-host={address}",
            "--telemetry-port=8081",
            f"--resources={','.join(values['collectors'])}",
            f"--metric-allowlist={','.join(values['metricAllowlist'])}",
            f"--metric-labels-allowlist={','.join(values['metricLabelsAllowlist'])}",
            f"--custom-resource-state-config-file={custom}",
        ]
        self._start("kube-state-metrics", command, {}, f"http://{address}:8080/healthz")
        ProgramPod(
            name="kube-state-metrics",
            namespace=MONITORING_NAMESPACE,
            address=address,
            ports={"http": 8080, "metrics": 8081},
        ).run(self.cluster.api)

    def show_simulated(self) -> None:
        """Pods of the programs that have nothing but a page."""
        for number, file in enumerate(sorted(SIMULATED.glob("*.prom"))):
            namespace, name = file.stem.split(".")
            address = f"{self.net}{50 + number}"
            port = self.stack.enter_context(page(file, address))
            ProgramPod(name=name, namespace=namespace, address=address, metrics=(port, "/metrics")).run(
                self.cluster.api
            )

    def run_driver(self) -> None:
        """A real driver with the configuration of jobs, and its sidecar, at the address of the driver's pod."""
        address = f"{self.net}20"
        job = running_job(
            compiled_job(self.folder), self.folder / "job", f"spark-{JOB}", METRICS, "3", address
        )
        self.stack.enter_context(job).wait_for_step("last-task")
        (self.folder / "event-logs").mkdir()
        # Its bucket is not there: what it has to tell is that it is behind.
        command = [
            *(sys.executable, "-m", "services.event_log_uploader", f"--listen={address}:{EVENT_LOG_PORT}"),
            *(f"--folder={self.folder / 'event-logs'}", "--bucket=none", "--region=us-east-1", "--seconds=5"),
            *(f"--cluster={collectors.ORIGIN['cluster']}", f"--namespace={NAMESPACE}", f"--application={JOB}"),
            "--volume-mib=64",
        ]
        health = f"http://{address}:{EVENT_LOG_PORT}/healthz"
        self._start("event-log-uploader", command, {"PYTHONPATH": str(REPOSITORY)}, health)
        put_at(self.cluster.api, self.driver, address)

    def run_store(self) -> str:
        """Prometheus with the configuration and the rules of the cluster's own store -> its address."""
        address = f"127.0.0.1:{free_port()}"
        folder = self.folder / "prometheus"
        folder.mkdir()
        text = metrics_store.configuration(collectors.ORIGIN).replace(f"localhost:{metrics_store.PORT}", address)
        (folder / "prometheus.yml").write_text(text.replace("30s", f"{collectors.SECONDS}s"))
        (folder / "moka.rules.yaml").write_text(as_yaml(ALERTS))
        limits = {"moka_pod_addresses": 4096, "moka_store_series": store_series(1)}
        (folder / "limits.rules.yaml").write_text(limits_yaml(limits, collectors.ORIGIN))
        args = metrics_store.MetricsStoreArgs(
            catalog=catalog.read(), namespace=MONITORING_NAMESPACE, storage_class="monitoring"
        )
        command = [
            str(tools.path("prometheus")),
            *(
                argument.replace("/etc/prometheus", str(folder)).replace("/data", str(folder / "data"))
                for argument in metrics_store.arguments(args)
            ),
            f"--web.listen-address={address}",
        ]
        self._start("prometheus", command, {}, f"http://{address}/-/ready")
        return address

    def run_collectors(self, store: str) -> Store:
        """The gateway, the shards of the scraper, and the agent of the driver's node."""
        api, args = self.cluster.api, collectors.arguments(PROJECTS)
        for release in (GATEWAY_RELEASE, SCRAPER_RELEASE, AGENT_RELEASE):
            api.apply_all(collectors.account(release, args))
        lease = (Right("coordination.k8s.io", "leases", ("create", "get", "update", "patch")),)
        api.apply_all(bound_role(SCRAPER_RELEASE, MONITORING_NAMESPACE, lease, MONITORING_NAMESPACE))
        node = (api.get(self.driver) or {})["spec"]["nodeName"]
        credentials = self.cluster.plane.credentials.folder
        certificate, key = credentials / "server.crt", credentials / "server.key"
        self.stack.enter_context(
            kubelet(f"{self.net}30", node, certificate, key, lambda: _pods_on(self.cluster, node))
        )
        self._collector(GATEWAY_RELEASE, 2, store, {})
        for shard in range(collectors.SHARDS):
            self._collector(SCRAPER_RELEASE, 10 + shard, store, {"SHARD": str(shard)})
        self._collector(AGENT_RELEASE, 30, store, {"K8S_NODE_NAME": node, "K8S_NODE_IP": f"{self.net}30"})
        return Store(f"http://{store}")

    def _collector(self, release: str, number: int, store: str, more: Mapping[str, str]) -> None:
        address, name = f"{self.net}{number}", f"{release}-{number}"
        namespace = collectors.account(release, collectors.arguments(PROJECTS))[0]["metadata"]["namespace"]
        folder = self.folder / name
        (folder / "queue").mkdir(parents=True)
        places = collectors.Places(
            store=store,
            folder=folder / "queue",
            kubeconfig=self._kubeconfig(namespace, release, folder),
            certificate=self.cluster.plane.credentials.folder / "server.crt",
            key=self.cluster.plane.credentials.folder / "server.key",
        )
        args = collectors.arguments(PROJECTS)
        config = collectors.deployed(release, args, f"{self.net}2:4317")
        (folder / "config.yaml").write_text(yaml.safe_dump(collectors.on_the_laptop(config, places)))
        variables = collectors.environment(release, address, {**more, "KUBECONFIG": str(places.kubeconfig)})
        command = [str(tools.path("collector")), f"--config={folder / 'config.yaml'}"]
        self._start(name, command, variables, f"http://{address}:13133/")
        ProgramPod(
            name=name,
            namespace=namespace,
            address=address,
            labels={"app.kubernetes.io/name": "opentelemetry-collector", "app.kubernetes.io/instance": release},
            ports={"metrics": 8888},
        ).run(self.cluster.api)

    def _kubeconfig(self, namespace: str, release: str, folder: Path) -> Path:
        """Of the release's account: it may do what the chart lets it, and no more."""
        plane = self.cluster.plane
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{release}/token"
        token = self.cluster.api.create(path, {"kind": "TokenRequest", "spec": {}})["status"]["token"]
        file = folder / "kubeconfig"
        file.write_text(kubeconfig(plane.endpoint, plane.credentials.authority, token, release))
        return file

    def _start(self, name: str, command: list[str], environment: Mapping[str, str], ready: str) -> None:
        process = Process(self.folder / "processes", name)
        self.stack.callback(process.stop, 2)
        process.start(command, environment, lambda: answers(ready))


def _application(name: str, seconds: int, end: str) -> dict[str, Any]:
    job = Job(
        name=name,
        namespace=NAMESPACE,
        queue=f"acme.{NAMESPACE}",
        tier=TIER,
        architecture="arm64",
        main_file="local:///opt/spark/examples/jars/spark-examples.jar",
        main_class="org.apache.spark.examples.SparkPi",
        executor=Executor(instances=2, memory="1g"),
    )
    uploader = EventLogUploader(image="uploader:1", bucket="logs", region="us-east-1", seconds=5)
    application = spark_application(job, replace(TARGET, event_log_uploader=uploader))
    application["spec"]["driver"]["annotations"] |= {RUNS_FOR: str(seconds), ENDS: end}
    return application


def _pods_on(cluster: Cluster, node: str) -> list[dict[str, Any]]:
    return [
        pod for pod in cluster.api.list("/api/v1/pods") if pod["spec"].get("nodeName") == node
    ]


def _port(address: str | None) -> int:
    assert address
    return int(address.rpartition(":")[2])


def main() -> None:
    """Keep it running for people, until they end it: `python -m tests.support.laptop_metrics FOLDER`."""
    with laptop_metrics(Path(sys.argv[1]).absolute()) as store:
        print(store.url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
