-- How much covers shares of the time that each workflow is in use in each hour of the day, in UTC.
SELECT {keys},
       share,
       min(machines) AS machines,
       min(cpu) AS cpu,
       min(memory) AS memory,
       min(gpu) AS gpu,
       max(applications) AS applications
FROM ({curves}) AS curves
CROSS JOIN (VALUES (50), (75), (90), (95), (99)) AS shares (share)
WHERE percent >= share
GROUP BY {keys}, share
ORDER BY {keys}, share
