import pytest

from report.subjects.identities import identities
from tests.support.report_steps import preview, says, step

RBAC = "kubernetes:rbac.authorization.k8s.io/v1:"


def binding(kind="Role"):
    subjects = [{"kind": "ServiceAccount", "name": "spark"}]
    return {
        "metadata": {"name": "b", "namespace": "jobs"},
        "roleRef": {"kind": kind, "name": "r"},
        "subjects": subjects,
    }


def cluster_role(*rules, namespace="jobs"):
    return {"metadata": {"name": "r", "namespace": namespace}, "rules": list(rules)}


def rule(verbs, resources, groups=("",), **more):
    return {"apiGroups": list(groups), "resources": resources, "verbs": verbs, **more}


def rbac(before, after, kind="Role"):
    return identities(
        preview(
            step(f"{RBAC}{kind}", "r", before, after),
            step(f"{RBAC}RoleBinding", "b", binding(kind), binding(kind)),
        )
    )


def test_rules_of_kubernetes_that_are_split_are_no_change():
    assert not rbac(
        cluster_role(rule(["get", "list"], ["pods", "configmaps"])),
        cluster_role(rule(["list", "get"], ["pods"]), rule(["get", "list"], ["configmaps"])),
    )


@pytest.mark.parametrize(
    ("after", "sentence"),
    [
        (rule(["get", "delete"], ["pods"]), "gains `delete` on `core/pods in jobs`"),
        (rule(["get"], ["pods", "pods/log"]), "gains `get` on `core/pods/log in jobs`"),
        (rule(["get"], ["pods", "secrets"]), "gains `get` on `core/secrets in jobs`"),
        (rule(["get"], ["*"], ["*"]), "gains `get` on `*/* in jobs`"),
    ],
)
def test_rights_in_kubernetes_that_are_gained_are_named(after, sentence):
    before = rule(["get"], ["pods"])

    assert sentence in says(rbac(cluster_role(before), cluster_role(after)), "look")


def test_a_name_less_in_a_rule_is_a_right_more():
    section = rbac(
        cluster_role(rule(["get"], ["secrets"], resourceNames=["own"])),
        cluster_role(rule(["get"], ["secrets"])),
    )

    assert "service account jobs/spark gains `get` on `core/secrets in jobs`" in says(section, "look")
