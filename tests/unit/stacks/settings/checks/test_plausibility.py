"""Amounts in another unit, and values that nobody means."""

import pytest

MIRROR = "444455556666.dkr.ecr.us-east-1.amazonaws.com"
GROUPS = "clusters.spark-a.node_groups"

MISTAKES = {
    "memory without its unit": (
        {"queues.capacity": {"memory": "1Gi"}},
        "queues.capacity: has 1Gi of memory for 128 cores, which no machine has; correct the unit of one",
    ),
    "cores in thousandths": (
        {"queues.capacity": {"cpu": "128m"}},
        "queues.capacity: has 1Ti of memory for 128m cores, which no machine has",
    ),
    "a queue with too little memory": (
        {"queues.organizations.science.guaranteed": {"cpu": "10", "memory": "80Mi"}},
        "queues.organizations.science.guaranteed: has 80Mi of memory for 10 cores",
    ),
    "containers in which no driver fits": (
        {"job_namespaces.spark-jobs": {"largest_container": {"memory": "64Mi"}}},
        "job_namespaces.spark-jobs.largest_container.memory: is 64Mi, too little for a driver of Spark's",
    ),
    "a namespace in which no job fits": (
        {"job_namespaces.spark-jobs": {"quota": {"cpu": "1"}}},
        "job_namespaces.spark-jobs.quota.cpu: is 1, too little for a driver and an executor",
    ),
    "a namespace for one pod": (
        {"job_namespaces.spark-jobs": {"quota": {"pods": 1}}},
        "job_namespaces.spark-jobs.quota.pods: is 1, too few for a driver and an executor; raise it.",
    ),
    "a public image beside a mirror": (
        {"charts": {"mirror": MIRROR}, "spark.images": {"4.1": "docker.io/apache/spark:4.1.2"}},
        f"charts.mirror says that images come from {MIRROR}; write {MIRROR}/docker.io/apache/spark:4.1.2, or",
    ),
    "an image of another Spark": (
        {"spark.images": {"4.1": "registry.example/spark:3.5.5-java17"}},
        "spark.images.4.1: is 'registry.example/spark:3.5.5-java17', by its tag an image of Spark 3.5",
    ),
    "a minimum that stays": (
        {f"{GROUPS}.executor-arm64.schedule": {"night": {"cron": "0 21 * * *", "minimum": 4}}},
        "executor-arm64.schedule: sets the minimum to 4 and never to anything else; add the change that ends",
    ),
    "a cluster that may have no system node": (
        {f"{GROUPS}.system.minimum": 0},
        "clusters.spark-a.node_groups: have no system node at the least",
    ),
    "what containerd keeps": (
        {"job_namespaces.spark-jobs": {"pod_security": "privileged", "host_paths": ["/run/containerd"]}},
        "spark-jobs.host_paths.0: is /run/containerd, and with /run jobs would have the node",
    ),
    "what kubelet keeps, by what it is in": (
        {"job_namespaces.spark-jobs": {"pod_security": "privileged", "host_paths": ["/var/lib"]}},
        "spark-jobs.host_paths.0: is /var/lib, and with /var/lib/containerd jobs would have the node",
    ),
    "a hundredth of the disks": (
        {"clusters.spark-a.shuffle.storage": {"instance": {"gib": 10}}},
        "shuffle.storage.instance.gib: is 10, and r6gd.4xlarge has 884 GiB, which nothing else uses",
    ),
    "a tier that is safer than the one above it": (
        {"queues.tiers": {3: {"preemption": "disabled"}}},
        "queues.tiers.3.preemption: is 'disabled', so that nobody takes from tier 3, but others",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
