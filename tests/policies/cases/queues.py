import json
from dataclasses import replace

from policies.pack.types import CONFIG_MAP, NAMESPACE, PRIORITY_CLASS
from tests.policies.cases.amounts import ADMISSION_POLICY
from tests.policies.cases.case import Case, a, failing, passing

PREEMPTION = "yunikorn.apache.org/allow-preemption"


def config(content: str) -> dict:
    return {
        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
        "data": {"queues.yaml": content},
    }


def leaf(tier: int, guaranteed: dict | None = None, most: dict | None = None, **more: object) -> dict:
    """A leaf queue under root.analytics.billing."""
    queue = {"name": f"tier{tier}", "resources": {"guaranteed": guaranteed or {}, "max": most or {}}, **more}
    billing = {"name": "billing", "parent": True, "queues": [queue]}
    return tree({"name": "analytics", "parent": True, "queues": [billing]})


def tree(*queues: dict) -> dict:
    root = {"name": "root", "submitacl": "*", "queues": list(queues)}
    return config(json.dumps({"partitions": [{"name": "default", "queues": [root]}]}))


def kept(policy: str) -> dict:
    return leaf(1, properties={"preemption.policy": policy})


def priority(name: str = "moka-tier-1", annotations: dict | None = None, **more: object) -> dict:
    return {
        "metadata": {"name": name, "annotations": annotations or {PREEMPTION: "false"}},
        "value": 3000,
        **more,
    }


PROCESSED = "admissionController.filtering.processNamespaces"
BYPASS = "admissionController.accessControl.bypassAuth"
USERS = "admissionController.accessControl.externalUsers"


def yunikorn(**data: str) -> dict:
    return {"metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": data}


def tiers(*values: int) -> list:
    return [
        a(PRIORITY_CLASS, {"metadata": {"name": f"moka-tier-{tier}"}, "value": value}, f"tier-{tier}")
        for tier, value in enumerate(values, 1)
    ]


def space(name: str):
    return a(NAMESPACE, {"metadata": {"name": name}}, name)


def admission_policy(*namespaces: str, name: str = "moka-queue-claims"):
    names = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
    constraints = {"namespaceSelector": {"matchExpressions": [names]}}
    return a(ADMISSION_POLICY, {"metadata": {"name": name}, "spec": {"matchConstraints": constraints}})


TIER_1, TIER_3 = a(CONFIG_MAP, leaf(1)), a(CONFIG_MAP, leaf(3))

CASES: list[Case] = [
    passing("queues-readable", a(CONFIG_MAP, leaf(1))),
    passing("queues-readable", a(CONFIG_MAP, {"data": {"spark-defaults.conf": "spark.ui.port 4040"}})),
    failing("queues-readable", a(CONFIG_MAP, config("partitions: [")), says="not YAML"),
    failing("queues-readable", a(CONFIG_MAP, config("partitions: 2026-13-45")), says="not YAML"),
    failing("queues-readable", a(CONFIG_MAP, config("queues: []")), says="no partitions"),
    failing("queues-readable", a(CONFIG_MAP, config("partitions: default")), says="no partitions"),
    #
    passing("tier-1-not-preempted", a(CONFIG_MAP, kept("disabled"))),
    passing("tier-1-not-preempted", a(CONFIG_MAP, leaf(2))),
    passing(
        "tier-1-not-preempted", a(CONFIG_MAP, config("partitions: [{queues: &q [{name: a, queues: *q}]}]"))
    ),
    failing("tier-1-not-preempted", a(CONFIG_MAP, leaf(1)), says="root.analytics.billing.tier1"),
    failing("tier-1-not-preempted", a(CONFIG_MAP, kept("fence"))),
    #
    passing("tier-1-guaranteed", a(CONFIG_MAP, leaf(1, {"vcore": "100", "memory": "400Gi"}))),
    passing("tier-1-guaranteed", a(CONFIG_MAP, leaf(3))),
    failing("tier-1-guaranteed", a(CONFIG_MAP, leaf(1)), says="root.analytics.billing.tier1"),
    failing("tier-1-guaranteed", a(CONFIG_MAP, leaf(1, {"vcore": 0, "memory": "0Gi"}))),
    #
    passing("queue-bounded", a(CONFIG_MAP, leaf(3, most={"vcore": "100"}))),
    passing(
        "queue-bounded",
        a(CONFIG_MAP, tree({"name": "a", "resources": {"max": {"vcore": 9}}, "queues": [{"name": "b"}]})),
    ),
    failing("queue-bounded", a(CONFIG_MAP, leaf(3)), says="root.analytics.billing.tier3"),
    #
    passing(
        "queue-not-starved", a(CONFIG_MAP, leaf(3, {"vcore": "500m"}, {"vcore": "1", "nvidia.com/gpu": 0}))
    ),
    passing("queue-not-starved", a(CONFIG_MAP, leaf(3, {"memory": "1Gi"}, {"vcore": "1"}))),
    passing("queue-not-starved", a(CONFIG_MAP, leaf(3, most={"vcore": "500m"}))),
    failing("queue-not-starved", a(CONFIG_MAP, leaf(3, most={"memory": "0"})), says="no memory"),
    failing(
        "queue-not-starved", a(CONFIG_MAP, leaf(3, {"memory": "2Gi"}, {"memory": "2G"})), says="less memory"
    ),
    failing("queue-not-starved", a(CONFIG_MAP, leaf(3, maxapplications=0)), says="maxapplications"),
    #
    passing("tier-1-priority", a(PRIORITY_CLASS, priority())),
    failing(
        "tier-1-priority", a(PRIORITY_CLASS, priority(annotations={PREEMPTION: "true"})), says="preempted"
    ),
    failing("tier-1-priority", a(PRIORITY_CLASS, {"metadata": {"name": "moka-tier-1"}}), says="preempted"),
    passing("guarantees-taken-back", a(PRIORITY_CLASS, priority("moka-tier-3"))),
    passing("guarantees-taken-back", a(PRIORITY_CLASS, priority("other", preemptionPolicy="Never"))),
    *[
        failing(
            "guarantees-taken-back",
            a(PRIORITY_CLASS, priority(f"moka-tier-{tier}", preemptionPolicy="Never")),
            says="wait for others",
        )
        for tier in (1, 3)
    ],
    #
    passing("priority-below-system", a(PRIORITY_CLASS, priority())),
    failing("priority-below-system", a(PRIORITY_CLASS, {"value": 2_000_000_000}), says="2000000000"),
    #
    passing("priority-not-default", a(PRIORITY_CLASS, priority(globalDefault=False))),
    failing("priority-not-default", a(PRIORITY_CLASS, priority(globalDefault=True)), says="globalDefault"),
    #
    passing("yunikorn-for-jobs-only", a(CONFIG_MAP, yunikorn(**{PROCESSED: "^spark-jobs$,^spark-science$"}))),
    passing("yunikorn-for-jobs-only", a(CONFIG_MAP, {"metadata": {"name": "other"}, "data": {"x": "y"}})),
    failing("yunikorn-for-jobs-only", a(CONFIG_MAP, yunikorn(**{PROCESSED: ".*"})), says="processNamespaces"),
    failing("yunikorn-for-jobs-only", a(CONFIG_MAP, yunikorn(**{PROCESSED: ""})), says="takes the pods"),
    failing("yunikorn-for-jobs-only", a(CONFIG_MAP, yunikorn()), says="takes the pods"),
    failing("yunikorn-for-jobs-only", a(CONFIG_MAP, yunikorn(**{PROCESSED: "^spark"})), says="spark-"),
    #
    passing("yunikorn-users-checked", a(CONFIG_MAP, yunikorn(**{BYPASS: "false", USERS: "^system:x$"}))),
    failing("yunikorn-users-checked", a(CONFIG_MAP, yunikorn(**{BYPASS: "true"})), says="bypassAuth"),
    failing("yunikorn-users-checked", a(CONFIG_MAP, yunikorn(**{USERS: ".*"})), says="externalUsers"),
    #
    passing(
        "tier-1-claimed", TIER_1, space("spark-jobs"), space("monitoring"), admission_policy("spark-jobs")
    ),
    passing("tier-1-claimed", TIER_3, space("spark-jobs")),
    passing("tier-1-claimed", space("spark-jobs")),
    passing(
        "tier-1-claimed",
        TIER_1,
        replace(space("spark-jobs"), provider="urn:of:another:cluster"),
    ),
    failing("tier-1-claimed", TIER_1, space("spark-jobs"), says="spark-jobs"),
    failing(
        "tier-1-claimed",
        TIER_1,
        space("spark-a"),
        space("spark-b"),
        admission_policy("spark-a"),
        says="spark-b",
    ),
    failing("tier-1-claimed", TIER_1, space("spark-a"), admission_policy("spark-a", name="moka-archer-only")),
    failing(
        "tier-1-claimed",
        TIER_1,
        space("spark-a"),
        replace(admission_policy("spark-a"), provider="urn:of:another:cluster"),
    ),
    #
    passing("priorities-in-order", *tiers(3000, 2000, 1000)),
    passing("priorities-in-order", a(PRIORITY_CLASS, {"metadata": {"name": "other"}, "value": 9})),
    failing("priorities-in-order", *tiers(3000, 2000, 9000), says="not below"),
]
