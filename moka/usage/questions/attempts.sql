-- The applications that were attempts of jobs that have ended, each once, with its job.
SELECT part.cluster AS cluster, part.application AS application, max(job) AS job
FROM (SELECT job, explode(attempts) AS part FROM jobs) AS parts
GROUP BY part.cluster, part.application
