"""Series as a cluster has them: Spark's from its pages, the labels of others as they are documented."""

from itertools import product

from moka.collectors.metric_names import SOURCES
from tests.support.expositions import samples

ORIGIN = {"environment": "local", "cluster": "spark-a", "region": "eu-central-1"}
QUEUE = {"queue": "root.acme.etl.tier1", "tier": "1"}
JOB = {"application": "etl", "namespace": "jobs", **QUEUE}
NODE = {"node": "n1"}
BUCKETS = [{"le": "0.1"}, {"le": "1"}, {"le": "+Inf"}]
HOST = {"state": "used", "direction": "read", "device": "nvme0n1"}
AMOUNTS = [
    {"queue": queue, "state": state, "resource": resource}
    for queue, state, resource in product(
        ("root", *(f"root.acme.etl.tier{tier}" for tier in (1, 2, 3))),
        ("allocated", "guaranteed", "max", "pending"),
        ("vcore", "memory"),
    )
]
SPARK = {name for page in ("spark-driver", "spark-executors") for name, _, _ in samples(page)}

# Source -> labels of its series; where a metric has others, they are below.
OF_SOURCE = {
    "nodes": [NODE | {"interface": "eth0", "direction": "receive"}],
    "hosts": [NODE | HOST],
    "containers": [
        JOB | NODE | {"pod": "etl-driver", "container": "spark", "role": "driver"},
        NODE | {"namespace": "kube-system", "pod": "aws-node-x", "container": "aws-eks-nodeagent"},
    ],
    "node objects": [NODE],
    "workloads": [{"namespace": "spark", "deployment": "d", "daemonset": "a", "statefulset": "s"}],
    "pods": [{"namespace": "jobs", "pod": "etl-driver", "container": "spark", "reason": "Error"}],
    "pods of nodes": [NODE | {"namespace": "jobs", "host_network": "false"}],
    "applications": [JOB, JOB | {"application": "waits"}],
    "drivers": [JOB],
    "executors": [JOB],
    "event-log uploader": [JOB],
    "queues": AMOUNTS,
    "scheduler": [{"state": "allocated", "result": "accepted"}],
    "collectors": [{"job": "opentelemetry-gateway", "pod": "g-0"}],
    "kube-state-metrics": [{"result": "success"}],
    "scrapes": [{"job": "yunikorn", "instance": "10.0.0.1:9080"}],
    "spark-operator": [{"name": "sparkapplication", "controller": "c", "namespace": "spark"}],
    "load-balancer-controller": [{"controller": "service", "result": "success"}],
    "celeborn": [{"role": role, "pod": f"celeborn-{role.lower()}-0"} for role in ("Master", "Worker")],
    "fluent-bit": [NODE | {"name": "drivers"}],
    "driver-finalizer": [{}],
    "queue-keeper": [{}],
    "usage-recorder": [{"of": of} for of in ("bucket", "scheduler")],
    "allocator": [{"result": "applied", "phase": "search", "of": "plan", "why": "archer", "kind": "busy"}],
    "ui-gateway": [{"page": "job", "status": "2xx", "outcome": "in"}],
    "archer": [{"operation": "submit_job", "status": "2xx", "outcome": "taken"}],
    "archer-worker": [
        {"state": "queued", "tier": "1", "target": "spark-b", "what": "not submitted", "reason": "succeeded"}
    ],
    "archer-keeper": [{}],
    "usage report": [
        {"target": "spark-b", "tier": "1", "resource": "instances", "kind": "used", "of": "queue"}
        | {"action": "grow", "binds": "memory"}
    ],
    "history-gate": [{}],
    "ingress": [{"cn": "ui.example.com", "code": "200"}],
    "settings": [{}],
    "store": [{"instance": "localhost:9090", "rule_group": "moka"}],
}

OF_METRIC = {
    "kube_node_labels": [
        NODE | {"label_moka_dev_role": "driver", "label_kubernetes_io_arch": "arm64"},
    ],
    "kube_node_status_condition": [
        NODE | {"condition": "Ready", "status": "false"},
        NODE | {"condition": "DiskPressure", "status": "true"},
    ],
    "kube_node_status_allocatable": [NODE | {"resource": "cpu"}],
    "yunikorn_queue_app": [{"queue": f"root.acme.etl.tier{tier}", "state": "running"} for tier in (1, 2, 3)],
    "moka_spark_application_state_info": [
        JOB | {"state": "RUNNING"},
        *(
            JOB | {"application": f"waits-{tier}", "tier": tier, "state": "SUBMITTED"}
            for tier in ("1", "2", "3")
        ),
    ],
    "moka_spark_application_created_seconds": [
        JOB | {"application": f"waits-{tier}", "tier": tier} for tier in ("1", "2", "3")
    ],
    "ALERTS": [{"alertname": "QueueStarved", "alertstate": "firing"}],
}


def cluster_series():
    """Every series that a cluster with a job, three that wait and a node has, as Prometheus writes it."""
    for name, source in SOURCES.items():
        for metric in source.metrics:
            if name in ("drivers", "executors") and metric not in SPARK:
                continue
            # A collector has the one or the other.
            if name == "collectors" and f"{metric}_total" in source.metrics:
                continue
            shapes = OF_METRIC.get(metric, OF_SOURCE[name])
            if metric.endswith("_bucket"):
                shapes = [labels | bucket for labels in shapes for bucket in BUCKETS]
            for labels in shapes:
                yield written(metric, ORIGIN | labels)


def written(metric, labels):
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{metric}{{{inside}}}"
