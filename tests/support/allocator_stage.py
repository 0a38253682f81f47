"""The allocator's program beside Archer's, on a real PostgreSQL, with a history in the laptop's S3."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import boto3
import httpx
import trustme
from archer import Archer, IamCredentials

from localcloud.cloud import REPOSITORY
from localcloud.loopback import free_port
from moka.allocation import configuration as configuration_file
from moka.allocation.configuration import Configuration
from moka.allocation.plan_bounds import PlanBounds
from moka.queues import calendar_file, queue_file
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues
from moka.usage.queue_names import queue_names
from moka.usage.records import APPLICATIONS, DAY, PROFILES, Application, Usage
from moka.workflows.definitions import Workflow
from planning.example_history import BEGAN, ExampleHistory
from services.archer.database import plans
from services.archer.database.pool import pool
from tests.support import usage_history
from tests.support.archer_processes import url_of
from tests.support.loops import run_apart

CREDENTIALS = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
BUCKET, REGION = "moka-test-resource-usage", "us-east-1"
DAYS = 3
HISTORY = ExampleHistory(workflows=24, queues=6, clusters=2, jobs=240)
WORKFLOWS = {
    habit.name: Workflow(
        tier=habit.tier,
        slo_hours=habit.slo_hours,
        owner="ada",
        project=".".join(habit.queue.split(".")[1:3]),
        cluster=habit.home,
    ).model_dump(mode="json")
    for habit in HISTORY.habits
}
"""As somebody tells Archer of them."""

HOUR_AGO = datetime.fromtimestamp(time.time() - 3600, UTC)
CRON = f"{HOUR_AGO:%M %H} * * *"
"""A plan was due an hour ago."""


def make_configuration(archer_url, cron=CRON, **changes):
    """An environment with the clusters and queues of the example."""
    organizations = {}
    for path in sorted({habit.queue for habit in HISTORY.habits}):
        queue = queue_names(path)
        projects = organizations.setdefault(queue.organization, {"projects": {}})["projects"]
        tiers = projects.setdefault(queue.project, {"tiers": {}})["tiers"]
        tiers[queue.tier] = {"guaranteed": {"cpu": "1", "memory": "4Gi"}}
    clusters = {}
    for cluster in HISTORY.fleet(DAYS).clusters:
        number = cluster.cluster.instances
        capacity = {"cpu": str(16 * number), "memory": f"{128 * number}Gi"}
        calendar = Calendar.model_validate(
            {
                "capacity": capacity,
                "node_order": "binpacking",
                "node_groups": {"executor": {"maximum": number, "cpu": "16", "memory": "128Gi"}},
            }
        )
        clusters[cluster.name] = {
            "machine": "r8g.4xlarge",
            "types": {"r8g.4xlarge": {"cpu": 16_000, "memory": 128 * 1024, "usd": 0.9}},
            "machines": number,
            "capacity": capacity,
            "zones": cluster.zones,
            "architectures": cluster.architectures,
            "calendar": calendar_file.dumps(calendar),
        }
    data = {
        "environment": "test",
        "archer": {"url": archer_url, "region": REGION},
        "history": {"bucket": BUCKET, "region": REGION},
        "night": {"cron": cron, "engine": "cp-sat", "days": DAYS, "seed": 1, "seconds": 30},
        "queues": queue_file.dumps(Queues.model_validate({"organizations": organizations})),
        "bounds": PlanBounds(by_itself=True),
        "clusters": clusters,
    }
    return Configuration.model_validate(data | changes)


def write_history(folder):
    """The example's runs on the days before today, as the recorder writes them."""
    today = int(time.time() * 1000) // DAY * DAY
    shift = today - DAYS * DAY - BEGAN
    homes = {habit.name: habit.home for habit in HISTORY.habits}
    intervals, applications = [], []
    for day in range(DAYS):
        for number, run in enumerate(HISTORY.runs(day)):
            cluster, queue = homes[run.workflow], queue_names(run.queue)
            for interval in run.intervals(cluster):
                intervals.append(
                    type(interval)(
                        **{**vars(interval), "began": interval.began + shift, "ended": interval.ended + shift}
                    )
                )
            began, seconds = run.submitted + shift, run.lasts // 1000
            used = Usage(
                kind="used",
                instance_type="r8g.4xlarge",
                cpu=run.pods * run.cpu * seconds,
                memory=run.pods * run.memory * 2**20 * seconds,
            )
            applications.append(
                Application(
                    cluster=cluster,
                    application=f"run-{day}-{number}",
                    submitted=began,
                    started=began,
                    finished=began + run.lasts,
                    workflow=run.workflow,
                    queue=run.queue,
                    organization=queue.organization,
                    project=queue.project,
                    tier=queue.tier,
                    usage=(used,),
                    outcome="succeeded",
                )
            )
    usage_history.write(folder, PROFILES, intervals)
    usage_history.write(folder, APPLICATIONS, applications)


class Program:
    """The allocator's program. log: what it prints."""

    def __init__(self, file, log, environment):
        port = free_port()
        self.url, self._log = f"http://127.0.0.1:{port}", log
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "services.allocator"),
                    *(f"--configuration={file}", f"--listen=127.0.0.1:{port}"),
                ],
                cwd=REPOSITORY,
                env=environment,
                stdout=out,
                stderr=out,
            )

    def until(self, what):
        """Wait for something, while it runs."""
        while not (found := what()):
            assert self.process.poll() is None, self.log
            time.sleep(0.05)
        return found

    @property
    def log(self):
        return self._log.read_text()

    def says(self, *words):
        """Wait until it has logged something."""
        self.until(lambda: any(word in self.log for word in words))

    def healthy(self):
        """Wait until it answers."""

        def asked():
            try:
                return httpx.get(f"{self.url}/healthz").text == "ok\n"
            except httpx.TransportError:
                return False

        self.until(asked)

    def page(self):
        """Name with labels -> value of its metrics."""
        lines = httpx.get(f"{self.url}/metrics").text.splitlines()
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    def shows(self, name, value=1.0):
        """Wait until a metric has a value; all of them."""
        return self.until(lambda: page if (page := self.page()).get(name) == value else None)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


class Stage:
    """Archer on a database, and what the allocator goes by."""

    def __init__(self, address, folder, aws, stack):
        self.address, self._folder, self._stack = address, folder, stack
        self.port = free_port()
        self._environment = {
            **os.environ,
            "AWS_ENDPOINT_URL": aws,
            **{name.upper(): value for name, value in CREDENTIALS.items()},
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": "1",
            "TMPDIR": str(folder),
        }
        for name, text in {"token": "x", "namespace": "archer"}.items():
            (folder / name).write_text(text)
        trustme.CA().cert_pem.write_to_path(folder / "ca.crt")
        (folder / "archer.json").write_text(
            json.dumps(
                {
                    "environment": "test",
                    "database": {"url": url_of(address)},
                    "rights": [{"who": "user:arn:aws:sts::123456789012:*", "may": ["see", "operate"]}],
                    "authentication": {"iam": {"region": REGION}},
                }
            )
        )
        self.configuration = make_configuration(f"http://127.0.0.1:{self.port}")
        self._programs = 0
        self.tell(self.configuration)

    def tell(self, configuration):
        """Have Archer know the clusters' queues."""

        async def work(connections):
            for name, offer in configuration.offers.items():
                await connections.run(lambda c, n=name, o=offer: plans.tell(c, n, o.settings))

        self.in_database(work)

    def in_database(self, work):
        async def inside():
            async with pool(self.address) as connections:
                return await work(connections)

        return run_apart(inside())

    def archer(self):
        """Start its service; a client of it."""
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "services.archer", "service"),
                *(f"--configuration={self._folder / 'archer.json'}", f"--listen=127.0.0.1:{self.port}"),
                f"--service-account={self._folder}",
            ],
            cwd=REPOSITORY,
            env=self._environment,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        url = f"http://127.0.0.1:{self.port}"
        return self._stack.enter_context(Archer(url, IamCredentials("test", REGION)))

    def allocator(self, configuration=None):
        """Start a program, which answers."""
        self._programs += 1
        file = self._folder / f"allocator-{self._programs}.json.gz"
        file.write_bytes(configuration_file.dumps(configuration or self.configuration))
        program = Program(file, self._folder / f"allocator-{self._programs}.log", self._environment)
        self._stack.callback(program.process.wait)
        self._stack.callback(program.process.kill)
        program.healthy()
        return program


def fill(folder, aws):
    """Put what a folder has into the bucket of an AWS."""
    s3 = boto3.client("s3", region_name=REGION, endpoint_url=aws, **CREDENTIALS)
    s3.create_bucket(Bucket=BUCKET)
    for file in folder.rglob("*.parquet"):
        s3.upload_file(str(file), BUCKET, file.relative_to(folder).as_posix())
