-- Runs that were submitted in the window, one by one, as their replay needs them: so many pods of one size for as long
-- as they ran. A pod is as large as those of the workflow were on average (profiles), and there are so many of them
-- that together they had what the run used over the time that it ran, by the resource of which that takes most. Where
-- either is not known, the run is there without them. Records of one run become one as in moka/usage/merge.py.
WITH used AS (
  SELECT cluster,
         application,
         submitted,
         CAST(CAST(sum(cpu) AS BIGINT) AS DOUBLE) * 1000 AS cpu,
         CAST(CAST(sum(memory) AS BIGINT) AS DOUBLE) * 1000 AS memory
  FROM submitted_usage
  WHERE kind = 'used'
  GROUP BY cluster, application, submitted
),
sums AS (
  SELECT cluster,
         queue,
         workflow,
         CAST(CAST(sum(cpu * lasted) AS BIGINT) AS DOUBLE) AS cpu,
         CAST(CAST(sum(memory * lasted) AS BIGINT) AS DOUBLE) AS memory,
         CAST(CAST(sum(pods * lasted) AS BIGINT) AS DOUBLE) AS pods
  FROM in_use
  GROUP BY cluster, queue, workflow
),
sizes AS (
  SELECT cluster,
         queue,
         workflow,
         ceil(cpu / pods) AS cpu,
         ceil(memory / pods) AS memory
  FROM sums
  WHERE pods > 0 AND cpu + memory > 0
),
timed AS (
  SELECT submitted_runs.*,
         CASE WHEN started >= submitted AND finished > started AND ended_as > 0 THEN finished - started END AS lasted
  FROM submitted_runs
),
known AS (
  SELECT timed.*,
         sizes.cpu AS pod_cpu,
         sizes.memory AS pod_memory,
         greatest(
           CASE WHEN sizes.cpu > 0 THEN used.cpu / (sizes.cpu * timed.lasted) END,
           CASE WHEN sizes.memory > 0 THEN used.memory / (sizes.memory * timed.lasted) END
         ) AS pods
  FROM timed
  -- Outer joins stay in this order: DuckDB would join what runs used with sizes by the cluster first.
  LEFT JOIN used
    ON used.cluster = timed.cluster AND used.application = timed.application AND used.submitted = timed.submitted
  LEFT JOIN sizes
    ON sizes.cluster = timed.cluster AND sizes.queue = timed.queue AND sizes.workflow = timed.workflow
)
SELECT cluster,
       queue,
       workflow,
       submitted,
       CASE ended_as WHEN 0 THEN '' WHEN 3 THEN 'stopped' WHEN 4 THEN 'failed' ELSE 'completed' END AS outcome,
       -- Rounded to the nearest, and at least one.
       CASE WHEN pods > 0 THEN CAST(greatest(1, floor(0.5 + pods)) AS BIGINT) END AS pods,
       CASE WHEN pods > 0 THEN CAST(pod_cpu AS BIGINT) END AS cpu,
       CASE WHEN pods > 0 THEN CAST(pod_memory AS BIGINT) END AS memory,
       CASE WHEN pods > 0 THEN lasted END AS lasted
FROM known
ORDER BY cluster, submitted, application
