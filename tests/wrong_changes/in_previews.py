"""Wrong changes that settings take, and that policies refuse or a report tells of.

Several are in one preview, where none of them touches what another one is told by.
"""

import json
from fnmatch import fnmatchcase
from typing import Any

import pulumi
import yaml

from tests.wrong_changes.change import Edit, Values, Wrong, put, renamed, without


def _writes_to_anothers_bucket(settings: Values) -> None:
    settings["uses"] = {"raw": {"bucket": "other-raw-data"}}
    settings["job_namespaces"]["spark-jobs"]["uses"] = {"raw": "write"}


GROUPS = "clusters.spark-a.node_groups"
QUEUES = "queues.organizations"
PODS = "spec.template.spec"
PROCESSED = "admissionController.filtering.processNamespaces"
ACCOUNT = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"AWS": "arn:aws:iam::999999999999:root"},
            }
        ],
    }
)
MAY_DELETE = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::moka-local-x/*"}
        ],
    }
)
SECRET = "spark.hadoop.fs.s3a.secret.key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE" + "KEY"


def within(field: str, edit: Edit) -> Edit:
    """The edit of a mapping in a field that is known only later."""

    def changed(inputs: Values) -> None:
        def apply(known: Values) -> Values:
            edit(known)
            return known

        inputs[field] = pulumi.Output.from_input(inputs[field]).apply(apply)

    return changed


def refused(subject: str, change: str, rule: str, resource: str, edit: Edit, preview: int = 1) -> Wrong:
    return Wrong(subject, change, "policy", rule, resource=resource, edit=edit, preview=preview)


def told(
    subject: str, change: str, says: str, settings: Edit | None = None, preview: int = 1, **more: Any
) -> Wrong:
    return Wrong(subject, change, "report", says, settings=settings, preview=preview, **more)


POLICIES: list[Wrong] = [
    refused(
        "units",
        "512 bytes for 512 MiB of a container",
        "amounts-in-units",
        "StatefulSet::spark-a-history",
        within(
            "spec",
            put(
                "template.spec.containers.0.resources",
                {kind: {"memory": "512"} for kind in ("requests", "limits")},
            ),
        ),
        # In the first, its storage class is not known.
        3,
    ),
    refused(
        "pods",
        "a History Server without pods",
        "workload-has-pods",
        "StatefulSet::spark-a-history",
        within("spec", put("replicas", 0)),
        3,
    ),
    refused(
        "pods",
        "pods for nodes of a role that none has",
        "placed-by-known-role",
        "Deployment::spark-a-driver-finalizer",
        within("spec", put("template.spec.nodeSelector", {"moka.dev/role": "systm"})),
    ),
    refused(
        "pods",
        "a budget that lets no pod go",
        "disruption-budget-works",
        "PodDisruptionBudget::spark-a-celeborn-worker",
        put("spec", {"maxUnavailable": 0}),
    ),
    refused(
        "shuffle",
        "workers that are ended after 30 s",
        "shuffle-drains",
        "StatefulSet::spark-a-celeborn-worker-*",
        within("spec", put("template.spec.terminationGracePeriodSeconds", 30)),
    ),
    refused(
        "queues",
        "YuniKorn for every namespace",
        "yunikorn-for-jobs-only",
        "ConfigMap::spark-a-yunikorn",
        within("data", lambda data: data.update({PROCESSED: ".*"})),
    ),
    refused(
        "queues",
        "tier 3 before tier 1",
        "priorities-in-order",
        "PriorityClass::spark-a-moka-tier-3",
        put("value", 9000),
    ),
    refused(
        "jobs",
        "a check of jobs' pods that is passed over when it fails",
        "admission-fails-closed",
        "ValidatingAdmissionPolicy::spark-a-job-pods",
        within("spec", put("failurePolicy", "Ignore")),
    ),
    refused(
        "secrets",
        "a secret key of AWS in a ConfigMap",
        "no-plain-secrets",
        "ConfigMap::spark-a-history",
        within("data", lambda data: data.update({"more.conf": SECRET})),
    ),
    refused(
        "identity",
        "a role for all of another account",
        "trust-no-whole-account",
        "Role::spark-a-fluent-bit",
        put("assumeRolePolicy", ACCOUNT),
    ),
    refused(
        "identity",
        "a role for the default service account",
        "identity-of-own-account",
        "PodIdentityAssociation::spark-a-history",
        put("serviceAccount", "default"),
    ),
    refused(
        "identity",
        "a shell in pods of jobs",
        "rbac-no-way-into-pods",
        "Role::spark-a-spark-jobs-view",
        put("rules", [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]}]),
    ),
    refused(
        "network",
        "configuration of the proxy in an Ingress",
        "ingress-no-snippets",
        "Ingress::spark-a-ui-gateway",
        within("metadata", put("annotations", {"nginx.ingress.kubernetes.io/server-snippet": "x"})),
    ),
    refused(
        "volumes",
        "volumes before their pods are placed",
        "volumes-wait-for-pods",
        "StorageClass::spark-a-gp3",
        put("volumeBindingMode", "Immediate"),
    ),
    refused("encryption", "a key that is disabled", "key-enabled", "Key::main", put("isEnabled", False), 4),
    refused(
        "nodes",
        "an update that takes all nodes of a group at once",
        "node-update-bounded",
        "NodeGroup::spark-a-executor-amd64",
        put("updateConfig", {"maxUnavailablePercentage": 100}),
    ),
    refused(
        "nodes",
        "a group that any pod may use",
        "node-taint",
        "NodeGroup::spark-a-executor-arm64",
        put("taints", []),
    ),
    refused(
        "nodes",
        "metadata of machines without a token",
        "imdsv2-required",
        "LaunchTemplate::spark-a-system-us-east-1a",
        put(
            "metadataOptions",
            {"httpEndpoint": "enabled", "httpTokens": "optional", "httpPutResponseHopLimit": 1},
        ),
    ),
    refused(
        "encryption",
        "S3's own key for what jobs write",
        "bucket-encrypted",
        "BucketServerSideEncryptionConfiguration::main-event-logs",
        put("rules", [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]),
    ),
]

REPORTS: list[Wrong] = [
    told(
        "network",
        "a route to all private networks",
        "10.0.0.0/8 can be reached from",
        put("foundations.main.network.transit_gateway.cidrs", ["10.0.0.0/8"]),
    ),
    told(
        "network",
        "an API server that part of the internet reaches",
        "can be reached from `3.5.0.0/19` on the internet",
        put("clusters.spark-a.public_access", ["3.5.0.0/19"]),
        preview=4,
    ),
    told(
        "network",
        "endpoints that are taken out to save",
        "No longer:",
        put("foundations.main.network.interface_endpoints", False),
        preview=2,
    ),
    told(
        "retention",
        "9 days of logs for 90",
        "keeps `days of everything` 90 → 9: the rest goes",
        put("retention.job_logs", 9),
    ),
    told(
        "retention",
        "3,650 days for 90",
        "90 → 3,650: it is paid for that long",
        put("retention.system_logs", 3650),
    ),
    told(
        "nodes",
        "a maximum of 2 for 8 executors",
        "would have 0 to 2 nodes",
        put(f"{GROUPS}.executor-arm64.maximum", 2),
        preview=3,
    ),
    told(
        "nodes",
        "five times the machines",
        "with every group at its maximum",
        put(f"{GROUPS}.executor-amd64.maximum", 40),
    ),
    told(
        "nodes",
        "a group of drivers that is left out",
        "deleted without having been retired",
        without(f"{GROUPS}.driver-arm64"),
        weight="stop",
        preview=2,
    ),
    told(
        "queues",
        "a queue that jobs name is taken out",
        "goes: jobs that name it are refused",
        without(f"{QUEUES}.science.projects.models.tiers.3"),
    ),
    told(
        "queues",
        "less for tier 1",
        "Guaranteed less: `root.analytics.reports.tier1`",
        put(f"{QUEUES}.analytics.projects.reports.tiers.1.guaranteed", {"cpu": "2", "memory": "16Gi"}),
    ),
    told(
        "jobs",
        "2,000 pods at the most",
        "may hold `pods` no bound → 2k",
        put("job_namespaces.spark-jobs.quota", {"pods": 2000}),
    ),
    told(
        "jobs",
        "a tenth of the executors",
        "may ask for 5,000 executors → 500 executors",
        put("job_namespaces.spark-jobs.executors_per_job", 500),
    ),
    told(
        "jobs",
        "a queue that jobs may not name any more",
        "what names another is refused",
        put("job_namespaces.spark-jobs.claims", [{"organization": "analytics"}]),
    ),
    told(
        "jobs",
        "jobs that nothing isolates",
        "No network policy isolates pods",
        put("job_namespaces.spark-jobs.isolated", False),
        preview=2,
    ),
    told(
        "identity",
        "an administrator more",
        "gains `AmazonEKSClusterAdminPolicy`",
        put(
            "clusters.spark-a.access",
            {"ops": {"principal": "arn:aws:iam::123456789012:role/ops", "policy": "admin"}},
        ),
    ),
    told(
        "identity",
        "jobs that write to another's bucket",
        "`arn:aws:s3:::other-raw-data/*`",
        _writes_to_anothers_bucket,
    ),
    told(
        "identity",
        "a role that may no longer write what it has to",
        "role spark-a-autoscaler loses",
        resource="RolePolicy::spark-a-autoscaler",
        edit=put("policy", MAY_DELETE),
    ),
    told(
        "charts",
        "another setting of the scheduler's chart",
        "while YuniKorn restarts",
        put("charts.values", {"yunikorn": {"replicaCount": 2}}),
    ),
    told(
        "data",
        "a registry's repository that is left out",
        "Repository `main-moka-local-spark` is deleted",
        lambda file: (
            file["registry"]["repositories"].remove("spark"),
            without("spark.images")(file),
        ),
        weight="stop",
        preview=2,
    ),
    told(
        "names",
        "job namespaces with another name",
        "Namespace `spark-a-spark-jobs` is deleted",
        renamed("job_namespaces.spark-jobs", "spark-batch"),
        weight="stop",
        preview=3,
    ),
    told(
        "names",
        "another organization",
        "are replaced (by `bucket`), with objects: lost",
        put("organization", "mocha"),
        weight="stop",
        preview=4,
    ),
    told(
        "services",
        "drivers that nothing keeps any more",
        "gone or made anew",
        without("services.driver_finalizer"),
        preview=2,
    ),
]

CHANGES = [*POLICIES, *REPORTS]
PREVIEWS = sorted({wrong.preview for wrong in CHANGES})


def of(preview: int) -> list[Wrong]:
    """The changes that a preview shows."""
    return [wrong for wrong in CHANGES if wrong.preview == preview]


def settings_of(preview: int, text: str) -> str:
    """A settings file after the changes of a preview."""
    file = yaml.safe_load(text)
    for wrong in of(preview):
        if wrong.settings is not None:
            wrong.settings(file)
    return str(yaml.safe_dump(file, sort_keys=False))


def register(preview: int) -> None:
    """Change what the program renders from here on, as the changes of a preview do."""
    edits = [(wrong.resource, wrong.edit) for wrong in of(preview) if wrong.edit is not None]

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        name = f"{args.type_.rpartition(':')[2]}::{args.name}"
        inputs = dict(args.props)
        for edit in (edit for pattern, edit in edits if fnmatchcase(name, pattern)):
            edit(inputs)
        return pulumi.ResourceTransformResult(inputs, args.opts)

    pulumi.runtime.register_resource_transform(transform)
