-- Intervals that began in the window, on the clusters that are asked about. Of those that are there twice the longer one
-- counts, as in moka/usage/merge.py; none is of two hours.
SELECT profiles.cluster,
       profiles.queue,
       profiles.workflow,
       profiles.instance_type,
       profiles.began,
       max(profiles.ended) - profiles.began AS lasted,
       max(profiles.cpu) AS cpu,
       max(profiles.memory) AS memory,
       max(profiles.gpu) AS gpu,
       max(profiles.allocations) AS pods
FROM profiles
CROSS JOIN asked
JOIN clusters ON clusters.cluster = profiles.cluster
WHERE profiles.began >= asked.began AND profiles.began < asked.ended AND profiles.ended > profiles.began
GROUP BY profiles.cluster, profiles.queue, profiles.workflow, profiles.instance_type, profiles.began
