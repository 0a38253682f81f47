"""What the real API server says to pods of a job namespace, by who makes them."""

import json

import pytest
import urllib3

from moka.components.kubernetes.job_pods import POLICY_NAME, rules
from moka.components.kubernetes.yunikorn import CONTROLLERS, service_account_pattern
from moka.names import USER_INFO
from tests.support.admission import bind

OPERATOR = "system:serviceaccount:spark-operator:spark-operator-controller"
REPLICAS = "system:serviceaccount:kube-system:replicaset-controller"
SOMEBODY = "arn:aws:sts::123456789012:assumed-role/analyst/somebody"
OWN = "own"
BOSS = json.dumps({"user": "boss", "groups": ["all"]})


@pytest.fixture
def own_nodes():
    """Namespaces with nodes of their own; OWN is the one of the test."""
    return ()


@pytest.fixture
def submit(plane, api, namespace, eventually, own_nodes):
    """Make a pod as somebody, without keeping it: what the API server answers, None when it would take it."""
    trusted = [
        service_account_pattern("spark-operator"),
        service_account_pattern(namespace, "spark"),
        CONTROLLERS,
    ]
    spec = rules([namespace], trusted, [namespace if name == OWN else name for name in own_nodes])
    unbind = bind(api, POLICY_NAME, spec)
    everyone = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}
    api.apply_all(
        [
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "RoleBinding",
                "metadata": {"name": "everyone", "namespace": namespace},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                "subjects": [everyone],
            }
        ]
    )
    pool = urllib3.PoolManager(ca_certs=str(plane.credentials.authority))
    headers = {"Authorization": f"Bearer {plane.token_file.read_text().strip()}"}

    def send(method, path, who, body, content="application/json"):
        answer = pool.request(
            method,
            f"{plane.endpoint}/api/v1/namespaces/{namespace}/pods{path}?dryRun=All",
            headers={**headers, "Content-Type": content, **({"Impersonate-User": who} if who else {})},
            body=json.dumps(body),
        )
        return None if answer.status < 300 else json.loads(answer.data)["message"]

    def submitted(who, *, annotations=None, **spec):
        return send("POST", "", who, pod(annotations or {}, spec))

    submitted.change = lambda who, name, annotations: send(
        "PATCH", f"/{name}", who, {"metadata": {"annotations": annotations}}, "application/merge-patch+json"
    )
    submitted.tolerate = lambda who, name, tolerations: send(
        "PATCH", f"/{name}", who, {"spec": {"tolerations": tolerations}}, "application/merge-patch+json"
    )
    # A policy and a role binding hold a moment after they were made.
    eventually(lambda: "spec.schedulerName" in (submitted(SOMEBODY, schedulerName="default-scheduler") or ""))
    yield submitted
    unbind()


def pod(annotations, spec):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "some", "annotations": annotations},
        "spec": {
            "schedulerName": "yunikorn",
            "containers": [{"name": "main", "image": "any"}],
            **spec,
        },
    }


def test_pods_that_yunikorn_would_not_place_are_refused(submit):
    assert submit(SOMEBODY) is None
    assert "set spec.schedulerName to yunikorn" in submit(SOMEBODY, schedulerName="default-scheduler")
    assert "no spec.nodeName" in submit(OPERATOR, nodeName="arm-1")


def test_no_pod_of_a_job_is_critical_for_its_node(submit):
    assert submit(OPERATOR, priorityClassName="system-node-critical").endswith(
        "no pod of a job is critical for a node or the cluster: leave spec.priorityClassName to its tier"
    )


def test_only_who_is_trusted_says_for_which_user_a_pod_is(submit, namespace):
    for_boss = {USER_INFO: BOSS}

    assert submit(OPERATOR, annotations=for_boss) is None
    assert submit(f"system:serviceaccount:{namespace}:spark", annotations=for_boss) is None
    assert submit(REPLICAS, annotations=for_boss) is None
    assert submit("", annotations=for_boss) is None, "the administrator"
    for who in (
        SOMEBODY,
        f"system:serviceaccount:{namespace}:default",
        "system:serviceaccount:spark-operator-2:any",
    ):
        assert f"leave {USER_INFO} out" in submit(who, annotations=for_boss)


def test_what_the_admission_controller_writes_of_the_maker_is_no_claim(submit):
    own = {"user": SOMEBODY, "groups": ["system:authenticated"]}
    written = json.dumps(own, separators=(",", ":"))
    more = json.dumps({**own, "groups": ["system:authenticated", "bosses"]}, separators=(",", ":"))

    assert submit(SOMEBODY, annotations={USER_INFO: written}) is None
    assert submit(SOMEBODY, annotations={USER_INFO: more})


def test_the_user_whom_a_pod_is_for_does_not_change(submit, api, namespace):
    api.create(f"/api/v1/namespaces/{namespace}/pods", pod({USER_INFO: BOSS}, {}))

    assert submit.change(SOMEBODY, "some", {"note": "any"}) is None
    assert "does not change" in submit.change(OPERATOR, "some", {USER_INFO: BOSS.replace("boss", "me")})


def tolerating(*tolerations):
    return [{"effect": "NoSchedule", **toleration} for toleration in tolerations]


@pytest.mark.parametrize("own_nodes", [("payroll",)])
def test_pods_do_not_come_to_nodes_of_another_namespaces_jobs(submit, api, namespace):
    driver = {"key": "moka.dev/role", "operator": "Equal", "value": "driver"}
    theirs = {"key": "moka.dev/job-namespace", "operator": "Equal", "value": "payroll"}

    assert submit(OPERATOR, tolerations=tolerating(driver)) is None
    for toleration in (theirs, {**theirs, "operator": "Exists", "value": ""}, {"operator": "Exists"}):
        refusal = submit(OPERATOR, tolerations=tolerating(driver, toleration))
        assert "nodes of another namespace's jobs are not for pods of this one" in refusal
    api.create(f"/api/v1/namespaces/{namespace}/pods", pod({}, {}))
    assert submit.change(SOMEBODY, "some", {"note": "any"}) is None
    assert "not for pods of this one" in submit.tolerate(SOMEBODY, "some", tolerating(theirs))


@pytest.mark.parametrize("own_nodes", [(OWN,)])
def test_pods_of_a_namespace_with_nodes_of_its_own_go_to_no_others(submit, namespace):
    own = {"key": "moka.dev/job-namespace", "operator": "Equal", "value": namespace}

    assert "run on nodes of their own" in submit(OPERATOR)
    assert "run on nodes of their own" in submit(OPERATOR, nodeSelector={"moka.dev/job-namespace": "others"})
    assert (
        submit(OPERATOR, nodeSelector={"moka.dev/job-namespace": namespace}, tolerations=tolerating(own))
        is None
    )
