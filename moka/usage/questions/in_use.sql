-- Intervals that began in the window, each once, by how long they lasted; none is of two hours.
SELECT intervals.cluster,
       intervals.queue,
       intervals.workflow,
       intervals.instance_type,
       intervals.began,
       intervals.ended - intervals.began AS lasted,
       intervals.cpu,
       intervals.memory,
       intervals.gpu,
       intervals.allocations AS pods
FROM intervals
CROSS JOIN asked
WHERE intervals.began >= asked.began AND intervals.ended > intervals.began
