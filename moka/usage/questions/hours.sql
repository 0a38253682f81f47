-- What each queue had in use in each full hour.
WITH timed AS (
  SELECT in_use.*, CAST(floor(CAST(began AS DOUBLE) / 3600000) AS BIGINT) * 3600000 AS hour FROM in_use
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
