-- What each queue had in use in each full hour. Of intervals that are there twice the longer one counts, as in
-- moka/usage/merge.py; none is of two hours.
WITH used AS (
  SELECT profiles.cluster,
         profiles.queue,
         profiles.workflow,
         profiles.instance_type,
         profiles.began,
         max(profiles.ended) AS ended,
         max(profiles.cpu) AS cpu,
         max(profiles.memory) AS memory,
         max(profiles.gpu) AS gpu
  FROM profiles
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = profiles.cluster
  WHERE profiles.began >= asked.began AND profiles.began < asked.ended AND profiles.ended > profiles.began
  GROUP BY profiles.cluster, profiles.queue, profiles.workflow, profiles.instance_type, profiles.began
),
timed AS (
  SELECT used.*,
         used.ended - used.began AS lasted,
         CAST(floor(CAST(used.began AS DOUBLE) / 3600000) AS BIGINT) * 3600000 AS hour
  FROM used
)
SELECT cluster,
       queue,
       hour,
       CAST(sum(cpu * lasted) AS BIGINT) AS cpu_millis,
       CAST(sum(memory * lasted) AS BIGINT) AS memory_millis,
       CAST(sum(gpu * lasted) AS BIGINT) AS gpu_millis
FROM timed
GROUP BY cluster, queue, hour
ORDER BY cluster, queue, hour
