"""Programs of a cluster as processes of the laptop, and the pods in whose place they run."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import yaml

from localcloud import tools
from localcloud.cloud import REPOSITORY
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.processes import url
from localcloud.control_plane.stand_ins.spark_operator import METRICS as OPERATOR_METRICS
from localcloud.loopback import free_port
from localcloud.processes import Process, answers
from moka import catalog
from moka.allocation.configuration import KEY, dumps
from moka.collectors.metric_names import KEPT_OBJECTS
from moka.names import (
    ALLOCATOR_NAMESPACE,
    DRIVER_FINALIZER_NAMESPACE,
    INGRESS_NAMESPACE,
    MONITORING_NAMESPACE,
    QUEUE_KEEPER_NAMESPACE,
    SPARK_HISTORY_NAMESPACE,
    SPARK_OPERATOR_NAMESPACE,
    UI_GATEWAY,
    USAGE_RECORDER_NAMESPACE,
    YUNIKORN_NAMESPACE,
)
from moka.prices import prices
from stacks.allocator import configuration
from stacks.settings import load
from tests.support.application_load import PROJECTS, Cluster
from tests.support.program_pods import ProgramPod, page

SIMULATED = Path(__file__).parents[1] / "soak" / "metrics" / "simulated"
"""`<namespace>.<name>[.<port>].prom`: the page of a pod of that name, at a port of that name."""

NOWHERE = "http://127.0.0.1:9"
"""Discard: nothing listens there."""


def kube_state_metrics_command(
    kubeconfig: Path, folder: Path, address: str, port: int, own_port: int
) -> list[str]:
    """The chart's flags for our values (kube-state-metrics 8.4: templates/deployment.yaml).

    folder: where it finds what it makes of custom resources. own_port: of its metrics of itself.
    """
    values = catalog.file_values("kube-state-metrics")
    custom = folder / "custom-resources.yaml"
    custom.write_text(yaml.safe_dump(values["customResourceState"]["config"]))
    return [
        str(tools.path("kube-state-metrics")),
        f"--kubeconfig={kubeconfig}",
        f"--host={address}",
        f"--port={port}",
        f"--telemetry-host={address}",
        f"--telemetry-port={own_port}",
        f"--resources={','.join(values['collectors'])}",
        f"--metric-allowlist={','.join(KEPT_OBJECTS)}",
        f"--metric-labels-allowlist={','.join(values['metricLabelsAllowlist'])}",
        f"--custom-resource-state-config-file={custom}",
    ]


@dataclass
class Programs:
    """Programs that run until the end of `stack`.

    net: of addresses of loopback, without the last number; what has a fixed port has one of its own.
    node: on which their pods are. folder: of what they write.
    """

    cluster: Cluster
    folder: Path
    net: str
    node: str
    stack: ExitStack
    pods: list[ProgramPod] = field(default_factory=list)

    def start(self, name: str, command: list[str], environment: Mapping[str, str], ready: str) -> Process:
        """Start a program, and wait until a page of it answers."""
        process = Process(self.folder / "processes", name)
        self.stack.callback(process.stop, 2)
        process.start(command, environment, lambda: answers(ready))
        return process

    def pod(
        self,
        name: str,
        namespace: str,
        address: str = "127.0.0.1",
        page: tuple[int, str] | None = None,
        **more: object,
    ) -> None:
        """A pod, to be made with the others. page: port and path that are scraped by annotations."""
        self.pods.append(
            ProgramPod(
                name=name,
                namespace=namespace,
                address=address,
                node=self.node,
                metrics=page,
                **more,  # type: ignore[arg-type]
            )
        )

    def of_the_cluster(self) -> None:
        """Those that run already: scheduler, operator, finalizer."""
        plane = self.cluster.plane
        release = next(r for r in charts.releases(plane) if r.chart_name == "spark-operator")
        labels = {"app": "yunikorn", "component": "yunikorn-scheduler", "app.kubernetes.io/name": "yunikorn"}
        scheduler = _port(charts.yunikorn_url(plane))
        self.pod("yunikorn-scheduler", YUNIKORN_NAMESPACE, page=(scheduler, "/ws/v1/metrics"), labels=labels)
        operator = _port(url(plane, release.key, OPERATOR_METRICS))
        self.pod("spark-operator", SPARK_OPERATOR_NAMESPACE, page=(operator, "/metrics"))
        self.pod("driver-finalizer", DRIVER_FINALIZER_NAMESPACE, page=(self.cluster.remover_port, "/metrics"))

    def kube_state_metrics(self) -> None:
        """With the chart's flags for our values."""
        address = f"{self.net}7"
        kubeconfig = self.cluster.plane.kubeconfig
        command = kube_state_metrics_command(kubeconfig, self.folder, address, 8080, 8081)
        self.start("kube-state-metrics", command, {}, f"http://{address}:8080/healthz")
        ports = {"http": 8080, "metrics": 8081}
        self.pod("kube-state-metrics", MONITORING_NAMESPACE, address, ports=ports)

    def services(self) -> None:
        """Gateway, gate, recorder and allocator, whose buckets and servers are not there; a keeper without a
        calendar."""
        self._service("queue_keeper", "queue-keeper", QUEUE_KEEPER_NAMESPACE, [])
        namespaces = [f"--namespace={name}" for name in PROJECTS]
        gateway = [*("--cluster=spark-a", "--domain=spark.localhost", f"--history={NOWHERE}"), *namespaces]
        gateway += ["--history-days=30", "--bucket=none", "--region=us-east-1"]
        port = self._service("ui_gateway", UI_GATEWAY, INGRESS_NAMESPACE, gateway)
        # Somebody asks for a job, whatever the answer.
        ask = Request(
            f"http://127.0.0.1:{port}/", headers={"Host": f"any.{PROJECTS[0]}.spark-a.spark.localhost"}
        )
        with suppress(HTTPError):
            urlopen(ask).close()
        recorder = ["--cluster=spark-a", "--eks-cluster=spark-a", "--bucket=none", "--region=us-east-1"]
        recorder += [f"--scheduler={charts.yunikorn_url(self.cluster.plane)}"]
        self._service("usage_recorder", "usage-recorder", USAGE_RECORDER_NAMESPACE, recorder)
        told = self.folder / KEY
        told.write_bytes(dumps(configuration(load("local"), prices())))
        self._service("allocator", "allocator", ALLOCATOR_NAMESPACE, [f"--configuration={told}"])
        gate = ["--bucket=none", "--region=us-east-1", f"--server={NOWHERE}", "--days=30", "--interval=300"]
        gate += ["--live-url=http://{name}.{namespace}.{cluster}.localhost"]
        self._service("history_gate", "history-gate", SPARK_HISTORY_NAMESPACE, gate)

    def _service(self, module: str, name: str, namespace: str, arguments: list[str]) -> int:
        port = free_port()
        command = [
            *(sys.executable, "-m", f"services.{module}", f"--listen=127.0.0.1:{port}", *arguments),
            # What the finalizer has got.
            f"--service-account={self.cluster.plane.folder / 'remover'}",
        ]
        environment = {
            "PYTHONPATH": str(REPOSITORY),
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(_port(self.cluster.plane.endpoint)),
            "AWS_ENDPOINT_URL": NOWHERE,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        self.start(name, command, environment, f"http://127.0.0.1:{port}/healthz")
        self.pod(name, namespace, page=(port, "/metrics"))
        return port

    def simulated(self) -> None:
        """Those that cannot be had here: nothing but a page."""
        for number, file in enumerate(sorted(SIMULATED.glob("*.prom"))):
            namespace, name, *named = file.stem.split(".")
            address = f"{self.net}{50 + number}"
            port = self.stack.enter_context(page(file, address))
            if named:
                label = {"app.kubernetes.io/name": name}
                ports = {named[0]: port}
                self.pod(f"{name}-{named[0]}", namespace, address, labels=label, ports=ports)
            else:
                self.pod(name, namespace, address, page=(port, "/metrics"))


def _port(address: str | None) -> int:
    assert address
    return int(address.rpartition(":")[2])
