-- Times of the window of which nothing is known, each with its reason.
SELECT gaps.cluster,
       greatest(gaps.began, asked.began) AS began,
       least(gaps.ended, asked.ended) AS ended,
       gaps.says
FROM gaps
CROSS JOIN asked
JOIN clusters ON clusters.cluster = gaps.cluster
-- Some last for nothing, and only say something.
WHERE gaps.began < asked.ended AND (gaps.ended > asked.began OR gaps.began >= asked.began)
GROUP BY gaps.cluster, gaps.began, gaps.ended, gaps.says, asked.began, asked.ended
ORDER BY cluster, began, ended, says
