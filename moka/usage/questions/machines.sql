-- What each workflow had in use on machines of each type. Of intervals that are there twice the longer one counts, as in
-- moka/usage/merge.py.
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
)
SELECT cluster,
       queue,
       workflow,
       instance_type,
       CAST(sum(cpu * (ended - began)) AS BIGINT) AS cpu_millis,
       CAST(sum(memory * (ended - began)) AS BIGINT) AS memory_millis,
       CAST(sum(gpu * (ended - began)) AS BIGINT) AS gpu_millis
FROM used
GROUP BY cluster, queue, workflow, instance_type
ORDER BY cluster, queue, workflow, instance_type
