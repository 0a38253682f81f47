-- Intervals that are in the window, on the clusters that are asked about, each once: of records of one that are there several
-- times the larger amounts count, as in moka/usage/merge.py.
SELECT profiles.cluster,
       profiles.queue,
       profiles.workflow,
       profiles.instance_type,
       profiles.began,
       max(profiles.ended) AS ended,
       max(profiles.cpu) AS cpu,
       max(profiles.memory) AS memory,
       max(profiles.gpu) AS gpu,
       max(profiles.applications) AS applications,
       max(profiles.allocations) AS allocations
FROM profiles
CROSS JOIN asked
JOIN clusters ON clusters.cluster = profiles.cluster
WHERE profiles.began < asked.ended AND profiles.ended > asked.began
GROUP BY profiles.cluster, profiles.queue, profiles.workflow, profiles.instance_type, profiles.began
