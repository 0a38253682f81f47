"""A control plane with machines, and the plugin's provider, asked as the engine would ask it."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, apply_node_group
from localcloud.plugins.differences import Diff, path_text
from localcloud.plugins.kubernetes.provider import Kubernetes
from localcloud.plugins.provider import Naming, ReadResult, Target
from localcloud.plugins.values import Properties

PATIENCE = 60
"""Seconds that anything may take before a test gives up on it."""

CHARTS = Path(__file__).parents[2] / "charts"


@pytest.fixture(scope="package")
def plane(cloud: Cloud) -> Iterator[ControlPlane]:
    """A control plane with two machines, until the last test of this folder is over."""
    plane = ControlPlane(cloud, "kubernetes")
    plane.start()
    kind = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
    apply_node_group(
        plane, NodeGroup(name="machines", instance_types=(kind,), zones=("us-east-1a", "us-east-1b"), count=2)
    )
    yield plane
    plane.remove()


@dataclass
class Resource:
    """A resource as the engine would have it in its state."""

    target: Target
    inputs: Properties
    state: Properties


@dataclass
class FakeEngine:
    """An engine that asks one provider, in the order in which Pulumi's does."""

    provider: Kubernetes
    messages: list[str] = field(default_factory=list)

    def checked(self, token: str, name: str, inputs: Properties, old: Properties | None = None) -> Properties:
        target = Target(f"urn:pulumi:test::tests::{token}::{name}")
        checked, failures = self.provider.check(target, old or {}, inputs, Naming())
        assert not failures, failures
        return checked

    def create(self, token: str, name: str, inputs: Properties, timeout: float = PATIENCE) -> Resource:
        target = Target(f"urn:pulumi:test::tests::{token}::{name}")
        checked = self.checked(token, name, inputs)
        id, state = self.provider.create(target, checked, False, timeout)
        return Resource(Target(target.urn, id), checked, state)

    def preview(self, token: str, name: str, inputs: Properties) -> Properties:
        target = Target(f"urn:pulumi:test::tests::{token}::{name}")
        return self.provider.create(target, self.checked(token, name, inputs), True, 0)[1]

    def diff(self, resource: Resource, inputs: Properties) -> Diff:
        checked = self.checked(resource.target.type, resource.target.name, inputs, resource.inputs)
        return self.provider.diff(resource.target, resource.inputs, resource.state, checked)

    def changed(self, resource: Resource, inputs: Properties) -> dict[str, str]:
        return {path_text(path): kind.name for path, kind in self.diff(resource, inputs).kinds.items()}

    def update(self, resource: Resource, inputs: Properties, timeout: float = PATIENCE) -> Resource:
        checked = self.checked(resource.target.type, resource.target.name, inputs, resource.inputs)
        state = self.provider.update(
            resource.target, resource.inputs, resource.state, checked, False, timeout
        )
        return Resource(resource.target, checked, state)

    def refresh(self, resource: Resource) -> Resource | None:
        live = self.provider.read(resource.target, resource.inputs, resource.state)
        return live and Resource(Target(resource.target.urn, live.id), live.inputs, live.outputs)

    def imported(self, token: str, name: str, id: str) -> ReadResult | None:
        return self.provider.read(Target(f"urn:pulumi:test::tests::{token}::{name}", id), {}, {})

    def delete(self, resource: Resource, timeout: float = PATIENCE) -> None:
        self.provider.delete(resource.target, resource.inputs, resource.state, timeout)


@pytest.fixture
def make_engine(cloud: Cloud, plane: ControlPlane) -> Callable[..., FakeEngine]:
    """Make an engine with a provider for the control plane: the provider's arguments -> it."""

    def make(**settings: Any) -> FakeEngine:
        messages: list[str] = []
        provider = Kubernetes(cloud, lambda urn, sentence: messages.append(sentence))
        inputs = {"kubeconfig": plane.kubeconfig.read_text(), **settings}
        checked, failures = provider.check_config(inputs)
        assert not failures, failures
        provider.configure(checked)
        return FakeEngine(provider, messages)

    return make


@pytest.fixture
def engine(make_engine: Callable[..., FakeEngine]) -> FakeEngine:
    """An engine whose provider has nothing but a kubeconfig."""
    return make_engine()


@pytest.fixture
def namespace(plane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of the test's own."""
    name = request.node.name.replace("_", "-").lower()[:55].rstrip("-[]")
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    plane.api().apply(f"/api/v1/namespaces/{name}", manifest)
    yield name
    plane.api().delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def by_hand(plane: ControlPlane) -> Callable[..., Any]:
    """Change an object with a merge patch, as `kubectl patch` would."""

    def change(path: str, **patch: Any) -> Any:
        return plane.api().merge(path, json.loads(json.dumps(patch)))

    return change


@pytest.fixture(autouse=True)
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No charts at hand, whatever the environment of the test run has."""
    monkeypatch.delenv("MOKA_CHARTS", raising=False)


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of charts at hand."""
    monkeypatch.setitem(os.environ, "MOKA_CHARTS", str(CHARTS))
    return CHARTS
