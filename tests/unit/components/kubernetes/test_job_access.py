import pytest

from moka.components.kubernetes.job_access import JobAccess, JobAccessArgs


@pytest.fixture
def stack(deploy):
    return deploy(lambda: JobAccess("spark-a-jobs", JobAccessArgs(name="spark-jobs", namespace="spark-jobs")))


def allowed(stack, level):
    """Verbs on resources, by resource."""
    roles = stack.by_name("kubernetes:rbac.authorization.k8s.io/v1:Role")
    role = roles[f"spark-a-jobs-{level}"]
    assert role["metadata"] == {"name": f"jobs-{level}", "namespace": "spark-jobs"}
    verbs: dict[str, set[str]] = {}
    for rule in role["rules"]:
        for resource in rule["resources"]:
            verbs.setdefault(resource, set()).update(rule["verbs"])
    return verbs


def test_who_edits_submits_and_deletes_applications_and_who_views_sees_them(stack):
    edit, view = allowed(stack, "edit"), allowed(stack, "view")

    assert edit["sparkapplications"] >= {"get", "list", "watch", "create", "delete"}
    assert view["sparkapplications"] == {"get", "list", "watch"}
    assert {key: edit[key] for key in view if key != "sparkapplications"} == {
        key: view[key] for key in view if key != "sparkapplications"
    }


@pytest.mark.parametrize("level", ["edit", "view"])
def test_nobody_reads_secrets_enters_pods_or_makes_them_by_hand(stack, level):
    verbs = allowed(stack, level)

    assert verbs["pods"] == {"get", "list", "watch"}
    assert verbs["pods/log"] == {"get"}
    assert not verbs.keys() & {"secrets", "configmaps", "pods/exec", "pods/attach", "pods/portforward", "*"}


@pytest.mark.parametrize("level", ["edit", "view"])
def test_a_group_is_bound_in_its_own_namespace_only(stack, level):
    bindings = stack.by_name("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
    binding = bindings[f"spark-a-jobs-{level}"]

    assert binding["roleRef"]["name"] == f"jobs-{level}"
    assert binding["subjects"] == [
        {
            "kind": "Group",
            "name": f"moka:jobs:spark-jobs:{level}",
            "apiGroup": "rbac.authorization.k8s.io",
        }
    ]
    assert not [type for type in stack.types() if "Cluster" in type]
