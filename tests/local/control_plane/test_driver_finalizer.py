"""The controller as a process, with its own service account, on a real API server; we play the operator."""

import json
import time
import urllib.request

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.stand_ins import deployments
from moka.components.kubernetes.driver_finalizer import JOB_NAMESPACE_RIGHTS, OWN_RIGHTS
from moka.names import DRIVER_FINALIZER, JOB_NAMESPACE_LABEL
from tests.support.roles import bound_role
from tests.support.simulated_operator import Application, define

HOME = "driver-finalizer"


@pytest.fixture(scope="module")
def remover(plane, api):
    """The controller, run in place of its Deployment's pod; serves no namespace yet."""
    define(api)
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}},
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": HOME, "namespace": HOME},
            },
            *bound_role(HOME, HOME, OWN_RIGHTS, HOME),
            DEPLOYMENT,
        ]
    )
    assert deployments.apply(plane, DEPLOYMENT, REPOSITORY)
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
        "selector": {"matchLabels": {"app.kubernetes.io/name": HOME}},
        "template": {
            "metadata": {"labels": {"app.kubernetes.io/name": HOME}},
            "spec": {
                "serviceAccountName": HOME,
                "containers": [{"name": HOME, "image": "any", "args": ["--listen=0.0.0.0:8080"]}],
            },
        },
    },
}


def serve(api, namespace):
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            *bound_role(HOME, namespace, JOB_NAMESPACE_RIGHTS, HOME),
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": namespace,
                    "namespace": HOME,
                    "labels": {JOB_NAMESPACE_LABEL: namespace},
                },
            },
        ]
    )
    return namespace


def test_drivers_go_once_their_application_has_read_their_end(api, served, remover, eventually):
    ended = [Application(api, served, state) for state in ("COMPLETED", "FAILED")]
    unread = Application(api, served, "RUNNING")
    orphan = Application(api, served, "RUNNING")
    api.delete(orphan.path)
    for job in (*ended, orphan, unread):
        job.collect()

    eventually(lambda: all(job.gone for job in (*ended, orphan)))
    assert unread.protected
    # Nothing but the finalizer is there of ours, and nothing of the framework's.
    assert unread.pod["metadata"]["finalizers"] == [DRIVER_FINALIZER]
    assert unread.pod["metadata"]["annotations"] == {"localcloud/runs-for": "3600"}

    unread.read("COMPLETED")
    # The pod is gone before the controller has its answer, and only then it says so.
    [line] = eventually(lambda: _released(remover.log, unread.name))
    assert unread.gone
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
    assert job.protected

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
    for job in (unread, missed, deleted):
        job.collect()

    deployments.resume(plane)

    eventually(lambda: missed.gone and deleted.gone)
    assert unread.protected


def test_namespaces_come_and_go_with_all_their_drivers(api, served, eventually):
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}}])
    elsewhere, witness = Application(api, "ml", "COMPLETED"), Application(api, served, "COMPLETED")
    for job in (elsewhere, witness):
        job.collect()
    eventually(lambda: witness.gone)
    assert elsewhere.protected

    serve(api, "ml")
    eventually(lambda: elsewhere.gone)

    # Nobody will read how these end.
    jobs = [Application(api, "ml", "RUNNING", phase) for phase in ("Succeeded", "Running")]
    assert all(job.protected for job in jobs)
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
        ("patch", "sparkoperator.k8s.io", "sparkapplications/status", served),
        ("delete", "sparkoperator.k8s.io", "sparkapplications", served),
        ("delete", "", "namespaces", served),
        ("get", "", "secrets", served),
        ("list", "", "configmaps", served),
        ("patch", "", "configmaps", served),
        ("patch", "", "configmaps", HOME),
        ("get", "", "secrets", HOME),
        ("get", "apiextensions.k8s.io", "customresourcedefinitions", None),
    ]

    assert _allowed(api, "patch", "", "pods", served)
    assert not [request for request in may_not if _allowed(api, *request)]


def test_it_looks_after_drivers_that_run_and_clears_away_what_they_leave(api, served, eventually):
    """The operator was started anew as it submitted them, and gave up both; one still has a placeholder."""
    gangs = {"yunikorn.apache.org/task-groups": "[]"}
    pods = f"/api/v1/namespaces/{served}/pods"
    api.create(pods, _waiting("tg-partial", {"yunikorn.apache.org/app-id": "partial"}))
    jobs = whole, partial = [
        Application(
            api,
            served,
            "FAILED",
            phase="Running",
            name=name,
            status={"terminationTime": "2026-11-01T00:00:00Z"},
            labels={"spark-app-selector": name},
            annotations=gangs,
        )
        for name in ("whole", "partial")
    ]
    for job in jobs:
        labels = {"spark-app-selector": job.name, "spark-role": "executor"}
        api.create(pods, _waiting(f"{job.name}-exec-1", labels))

    eventually(
        lambda: (
            not any("timeToLiveSeconds" in api.get(job.path)["spec"] for job in jobs)
            and not whole.pod["metadata"]["annotations"].keys() & gangs.keys()
        )
    )
    assert partial.pod["metadata"]["annotations"].keys() >= gangs.keys()
    assert whole.protected

    api.merge(f"{whole.pod_path}/status", {"status": {"phase": "Failed"}})
    eventually(lambda: not whole.protected)

    # Its hour counts from now, not from the beginning of the month.
    assert api.get(whole.path)["spec"]["timeToLiveSeconds"] > 28 * 24 * 3600
    assert api.get(f"{pods}/{whole.name}-exec-1") is None
    assert api.get(f"{pods}/{partial.name}-exec-1")


def test_it_ends_with_its_deployment(plane, remover):
    assert remover.alive()

    deployments.remove(plane, HOME, HOME)

    assert not remover.alive()
    assert not list(deployments.workloads(plane))


def _waiting(name, labels):
    """A pod that no machine is found for."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            # None that runs here, or it would have its say.
            "schedulerName": "nobody",
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "main", "image": "any"}],
        },
    }


def _released(log, application):
    """What a controller's log says of the drivers of an application that it released."""
    records = [json.loads(line) for line in log.read_text().splitlines()]
    return [r for r in records if r.get("application") == application and r["msg"] == "released"]


def _allowed(api, verb, group, resource, namespace):
    """Whether the controller's account may do this; everywhere, without a namespace."""
    resource, _, sub = resource.partition("/")
    attributes = {"verb": verb, "group": group, "resource": resource, "subresource": sub}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{HOME}:{HOME}",
            "groups": ["system:serviceaccounts", f"system:serviceaccounts:{HOME}", "system:authenticated"],
            "resourceAttributes": {**attributes, "namespace": namespace or ""},
        },
    }
    answer = api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return answer["status"]["allowed"]


def _metric(plane, name):
    [url] = deployments.addresses(plane).values()
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"moka_driver_finalizer_{name} ")))
