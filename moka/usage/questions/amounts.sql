-- How much covers which share of the time that each queue is in use: rows of moka/allocation/curve.py, which says
-- what the words mean. What is added up in windows is DOUBLE, in which whole numbers are exact up to 2^53: DuckDB
-- adds BIGINT up in 128 bits, at three times the time. Queues have numbers, as text is slow to sort by.
WITH numbered AS (
  SELECT queues.cluster,
         queues.queue,
         clusters.cpu,
         clusters.memory,
         clusters.gpu,
         CAST(row_number() OVER (ORDER BY queues.cluster, queues.queue) AS BIGINT) AS number
  FROM (SELECT DISTINCT cluster, queue FROM profiles) AS queues
  JOIN clusters ON clusters.cluster = queues.cluster
),
used AS (
  SELECT numbered.number,
         greatest(intervals.began, asked.began) AS began,
         least(intervals.ended, asked.ended) AS ended,
         -- Two amounts in each, of less than 2^34 and of less than 2^19: each sum over a window costs as much as its order.
         CAST(intervals.cpu + intervals.applications * 17179869184 AS DOUBLE) AS cpu_and_applications,
         CAST(intervals.memory + intervals.gpu * 17179869184 AS DOUBLE) AS memory_and_gpu
  FROM intervals
  CROSS JOIN asked
  JOIN numbered ON numbered.cluster = intervals.cluster AND numbered.queue = intervals.queue
),
edges AS (
  -- A slot is an hour of a queue, by the number of the queue and of the hour since 1970: no interval goes beyond its hour,
  -- and windows over slots take DuckDB three fifths of what windows over queues do.
  SELECT used.number * 10000000 + CAST(floor(CAST(used.began AS DOUBLE) / 3600000) AS BIGINT) AS slot,
         CASE WHEN signs.sign > 0 THEN used.began ELSE used.ended END AS moment,
         used.cpu_and_applications * signs.sign AS cpu_and_applications,
         used.memory_and_gpu * signs.sign AS memory_and_gpu
  FROM used
  CROSS JOIN (VALUES (1), (-1)) AS signs (sign)
),
sums AS (
  -- Edges of one moment have one sum, and all but one of them last for nothing.
  SELECT CAST(floor(CAST(slot AS DOUBLE) / 10000000) AS BIGINT) AS number,
         (lead(moment) OVER in_order) - moment AS lasted,
         sum(cpu_and_applications) OVER in_order AS cpu_and_applications,
         sum(memory_and_gpu) OVER in_order AS memory_and_gpu
  FROM edges
  WINDOW in_order AS (PARTITION BY slot ORDER BY moment)
),
levels AS (
  SELECT number,
         lasted,
         cpu_and_applications % 17179869184 AS cpu,
         floor(cpu_and_applications / 17179869184) AS applications,
         memory_and_gpu % 17179869184 AS memory,
         floor(memory_and_gpu / 17179869184) AS gpu
  FROM sums
  WHERE lasted > 0
),
units AS (
  SELECT levels.*,
         CAST(ceil(greatest(
           levels.cpu * 1000 / numbered.cpu,
           levels.memory * 1000 / numbered.memory,
           CASE WHEN numbered.gpu > 0 THEN levels.gpu * 1000 / numbered.gpu ELSE 0 END
         )) AS BIGINT) AS machines
  FROM levels
  JOIN numbered ON numbered.number = levels.number
),
sizes AS (
  SELECT number,
         machines,
         CAST(sum(lasted) AS DOUBLE) AS lasted,
         max(cpu) AS cpu,
         max(memory) AS memory,
         max(gpu) AS gpu,
         max(applications) AS applications,
         CAST(sum(machines * lasted) AS BIGINT) AS machine_millis,
         CAST(sum(CAST(cpu AS BIGINT) * lasted) AS BIGINT) AS cpu_millis,
         CAST(sum(CAST(memory AS BIGINT) * lasted) AS BIGINT) AS memory_millis,
         CAST(sum(CAST(gpu AS BIGINT) * lasted) AS BIGINT) AS gpu_millis
  FROM units
  WHERE machines > 0
  GROUP BY number, machines
),
totals AS (
  SELECT number,
         sum(lasted) AS busy,
         max(applications) AS applications,
         CAST(sum(machine_millis) AS BIGINT) AS machine_millis,
         CAST(sum(cpu_millis) AS BIGINT) AS cpu_millis,
         CAST(sum(memory_millis) AS BIGINT) AS memory_millis,
         CAST(sum(gpu_millis) AS BIGINT) AS gpu_millis
  FROM sizes
  GROUP BY number
),
rising AS (
  SELECT number,
         machines,
         sum(lasted) OVER by_size AS covered,
         max(cpu) OVER by_size AS cpu,
         max(memory) OVER by_size AS memory,
         max(gpu) OVER by_size AS gpu
  FROM sizes
  WINDOW by_size AS (PARTITION BY number ORDER BY machines)
),
reached AS (
  SELECT rising.*, CAST(floor(rising.covered * 100 / totals.busy) AS BIGINT) AS percent
  FROM rising
  JOIN totals ON totals.number = rising.number
),
steps AS (
  SELECT reached.*, row_number() OVER (PARTITION BY number, percent ORDER BY machines) AS place
  FROM reached
)
SELECT numbered.cluster,
       numbered.queue,
       steps.percent,
       steps.machines,
       CAST(steps.cpu AS BIGINT) AS cpu,
       CAST(steps.memory AS BIGINT) AS memory,
       CAST(steps.gpu AS BIGINT) AS gpu,
       CAST(totals.busy AS BIGINT) AS busy,
       totals.machine_millis,
       totals.cpu_millis,
       totals.memory_millis,
       totals.gpu_millis,
       CAST(totals.applications AS BIGINT) AS applications
FROM steps
JOIN totals ON totals.number = steps.number
JOIN numbered ON numbered.number = steps.number
WHERE steps.place = 1
ORDER BY cluster, queue, percent
