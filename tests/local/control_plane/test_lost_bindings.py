"""Pods whose binding the API server refuses to the real YuniKorn, and the controller with its own rights."""

import asyncio

import pytest

from localcloud.control_plane.stand_ins.accounts import account
from moka.components.kubernetes.driver_finalizer import JOB_NAMESPACE_RIGHTS
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.driver_finalizer import bindings
from services.driver_finalizer.controller import Controller
from tests.support import admission
from tests.support.loops import run_apart
from tests.support.roles import bound_role

NAME = "lost-bindings"
NOT_BOUND = {
    "matchConstraints": {
        "resourceRules": [
            {
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["pods/binding"],
            }
        ]
    },
    "validations": [{"expression": "!object.metadata.name.startsWith('lost')"}],
}
"""Refuses to bind pods named `lost...`."""


def binding(pod, node):
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }


@pytest.fixture
def credentials(plane, api, namespace):
    """The controller's service account, with its Role in the job namespace."""
    metadata = {"name": NAME, "namespace": namespace}
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            *bound_role(NAME, namespace, JOB_NAMESPACE_RIGHTS, namespace),
        ]
    )
    return ServiceAccount(account(plane, NAME, namespace, NAME), plane.endpoint)


@pytest.fixture
def given_up(api, yunikorn, namespace, eventually):
    """Pods that YuniKorn gave up, one of which was bound after all; and one for which no machine has room."""
    pods = f"/api/v1/namespaces/{namespace}/pods"

    def refused():
        answer = admission.refusal(api, f"{pods}/lost-probe/binding", binding("lost-probe", "any"))
        return NAME in (answer or "")

    def events(reason):
        return {
            event["involvedObject"]["name"]
            for event in api.list(f"/api/v1/namespaces/{namespace}/events", fieldSelector=f"reason={reason}")
        }

    unbind = admission.bind(api, NAME, NOT_BOUND)
    try:
        eventually(refused)
        api.create(pods, pod("waiting", "executor", cpu="1000"))
        for name, role in {"lost-1": "executor", "lost-2": "executor", "lost-placeholder": None}.items():
            api.create(pods, pod(name, role))
        eventually(lambda: events("PodBindFailure") == {"lost-1", "lost-2", "lost-placeholder"})
        eventually(lambda: "waiting" in events("Scheduling"))
    finally:
        unbind()
        eventually(lambda: not refused())
    assert {item["status"]["phase"] for item in api.list(pods)} == {"Pending"}
    node = api.list("/api/v1/nodes")[0]["metadata"]["name"]
    api.create(f"{pods}/lost-2/binding", binding("lost-2", node))
    return pods


def pod(name, role, cpu="1"):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {
                "applicationId": "lost",
                "queue": "root.acme.etl",
                **({"spark-role": role} if role else {}),
            },
        },
        "spec": {
            "schedulerName": "yunikorn",
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "main", "image": "any", "resources": {"requests": {"cpu": cpu}}}],
        },
    }


def test_an_executor_that_yunikorn_gave_up_is_deleted_and_no_other_pod(
    api, namespace, credentials, given_up, monkeypatch
):
    """A placeholder, what was bound after all, and what waits for a machine stay."""
    monkeypatch.setattr(bindings, "SETTLED_SECONDS", 0.0)
    monkeypatch.setattr(bindings, "PASS_SECONDS", 0.1)
    metrics = Metrics("driver_finalizer")

    async def deletion():
        async with Api(credentials) as client:
            controller = Controller(credentials, [namespace], client, metrics)
            run = asyncio.create_task(controller.run())
            async with asyncio.timeout(60):
                while await client.get(f"{given_up}/lost-1") or controller.lost_bindings.bindings:
                    assert not run.done()
                    await asyncio.sleep(0.1)
            run.cancel()
            await asyncio.wait([run])

    run_apart(deletion())

    assert {item["metadata"]["name"] for item in api.list(given_up)} == {
        "lost-2",
        "lost-placeholder",
        "waiting",
    }
    assert metrics.registry.get_sample_value("moka_driver_finalizer_lost_bindings_total") == 1
