"""The real History Server, of the release in its image, and the gate before it, as processes."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError

from localcloud.cloud import REPOSITORY
from localcloud.loopback import free_port
from moka.components.kubernetes.history_configuration import spark_defaults
from moka.sizes.history import HistorySize
from tests.support import history_image
from tests.support.spark_processes import HistoryServer
from tests.support.uploader_process import wait_for

REGION = "us-east-1"
SECONDS = 240.0

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For servers that live for a minute."""

SIZE = HistorySize(cpu="1", heap_gib=1, store_gib=10)


@dataclass
class Server(HistoryServer):
    """A History Server that can be stopped and started again, with its disk. environment: of the process."""

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [history_image.home() / "bin" / "spark-class"]
        with self.log.open("wb") as output:
            self.process = process = subprocess.Popen(
                [*command, "org.apache.spark.deploy.history.HistoryServer"],
                env=self.environment,
                cwd=self.folder,
                stdout=output,
                stderr=output,
            )
        wait_for(lambda: self.get("version") or process.poll() is not None, SECONDS)
        assert process.poll() is None, self.log.read_text()[-3000:]

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL, as when its node is lost."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ids(self) -> set[str]:
        """Applications in its list."""
        return {application["id"] for application in self.get("applications?limit=10000") or []}


@contextmanager
def server_of(
    folder: Path,
    bucket: str,
    endpoint: str,
    variables: Mapping[str, str],
    *,
    interval_seconds: int = 1,
    conf: Mapping[str, str] | None = None,
    memory: str = "768m",
    java_options: str = QUICK,
) -> Iterator[Server]:
    """A History Server with the component's configuration, that runs when it is yielded.

    variables: with its credentials. conf: more of its configuration. memory: its heap.
    """
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    defaults = spark_defaults(
        bucket=bucket,
        region=REGION,
        store_folder=str(folder / "store"),
        size=SIZE,
        interval_seconds=interval_seconds,
    )
    here = {
        "spark.history.ui.port": str(port),
        "spark.history.store.hybridStore.maxMemoryUsage": "128m",
        # A stand-in for S3, on loopback.
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        **(conf or {}),
    }
    (folder / "spark-defaults.conf").write_text(
        defaults + "".join(f"{key} {value}\n" for key, value in here.items())
    )
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "SPARK_", "HADOOP_"))
    }
    environment = {
        **kept,
        **variables,
        "SPARK_HOME": str(history_image.home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(folder),
        "SPARK_DAEMON_MEMORY": memory,
        "SPARK_DAEMON_JAVA_OPTS": java_options,
        "SPARK_DAEMON_CLASSPATH": ":".join(str(jar) for jar in history_image.jars()),
    }
    server = Server(port=port, log=folder / "server.log", folder=folder, environment=environment)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@dataclass(frozen=True)
class GateProcess:
    """The gate, as a process."""

    port: int

    def get(self, path: str, host: str = "history.example") -> tuple[int, str]:
        """Status and text of a page, by the name of its host."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Host": host})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name: str) -> float:
        """A metric of its own."""
        _, text = self.get("/metrics", host="127.0.0.1")
        match = re.search(rf"^moka_history_gate_{name} (\S+)$", text, re.MULTILINE)
        assert match, text
        return float(match[1])


@contextmanager
def gate_before(
    server: HistoryServer, bucket: str, endpoint: str, variables: Mapping[str, str], folder: Path
) -> Iterator[GateProcess]:
    """The gate before a server, that runs when it is yielded. variables: with its credentials."""
    port = free_port()
    account = folder / "account"
    account.mkdir(parents=True)
    for name in ("token", "ca.crt", "namespace"):
        (account / name).write_text(name)
    arguments = [
        f"--listen=127.0.0.1:{port}",
        f"--service-account={account}",
        f"--bucket={bucket}",
        f"--region={REGION}",
        f"--server=http://127.0.0.1:{server.port}",
        "--live-url=http://{name}.{namespace}.{cluster}.example/",
        "--days=30",
        "--interval=1",
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "AWS_ENDPOINT_URL_S3": endpoint,
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": "443",
        **variables,
    }
    log = folder / "gate.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.history_gate", *arguments],
            env=environment,
            stdout=output,
            stderr=output,
        )
    gate = GateProcess(port)
    try:
        wait_for(lambda: gate.get("/healthz", host="127.0.0.1") or process.poll() is not None, SECONDS)
        assert process.poll() is None, log.read_text()[-3000:]
        yield gate
    finally:
        process.kill()
        process.wait()
