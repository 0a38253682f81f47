"""`make bench`: measures each table beside what it is compared with, and writes it to docs/benchmarks.md."""

import os
import platform
import shutil
import subprocess
import sys
from datetime import UTC, datetime

import psutil

from benchmarks import (
    allocation,
    archer,
    archer_history,
    archer_queue,
    checks,
    etcd,
    fleet,
    gangs,
    history,
    history_full,
    local,
    operators,
    policies,
    policy_endpoints,
    queues,
    recorder,
    report,
    scheduling,
    services,
    ui_gateway,
    usage,
    usage_report,
    usage_spark,
)
from benchmarks.bench import CLOUD, FOLDER, LOG
from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from localcloud.errors import Refusal

PAGE = REPOSITORY / "docs" / "benchmarks.md"
TABLES = {
    "local": local.table,
    "checks": checks.table,
    "fleet": fleet.table,
    "policies": policies.table,
    "scheduling": scheduling.table,
    "gangs": gangs.table,
    "etcd": etcd.table,
    "operators": operators.table,
    "services": services.table,
    "policy_endpoints": policy_endpoints.table,
    "queues": queues.table,
    "report": report.table,
    "history": history.table,
    "history_full": history_full.table,
    "ui_gateway": ui_gateway.table,
    "archer": archer.table,
    "archer_history": archer_history.table,
    "archer_queue": archer_queue.table,
    "usage": usage.table,
    "usage_spark": usage_spark.table,
    "usage_report": usage_report.table,
    "recorder": recorder.table,
    "allocation": allocation.table,
}
"""Name -> what measures its table; each table has marks of its own on the page."""


def main(names: list[str]) -> int:
    """Measure some tables, by default all; print and write them; exit status."""
    if unknown := set(names) - TABLES.keys():
        print(f"There is no benchmark {', '.join(sorted(unknown))}: it is one of {', '.join(TABLES)}.")
        return 2
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    os.environ["MOKA_CLOUD"] = str(CLOUD.home)
    engine = Engine(CLOUD)
    commands.start(engine)
    try:
        for name in names or TABLES:
            table = f"{_machine()}; {TABLES[name]()}"
            print(table)
            _write(name, table)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)} failed: see {LOG}", file=sys.stderr)
        return 1
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    finally:
        commands.stop(engine)
    return 0


def _machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{datetime.now(UTC):%Y-%m-%d}; {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} "
        f"{platform.machine()}, Python {platform.python_version()}, load {os.getloadavg()[1]:.1f} before"
    )


def _write(name: str, table: str) -> None:
    start, end = f"<!-- make bench: {name} -->\n", f"<!-- end of make bench: {name} -->\n"
    page = PAGE.read_text()
    before, after = page.split(start)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{start}\n{table}\n{end}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
