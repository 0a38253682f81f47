"""Rows of many jobs, which PostgreSQL makes itself."""

DOCUMENT = """jsonb_build_object(
  'name', 'report-' || n % 500, 'namespace', 'spark-jobs', 'queue', 'org' || n % 20 || '.etl',
  'tier', 1 + n % 3,
  'main_file', 's3a://programs/reports/' || n % 500 || '/main.jar',
  'main_class', 'com.example.reports.Report' || n % 500,
  'arguments', jsonb_build_array('--day', '2026-11-25', '--run', n),
  'executor', jsonb_build_object('instances', 20, 'cores', 4, 'memory', '16g'))"""
"""A job, some 400 characters, of `n`."""

ID = """(lpad(to_hex({milliseconds}), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
  || substr(md5(random()::text), 1, 15))::uuid"""
"""As moka/submission/job_id.py makes them."""

NOW = ID.format(milliseconds="(extract(epoch FROM clock_timestamp()) * 1000)::bigint")

WAITING = f"""
WITH made AS MATERIALIZED (SELECT {NOW} AS id, n FROM generate_series(1, $1::bigint) AS n), new AS (
  INSERT INTO jobs (id, principal, name, queue, tier, architecture, document)
  SELECT id, 'user' || n % 1000, 'report-' || n % 500, 'org' || n % 20 || '.etl', 1 + n % 3, 'arm64',
         {DOCUMENT}
  FROM made
)
INSERT INTO active (id, state, event, queue, tier, cluster, namespace, attempt)
SELECT id, 'queued', 2, 'org' || n % 20 || '.etl', 1 + n % 3, $2::text, 'spark-jobs', 1 FROM made
"""
"""So many jobs that wait for a cluster, of 20 queues with three tiers each."""

THEN = ID.format(
    milliseconds="(extract(epoch FROM $2::timestamptz) * 1000 + n * 86400000.0 / $1::bigint)::bigint"
)

ENDED = f"""
WITH made AS MATERIALIZED (SELECT {THEN} AS id, n FROM generate_series(1, $1::bigint) AS n), tried AS (
  INSERT INTO attempts (job, number, cluster, namespace, application, submitted, started, ended, state,
                        reason, spark_id)
  SELECT id, 1, 'spark-a', 'spark-jobs', 'report-' || n, $2, $2, $2, 'succeeded', 'succeeded', 'spark-' || n
  FROM made
)
INSERT INTO jobs (id, principal, name, queue, tier, workflow, architecture, document, state, reason, cluster,
                  attempts, started, ended)
SELECT id, 'user' || n % 1000, 'report-' || n % 500, 'org' || n % 20 || '.etl', 1 + n % 3,
       'reports-' || n % 5000, 'arm64', {DOCUMENT}, 'succeeded', 'succeeded', 'spark-a', 1, $2, $2
FROM made
"""
"""So many jobs that were submitted in the day from a moment on, and have ended well."""
