-- What each workflow needs in each hour of the day, in UTC, for shares of the time: of the days on which it ran in that
-- hour, the smallest amount at or below which it was for that share of the hours' time, each resource by itself; and,
-- without a workflow, the same of each queue of several, all its runs together. Rows of moka/allocation/hourly.py, which
-- says why. What is added up in windows is DOUBLE, as in amounts.sql. Each interval counts twice, for its workflow and for
-- its queue; most of the time goes into the window over them, so queues of one workflow are left out.
WITH named AS (
  SELECT cluster,
         queue,
         workflow,
         CAST(row_number() OVER (ORDER BY cluster, queue, workflow) AS BIGINT) AS number,
         -- Of its queue, below zero, so that it is no workflow's.
         CASE WHEN count(*) OVER (PARTITION BY cluster, queue) > 1
              THEN -CAST(dense_rank() OVER (ORDER BY cluster, queue) AS BIGINT)
         END AS together
  FROM (SELECT DISTINCT cluster, queue, workflow FROM profiles) AS names
),
numbered AS (
  SELECT cluster, queue, workflow, number FROM named
  UNION ALL
  SELECT DISTINCT cluster, queue, CAST(NULL AS STRING) AS workflow, together AS number
  FROM named
  WHERE together IS NOT NULL
),
used AS (
  SELECT named.number,
         named.together,
         greatest(intervals.began, asked.began) AS began,
         least(intervals.ended, asked.ended) AS ended,
         CAST(intervals.cpu AS DOUBLE) AS cpu,
         CAST(intervals.memory AS DOUBLE) AS memory,
         CAST(intervals.applications AS DOUBLE) AS applications
  FROM intervals
  CROSS JOIN asked
  JOIN named
    ON named.cluster = intervals.cluster AND named.queue = intervals.queue AND named.workflow = intervals.workflow
),
edges AS (
  -- As in amounts.sql.
  SELECT CASE WHEN sides.side > 0 THEN used.number ELSE used.together END * 10000000
           + CAST(floor(CAST(used.began AS DOUBLE) / 3600000) AS BIGINT) AS slot,
         CASE WHEN sides.sign > 0 THEN used.began ELSE used.ended END AS moment,
         used.cpu * sides.sign AS cpu,
         used.memory * sides.sign AS memory,
         used.applications * sides.sign AS applications
  FROM used
  CROSS JOIN (VALUES (1, 1), (1, -1), (0, 1), (0, -1)) AS sides (side, sign)
  WHERE sides.side > 0 OR used.together IS NOT NULL
),
levels AS (
  SELECT slot,
         CAST(floor(CAST(slot AS DOUBLE) / 10000000) AS BIGINT) AS number,
         (lead(moment) OVER in_order) - moment AS lasted,
         sum(cpu) OVER in_order AS cpu,
         sum(memory) OVER in_order AS memory,
         sum(applications) OVER in_order AS applications
  FROM edges
  WINDOW in_order AS (PARTITION BY slot ORDER BY moment)
),
units AS (
  SELECT levels.*, (slot - number * 10000000) % 24 AS hour
  FROM levels
  WHERE lasted > 0 AND applications + cpu + memory > 0
),
hours AS (
  SELECT number,
         hour,
         CAST(count(DISTINCT slot) * 3600000 AS DOUBLE) AS whole,
         max(applications) AS applications
  FROM units
  GROUP BY number, hour
),
sizes AS (
  SELECT number, hour, 'cpu' AS resource, cpu AS amount, CAST(sum(lasted) AS DOUBLE) AS lasted
  FROM units WHERE cpu > 0 GROUP BY number, hour, cpu
  UNION ALL
  SELECT number, hour, 'memory' AS resource, memory AS amount, CAST(sum(lasted) AS DOUBLE) AS lasted
  FROM units WHERE memory > 0 GROUP BY number, hour, memory
  UNION ALL
  -- Nothing in use, which may be enough. For how long does not matter.
  SELECT number, hour, resource, CAST(0 AS DOUBLE) AS amount, CAST(0 AS DOUBLE) AS lasted
  FROM hours
  CROSS JOIN (VALUES ('cpu'), ('memory')) AS resources (resource)
),
above AS (
  -- For how long it had more than that.
  SELECT number, hour, resource, amount, coalesce(sum(lasted) OVER larger, 0) AS lasted
  FROM sizes
  WINDOW larger AS (
    PARTITION BY number, hour, resource ORDER BY amount DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
compared AS (
  -- Both in hundredths, so that nothing is divided.
  SELECT above.number,
         above.hour,
         above.resource,
         above.amount,
         above.lasted * 100 AS lasted,
         hours.whole,
         hours.applications
  FROM above
  JOIN hours ON hours.number = above.number AND hours.hour = above.hour
),
covering AS (
  SELECT number,
         hour,
         max(applications) AS applications,
         min(CASE WHEN resource = 'cpu' AND lasted <= whole * 50 THEN amount END) AS cpu_50,
         min(CASE WHEN resource = 'cpu' AND lasted <= whole * 25 THEN amount END) AS cpu_75,
         min(CASE WHEN resource = 'cpu' AND lasted <= whole * 10 THEN amount END) AS cpu_90,
         min(CASE WHEN resource = 'cpu' AND lasted <= whole * 5 THEN amount END) AS cpu_95,
         min(CASE WHEN resource = 'cpu' AND lasted <= whole * 1 THEN amount END) AS cpu_99,
         min(CASE WHEN resource = 'cpu' AND lasted <= 0 THEN amount END) AS cpu_100,
         min(CASE WHEN resource = 'memory' AND lasted <= whole * 50 THEN amount END) AS memory_50,
         min(CASE WHEN resource = 'memory' AND lasted <= whole * 25 THEN amount END) AS memory_75,
         min(CASE WHEN resource = 'memory' AND lasted <= whole * 10 THEN amount END) AS memory_90,
         min(CASE WHEN resource = 'memory' AND lasted <= whole * 5 THEN amount END) AS memory_95,
         min(CASE WHEN resource = 'memory' AND lasted <= whole * 1 THEN amount END) AS memory_99,
         min(CASE WHEN resource = 'memory' AND lasted <= 0 THEN amount END) AS memory_100
  FROM compared
  GROUP BY number, hour
)
SELECT numbered.cluster,
       numbered.queue,
       numbered.workflow,
       covering.hour,
       CAST(shares.share AS BIGINT) AS share,
       CAST(
         CASE shares.share
           WHEN 50 THEN covering.cpu_50
           WHEN 75 THEN covering.cpu_75
           WHEN 90 THEN covering.cpu_90
           WHEN 95 THEN covering.cpu_95
           WHEN 99 THEN covering.cpu_99
           WHEN 100 THEN covering.cpu_100
         END AS BIGINT
       ) AS cpu,
       CAST(
         CASE shares.share
           WHEN 50 THEN covering.memory_50
           WHEN 75 THEN covering.memory_75
           WHEN 90 THEN covering.memory_90
           WHEN 95 THEN covering.memory_95
           WHEN 99 THEN covering.memory_99
           WHEN 100 THEN covering.memory_100
         END AS BIGINT
       ) AS memory,
       CAST(covering.applications AS BIGINT) AS applications
FROM covering
JOIN numbered ON numbered.number = covering.number
CROSS JOIN (VALUES (50), (75), (90), (95), (99), (100)) AS shares (share)
ORDER BY cluster, queue, workflow NULLS FIRST, hour, share
