-- What runs of each workflow take: thousandths of a machine times milliseconds, which 90% of its runs do not exceed.
-- Each is counted by the resource of which it took most. Runs that failed do not say what a run takes.
WITH parts AS (
  SELECT applications.cluster,
         applications.application,
         applications.submitted,
         applications.queue,
         applications.workflow,
         explode(applications.usage) AS part
  FROM applications
  CROSS JOIN asked
  WHERE applications.submitted >= asked.began
    AND applications.submitted < asked.ended
    AND applications.workflow <> ''
    AND applications.outcome IN ('completed', 'succeeded')
),
runs AS (
  SELECT cluster,
         application,
         submitted,
         queue,
         workflow,
         CAST(sum(part.cpu) AS BIGINT) AS cpu,
         CAST(sum(CAST(ceil(CAST(part.memory AS DOUBLE) / 1048576) AS BIGINT)) AS BIGINT) AS memory,
         CAST(sum(part.gpu) AS BIGINT) AS gpu
  FROM parts
  WHERE part.kind = 'used'
  GROUP BY cluster, application, submitted, queue, workflow
),
taken AS (
  SELECT runs.cluster,
         runs.queue,
         runs.workflow,
         CAST(ceil(greatest(
           CAST(runs.cpu AS DOUBLE) * 1000000 / clusters.cpu,
           CAST(runs.memory AS DOUBLE) * 1000000 / clusters.memory,
           CASE WHEN clusters.gpu > 0 THEN CAST(runs.gpu AS DOUBLE) * 1000000 / clusters.gpu ELSE 0 END
         )) AS BIGINT) AS machine_millis
  FROM runs
  JOIN clusters ON clusters.cluster = runs.cluster
),
placed AS (
  SELECT taken.*,
         row_number() OVER (PARTITION BY cluster, queue, workflow ORDER BY machine_millis) AS place,
         count(*) OVER (PARTITION BY cluster, queue, workflow) AS runs
  FROM taken
)
SELECT cluster, queue, workflow, max(runs) AS runs, min(machine_millis) AS machine_millis
FROM placed
WHERE place * 100 >= runs * 90
GROUP BY cluster, queue, workflow
ORDER BY cluster, queue, workflow
