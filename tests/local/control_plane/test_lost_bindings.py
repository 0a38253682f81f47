"""Pods whose binding the API server refuses to the real YuniKorn, and the controller's own rights."""

import asyncio

import pytest

from localcloud.control_plane.stand_ins.accounts import account
from localcloud.errors import Refusal
from moka.components.kubernetes.driver_finalizer import JOB_NAMESPACE_RIGHTS
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.common.watch import Watch
from services.driver_finalizer.bindings import EVENTS, SETTLED_SECONDS, LostBindings
from tests.support.loops import run_apart
from tests.support.roles import bound_role

NAME = "lost-bindings"
POLICIES = "/apis/admissionregistration.k8s.io/v1"
PODS_BINDING = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["pods/binding"],
}
KINDS = {
    "ValidatingAdmissionPolicy": {
        "matchConstraints": {"resourceRules": [PODS_BINDING]},
        "validations": [{"expression": "!object.metadata.name.startsWith('lost')"}],
    },
    "ValidatingAdmissionPolicyBinding": {"policyName": NAME, "validationActions": ["Deny"]},
}


def policy_path(kind):
    plural = "validatingadmissionpolicies" if kind.endswith("Policy") else f"{kind.lower()}s"
    return f"{POLICIES}/{plural}"


def bind(api, namespace, pod, node, **query):
    manifest = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    return api.create(f"/api/v1/namespaces/{namespace}/pods/{pod}/binding", manifest, **query)


@pytest.fixture
def refusal(api, namespace, eventually):
    """Have the API server refuse to bind pods named `lost...`, until the function is called."""
    for kind, spec in KINDS.items():
        manifest = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind}
        api.create(policy_path(kind), {**manifest, "metadata": {"name": NAME}, "spec": spec})

    def in_force():
        try:
            bind(api, namespace, "lost-probe", "any")
        except Refusal as reason:
            return NAME in str(reason)

    def end():
        for kind in reversed(KINDS):
            api.delete(f"{policy_path(kind)}/{NAME}")
        eventually(lambda: not in_force())

    eventually(in_force)
    yield end
    end()


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


def pod(name, role):
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
            "containers": [{"name": "main", "image": "any", "resources": {"requests": {"cpu": "1"}}}],
        },
    }


def test_an_executor_that_yunikorn_gave_up_is_deleted_and_no_other_pod(
    api, yunikorn, namespace, credentials, refusal
):
    """A placeholder, and an executor whose binding was carried out after all, stay."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for name, role in {"lost-1": "executor", "lost-2": "executor", "lost-placeholder": None}.items():
        api.create(pods, pod(name, role))
    metrics, seconds = Metrics("driver_finalizer"), [0.0]

    async def deletion():
        async with Api(credentials) as client:
            lost = LostBindings(client, metrics, lambda: seconds[0])
            watch = asyncio.create_task(
                Watch(client, namespace, "events", "", lost, field_selector=EVENTS).run()
            )
            while len(lost.bindings) < 3:
                assert not watch.done()
                await asyncio.sleep(0.1)
            await lost.check()
            before = await asyncio.to_thread(api.list, pods)
            await asyncio.to_thread(refusal)
            node = (await asyncio.to_thread(api.list, "/api/v1/nodes"))[0]["metadata"]["name"]
            await asyncio.to_thread(bind, api, namespace, "lost-2", node)
            seconds[0] = SETTLED_SECONDS + 1
            await lost.check()
            return before, lost.bindings

    before, left = run_apart(deletion())

    assert {item["metadata"]["name"]: item["status"]["phase"] for item in before} == {
        "lost-1": "Pending",
        "lost-2": "Pending",
        "lost-placeholder": "Pending",
    }
    assert {item["metadata"]["name"] for item in api.list(pods)} == {"lost-2", "lost-placeholder"}
    assert metrics.registry.get_sample_value("moka_driver_finalizer_lost_bindings_total") == 1
    assert not left
