"""What Archer's real programs tell, judged by the rules: in order they raise no alert, in trouble they do."""

import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from urllib.request import urlopen

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from localcloud import tools
from moka.observability.alerts import ALERTS
from moka.observability.rule import as_yaml
from moka.submission.job_id import lowest_id, new_id
from moka.submission.month import Month
from services.archer.database import environment, leases
from services.archer.database.migrate import migrate
from services.archer.database.partitions import statements
from services.archer.database.pool import pool
from tests.support.archer_processes import Archer
from tests.support.jobs import make_job_target
from tests.support.loops import run_apart
from tests.support.postgresql import PostgreSQL
from tests.support.waiting import eventually

MINUTES = 120
AWS = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
ISSUER = "http://127.0.0.1:9/issuer"
PROGRAMS = {"archer-keeper": "keeper", "archer": "service", "archer-worker": "worker"}
"""`job` of its series -> program."""

OF_ARCHER = [alert for alert in ALERTS if alert.service == "archer"]

OLD = Month(2026, 1)
SICK = {
    "clusters": {
        "spark-a": {"eks": "spark-a", "region": "us-east-1", "role": "arn:aws:iam::123456789012:role/archer"}
    },
    "history": {"bucket": "records", "region": "us-east-1", "days": 30},
}
ACTIVE = """
INSERT INTO active (id, state, tier, queue, cluster, namespace, since, ready, due, claimed_until)
SELECT $1, $2, $3, 'acme.etl', 'spark-a', 'jobs', ago, ago, now() + '1 day', now() + '1 day'
FROM (SELECT now() - $4::interval AS ago) AS times
"""


@pytest.fixture(scope="module")
def promtool():
    """Prometheus' checker; made the first time."""
    tools.build(["promtool"])
    return tools.path("promtool")


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@contextmanager
def running(postgresql, folder, prepare, changes):
    """Pages of the three programs, by job, once they have looked at the database."""
    with postgresql.database() as address:
        run_apart(migrate(address))
        run_apart(prepare(address))
        for name in ("token", "namespace", "ca.crt"):
            (folder / name).write_text("x")
        with Archer(folder, address, ISSUER, changes=changes) as archer:
            pages = {
                job: f"{archer.start(program, environment=AWS).url}/metrics"
                for job, program in PROGRAMS.items()
            }
            eventually(lambda: "moka_archer_keeper_months_ahead 3.0" in page(pages["archer-keeper"]))
            eventually(lambda: "moka_archer_worker_leases" in page(pages["archer-worker"]))
            eventually(lambda: "moka_archer_waits" in page(pages["archer"]))
            yield pages


def page(url):
    """A page; empty while nobody answers."""
    try:
        with urlopen(url, timeout=10) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def series(pages):
    """The samples as Prometheus would have them, each as it is now for two hours; and that they were read."""
    yield 'moka_archer{cluster="a"}', 1
    for job, url in pages.items():
        text = page(url)
        yield f'up{{cluster="a",job="{job}"}}', int(bool(text))
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                labels = {"cluster": "a", "job": job, **sample.labels}
                inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
                yield f"{sample.name}{{{inside}}}", sample.value


def firing(promtool, folder, pages):
    """Names of the alerts that Prometheus raises."""
    (folder / "moka.rules.yaml").write_text(as_yaml(OF_ARCHER))
    test = {
        "interval": "1m",
        "input_series": [
            {"series": name, "values": f"{value}x{MINUTES}"} for name, value in dict(series(pages)).items()
        ],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert.name}",alertstate="firing"}}) > bool 0',
                "eval_time": f"{MINUTES}m",
                # Wrong where it fires, which it then says.
                "exp_samples": [],
            }
            for alert in OF_ARCHER
        ],
    }
    (folder / "cases.yaml").write_text(
        yaml.safe_dump(
            {"rule_files": ["moka.rules.yaml"], "evaluation_interval": "1m", "tests": [test]}, width=1000
        )
    )
    judged = subprocess.run(
        [promtool, "test", "rules", "cases.yaml"], cwd=folder, capture_output=True, text=True, timeout=120
    )
    report = judged.stdout + judged.stderr
    return {alert.name for alert in OF_ARCHER if f'alertname=\\"{alert.name}\\"' in report}, report


async def nothing(_):
    """A database without jobs."""


async def trouble(address):
    """Jobs that wait, a claim that nobody ends, a cluster that is away, and a month that should have gone."""
    now = datetime.now(UTC)

    async def write(connection):
        for state, tier, ago in (
            ("queued", 1, timedelta(hours=1)),
            ("accepted", 3, timedelta(hours=2)),
            ("submitting", 2, timedelta(minutes=10)),
        ):
            await connection.execute(ACTIVE, new_id(now), state, tier, ago)
        for statement in statements(OLD, ahead=0):
            await connection.execute(statement)
        await connection.execute(ACTIVE, lowest_id(OLD.start), "running", 2, timedelta(hours=1))
        await environment.tell(connection, "spark-a", make_job_target())
        await leases.register(connection, [("spark-a", "jobs")])
        await connection.execute(
            "UPDATE clusters SET failures = 9, open_until = extract(epoch FROM now()) + 600"
        )

    async with pool(address) as connections:
        await connections.run(write)


def test_programs_that_do_well_raise_no_alert(promtool, postgresql, tmp_path):
    with running(postgresql, tmp_path, nothing, {}) as pages:
        fired, report = firing(promtool, tmp_path, pages)

    assert fired == set() and "SUCCESS" in report


def test_programs_in_trouble_raise_the_alerts_of_it(promtool, postgresql, tmp_path):
    with running(postgresql, tmp_path, trouble, SICK) as pages:
        eventually(lambda: 'jobs{state="queued",tier="1"}' in page(pages["archer-worker"]))
        fired, report = firing(promtool, tmp_path, pages)

    assert fired == {
        "ArcherTier1Waits",
        "ArcherQueueOld",
        "ArcherClaimsStuck",
        "ArcherNotFollowed",
        "ArcherBreakerOpen",
        "ArcherHistoryLate",
    }, report
