import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from localcloud.cloud import Cloud
from localcloud.errors import Refusal
from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.aws.refusals import reservations
from localcloud.plugins.provider import InitializationFailed, Naming, Target
from tests.local.aws.examples import make_world
from tests.local.aws.tokens import CLUSTER, ROLE_ARN, SUBNET, VPC


@pytest.fixture(scope="session")
def moto_url():
    """moto's server, for this run of tests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "MOTO_IAM_LOAD_MANAGED_POLICIES": "true"}
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{url}/moto-api/", timeout=5):
                    break
            except OSError:
                assert server.poll() is None, "moto's server ended"
                time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.wait()


@dataclass
class Bench:
    """The provider without an engine: each request of an engine in one line."""

    provider: Aws
    resources: list = field(default_factory=list)

    def target(self, type, name="it", id=""):
        return Target(f"urn:pulumi:test::test::{type}::{name}", id)

    def check(self, type, inputs, old=None, name="it"):
        checked, failures = self.provider.check(
            self.target(type, name), old or {}, inputs, Naming(seed=name.encode())
        )
        if failures:
            raise Refusal("\n".join(failure.reason for failure in failures))
        return checked

    def make(self, type, inputs, name="it", timeout=0):
        checked = self.check(type, inputs, name=name)
        try:
            id, outputs = self.provider.create(self.target(type, name), checked, False, timeout)
        except InitializationFailed as failure:
            self._keep(type, name, failure.id, checked, failure.outputs)
            raise
        return self._keep(type, name, id, checked, outputs)

    def _keep(self, type, name, id, inputs, outputs):
        resource = SimpleNamespace(
            type=type, name=name, id=id, inputs=inputs, outputs=outputs, provider=self.provider
        )
        self.resources.append(resource)
        return resource

    def clean(self):
        """Delete what was made, the last first."""
        while self.resources:
            resource = self.resources.pop()
            self.provider = resource.provider
            self.delete(resource)

    def state(self, resource):
        """Target, inputs and outputs, as the engine's state has them."""
        target = self.target(resource.type, resource.name, resource.id)
        return target, resource.inputs, resource.outputs

    def read(self, resource):
        return self.provider.read(*self.state(resource))

    def look_up(self, type, id):
        return self.provider.read(self.target(type, "it", id), {}, {})

    def diff(self, resource, inputs):
        checked = self.check(resource.type, inputs, resource.inputs, resource.name)
        return self.provider.diff(*self.state(resource), checked)

    def change(self, resource, inputs):
        checked = self.check(resource.type, inputs, resource.inputs, resource.name)
        outputs = self.provider.update(*self.state(resource), checked, False, 0)
        return SimpleNamespace(
            type=resource.type, name=resource.name, id=resource.id, inputs=checked, outputs=outputs
        )

    def delete(self, resource):
        self.provider.delete(*self.state(resource), 0)


@dataclass(frozen=True)
class Plane:
    """Stands in for a control plane: these tests are of AWS's side of EKS."""

    name: str
    endpoint = "https://127.0.0.1:6443"
    certificate_authority = "Y2VydGlmaWNhdGU="

    def start(self):
        pass

    def remove(self):
        pass

    def alive(self):
        return False


@pytest.fixture(scope="session")
def provider(moto_url, tmp_path_factory):
    """One provider for all tests: to make its clients takes longer than the tests."""
    return Aws(Cloud(tmp_path_factory.mktemp("cloud")), moto_url)


@contextmanager
def without_planes():
    """Clusters without control planes, and node groups without machines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eks_backend, "control_plane", lambda subject, cluster: Plane(cluster))
        patch.setattr(eks_backend, "apply_machines", lambda plane, group: None)
        # Machines that could not join are looked at where there is a network to join: tests/unit/sabotages.
        patch.setattr(eks_backend, "JOIN_CHECKS", [reservations.check])
        yield


@pytest.fixture(scope="module", autouse=True)
def nothing_runs():
    """Not for the session: the tests of other folders that this process runs have to meet the real thing."""
    with without_planes():
        yield


@pytest.fixture
def bench(provider):
    """The provider; what a test makes is deleted after it."""
    bench = Bench(provider)
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def base(provider):
    """What stands through all tests."""
    return Bench(provider)


@pytest.fixture(scope="session")
def world(base):
    """What the examples of types stand on."""
    with without_planes():
        return make_world(base)


@pytest.fixture
def cluster(bench):
    """A cluster in a VPC of its own."""
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnets = two_subnets(bench, vpc.id)
    return bench.make(
        CLUSTER, {"name": "c", "roleArn": ROLE_ARN, "version": "1.34", "vpcConfig": {"subnetIds": subnets}}
    )


def two_subnets(bench, vpc, network="10.0", region="us-east-1", name="it"):
    """Ids of subnets in two zones, as EKS wants them for a cluster; network: its first two numbers."""
    return [
        bench.make(
            SUBNET,
            {"vpcId": vpc, "cidrBlock": f"{network}.{n}.0/24", "availabilityZone": f"{region}{zone}"},
            f"{name}-{zone}",
        ).id
        for n, zone in enumerate("ab")
    ]
