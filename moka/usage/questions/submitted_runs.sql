-- Applications that were submitted in the window, each once, of records that may be there several times, as
-- moka/usage/merge.py has it.
SELECT applications.cluster,
       applications.application,
       applications.submitted,
       min(applications.started) AS started,
       max(applications.finished) AS finished,
       max(applications.queue) AS queue,
       max(applications.workflow) AS workflow,
       max(CASE applications.outcome
         WHEN 'completed' THEN 1 WHEN 'succeeded' THEN 2 WHEN 'stopped' THEN 3 WHEN 'failed' THEN 4 ELSE 0
       END) AS ended_as
FROM applications
CROSS JOIN asked
JOIN clusters ON clusters.cluster = applications.cluster
WHERE applications.submitted >= asked.began AND applications.submitted < asked.ended
GROUP BY applications.cluster, applications.application, applications.submitted
