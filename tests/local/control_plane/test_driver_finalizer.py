"""The controller as a process, with its own service account, on a real API server; we play the operator."""

import json
import time
import urllib.request
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from components.kubernetes.driver_finalizer import OWN_RIGHTS, REGISTERED, RIGHTS
from driver_finalizer.rules import FINALIZER
from localcloud.control_plane import spark_operator, workloads

HOME = "driver-finalizer"
CUSTOM_RESOURCES = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def applications(api, until):
    """SparkApplications can be made."""
    api.apply_all(spark_operator.definitions())
    until(api, CUSTOM_RESOURCES, lambda one: _established(one, "sparkapplications.sparkoperator.k8s.io"))


@pytest.fixture(scope="module")
def remover(plane, api, applications):
    """The controller, run in place of its Deployment's pod; serves no namespace yet."""
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}},
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": HOME, "namespace": HOME},
            },
            *_granted(HOME, OWN_RIGHTS),
        ]
    )
    assert workloads.applied(plane, DEPLOYMENT)
    return plane.process(f"deployment.{HOME}.{HOME}")


@pytest.fixture(scope="module")
def served(api, remover):
    """A job namespace that is registered, and in which the controller has its Role."""
    return serve(api, "etl")


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": HOME, "namespace": HOME, "labels": {"app.kubernetes.io/name": HOME}},
    "spec": {
        "template": {
            "spec": {
                "serviceAccountName": HOME,
                "containers": [{"name": HOME, "args": ["--listen=0.0.0.0:8080"]}],
            }
        }
    },
}


def serve(api, namespace):
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            *_granted(namespace, RIGHTS),
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": namespace, "namespace": HOME, "labels": {REGISTERED: namespace}},
            },
        ]
    )
    return namespace


class Application:
    """A SparkApplication with a driver pod that has ended; the operator is played by setting its status."""

    def __init__(self, api, namespace, state, phase="Succeeded"):
        self._api = api
        self.name = f"job-{uuid4().hex[:6]}"
        self.path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications/{self.name}"
        self.pod_path = f"/api/v1/namespaces/{namespace}/pods/{self.name}-driver"
        api.apply(
            self.path,
            {
                "apiVersion": "sparkoperator.k8s.io/v1beta2",
                "kind": "SparkApplication",
                "metadata": {"name": self.name, "namespace": namespace},
                "spec": {
                    "type": "Scala",
                    "sparkVersion": "4.1.0",
                    "mainApplicationFile": "local:///job.jar",
                    "driver": {},
                    "executor": {},
                },
            },
        )
        self.read(state, submission="s1")
        self.driver("s1", phase)

    def read(self, state, submission="s1"):
        """Say what the operator has read."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = {
            "applicationState": {"state": state},
            "submissionID": submission,
            "driverInfo": {},
            "lastSubmissionAttemptTime": now,
            "terminationTime": None,
        }
        self._api.merge(f"{self.path}/status", {"status": status})

    def driver(self, submission, phase):
        """Make the driver of a submission, as `spark-submit` does, and let it come to this phase."""
        owner = self._api.get(self.path)["metadata"]
        pods = self.pod_path.rpartition("/")[0]
        self._api.create(
            pods,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{self.name}-driver",
                    "finalizers": [FINALIZER],
                    "annotations": {"localcloud/runs-for": "3600"},
                    "labels": {
                        "spark-role": "driver",
                        "sparkoperator.k8s.io/app-name": self.name,
                        "sparkoperator.k8s.io/submission-id": submission,
                    },
                    "ownerReferences": [
                        {
                            "apiVersion": "sparkoperator.k8s.io/v1beta2",
                            "kind": "SparkApplication",
                            "name": self.name,
                            "uid": owner["uid"],
                        }
                    ],
                },
                "spec": {
                    "nodeName": self._api.list("/api/v1/nodes")[0]["metadata"]["name"],
                    "containers": [{"name": "spark-kubernetes-driver", "image": "spark"}],
                    "terminationGracePeriodSeconds": 0,
                },
            },
        )
        mine = self._api.follow(pods, fieldSelector=f"metadata.name={self.name}-driver")
        next(one for one in mine if one["status"]["phase"] == "Running")
        if phase != "Running":
            self._api.merge(f"{self.pod_path}/status", {"status": {"phase": phase}})

    def collect(self):
        """Delete the driver, as the garbage collector does."""
        self._api.delete(self.pod_path)

    @property
    def pod(self):
        return self._api.get(self.pod_path)

    @property
    def gone(self):
        return self.pod is None

    @property
    def held(self):
        return FINALIZER in (self.pod or {"metadata": {}})["metadata"].get("finalizers", [])


def test_drivers_go_once_their_application_has_read_their_end(api, served, remover, eventually):
    ended = [Application(api, served, state) for state in ("COMPLETED", "FAILED")]
    unread = Application(api, served, "RUNNING")
    orphan = Application(api, served, "RUNNING")
    api.delete(orphan.path)
    for one in (*ended, orphan, unread):
        one.collect()

    eventually(lambda: all(one.gone for one in (*ended, orphan)))
    assert unread.held
    # Nothing but the finalizer is there of ours, and nothing of the framework's.
    assert unread.pod["metadata"]["finalizers"] == [FINALIZER]
    assert unread.pod["metadata"]["annotations"] == {"localcloud/runs-for": "3600"}

    unread.read("COMPLETED")
    eventually(lambda: unread.gone)
    told = [json.loads(line) for line in remover.log.read_text().splitlines()]
    [line] = [one for one in told if one.get("application") == unread.name and one["msg"] == "released"]
    assert (line["state"], line["because"]) == ("COMPLETED", "its application is COMPLETED")


def test_a_rerun_gets_the_old_driver_out_of_its_way_and_keeps_the_new_one(api, served, eventually):
    job = Application(api, served, "FAILING", phase="Running")
    job.collect()
    eventually(lambda: job.gone)

    # The operator has submitted, and not said so yet: the driver is quicker.
    job.read("PENDING_RERUN", submission="s1")
    time.sleep(1.1)  # the API server counts in seconds, and a submission takes more than one
    job.driver("s2", "Succeeded")
    job.collect()
    witness = Application(api, served, "COMPLETED")
    witness.collect()
    eventually(lambda: witness.gone)
    assert job.held

    job.read("COMPLETED", submission="s2")
    eventually(lambda: job.gone)


def test_what_happened_while_it_was_down_is_made_up_for(plane, api, served, remover, eventually):
    unread = Application(api, served, "RUNNING")
    missed = Application(api, served, "RUNNING")
    deleted = Application(api, served, "RUNNING")
    eventually(lambda: _metric(plane, "waiting") == 3)
    remover.stop()
    missed.read("FAILED")
    api.delete(deleted.path)
    for one in (unread, missed, deleted):
        one.collect()

    workloads.resume(plane)

    eventually(lambda: missed.gone and deleted.gone)
    assert unread.held


def test_namespaces_come_and_go_with_all_their_drivers(api, served, eventually):
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}}])
    elsewhere, witness = Application(api, "ml", "COMPLETED"), Application(api, served, "COMPLETED")
    for one in (elsewhere, witness):
        one.collect()
    eventually(lambda: witness.gone)
    assert elsewhere.held

    serve(api, "ml")
    eventually(lambda: elsewhere.gone)

    # Nobody will read how these end.
    jobs = [Application(api, "ml", "RUNNING", phase) for phase in ("Succeeded", "Running")]
    assert all(one.held for one in jobs)
    api.delete("/api/v1/namespaces/ml")
    eventually(lambda: api.get("/api/v1/namespaces/ml") is None)


def test_it_may_do_nothing_else(api, served):
    may_not = [
        ("patch", "", "pods", "default"),
        ("list", "", "pods", None),
        ("list", "", "namespaces", None),
        ("delete", "", "pods", served),
        ("create", "", "pods", served),
        ("patch", "", "pods/status", served),
        ("list", "sparkoperator.k8s.io", "sparkapplications", served),
        ("patch", "sparkoperator.k8s.io", "sparkapplications", served),
        ("delete", "", "namespaces", served),
        ("get", "", "secrets", served),
        ("get", "", "configmaps", served),
        ("patch", "", "configmaps", HOME),
        ("get", "", "secrets", HOME),
        ("get", "apiextensions.k8s.io", "customresourcedefinitions", None),
    ]

    assert _allowed(api, "patch", "", "pods", served)
    assert not [each for each in may_not if _allowed(api, *each)]


def test_it_ends_with_its_deployment(plane, remover):
    assert remover.alive()

    workloads.removed(plane, HOME, HOME)

    assert not remover.alive()
    assert not list(workloads.workloads(plane))


def _allowed(api, verb, group, resource, namespace):
    """Whether the controller's account may do this; everywhere, without a namespace."""
    resource, _, sub = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": resource, "subresource": sub}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{HOME}:{HOME}",
            "groups": ["system:serviceaccounts", f"system:serviceaccounts:{HOME}", "system:authenticated"],
            "resourceAttributes": {**asked, "namespace": namespace or ""},
        },
    }
    answer = api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]


def _metric(plane, name):
    [url] = workloads.addresses(plane).values()
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"moka_driver_finalizer_{name} ")))


def _established(one, name):
    conditions = (one.get("status") or {}).get("conditions") or []
    ready = any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
    return one["metadata"]["name"] == name and ready


def _granted(namespace, rights):
    rules = [
        {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}
        for group, resource, verbs in rights
    ]
    group = "rbac.authorization.k8s.io"
    metadata = {"name": HOME, "namespace": namespace}
    return [
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules},
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": HOME},
            "subjects": [{"kind": "ServiceAccount", "name": HOME, "namespace": HOME}],
        },
    ]
