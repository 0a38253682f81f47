"""What makes `spark-submit` cheap to run: on few cores, many submissions are bound by the start of JVMs.

`spark-submit` stays as it is. What two JVMs would load and check anew each time, its own and the one that
puts its command line together, is kept by the JVM in an archive of classes (AppCDS) beside the tools.
"""

import json
import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from localcloud.files import locked
from localcloud.tools import cache

# The variable that each JVM takes options from, and its archive.
ARCHIVES = {"SPARK_SUBMIT_OPTS": "submit.jsa", "SPARK_LAUNCHER_OPTS": "launcher.jsa"}

# A JVM that lives for a second never gets back what the better compiler and more collectors cost.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# 11 were measured on two cores.
SUBMISSION_TIMEOUT_SECONDS = 300

POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {}\n"


def environment(spark: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Variables for running `spark-submit` of this Spark: some of its user, and those that make it quicker.

    A JVM starts without an archive that does not fit, or does not exist.
    """
    archives = archives_of(spark)
    return {
        **variables,
        **{
            variable: f"-XX:SharedArchiveFile={archives / name} {variables.get(variable, SHORT_LIVED)}"
            for variable, name in ARCHIVES.items()
        },
    }


def archives_of(spark: Path) -> Path:
    """Folder of the archives for this Spark, whether they exist or not."""
    return cache.root() / "spark-classes" / sha256(str(spark).encode()).hexdigest()[:10]


def make_archives(spark: Path, say: Callable[[str], None]) -> None:
    """Make the archives unless those of the machine's Java exist; prints why when it cannot.

    They come from a submission to a server of our own, and so to no cluster.
    """
    archives = archives_of(spark)
    java = subprocess.run([_java(), "-version"], capture_output=True, text=True).stderr
    archives.mkdir(parents=True, exist_ok=True)
    with locked(archives / ".lock"):
        note = archives / "java"
        if note.is_file() and note.read_text() == java:
            return
        say("making spark-submit start faster (about 15 s)")
        with TemporaryDirectory() as folder:
            work = Path(folder)
            if _submit(spark, work):
                for name in ARCHIVES.values():
                    shutil.copyfile(work / name, archives / f"{name}.new")
                    (archives / f"{name}.new").replace(archives / name)
                note.write_text(java)
            else:
                lines = (work / "log").read_text(errors="replace").strip().splitlines() or ["no output"]
                say(f"spark-submit starts no faster, as its classes could not be archived: {lines[-1]}")


def _java() -> Path:
    """The Java that Spark's scripts take."""
    home = os.environ.get("JAVA_HOME")
    return Path(home, "bin", "java") if home else Path("java")


def _submit(spark: Path, work: Path) -> bool:
    """Submit a job as the Spark Operator does, to no cluster; whether that made both archives."""
    options = {
        variable: f"{SHORT_LIVED} -XX:ArchiveClassesAtExit={work / name}"
        for variable, name in ARCHIVES.items()
    }
    templates = {role: work / f"{role}.yaml" for role in ("driver", "executor")}
    for role, template in templates.items():
        template.write_text(POD.format(f"spark-kubernetes-{role}"))
    with _accepting_server(work) as endpoint, (work / "log").open("w") as log:
        # fmt: off
        command: list[str | Path] = [
            spark / "bin" / "spark-submit", "--master", f"k8s://{endpoint}", "--deploy-mode", "cluster",
            "--class", "Main", "--name", "job",
            *(f"--conf=spark.kubernetes.{role}.podTemplateFile={file}" for role, file in templates.items()),
            "--conf=spark.kubernetes.namespace=jobs",
            "--conf=spark.kubernetes.container.image=spark",
            "--conf=spark.kubernetes.submission.waitAppCompletion=false",
            "--conf=spark.kubernetes.driver.label.queue=root",
            "--conf=spark.kubernetes.authenticate.driver.serviceAccountName=spark",
            "local:///job.jar",
        ]
        # fmt: on
        variables = {"SPARK_HOME": str(spark), "SPARK_CONF_DIR": str(spark / "conf")}
        try:
            subprocess.run(
                command,
                stdout=log,
                stderr=log,
                timeout=SUBMISSION_TIMEOUT_SECONDS,
                env={**os.environ, **variables, **options, "KUBECONFIG": str(work / "kubeconfig")},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            log.write(f"{error}\n")
    return all((work / name).is_file() for name in ARCHIVES.values())


@contextmanager
def _accepting_server(work: Path) -> Iterator[str]:
    """A server on loopback that accepts every object, with a kubeconfig for it; its URL."""
    # Imported here, as a call that has nothing to do is to be quick.
    from localcloud.credentials import ADMIN, Credentials, kubeconfig

    credentials = Credentials(work / "credentials")
    credentials.make()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _AcceptingHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*credentials.serving)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    endpoint = f"https://127.0.0.1:{server.server_port}"
    (work / "kubeconfig").write_text(
        kubeconfig(endpoint, credentials.authority, credentials.token(ADMIN), "no-cluster")
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


class _AcceptingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        resource = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        resource["metadata"]["uid"] = "none"
        answer = json.dumps(resource).encode()
        self.send_response(201 if self.command == "POST" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_PATCH = do_POST

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""
