-- What runs that were submitted in the window had, by what became of it: used, taken from them, or held for their gangs.
-- Of records of one run the larger amounts count, as in moka/usage/merge.py. Memory is added up in MiB: bytes of a day
-- are too many for 64 bits.
WITH parts AS (
  SELECT cluster,
         application,
         submitted,
         part.kind AS kind,
         part.instance_type AS instance_type,
         max(queue) AS queue,
         max(part.cpu) AS cpu,
         CAST(ceil(CAST(max(part.memory) AS DOUBLE) / 1048576) AS BIGINT) AS memory,
         max(part.gpu) AS gpu
  FROM submitted_usage
  GROUP BY cluster, application, submitted, part.kind, part.instance_type
)
SELECT cluster,
       queue,
       kind,
       CAST(sum(cpu) AS BIGINT) AS cpu_seconds,
       CAST(sum(memory) AS BIGINT) AS memory_seconds,
       CAST(sum(gpu) AS BIGINT) AS gpu_seconds
FROM parts
GROUP BY cluster, queue, kind
ORDER BY cluster, queue, kind
