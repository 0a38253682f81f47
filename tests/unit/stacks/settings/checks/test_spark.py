import pytest

from tests.support.wrong_settings import Changes

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "a job namespace of no operator": (
        {
            "job_namespaces": {"jobs-b": {}},
            "spark": {"operators": {"spark-operator": {"namespaces": ["spark-jobs"]}}},
        },
        "job_namespaces.jobs-b: is in no release of spark.operators, so its jobs would wait for "
        "ever; add it to one (spark-operator).",
    ),
    "a job namespace of two operators": (
        {"spark": {"operators": {"a": {"namespaces": ["spark-jobs"]}, "b": {"namespaces": ["spark-jobs"]}}}},
        "spark.operators.b.namespaces: 'spark-jobs' is also in release 'a', and two releases would "
        "submit each of its jobs twice; keep it in one.",
    ),
    "an operator of a namespace that is none": (
        {"spark": {"operators": {"spark-operator": {"namespaces": ["spark-jobs", "spark-jbos"]}}}},
        "spark.operators.spark-operator.namespaces: no job namespace is named 'spark-jbos'; the job "
        "namespaces are spark-jobs.",
    ),
    "two operators, one of them of all namespaces": (
        {"spark": {"operators": {"a": {"namespaces": ["spark-jobs"]}, "b": {}}}},
        "spark.operators.b.namespaces: is missing; with 2 releases, list the namespaces of each.",
    ),
    "an operator of no namespace": (
        {"spark": {"operators": {"spark-operator": {"namespaces": []}}}},
        "spark-operator.namespaces: is []; list should have at least 1 item",
    ),
    "more for network policies than an API server can send to nodes": (
        {"clusters.spark-a.node_groups.executor-arm64.maximum": 1_200},
        "clusters.spark-a.node_groups: have 1,226 nodes and 6,056 pods of jobs at the most, for whose "
        "network policies the API server would send 1,411 MB a second to nodes, of 1,250 that it is taken "
        "for; share the machines out to more clusters, or set isolated to false in job namespaces.",
    ),
    "no operator": (
        {"spark": {"operators": {}}},
        "spark.operators: is {}; dictionary should have at least",
    ),
    "more applications a minute than a system node has cores for": (
        {"spark": {"operators": {"spark-operator": {"applications_per_minute": 90}}}},
        "spark.operators.spark-operator.applications_per_minute: is 90, which needs a pod with 12.5 "
        "cores, but a system node of cluster 'spark-a' has 7.4 for pods, enough for 51 a minute; "
        "split the namespaces between several releases, or use larger system nodes.",
    ),
    "more operators than the system nodes have cores for": (
        {
            "job_namespaces": {"jobs-b": {}, "jobs-c": {}},
            "spark": {
                "operators": {
                    "a": {"namespaces": ["spark-jobs"], "applications_per_minute": 40},
                    "b": {"namespaces": ["jobs-b"], "applications_per_minute": 40},
                    "c": {"namespaces": ["jobs-c"], "applications_per_minute": 40},
                }
            },
        },
        "spark.operators: need 40.8 cores in total, 2 pods each and one more during a replacement, "
        "but the system nodes of cluster 'spark-a' have at most 29.6; raise their maximum.",
    ),
    "no applications a minute": (
        {"spark": {"operators": {"spark-operator": {"applications_per_minute": 0}}}},
        "applications_per_minute: is 0; input should be greater than or equal to 1",
    ),
    "a quota without a unit": (
        {"job_namespaces.spark-jobs": {"quota": {"memory": "400"}}},
        "job_namespaces.spark-jobs.quota.memory: is '400'; write memory as 512Mi, 64Gi or 2Ti",
    ),
    "a quota that is not text": (
        {"job_namespaces.spark-jobs": {"quota": {"cpu": 400}}},
        "job_namespaces.spark-jobs.quota.cpu: is 400; input should be a valid string",
    ),
    "folders of nodes where pod security keeps pods from them": (
        {"job_namespaces.spark-jobs": {"host_paths": ["/mnt/models"]}},
        "job_namespaces.spark-jobs.host_paths: /mnt/models cannot be mounted with pod_security 'baseline'",
    ),
    "a level of pod security that keeps gangs out": (
        {"job_namespaces.spark-jobs": {"pod_security": "restricted"}},
        "spark-jobs.pod_security: is 'restricted'; input should be 'baseline' or 'privileged'",
    ),
    "a way out that leads nowhere": (
        {"job_namespaces.spark-jobs": {"egress": {"hive": {"ports": [9083]}}}},
        "job_namespaces.spark-jobs.egress.hive: has neither cidrs nor namespace; add one.",
    ),
    "a way out to two kinds of places": (
        {
            "job_namespaces.spark-jobs": {
                "egress": {"hive": {"ports": [9083], "namespace": "hive", "cidrs": ["10.0.0.0/8"]}}
            }
        },
        "job_namespaces.spark-jobs.egress.hive: has both cidrs and namespace; keep one.",
    ),
    "a way out by no port": (
        {"job_namespaces.spark-jobs": {"egress": {"hive": {"namespace": "hive", "ports": [0]}}}},
        "egress.hive.ports.0: is 0; input should be greater than or equal to 1",
    ),
    "a way out where nothing is closed": (
        {
            "job_namespaces.spark-jobs": {
                "isolated": False,
                "egress": {"hive": {"namespace": "hive", "ports": [9083]}},
            }
        },
        "job_namespaces.spark-jobs.egress.hive: has no effect while isolated is false; remove one of "
        "the two.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
