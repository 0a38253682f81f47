-- What applications that were submitted in the window had, a row for each kind and type of machine: of records of one
-- application the larger amounts count, as in moka/usage/merge.py. Memory is in MiB: bytes of a day are too many for 64 bits.
SELECT cluster,
       application,
       submitted,
       part.kind AS kind,
       part.instance_type AS instance_type,
       max(queue) AS queue,
       max(part.cpu) AS cpu,
       CAST(ceil(CAST(max(part.memory) AS DOUBLE) / 1048576) AS BIGINT) AS memory,
       max(part.gpu) AS gpu
FROM (
  SELECT applications.cluster,
         applications.application,
         applications.submitted,
         applications.queue,
         explode(applications.usage) AS part
  FROM applications
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = applications.cluster
  WHERE applications.submitted >= asked.began AND applications.submitted < asked.ended
) AS parts
GROUP BY cluster, application, submitted, part.kind, part.instance_type
