-- Each job that has ended once, of records that may be there several times, as moka/usage/merge.py has it. What was lost
-- counts as failed: nothing says that it did its work.
SELECT job,
       max(cluster) AS cluster,
       max(queue) AS queue,
       max(workflow) AS workflow,
       min(accepted) AS accepted,
       min(submitted) AS submitted,
       max(ended) AS ended,
       CASE max(CASE state WHEN 'succeeded' THEN 4 WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 2 ELSE 1 END)
         WHEN 4 THEN 'succeeded' WHEN 2 THEN 'stopped' ELSE 'failed'
       END AS outcome
FROM jobs
GROUP BY job
