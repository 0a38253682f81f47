"""Pods on the nodes of `local`: their images are pulled as from ECR, or they wait as on EKS."""

from uuid import uuid4

import pytest

from localcloud.control_plane import ControlPlane
from localcloud.store import Store, store_folder
from tests.support.aws_clients import aws_clients

REGISTRY = "123456789012.dkr.ecr.us-east-1.amazonaws.com"


@pytest.fixture
def api(local):
    [plane] = ControlPlane.all(local.cloud)
    return plane.api()


@pytest.fixture
def started(api):
    """Start a pod with an image on a system node; the pod once it runs, or waits for its image."""
    names = []

    def start(image, until=lambda pod: pod["status"].get("containerStatuses")):
        name = f"pull-{uuid4().hex[:8]}"
        names.append(name)
        spec = {
            "containers": [{"name": "main", "image": image}],
            "nodeSelector": {"moka.dev/role": "system"},
            "tolerations": [{"operator": "Exists"}],
        }
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        api.create("/api/v1/namespaces/default/pods", pod)
        return follow(api, name, until)

    yield start
    for name in names:
        api.delete(f"/api/v1/namespaces/default/pods/{name}")


def follow(api, name, until):
    pods = api.follow(
        "/api/v1/namespaces/default/pods", fieldSelector=f"metadata.name={name}", timeoutSeconds="60"
    )
    return next(pod for pod in pods if until(pod))


def waiting(pod):
    return pod["status"]["containerStatuses"][0]["state"].get("waiting")


def test_an_image_of_the_environments_own_registry_is_pulled(started):
    assert started(f"{REGISTRY}/moka-local/spark:4.1.2")["status"]["phase"] == "Running"


def test_a_repository_that_does_not_exist_is_not_pulled_from_and_kubelets_events_say_so(api, started):
    pod = started(f"{REGISTRY}/moka-local/nothing:1")

    assert pod["status"]["phase"] == "Pending"
    assert waiting(pod)["reason"] == "ImagePullBackOff"
    assert (
        "The repository with name 'moka-local/nothing' does not exist in the registry with id '123456789012'"
        in waiting(pod)["message"]
    )
    follow_events = api.follow(
        "/api/v1/namespaces/default/events",
        fieldSelector=f"involvedObject.name={pod['metadata']['name']},reason=BackOff",
        timeoutSeconds="60",
    )
    assert next(follow_events)["source"]["component"] == "kubelet"


def test_a_pod_waits_until_what_was_wrong_is_put_right(api, local, started):
    ecr = aws_clients(local.cloud)("ecr")
    pod = started(f"{REGISTRY}/moka-local/driver-finalizer-2:1")
    assert waiting(pod)["reason"] == "ImagePullBackOff"

    ecr.create_repository(repositoryName="moka-local/driver-finalizer-2")
    try:
        running = follow(api, pod["metadata"]["name"], lambda pod: pod["status"].get("phase") == "Running")
        # The API server's own labels say where it runs, from Kubernetes 1.35 on.
        assert all(label.startswith("topology.kubernetes.io/") for label in running["metadata"]["labels"])
    finally:
        ecr.delete_repository(repositoryName="moka-local/driver-finalizer-2")


def test_a_cache_of_docker_hub_without_credentials_is_refused_as_by_ecr(local, started):
    store = Store(store_folder(local.cloud) / "123456789012" / "us-east-1" / "ecr")
    rule = {"ecrRepositoryPrefix": "hub", "upstreamRegistryUrl": "registry-1.docker.io"}
    store.put("pull-through", "hub", thing=rule)
    try:
        pod = started(f"{REGISTRY}/hub/apache/spark:4.1.2")
    finally:
        store.remove("pull-through", "hub")

    assert "The authentication to the upstream registry failed" in waiting(pod)["message"]
