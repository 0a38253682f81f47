"""Histories of what was used: any records as Parquet, and large ones of many runs, the same for a seed.

Parts are where moka/usage/places.py has them.
"""

from pathlib import Path

import duckdb

from moka.allocation.cluster import Cluster
from moka.queues.resources import Resources
from moka.usage import places
from moka.usage.columns import Table
from moka.usage.questions import QueryScope, Question, duckdb_views, shared_views
from planning.parts import write

__all__ = ["ask", "clusters_of", "rows", "write", "write_runs"]

HOUR = 3_600_000
DAY = 24 * HOUR
BEGAN = 1_761_955_200_000
"""2025-11-01."""

MACHINE = Resources.of(cpu="16", memory="128Gi")


def ask(folder: Path, question: Question, scope: QueryScope, **config) -> list[dict]:
    """DuckDB's answer from the parts in a folder. config: of DuckDB."""
    tables = {
        table: [f"{folder}/{places.prefix(table.name)}**/*{places.SUFFIX}"]
        if (folder / places.prefix(table.name)).exists()
        else []
        for table in question.reads
    }
    with duckdb.connect(config=config) as session:
        for statement in [*duckdb_views(tables), *scope.views(), *shared_views([question])]:
            session.execute(statement)
        answer = session.execute(question.sql)
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def rows(folder: Path, table: Table) -> list[dict]:
    """All rows of a table, of all parts in a folder."""
    with duckdb.connect() as session:
        for statement in duckdb_views({table: [f"{folder}/{places.prefix(table.name)}**/*{places.SUFFIX}"]}):
            session.execute(statement)
        answer = session.execute(f"SELECT * FROM {table.name}")
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def write_runs(
    folder: Path, runs: int, *, queues: int = 2_000, clusters: int = 10, days: int = 30, seed: int = 17
) -> None:
    """Days of runs of as many workflows as queues, as profiles, applications and jobs.

    A few queues have most of the runs; each run has a machine or more for a minute to forty; a tenth of the
    days' runs come within an hour after midnight. Four of five are jobs of Archer.
    """
    source = RUNS.format(runs=runs, queues=queues, clusters=clusters, days=days, seed=seed, began=BEGAN)
    with duckdb.connect(config={"memory_limit": "3GB", "preserve_insertion_order": False}) as session:
        session.execute(source)
        for table, query in (("profiles", PROFILES), ("applications", APPLICATIONS), ("jobs", JOBS)):
            target = folder / places.prefix(table)
            target.mkdir(parents=True, exist_ok=True)
            session.execute(
                f"COPY (SELECT * REPLACE (strftime(make_timestamp_ms(day * {DAY}), '%Y-%m-%d') AS day) "
                f"FROM ({query})) "
                f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day, cluster), "
                "WRITE_PARTITION_COLUMNS true, FILENAME_PATTERN 'part-0000000{i}')"
            )


def clusters_of(count: int = 10, instances: int = 1_000) -> list[Cluster]:
    """The clusters of `write_runs`."""
    return [Cluster(name=f"batch-{number}", instance=MACHINE, instances=instances) for number in range(count)]


RUNS = """
CREATE TEMP MACRO chance(run, what) AS ((hash(run, what, {seed}) >> 11)::BIGINT / 9007199254740992.0);
CREATE TEMP VIEW runs AS
SELECT run, queue, submitted, submitted + waits AS started, submitted + waits + lasts AS finished, pods,
  'batch-' || (queue % {clusters}) AS cluster,
  'org-' || (queue % 17) AS organization, 'project-' || queue AS project, 1 + queue % 3 AS tier,
  'root.org-' || (queue % 17) || '.project-' || queue || '.tier' || (1 + queue % 3) AS path
FROM (
  SELECT run,
    floor({queues} * pow(chance(run, 'queue'), 2))::BIGINT AS queue,
    {began} + floor({days} * chance(run, 'day'))::BIGINT * 86400000
      + floor(chance(run, 'time') * CASE WHEN chance(run, 'night') < 0.1 THEN 3600000 ELSE 86400000 END)
        ::BIGINT AS submitted,
    floor(60000 * chance(run, 'waits'))::BIGINT AS waits,
    60000 + floor(2340000 * pow(chance(run, 'lasts'), 3))::BIGINT AS lasts,
    1 + floor(20 * pow(chance(run, 'pods'), 2))::BIGINT AS pods
  FROM range({runs}) numbers (run)
);
"""
PROFILES = """
WITH edges AS (
  SELECT queue, cluster, path, hour, unnest([pods, -pods]) AS pods, unnest([1, -1]) AS runs,
    unnest([greatest(started, hour * 3600000), least(finished, (hour + 1) * 3600000)]) AS moment
  FROM (SELECT *, unnest(range(started // 3600000, (finished - 1) // 3600000 + 1)) AS hour FROM runs)
),
levels AS (
  SELECT queue, cluster, path, moment AS began, lead(moment) OVER in_order AS ended,
    (sum(pods) OVER in_order)::BIGINT AS pods, (sum(runs) OVER in_order)::BIGINT AS runs
  FROM edges
  WINDOW in_order AS (PARTITION BY queue, hour ORDER BY moment)
)
SELECT cluster, path AS queue, 'workflow-' || queue AS workflow, 'r8g.4xlarge' AS instance_type, began, ended,
  pods * 4000 AS cpu, pods * (16384 + queue % 5 * 8192) AS memory, 0::BIGINT AS gpu,
  runs AS applications, pods AS allocations, began // 86400000 AS day
FROM levels
WHERE ended > began AND runs > 0
"""
APPLICATIONS = """
SELECT cluster, 'run-' || run AS application, submitted, started, finished, 'ada' AS user_name,
  'workflow-' || queue AS workflow, path AS queue, organization, project, tier, 'jobs' AS namespace,
  started - submitted AS waiting, finished - started AS running,
  [{'kind': 'used', 'instance_type': 'r8g.4xlarge', 'cpu': pods * 4 * (finished - started),
    'memory': pods * (16384 + queue % 5 * 8192) * 1048576 * ((finished - started) // 1000), 'gpu': 0::BIGINT},
   {'kind': 'placeholder', 'instance_type': 'r8g.4xlarge', 'cpu': pods, 'memory': pods, 'gpu': 0::BIGINT}]
  AS usage,
  CASE WHEN chance(run, 'outcome') < 0.05 THEN 'failed' ELSE 'succeeded' END AS outcome,
  'archer,summary' AS sources, submitted // 86400000 AS day
FROM runs
"""
JOBS = """
SELECT cluster, 'job-' || run AS job, accepted, submitted, finished AS ended, 'daily' AS name,
  'ada' AS user_name, 'workflow-' || queue AS workflow, path AS queue, organization, project, tier, state,
  'reason' AS reason,
  [{'number': 1::BIGINT, 'cluster': cluster, 'application': 'run-' || run, 'submitted': submitted,
    'started': started, 'ended': finished, 'state': state, 'reason': 'reason'}] AS attempts,
  accepted // 86400000 AS day
FROM (
  SELECT *, CASE WHEN chance(run, 'outcome') < 0.05 THEN 'failed' ELSE 'succeeded' END AS state,
    greatest(submitted // 86400000 * 86400000, submitted - floor(30000 * chance(run, 'held'))::BIGINT)
      AS accepted
  FROM runs
)
WHERE run % 5 > 0
"""
