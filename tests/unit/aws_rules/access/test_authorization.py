"""What EKS's access policies allow, asked as the API server asks it."""

import pytest

from aws_rules.access.authorization import allowing_policy

CLUSTER = {"type": "cluster"}


def allowed(policy, request, scope=CLUSTER):
    arn = f"arn:aws:eks::aws:cluster-access-policy/AmazonEKS{policy}Policy"
    return allowing_policy([{"policyArn": arn, "accessScope": scope}], request) is not None


def on(words, namespace="spark-jobs"):
    """A request, from `get pods`, `get pods/log`, `get roles.rbac.authorization.k8s.io`."""
    verb, _, what = words.partition(" ")
    name, _, group = what.partition(".")
    resource, _, subresource = name.partition("/")
    attributes = {"verb": verb, "resource": resource, "subresource": subresource, "group": group}
    return {"resourceAttributes": {**attributes, "namespace": namespace}}


APPLICATIONS = "sparkapplications.sparkoperator.k8s.io"


@pytest.mark.parametrize(
    ("policy", "request_words", "answer"),
    [
        ("View", "list pods", True),
        ("View", "get pods/log", True),
        ("View", "get configmaps", True),
        ("View", "watch resourcequotas/status", True),
        ("View", "get jobs.batch", True),
        ("View", "get secrets", False),
        ("View", "delete pods", False),
        ("View", "get pods/exec", False),
        ("View", f"list {APPLICATIONS}", False),
        ("Edit", "delete pods", True),
        ("Edit", "create pods/exec", True),
        ("Edit", "get secrets", True),
        ("Edit", "impersonate serviceaccounts", True),
        ("Edit", "create statefulsets.apps", True),
        ("Edit", "patch deployments/scale.apps", True),
        ("Edit", f"get {APPLICATIONS}", False),
        ("Edit", f"create {APPLICATIONS}", False),
        ("Edit", "create rolebindings.rbac.authorization.k8s.io", False),
        ("Edit", "update resourcequotas", False),
        ("Edit", "create pods/eviction", False),
        ("Admin", "create rolebindings.rbac.authorization.k8s.io", True),
        ("Admin", "bind roles.rbac.authorization.k8s.io", False),
        ("Admin", "update resourcequotas", False),
        ("Admin", f"get {APPLICATIONS}", False),
        ("AdminView", f"list {APPLICATIONS}", True),
        ("AdminView", "get secrets", True),
        ("AdminView", f"delete {APPLICATIONS}", False),
        ("SecretReader", "list secrets", True),
        ("SecretReader", "list pods", False),
        ("ClusterAdmin", f"deletecollection {APPLICATIONS}", True),
        ("ClusterAdmin", "escalate roles.rbac.authorization.k8s.io", True),
    ],
)
def test_policies_allow_what_their_rows_say(policy, request_words, answer):
    assert allowed(policy, on(request_words)) is answer


@pytest.mark.parametrize("policy", ["View", "Edit", "Admin"])
def test_no_policy_but_an_administrators_of_the_cluster_has_nodes_and_volumes(policy):
    for resource in ("nodes", "persistentvolumes", "storageclasses.storage.k8s.io"):
        assert not allowed(policy, on(f"list {resource}", namespace=""))
        assert allowed("ClusterAdmin", on(f"list {resource}", namespace=""))


def test_a_policy_of_namespaces_holds_nowhere_else():
    scope = {"type": "namespace", "namespaces": ["spark-jobs", "dev-*"]}

    assert allowed("ClusterAdmin", on("list pods"), scope)
    assert allowed("Edit", on("delete pods", namespace="dev-me"), scope)
    assert not allowed("Edit", on("delete pods", namespace="kube-system"), scope)
    assert not allowed("ClusterAdmin", on("list pods", namespace=""), scope)
    assert not allowed("ClusterAdmin", on("list nodes", namespace=""), scope)


def test_only_an_administrator_of_the_cluster_asks_for_metrics_of_the_api_server():
    metrics = {"nonResourceAttributes": {"verb": "get", "path": "/metrics"}}

    assert allowed("ClusterAdmin", metrics)
    assert not allowed("AdminView", metrics)
    assert not allowed("ClusterAdmin", metrics, {"type": "namespace", "namespaces": ["*"]})


def test_permissions_of_several_policies_add_up_and_no_policy_allows_nothing():
    prefix = "arn:aws:eks::aws:cluster-access-policy/"
    associations = [
        {"policyArn": f"{prefix}AmazonEKSViewPolicy", "accessScope": CLUSTER},
        {
            "policyArn": f"{prefix}AmazonEKSEditPolicy",
            "accessScope": {"type": "namespace", "namespaces": ["spark-jobs"]},
        },
    ]

    assert allowing_policy(associations, on("delete pods")) == f"{prefix}AmazonEKSEditPolicy"
    assert allowing_policy(associations, on("list pods", "yunikorn")) == f"{prefix}AmazonEKSViewPolicy"
    assert allowing_policy(associations, on("delete pods", "yunikorn")) is None
    assert allowing_policy([], on("list pods")) is None
