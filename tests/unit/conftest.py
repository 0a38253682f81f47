"""The one fixture of component tests: run a program, see what it asks the engine to make."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pytest
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import callback_pb2
from pulumi.runtime.settings import SETTINGS

from moka import catalog as charts

# Remote components hand out resources that their plugin makes: type -> output -> type of that resource.
HANDED_OUT = {
    "eks:index:Cluster": {"eksCluster": "aws:eks/cluster:Cluster"},
    "eks:index:ManagedNodeGroup": {"nodeGroup": "aws:eks/nodeGroup:NodeGroup"},
}

# What AWS answers beyond the inputs, where a component reads it.
ANSWERS: dict[str, dict[str, Any]] = {
    "aws:eks/cluster:Cluster": {
        "endpoint": "https://cluster.example",
        "certificateAuthority": {"data": "Y2E="},
        "vpcConfig": {"clusterSecurityGroupId": "sg-cluster"},
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 1},
    "aws:ec2/securityGroupRule:SecurityGroupRule": {"securityGroupRuleId": "sgr-1"},
    "eks:index:Cluster": {"kubeconfigJson": "{}", "clusterSecurityGroupId": "sg-cluster"},
}

# The same, where it depends on the inputs and on where the resource is: policies name these by their ARN.
MADE_ANSWERS: dict[str, Callable[["Place", str, Mapping[str, Any]], dict[str, Any]]] = {
    "aws:s3/bucket:Bucket": lambda _, name, inputs: {"arn": f"arn:aws:s3:::{inputs.get('bucket', name)}"},
    "aws:kms/key:Key": lambda where, name, inputs: {
        "arn": f"arn:aws:kms:{where.region}:{where.account}:key/"
        + str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {inputs.get('description')}"))
    },
    "aws:eks/nodeGroup:NodeGroup": lambda _, name, inputs: {
        "resources": [{"autoscalingGroups": [{"name": f"eks-{name}"}]}]
    },
    "aws:iam/role:Role": lambda where, name, inputs: {
        "name": name,
        "arn": f"arn:aws:iam::{where.account}:role{inputs.get('path', '/')}{name}",
    },
}

# What AWS answers to a function, where a component asks.
FUNCTIONS: dict[str, dict[str, Any]] = {
    "aws:index/getPartition:getPartition": {"partition": "aws", "dnsSuffix": "amazonaws.com"},
    "aws:eks/getAddonVersion:getAddonVersion": {"version": "v9-eksbuild.9"},
}


@dataclass(frozen=True)
class Place:
    """Where a provider makes what it makes."""

    account: str = "123456789012"
    region: str = "us-east-1"


@dataclass(frozen=True)
class Made:
    """One resource that a program registered, and what it was told of it."""

    type: str
    name: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    place: Place


class Monitor(MockMonitor):
    """Takes a resource given as an input by its URN; it cannot bring one back to life outside the program.

    requests: what was asked for, options included, by URN.
    """

    def __init__(self, mocks: Mocks) -> None:
        super().__init__(mocks)
        self.requests: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        response = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        if request.type != "pulumi:pulumi:Stack":
            self.requests[response.urn] = request
        return response

    def SupportsFeature(self, request: Any) -> Any:
        request.id = "outputValues" if request.id == "resourceReferences" else request.id
        return super().SupportsFeature(request)  # type: ignore[no-untyped-call]


class Recorder(Mocks):
    """Keeps every resource that a program registers."""

    def __init__(self) -> None:
        self.made: list[Made] = []
        self.monitor = Monitor(self)

    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        place = self._made_by(args.provider)
        state = _state(args.typ, args, place)
        self.made.append(Made(args.typ, args.name, args.inputs, state, place))
        handed_out = {
            output: self._resource(typ, args, place) for output, typ in HANDED_OUT.get(args.typ, {}).items()
        }
        return f"{args.name}-id", {**state, **handed_out}

    def call(self, args: MockCallArgs) -> dict[str, Any]:  # type: ignore[override]
        return FUNCTIONS.get(args.token, {})

    def inputs(self, typ: str) -> list[dict[str, Any]]:
        """Inputs of every resource of this type, in the order in which they were registered."""
        return [made.inputs for made in self.made if made.type == typ]

    def named(self, typ: str) -> dict[str, dict[str, Any]]:
        """The same, by logical name."""
        return {made.name: made.inputs for made in self.made if made.type == typ}

    def types(self) -> set[str]:
        """Types of all that was registered."""
        return {made.type for made in self.made}

    def tree(self) -> dict[str, Any]:
        """Requests by place in the tree: types from the outermost one on, then the logical name."""
        return {self._place(request): request for request in self.monitor.requests.values()}

    def _place(self, request: Any) -> str:
        parent = self.monitor.requests.get(request.parent)
        above = f"{self._place(parent).rpartition('::')[0]}$" if parent else ""
        return f"{above}{request.type}::{request.name}"

    def _made_by(self, provider: str | None) -> Place:
        """Where a provider, known by its reference, makes things; AWS's own by default."""
        given = self.named("pulumi:providers:aws").get((provider or "").split("::")[-1].removesuffix("-id"))
        if not given:
            return Place()
        accounts = given.get("allowedAccountIds") or [Place.account]
        known = json.loads(accounts) if isinstance(accounts, str) else accounts
        return Place(account=known[0], region=given["region"])

    def _resource(self, typ: str, args: MockResourceArgs, place: Place) -> dict[str, str]:
        urn, state = self.monitor.make_urn("", typ, args.name), _state(typ, args, place)
        self.monitor.resources[urn] = Monitor.ResourceRegistration(urn, f"{args.name}-id", state)
        return {
            "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
            "urn": urn,
            "id": f"{args.name}-id",
        }


def _state(typ: str, args: MockResourceArgs, place: Place) -> dict[str, Any]:
    state = {**args.inputs, "arn": f"arn:aws:::{args.name}"}
    if typ in MADE_ANSWERS:
        state |= MADE_ANSWERS[typ](place, args.name, args.inputs)
    for name, answer in ANSWERS.get(typ, {}).items():
        given = state.get(name)
        state[name] = {**given, **answer} if isinstance(given, dict) else answer
    return state


class Callbacks:
    """Takes transforms and hooks of resources, which only a real engine calls, in place of its server."""

    def register_transform(self, transform: pulumi.ResourceTransform) -> callback_pb2.Callback:
        return callback_pb2.Callback()

    def register_resource_hook(self, hook: pulumi.ResourceHook) -> None:
        pass


Deploy = Callable[[Callable[[], object]], Recorder]


@pytest.fixture(scope="session")
def deploy() -> Deploy:
    """Run a program against a recorder, wait for all of it, and hand the recorder back."""

    def run(program: Callable[[], object]) -> Recorder:
        recorder = Recorder()
        pulumi.runtime.set_mocks(recorder, monitor=recorder.monitor)
        SETTINGS.feature_support["transforms"] = True
        SETTINGS.feature_support["resourceHooks"] = True
        SETTINGS.callbacks = Callbacks()

        @pulumi.runtime.test  # type: ignore[untyped-decorator]
        def drained() -> None:
            program()

        try:
            drained()
        finally:
            # What failed once must not fail the next program too.
            SETTINGS.outputs.clear()
        return recorder

    return run


@pytest.fixture(scope="session")
def catalog() -> charts.Catalog:
    """The catalog as it is, without a mirror."""
    return charts.read()
