"""Real Spark as processes of their own: jobs that log events, and a History Server that reads them."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from localcloud.loopback import free_port
from tests.support import history_image
from tests.support.spark_releases import spark_home
from tests.support.uploader_process import wait_for

JAVA = Path(__file__).resolve().parent / "java"
SECONDS = 180.0


def compiled(program: str, folder: Path, classpath: Sequence[Path]) -> Path:
    """A jar with a program of `java/`, for any release of Spark. classpath: of jars, or `<folder>/*`."""
    classes = folder / "classes"
    command = ["javac", "--release", "8", "-Xlint:-options", "-cp", ":".join(map(str, classpath))]
    subprocess.run([*command, "-d", str(classes), str(JAVA / f"{program}.java")], check=True)
    jar = folder / f"{program}.jar"
    subprocess.run(["jar", "cf", str(jar), "-C", str(classes), "."], check=True)
    return jar


def compiled_job(folder: Path, name: str = "EventLogJob") -> Path:
    """A jar with the job of `java/<name>.java`."""
    return compiled(name, folder, [spark_home() / "jars" / "*"])


@dataclass
class RunningJob:
    """A driver that runs. steps: folder with a file for each step that it has done."""

    process: subprocess.Popen[bytes]
    steps: Path
    log: Path

    def wait_for_step(self, name: str) -> None:
        """Wait until it has done a step."""
        wait_for(lambda: (self.steps / name).exists() or self._must_run(), SECONDS)

    def finish(self) -> None:
        """Have it end, where it waits for that."""
        (self.steps / "finish").touch()

    def wait(self) -> int:
        """Wait for its end -> its exit status."""
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        """SIGKILL, as for want of memory."""
        self.process.kill()
        self.process.wait()

    def _must_run(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        return False


@contextmanager
def running_job(
    home: Path,
    jar: Path,
    folder: Path,
    log: str,
    conf: Mapping[str, str],
    arguments: Sequence[str] = (),
    *,
    main_class: str = "EventLogJob",
    address: str = "127.0.0.1",
) -> Iterator[RunningJob]:
    """A driver of the Spark at `home`.

    log: id of its application, which Spark takes from 4.0 on. arguments: of the job, after its folder of
    steps. address: that it serves at.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The id that Kubernetes would have given.
    properties = {**conf, "spark.test.appId": log}
    (folder / "job.properties").write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    command: list[str | Path] = [
        home / "bin" / "spark-submit",
        *("--master", "local[2]", "--name", "daily", "--class", main_class),
        *("--driver-memory", "512m"),
        *("--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
        *("--properties-file", folder / "job.properties"),
        *(jar, folder / "steps"),
        *arguments,
    ]
    with (folder / "job.log").open("wb") as output:
        process = subprocess.Popen(
            command,
            env={**_environment(home), "SPARK_LOCAL_IP": address},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    job = RunningJob(process, folder / "steps", folder / "job.log")
    try:
        yield job
    finally:
        job.kill()


@dataclass
class HistoryServer:
    """A History Server that runs."""

    port: int
    log: Path

    def get(self, path: str) -> Any:
        """What its REST API says; None where there is nothing, or no API yet."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}", timeout=60) as answer:
                # Seen as it started beside much other work: 200, and no JSON.
                return json.load(answer) if "json" in answer.headers.get_content_type() else None
        except HTTPError as error:
            if error.code == 404:
                return None
            raise

    def stages(self, log: str) -> dict[int, tuple[str, int]]:
        """Stage -> its status, and how many of its tasks have ended."""
        stages = self.get(f"applications/{log}/stages") or []
        return {stage["stageId"]: (stage["status"], stage["numCompleteTasks"]) for stage in stages}

    def listed(self, log: str) -> bool | None:
        """Whether the list has an application as completed; None where it is not in there."""
        for application in self.get("applications") or []:
            if application["id"] == log:
                completed: bool = application["attempts"][-1]["completed"]
                return completed
        return None


@contextmanager
def history_server(
    folder: Path, defaults: Mapping[str, str], environment: Mapping[str, str]
) -> Iterator[HistoryServer]:
    """The History Server of its image, with this spark-defaults.conf, which is up when it is yielded."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    conf = {**defaults, "spark.history.ui.port": str(port)}
    (folder / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in conf.items()))
    home = history_image.home()
    variables = {
        **_environment(home),
        **environment,
        "SPARK_CONF_DIR": str(folder),
        "SPARK_DAEMON_MEMORY": "768m",
        "SPARK_DAEMON_CLASSPATH": ":".join(str(jar) for jar in history_image.jars()),
    }
    command: list[str | Path] = [
        home / "bin" / "spark-class",
        "org.apache.spark.deploy.history.HistoryServer",
    ]
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=variables, cwd=folder, stdout=output, stderr=output)
    server = HistoryServer(port, log)
    try:
        wait_for(lambda: server.get("version") or process.poll() is not None, SECONDS)
        assert process.poll() is None, log.read_text()[-3000:]
        yield server
    finally:
        process.kill()
        process.wait()


def _environment(home: Path) -> dict[str, str]:
    without = ("AWS_", "SPARK_", "HADOOP_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(without)}
    return {**kept, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
