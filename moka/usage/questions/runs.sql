-- Runs that were submitted in the window, by workflow: how they ended, how long 90% of them waited, ran and
-- took at the most, and how many were in time: from submission to end within the hours of their SLO. What failed was not in time; what
-- somebody stopped, has no end yet but time left, or has times that contradict each other, is not judged.
-- Records of one run become one as in moka/usage/merge.py.
WITH merged AS (
  SELECT applications.cluster,
         applications.application,
         applications.submitted,
         min(applications.started) AS started,
         max(applications.finished) AS finished,
         max(applications.queue) AS queue,
         max(applications.workflow) AS workflow,
         max(CASE applications.outcome
           WHEN 'completed' THEN 1 WHEN 'succeeded' THEN 2 WHEN 'stopped' THEN 3 WHEN 'failed' THEN 4 ELSE 0
         END) AS ended_as
  FROM applications
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = applications.cluster
  WHERE applications.submitted >= asked.began AND applications.submitted < asked.ended
  GROUP BY applications.cluster, applications.application, applications.submitted
),
timed AS (
  SELECT merged.cluster,
         merged.queue,
         merged.workflow,
         merged.ended_as,
         slos.millis AS slo,
         CASE WHEN merged.ended_as = 0 THEN asked.moment - merged.submitted END AS open_for,
         CASE WHEN merged.started >= merged.submitted THEN merged.started - merged.submitted END AS waited,
         CASE WHEN merged.started >= merged.submitted AND merged.finished >= merged.started
              THEN merged.finished - merged.started END AS ran,
         CASE WHEN merged.finished >= coalesce(merged.started, merged.submitted)
                AND merged.finished >= merged.submitted
                AND merged.ended_as > 0
              THEN merged.finished - merged.submitted END AS took
  FROM merged
  CROSS JOIN asked
  LEFT JOIN slos ON slos.workflow = merged.workflow
),
placed AS (
  -- Engines put what is not known at different ends.
  SELECT timed.*,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(waited, 9223372036854775807)
         ) AS wait_place,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(took, 9223372036854775807)
         ) AS took_place,
         row_number() OVER (
           PARTITION BY cluster, queue, workflow ORDER BY coalesce(ran, 9223372036854775807)
         ) AS ran_place,
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
       min(CASE WHEN waited IS NOT NULL AND wait_place * 100 >= waits * 90 THEN waited END) AS waiting,
       min(CASE WHEN ran IS NOT NULL AND ran_place * 100 >= rans * 90 THEN ran END) AS running,
       min(CASE WHEN took IS NOT NULL AND took_place * 100 >= ends * 90 THEN took END) AS took
FROM placed
GROUP BY cluster, queue, workflow
ORDER BY cluster, queue, workflow
