-- What runs of each workflow take: thousandths of a machine times milliseconds, which 90% of its runs do not exceed.
-- Each application is counted by the resource of which it took most. Runs that failed do not say what a run takes. A job
-- that has ended is one run with all its attempts, and whether it failed Archer says; an application of no such job is one
-- of its own.
WITH had AS (
  SELECT applications.cluster,
         applications.application,
         applications.submitted,
         ended_jobs.job,
         coalesce(ended_jobs.cluster, applications.cluster) AS home,
         coalesce(ended_jobs.queue, applications.queue) AS queue,
         coalesce(ended_jobs.workflow, applications.workflow) AS workflow,
         applications.usage
  FROM applications
  CROSS JOIN asked
  LEFT JOIN attempts
    ON attempts.cluster = applications.cluster AND attempts.application = applications.application
  LEFT JOIN ended_jobs ON ended_jobs.job = attempts.job
  WHERE applications.submitted >= asked.began
    AND applications.submitted < asked.ended
    AND coalesce(ended_jobs.accepted, applications.submitted) >= asked.began
    AND coalesce(ended_jobs.outcome, applications.outcome) IN ('completed', 'succeeded')
),
parts AS (
  SELECT cluster, application, submitted, job, home, queue, workflow, explode(usage) AS part
  FROM had
  WHERE workflow <> ''
),
used AS (
  SELECT cluster,
         application,
         submitted,
         job,
         home,
         queue,
         workflow,
         CAST(sum(part.cpu) AS BIGINT) AS cpu,
         CAST(sum(CAST(ceil(CAST(part.memory AS DOUBLE) / 1048576) AS BIGINT)) AS BIGINT) AS memory,
         CAST(sum(part.gpu) AS BIGINT) AS gpu
  FROM parts
  WHERE part.kind = 'used'
  GROUP BY cluster, application, submitted, job, home, queue, workflow
),
counted AS (
  SELECT used.job,
         used.home,
         used.queue,
         used.workflow,
         CAST(ceil(greatest(
           CAST(used.cpu AS DOUBLE) * 1000000 / clusters.cpu,
           CAST(used.memory AS DOUBLE) * 1000000 / clusters.memory,
           CASE WHEN clusters.gpu > 0 THEN CAST(used.gpu AS DOUBLE) * 1000000 / clusters.gpu ELSE 0 END
         )) AS BIGINT) AS machine_millis
  FROM used
  JOIN clusters ON clusters.cluster = used.cluster
),
taken AS (
  SELECT home, queue, workflow, machine_millis FROM counted WHERE job IS NULL
  UNION ALL
  SELECT home, queue, workflow, CAST(sum(machine_millis) AS BIGINT) AS machine_millis
  FROM counted
  WHERE job IS NOT NULL
  GROUP BY job, home, queue, workflow
),
placed AS (
  SELECT taken.home AS cluster,
         taken.queue,
         taken.workflow,
         taken.machine_millis,
         row_number() OVER (
           PARTITION BY taken.home, taken.queue, taken.workflow ORDER BY taken.machine_millis
         ) AS place,
         count(*) OVER (PARTITION BY taken.home, taken.queue, taken.workflow) AS runs
  FROM taken
  JOIN clusters ON clusters.cluster = taken.home
)
SELECT cluster, queue, workflow, max(runs) AS runs, min(machine_millis) AS machine_millis
FROM placed
WHERE place * 100 >= runs * 90
GROUP BY cluster, queue, workflow
ORDER BY cluster, queue, workflow
