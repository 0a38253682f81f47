-- What runs that were submitted in the window had, by what became of it: used, taken from them, or held for their gangs.
SELECT cluster,
       queue,
       kind,
       CAST(sum(cpu) AS BIGINT) AS cpu_seconds,
       CAST(sum(memory) AS BIGINT) AS memory_seconds,
       CAST(sum(gpu) AS BIGINT) AS gpu_seconds
FROM submitted_usage
GROUP BY cluster, queue, kind
ORDER BY cluster, queue, kind
