-- Runs that were submitted in the window, by workflow: how they ended, how long 90% of them waited, ran and took at the
-- most, and how many were in time: from submission to end within the hours of their SLO. What failed was not in time; what
-- somebody stopped, has no end yet but time left, or has times that contradict each other, is not judged.
-- A job that has ended is one run, from when it was accepted, whatever its attempts were: they say how long it waited and
-- ran on clusters, together. An application of no such job is a run of its own; its records become one as in
-- moka/usage/merge.py.
WITH tried AS (
  SELECT submitted_runs.*,
         attempts.job,
         CASE WHEN started >= submitted THEN started - submitted END AS waited,
         CASE WHEN started >= submitted AND finished >= started THEN finished - started END AS ran
  FROM submitted_runs
  LEFT JOIN attempts ON attempts.cluster = submitted_runs.cluster AND attempts.application = submitted_runs.application
),
on_clusters AS (
  SELECT job, CAST(sum(waited) AS BIGINT) AS waited, CAST(sum(ran) AS BIGINT) AS ran
  FROM tried
  WHERE job IS NOT NULL
  GROUP BY job
),
runs AS (
  SELECT ended_jobs.cluster,
         ended_jobs.queue,
         ended_jobs.workflow,
         ended_jobs.accepted AS submitted,
         CASE ended_jobs.outcome WHEN 'succeeded' THEN 2 WHEN 'stopped' THEN 3 ELSE 4 END AS ended_as,
         CASE WHEN ended_jobs.submitted >= ended_jobs.accepted
              THEN ended_jobs.submitted - ended_jobs.accepted END AS held,
         on_clusters.waited,
         on_clusters.ran,
         CASE WHEN ended_jobs.ended >= ended_jobs.accepted
              THEN ended_jobs.ended - ended_jobs.accepted END AS took
  FROM ended_jobs
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = ended_jobs.cluster
  LEFT JOIN on_clusters ON on_clusters.job = ended_jobs.job
  WHERE ended_jobs.accepted >= asked.began AND ended_jobs.accepted < asked.ended
  UNION ALL
  SELECT cluster,
         queue,
         workflow,
         submitted,
         ended_as,
         CAST(NULL AS BIGINT) AS held,
         waited,
         ran,
         CASE WHEN finished >= coalesce(started, submitted) AND finished >= submitted AND ended_as > 0
              THEN finished - submitted END AS took
  FROM tried
  WHERE job IS NULL
),
timed AS (
  SELECT runs.*,
         slos.millis AS slo,
         CASE WHEN runs.ended_as = 0 THEN asked.moment - runs.submitted END AS open_for
  FROM runs
  CROSS JOIN asked
  LEFT JOIN slos ON slos.workflow = runs.workflow
),
placed AS (
  -- Engines put what is not known at different ends.
  SELECT timed.*,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(held, 9223372036854775807)
         ) AS held_place,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(waited, 9223372036854775807)
         ) AS wait_place,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(took, 9223372036854775807)
         ) AS took_place,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(ran, 9223372036854775807)
         ) AS ran_place,
         count(held) OVER (PARTITION BY cluster, queue, workflow) AS helds,
         count(ran) OVER (PARTITION BY cluster, queue, workflow) AS rans,
         count(waited) OVER (PARTITION BY cluster, queue, workflow) AS waits,
         count(took) OVER (PARTITION BY cluster, queue, workflow) AS ends
  FROM timed
)
SELECT cluster,
       queue,
       workflow,
       count(*) AS runs,
       count(CASE WHEN ended_as IN (1, 2) THEN 1 END) AS completed,
       count(CASE WHEN ended_as = 4 THEN 1 END) AS failed,
       count(CASE WHEN ended_as = 3 THEN 1 END) AS stopped,
       count(CASE WHEN ended_as = 0 THEN 1 END) AS unfinished,
       count(CASE WHEN ended_as IN (1, 2) AND took IS NULL THEN 1 END) AS untimed,
       count(CASE WHEN ended_as IN (1, 2) AND took <= slo THEN 1 END) AS in_time,
       count(CASE WHEN (ended_as IN (1, 2) AND took > slo) OR open_for > slo THEN 1 END) AS late,
       min(CASE WHEN held IS NOT NULL AND held_place * 100 >= helds * 90 THEN held END) AS held,
       min(CASE WHEN waited IS NOT NULL AND wait_place * 100 >= waits * 90 THEN waited END) AS waiting,
       min(CASE WHEN ran IS NOT NULL AND ran_place * 100 >= rans * 90 THEN ran END) AS running,
       min(CASE WHEN took IS NOT NULL AND took_place * 100 >= ends * 90 THEN took END) AS took
FROM placed
GROUP BY cluster, queue, workflow
ORDER BY cluster, queue, workflow
