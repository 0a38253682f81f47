-- What each workflow needs in each hour of the day, in UTC, for shares of the time: of the days on which it ran in that
-- hour, the smallest amount at or below which it was for that share of the hours' time, each resource by itself; rows of
-- moka/allocation/hourly.py, which says why. What is added up in windows is DOUBLE, as in amounts.sql.
WITH named AS (
  SELECT cluster, queue, workflow, row_number() OVER (ORDER BY cluster, queue, workflow) AS number
  FROM (SELECT DISTINCT cluster, queue, workflow FROM profiles) AS names
),
used AS (
  SELECT named.number,
         greatest(profiles.began, asked.began) AS began,
         least(profiles.ended, asked.ended) AS ended,
         CAST(profiles.cpu AS DOUBLE) AS cpu,
         CAST(profiles.memory AS DOUBLE) AS memory,
         CAST(profiles.applications AS DOUBLE) AS applications
  FROM profiles
  CROSS JOIN asked
  JOIN clusters ON clusters.cluster = profiles.cluster
  JOIN named
    ON named.cluster = profiles.cluster AND named.queue = profiles.queue AND named.workflow = profiles.workflow
  WHERE profiles.began < asked.ended AND profiles.ended > asked.began
),
edges AS (
  SELECT used.number,
         CASE WHEN signs.sign > 0 THEN used.began ELSE used.ended END AS moment,
         used.cpu * signs.sign AS cpu,
         used.memory * signs.sign AS memory,
         used.applications * signs.sign AS applications
  FROM used
  CROSS JOIN (VALUES (1), (-1)) AS signs (sign)
),
levels AS (
  -- No interval goes beyond its hour, so that what begins in an hour ends in it.
  SELECT number,
         CAST(floor(CAST(moment AS DOUBLE) / 3600000) AS BIGINT) AS began_hour,
         (lead(moment) OVER in_order) - moment AS lasted,
         sum(cpu) OVER in_order AS cpu,
         sum(memory) OVER in_order AS memory,
         sum(applications) OVER in_order AS applications
  FROM edges
  WINDOW in_order AS (PARTITION BY number ORDER BY moment)
),
units AS (
  SELECT levels.*, began_hour % 24 AS hour FROM levels WHERE lasted > 0 AND applications + cpu + memory > 0
),
hours AS (
  SELECT number,
         hour,
         CAST(count(DISTINCT began_hour) * 3600000 AS DOUBLE) AS whole,
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
),
above AS (
  -- For how long it had more than that.
  SELECT number, hour, resource, amount, coalesce(sum(lasted) OVER larger, 0) AS lasted
  FROM sizes
  WINDOW larger AS (
    PARTITION BY number, hour, resource ORDER BY amount DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
totals AS (
  SELECT number, hour, resource, sum(lasted) AS lasted FROM sizes GROUP BY number, hour, resource
),
covering AS (
  SELECT hours.number,
         hours.hour,
         shares.share,
         above.resource,
         min(
           CASE WHEN totals.lasted * 100 <= hours.whole * (100 - shares.share) THEN 0
                WHEN above.lasted * 100 <= hours.whole * (100 - shares.share) THEN above.amount
           END
         ) AS amount
  FROM hours
  CROSS JOIN (VALUES (50), (75), (90), (95), (99)) AS shares (share)
  JOIN above ON above.number = hours.number AND above.hour = hours.hour
  JOIN totals ON totals.number = above.number AND totals.hour = above.hour AND totals.resource = above.resource
  GROUP BY hours.number, hours.hour, shares.share, above.resource
)
SELECT named.cluster,
       named.queue,
       named.workflow,
       covering.hour,
       CAST(covering.share AS BIGINT) AS share,
       CAST(coalesce(max(CASE WHEN covering.resource = 'cpu' THEN covering.amount END), 0) AS BIGINT) AS cpu,
       CAST(coalesce(max(CASE WHEN covering.resource = 'memory' THEN covering.amount END), 0) AS BIGINT) AS memory,
       CAST(max(hours.applications) AS BIGINT) AS applications
FROM covering
JOIN hours ON hours.number = covering.number AND hours.hour = covering.hour
JOIN named ON named.number = covering.number
GROUP BY named.cluster, named.queue, named.workflow, covering.hour, covering.share
ORDER BY cluster, queue, workflow, hour, share
