-- What applications that were submitted in the window had, a row for each kind: of records of one application the larger
-- amounts count, as in moka/usage/merge.py. YuniKorn's summary knows no types of machines (UNKNOWN), and the recorder's
-- events do: both are of the same pods, and each can only be too small, so the larger sum counts. Memory is in MiB: bytes of
-- a day are too many for 64 bits.
WITH parts AS (
  SELECT applications.cluster,
         applications.application,
         applications.submitted,
         applications.queue,
         explode(applications.usage) AS part
  FROM applications
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = applications.cluster
  WHERE applications.submitted >= asked.began AND applications.submitted < asked.ended
),
of_types AS (
  SELECT cluster,
         application,
         submitted,
         part.kind AS kind,
         part.instance_type AS instance_type,
         max(queue) AS queue,
         max(part.cpu) AS cpu,
         CAST(ceil(CAST(max(part.memory) AS DOUBLE) / 1048576) AS BIGINT) AS memory,
         max(part.gpu) AS gpu
  FROM parts
  GROUP BY cluster, application, submitted, part.kind, part.instance_type
),
of_sources AS (
  SELECT cluster,
         application,
         submitted,
         kind,
         max(queue) AS queue,
         CAST(sum(cpu) AS BIGINT) AS cpu,
         CAST(sum(memory) AS BIGINT) AS memory,
         CAST(sum(gpu) AS BIGINT) AS gpu
  FROM of_types
  GROUP BY cluster, application, submitted, kind, CASE WHEN instance_type = 'UNKNOWN' THEN 1 ELSE 0 END
)
SELECT cluster,
       application,
       submitted,
       kind,
       max(queue) AS queue,
       max(cpu) AS cpu,
       max(memory) AS memory,
       max(gpu) AS gpu
FROM of_sources
GROUP BY cluster, application, submitted, kind
