-- What applications that were submitted in the window had, a row for each kind and type of machine; records that are there
-- several times are still.
SELECT applications.cluster,
       applications.application,
       applications.submitted,
       applications.queue,
       explode(applications.usage) AS part
FROM applications
CROSS JOIN asked
JOIN clusters ON clusters.cluster = applications.cluster
WHERE applications.submitted >= asked.began AND applications.submitted < asked.ended
