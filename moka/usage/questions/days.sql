-- Of how many days of the window there are records of each cluster, and how many milliseconds are gaps in them.
WITH days AS (
  SELECT profiles.cluster, count(DISTINCT floor(CAST(profiles.began AS DOUBLE) / 86400000)) AS days
  FROM profiles
  CROSS JOIN asked
  WHERE profiles.began >= asked.began AND profiles.began < asked.ended
  GROUP BY profiles.cluster
),
holes AS (
  SELECT gaps.cluster, greatest(gaps.began, asked.began) AS began, least(gaps.ended, asked.ended) AS ended
  FROM gaps
  CROSS JOIN asked
  WHERE gaps.began < asked.ended AND gaps.ended > asked.began
),
in_order AS (
  -- Some begin before others end, or are there twice.
  SELECT cluster,
         began,
         ended,
         coalesce(max(ended) OVER earlier, began) AS reached
  FROM holes
  WINDOW earlier AS (
    PARTITION BY cluster ORDER BY began, ended ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
unknown AS (
  SELECT cluster, CAST(sum(greatest(0, ended - greatest(began, reached))) AS BIGINT) AS millis
  FROM in_order
  GROUP BY cluster
)
SELECT clusters.cluster, coalesce(days.days, 0) AS days, coalesce(unknown.millis, 0) AS gap_millis
FROM clusters
LEFT JOIN days ON days.cluster = clusters.cluster
LEFT JOIN unknown ON unknown.cluster = clusters.cluster
ORDER BY cluster
