-- What each workflow had in use on machines of each type.
SELECT cluster,
       queue,
       workflow,
       instance_type,
       CAST(sum(cpu * lasted) AS BIGINT) AS cpu_millis,
       CAST(sum(memory * lasted) AS BIGINT) AS memory_millis,
       CAST(sum(gpu * lasted) AS BIGINT) AS gpu_millis
FROM in_use
GROUP BY cluster, queue, workflow, instance_type
ORDER BY cluster, queue, workflow, instance_type
