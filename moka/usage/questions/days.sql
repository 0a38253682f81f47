-- Of how many days of the window there are records of each cluster, and how many milliseconds are gaps in them.
WITH days AS (
  SELECT profiles.cluster, count(DISTINCT floor(CAST(profiles.began AS DOUBLE) / 86400000)) AS days
  FROM profiles
  CROSS JOIN asked
  WHERE profiles.began >= asked.began AND profiles.began < asked.ended
  GROUP BY profiles.cluster
),
unknown AS (
  SELECT gaps.cluster,
         CAST(sum(least(gaps.ended, asked.ended) - greatest(gaps.began, asked.began)) AS BIGINT) AS millis
  FROM gaps
  CROSS JOIN asked
  WHERE gaps.began < asked.ended AND gaps.ended > asked.began
  GROUP BY gaps.cluster
)
SELECT clusters.cluster, coalesce(days.days, 0) AS days, coalesce(unknown.millis, 0) AS gap_millis
FROM clusters
LEFT JOIN days ON days.cluster = clusters.cluster
LEFT JOIN unknown ON unknown.cluster = clusters.cluster
ORDER BY cluster
