-- What runs of each workflow take: thousandths of a machine times milliseconds, which 90% of its runs do not exceed.
-- Each application is counted by the resource of which it took most. Runs that failed do not say what a run takes. A job
-- that has ended is one run with all its attempts, and whether it failed Archer says; an application of no such job is one
-- of its own.
WITH had AS (
  SELECT cluster,
         application,
         submitted,
         CAST(sum(cpu) AS BIGINT) AS cpu,
         CAST(sum(memory) AS BIGINT) AS memory,
         CAST(sum(gpu) AS BIGINT) AS gpu
  FROM submitted_usage
  WHERE kind = 'used'
  GROUP BY cluster, application, submitted
),
used AS (
  SELECT submitted_runs.cluster,
         ended_jobs.job,
         coalesce(ended_jobs.cluster, submitted_runs.cluster) AS home,
         coalesce(ended_jobs.queue, submitted_runs.queue) AS queue,
         coalesce(ended_jobs.workflow, submitted_runs.workflow) AS workflow,
         had.cpu,
         had.memory,
         had.gpu
  FROM submitted_runs
  CROSS JOIN asked
  JOIN had
    ON had.cluster = submitted_runs.cluster
   AND had.application = submitted_runs.application
   AND had.submitted = submitted_runs.submitted
  LEFT JOIN attempts
    ON attempts.cluster = submitted_runs.cluster AND attempts.application = submitted_runs.application
  LEFT JOIN ended_jobs ON ended_jobs.job = attempts.job
  WHERE coalesce(ended_jobs.accepted, submitted_runs.submitted) >= asked.began
    AND CASE WHEN ended_jobs.job IS NULL THEN submitted_runs.ended_as IN (1, 2)
             ELSE ended_jobs.outcome = 'succeeded' END
    AND coalesce(ended_jobs.workflow, submitted_runs.workflow) <> ''
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
