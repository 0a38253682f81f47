"""One control plane for these tests, with machines of both architectures and a scheduler for jobs."""

from uuid import uuid4

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, apply_node_group
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release
from tests.support import waiting

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
QUEUES = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: acme
            queues:
              - name: etl
"""


@pytest.fixture(scope="package")
def planes(tmp_path_factory):
    """A cloud that holds control planes only; every process of it is ended after the tests of this folder."""
    cloud = Cloud(tmp_path_factory.mktemp("planes"))
    yield cloud
    for plane in ControlPlane.all(cloud):
        plane.remove()


@pytest.fixture(scope="package")
def plane(planes):
    """A running control plane with three machines of each architecture."""
    plane = ControlPlane(planes, "spark-a")
    plane.start()
    for name, instance_type in {
        "arm": InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536),
        "intel": InstanceType(name="m7i.4xlarge", architecture="amd64", vcpus=16, memory=65536),
    }.items():
        apply_node_group(plane, NodeGroup(name=name, instance_types=(instance_type,), zones=ZONES, count=3))
    return plane


@pytest.fixture(scope="package")
def api(plane):
    return plane.api()


@pytest.fixture
def namespace(api):
    """A namespace of the test's own, with its service account."""
    name = f"test-{uuid4().hex[:8]}"
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}])
    accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
    follow_until(api, accounts, lambda account: account["metadata"]["name"] == "default")
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def applications_path(namespace):
    """Where the API server has the SparkApplications of the test's namespace."""
    return f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"


@pytest.fixture(scope="package")
def yunikorn(plane, api):
    """YuniKorn's release, recorded, with a queue for jobs."""
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "yunikorn"}},
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
                "data": {"queues.yaml": QUEUES},
            },
        ]
    )
    release = Release(
        name="yunikorn",
        namespace="yunikorn",
        chart="yunikorn",
        version="1.8.0",
        # A binding that a busy machine refuses is not tried again, so there are not too many at once.
        values={"yunikornDefaults": {"service.schedulingInterval": "100ms", "kubernetes.qps": "50"}},
    )
    assert charts.apply(plane, release)
    return release


@pytest.fixture(scope="module")
def other_queues(plane, api, yunikorn):
    """Give the scheduler other queues; for the tests that follow it starts anew with those that it had.

    What a queue once was sticks to it: one that had others below it takes no gangs ever after.
    """
    configs = "/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs"
    before = api.get(configs)["data"]

    def tell(queues):
        api.merge(configs, {"data": {"queues.yaml": queues}})

    yield tell
    api.merge(configs, {"data": before})
    plane.process(yunikorn.key).stop()
    assert charts.apply(plane, yunikorn)


@pytest.fixture(scope="session")
def until():
    """Follow a list until an object is as a test wants it; that object."""
    return follow_until


@pytest.fixture(scope="session")
def eventually():
    """Ask until the answer is not empty; that answer."""
    return waiting.eventually


def follow_until(api, path, condition):
    return next(thing for thing in api.follow(path) if condition(thing))
