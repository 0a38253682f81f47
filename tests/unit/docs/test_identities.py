"""Who may do what on a cluster, as docs/operations/identities.md has it: by EKS's policies and our Roles."""

import re

import pytest

from aws_rules.access.authorization import allowing_policy
from localcloud.cloud import REPOSITORY
from moka.components.kubernetes.job_access import RIGHTS

PAGE = (REPOSITORY / "docs" / "operations" / "identities.md").read_text()

APPLICATIONS = "sparkapplications.sparkoperator.k8s.io"
RBAC = "rbac.authorization.k8s.io"

REQUESTS = {
    "see SparkApplications": [f"list {APPLICATIONS}"],
    "submit, change, delete SparkApplications": [
        f"create {APPLICATIONS}",
        f"patch {APPLICATIONS}",
        f"delete {APPLICATIONS}",
    ],
    "see pods and events, `kubectl logs` of drivers": ["list pods", "list events", "get pods/log"],
    "delete pods, `kubectl exec`, `port-forward`": [
        "delete pods",
        "create pods/exec",
        "create pods/portforward",
    ],
    "read ConfigMaps": ["get configmaps"],
    "read and change Secrets": ["get secrets", "update secrets"],
    "change Roles and RoleBindings": [f"update roles.{RBAC}", f"update rolebindings.{RBAC}"],
    "nodes, volumes, definitions, other objects of the cluster": [
        "patch nodes",
        "delete persistentvolumes",
        "update customresourcedefinitions.apiextensions.k8s.io",
    ],
}
"""Row of the table -> what the API server is asked then."""


def by_policy(name: str, words: str) -> bool:
    """Whether an access policy of EKS, over the whole cluster, allows a request."""
    verb, _, what = words.partition(" ")
    whole, _, group = what.partition(".")
    resource, _, subresource = whole.partition("/")
    attributes = {"verb": verb, "resource": resource, "subresource": subresource, "group": group}
    arn = f"arn:aws:eks::aws:cluster-access-policy/AmazonEKS{name}Policy"
    policy = {"policyArn": arn, "accessScope": {"type": "cluster"}}
    request = {"resourceAttributes": {**attributes, "namespace": "spark-jobs"}}
    return allowing_policy([policy], request) is not None


def by_jobs(level: str, words: str) -> bool:
    """Whether the Role of a level allows a request."""
    verb, _, what = words.partition(" ")
    resource, _, group = what.partition(".")
    return any(
        right.group == group and resource in right.resource.split() and verb in right.verbs
        for right in RIGHTS[level]
    )


def answers(requests: list[str]) -> list[str]:
    """A row of the table."""

    def all_of(allowed) -> bool:
        [answer] = {allowed(words) for words in requests}
        return answer

    admin = all_of(lambda words: by_policy("Admin", words))
    cluster_admin = all_of(lambda words: by_policy("ClusterAdmin", words))
    named = {True: "yes", False: "no"}
    return [
        named[all_of(lambda words: by_policy("View", words))],
        named[all_of(lambda words: by_policy("Edit", words))],
        "whole cluster only" if cluster_admin and not admin else named[admin],
        named[all_of(lambda words: by_jobs("view", words))],
        named[all_of(lambda words: by_jobs("edit", words))],
    ]


def rows() -> dict[str, list[str]]:
    """The table of the page."""
    table = PAGE.partition("| who may do what |")[2].partition("\n\n")[0]
    found = re.findall(r"^\| (.+) \|$", table, re.MULTILINE)
    cells = [row.split(" | ") for row in found if not row.startswith("---")]
    return {first: rest for first, *rest in cells}


def test_the_table_has_a_row_for_each_kind_of_request():
    assert list(rows()) == list(REQUESTS)


@pytest.mark.parametrize("row", REQUESTS)
def test_a_row_says_what_the_api_server_would(row):
    assert rows()[row] == answers(REQUESTS[row])
