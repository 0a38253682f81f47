"""A Pulumi program run without an engine: a monitor that records every resource that it registers."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import callback_pb2
from pulumi.runtime.settings import SETTINGS

from tests.support.stack_traces import without_stack_traces

# Remote components hand out resources that their plugin makes: type -> output -> type of that resource.
COMPONENT_OUTPUTS = {
    "eks:index:Cluster": {"eksCluster": "aws:eks/cluster:Cluster"},
    "eks:index:ManagedNodeGroup": {"nodeGroup": "aws:eks/nodeGroup:NodeGroup"},
}

# What AWS answers beyond the inputs, where a component reads it.
ANSWERS: dict[str, dict[str, Any]] = {
    "aws:eks/cluster:Cluster": {
        "endpoint": "https://cluster.example",
        "certificateAuthority": {"data": "Y2E="},
        "vpcConfig": {"clusterSecurityGroupId": "sg-cluster"},
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 1},
    "aws:grafana/workspace:Workspace": {"endpoint": "g-1.grafana-workspace.us-east-1.amazonaws.com"},
    "aws:ec2/securityGroupRule:SecurityGroupRule": {"securityGroupRuleId": "sgr-1"},
    "aws:rds/cluster:Cluster": {
        "endpoint": "database.cluster-1.us-east-1.rds.amazonaws.com",
        "readerEndpoint": "database.cluster-ro-1.us-east-1.rds.amazonaws.com",
        "clusterResourceId": "cluster-0A1B",
    },
    "eks:index:Cluster": {"kubeconfigJson": "{}", "clusterSecurityGroupId": "sg-cluster"},
}

# The same, where it depends on the inputs and on where the resource is: policies name these by their ARN.
COMPUTED_ANSWERS: dict[str, Callable[["Place", str, Mapping[str, Any]], dict[str, Any]]] = {
    "aws:acm/certificate:Certificate": lambda _, name, inputs: {
        "domainValidationOptions": [
            {
                "domainName": host,
                "resourceRecordName": f"_proof.{host.removeprefix('*.')}",
                "resourceRecordType": "CNAME",
                "resourceRecordValue": "_proof.acm-validations.aws",
            }
            for host in (inputs["domainName"], *inputs.get("subjectAlternativeNames", ()))
        ]
    },
    "aws:rds/cluster:Cluster": lambda place, *_: {
        "masterUserSecrets": [
            {"secretArn": f"arn:aws:secretsmanager:{place.region}:{place.account}:secret:rds!cluster-1"}
        ]
    },
    "aws:s3/bucket:Bucket": lambda _, name, inputs: {"arn": f"arn:aws:s3:::{inputs.get('bucket', name)}"},
    "aws:kms/key:Key": lambda place, name, inputs: {
        "arn": f"arn:aws:kms:{place.region}:{place.account}:key/"
        + str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {inputs.get('description')}"))
    },
    "aws:eks/nodeGroup:NodeGroup": lambda _, name, inputs: {
        "resources": [{"autoscalingGroups": [{"name": f"eks-{name}"}]}]
    },
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": lambda place, _, inputs: {
        "arn": f"arn:aws:iam::{place.account}:oidc-provider/{inputs['url'].removeprefix('https://')}"
    },
    "aws:iam/role:Role": lambda place, name, inputs: {
        "name": name,
        "arn": f"arn:aws:iam::{place.account}:role{inputs.get('path', '/')}{name}",
    },
}

# What AWS answers to a function, where a component asks.
FUNCTIONS: dict[str, dict[str, Any]] = {
    "aws:index/getPartition:getPartition": {"partition": "aws", "dnsSuffix": "amazonaws.com"},
    "aws:ec2/getVpc:getVpc": {"id": "vpc-default"},
    "aws:ec2/getSubnets:getSubnets": {"ids": ["subnet-default"]},
    "aws:ec2/getRouteTables:getRouteTables": {"ids": ["rtb-1"]},
    "aws:ec2/getRouteTable:getRouteTable": {"routes": []},
    "aws:ssm/getParameter:getParameter": {"value": "ami-newest"},
    "aws:eks/getAddonVersion:getAddonVersion": {"version": "v9-eksbuild.9"},
}


FEATURES = ("aliasSpecs", "resourceHooks", "transforms")
"""What programs use of an engine, or are quicker with."""


@dataclass(frozen=True)
class Place:
    """Where a provider creates its resources."""

    account: str = "123456789012"
    region: str = "us-east-1"


@dataclass(frozen=True)
class Resource:
    """One resource that a program registered, and the state that it got back."""

    type: str
    name: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    place: Place


class Monitor(MockMonitor):
    """Takes a resource given as an input by its URN; it cannot bring one back to life outside the program.

    requests: every request for a resource, options included, by URN.
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
    """Records every resource that a program registers."""

    def __init__(self) -> None:
        self.resources: list[Resource] = []
        self.monitor = Monitor(self)

    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        place = self._place_of(args.provider)
        state = _state(args.typ, args, place)
        self.resources.append(Resource(args.typ, args.name, args.inputs, state, place))
        children = {
            output: self._reference(typ, args, place)
            for output, typ in COMPONENT_OUTPUTS.get(args.typ, {}).items()
        }
        return f"{args.name}-id", {**state, **children}

    def call(self, args: MockCallArgs) -> dict[str, Any]:  # type: ignore[override]
        return FUNCTIONS.get(args.token, {})

    def inputs(self, typ: str) -> list[dict[str, Any]]:
        """Inputs of every resource of this type, in the order in which they were registered."""
        return [resource.inputs for resource in self.resources if resource.type == typ]

    def by_name(self, typ: str) -> dict[str, dict[str, Any]]:
        """The same, by logical name."""
        return {resource.name: resource.inputs for resource in self.resources if resource.type == typ}

    def types(self) -> set[str]:
        """Types of all that was registered."""
        return {resource.type for resource in self.resources}

    def tree(self) -> dict[str, Any]:
        """Requests by path in the tree: types from the outermost one on, then the logical name."""
        return {self._path(request): request for request in self.monitor.requests.values()}

    def _path(self, request: Any) -> str:
        parent = self.monitor.requests.get(request.parent)
        above = f"{self._path(parent).rpartition('::')[0]}$" if parent else ""
        return f"{above}{request.type}::{request.name}"

    def _place_of(self, provider: str | None) -> Place:
        """Account and region of a provider, by its reference; the default place if it is not explicit."""
        name = (provider or "").split("::")[-1].removesuffix("-id")
        inputs = self.by_name("pulumi:providers:aws").get(name)
        if not inputs:
            return Place()
        accounts = inputs.get("allowedAccountIds") or [Place.account]
        accounts = json.loads(accounts) if isinstance(accounts, str) else accounts
        return Place(account=accounts[0], region=inputs["region"])

    def _reference(self, typ: str, args: MockResourceArgs, place: Place) -> dict[str, str]:
        urn, state = self.monitor.make_urn("", typ, args.name), _state(typ, args, place)
        self.monitor.resources[urn] = Monitor.ResourceRegistration(urn, f"{args.name}-id", state)
        return {
            "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
            "urn": urn,
            "id": f"{args.name}-id",
        }


def _state(typ: str, args: MockResourceArgs, place: Place) -> dict[str, Any]:
    state = {**args.inputs, "arn": f"arn:aws:::{args.name}"}
    if typ in COMPUTED_ANSWERS:
        state |= COMPUTED_ANSWERS[typ](place, args.name, args.inputs)
    for name, answer in ANSWERS.get(typ, {}).items():
        value = state.get(name)
        state[name] = {**value, **answer} if isinstance(value, dict) else answer
    return state


class Callbacks:
    """Takes transforms and hooks of resources, which only a real engine calls, in place of its server."""

    def register_transform(self, transform: pulumi.ResourceTransform) -> callback_pb2.Callback:
        return callback_pb2.Callback()

    def register_resource_hook(self, hook: pulumi.ResourceHook) -> None:
        pass


def deploy(program: Callable[[], object]) -> Recorder:
    """Run a program against a recorder, wait for all of it, and hand the recorder back."""
    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, monitor=recorder.monitor)
    for feature in FEATURES:
        SETTINGS.feature_support[feature] = True
    SETTINGS.callbacks = Callbacks()

    @pulumi.runtime.test  # type: ignore[untyped-decorator]
    def run() -> None:
        program()

    try:
        with without_stack_traces():
            run()
    finally:
        # What failed once must not fail the next program too, and its transformations are its own: the
        # stack stays, as the SDK has one in a process.
        SETTINGS.outputs.clear()
        root = pulumi.runtime.settings.get_root_resource()
        if root is not None:
            root._transformations = []
    return recorder
