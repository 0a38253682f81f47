"""A whole environment up in seconds: its program on the laptop's AWS, without engine and control planes.

    account = deployment.deploy("local")
    account.client("ec2").describe_vpcs()
    account.api("main")                        # `localcloud.plugins.aws.api.Api` of a foundation, for rules

What is real: `stacks.program`, our `aws` provider (its tables, rules and refusals) on moto in this process,
the components of our `eks` plugin, transforms. What is not: the engine (a monitor here does what it does:
order, checks, creates, transforms, `ignoreChanges`, updates, deletes), control planes and machines (nothing
is started), and Kubernetes (`account.objects` has what the program registered; nothing is applied). An
environment is deployed whole, even where its settings name slices. Nothing is previewed.

A sabotage is one change, and `deploy` raises `Refused` with what was refused, a sentence each:

    deploy("local", settings=put("foundations.main.network.nat", "zonal"))           # of the settings
    deploy("local", settings=lambda file: file["clusters"]["spark-a"].update(...))
    deploy("local", arguments={Network: lambda args: replace(args, nat="zonal")})    # of a component
    deploy("local", inputs={"Route::main-private-*": gone})                          # of a rendered resource
    deploy("local", inputs={"VpcEndpoint::main-ecr-api": {"policy": "{}"}})          # inputs replaced
    deploy("local", inputs={"Role::spark-a-node": lambda inputs: {...}})

Names in `inputs` are `<last word of the type>::<logical name>`, with `*` for any text; a change that meets no
resource is a mistake. Settings that the model itself refuses raise `InvalidDocument` as ever. Mistakes that
rules only do not know are in `account.unknowns`.

A second `account.deploy(...)` is the next `up` of the same environment: it updates, replaces and deletes,
and raises what it broke of all that stands; the first one of all layers, what would not work.
"""

import asyncio
import atexit
import contextvars
import copy
import json
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pulumi
import yaml
from google.protobuf import empty_pb2
from moto import mock_aws
from pulumi.provider.server import ProviderServicer
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockEngine, MockSettings
from pulumi.runtime.proto import callback_pb2, provider_pb2, resource_pb2
from pulumi.runtime.settings import configure
from pulumi.runtime.stack import run_in_stack, wait_for_rpcs

from aws_rules.access.identity import PRINCIPAL, unauthorized
from aws_rules.network.deployer import ANYWHERE
from localcloud import moto_caches, unknowns
from localcloud.authenticator import Authenticator
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.credentials import Principal, principal
from localcloud.errors import Refusal
from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.aws.refusals.broken_dependents import broken_dependents
from localcloud.plugins.aws.refusals.network import refuse_unreachable
from localcloud.plugins.aws.refusals.permissions.associations import ServiceAccount
from localcloud.plugins.aws.refusals.permissions.releases import ClusterRelease, refuse_unpermitted
from localcloud.plugins.eks import kubeconfig
from localcloud.plugins.eks import reference as eks_reference
from localcloud.plugins.eks.plugin import Plugin
from localcloud.plugins.kubernetes.charts import short_name
from localcloud.plugins.provider import InitializationFailed, Naming, Target
from localcloud.plugins.values import from_wire, reveal, to_wire
from localcloud.project import identity_at_hand
from stacks import program
from stacks import settings as settings_module
from stacks.layer_table import LAYERS
from stacks.slices import Slice, units
from tests.support.stack_traces import without_stack_traces

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

LIKE_NO_OTHER = ["prod", "local", EXAMPLES / "two-accounts.yaml"]
SMALLER = ["test", "dev", "staging"]
"""Environments that `make test` follows through whole, and those that `make soak` does, being like prod."""

STACK = "pulumi:pulumi:Stack"
RELEASE = "kubernetes:helm.sh/v3:Release"
SERVICE_ACCOUNT = "kubernetes:core/v1:ServiceAccount"

Inputs = dict[str, Any]
Change = Callable[[Inputs], Inputs | None] | Mapping[str, Any]
"""What a sabotage makes of a resource's inputs; None: the resource is not made. A mapping replaces inputs."""


def gone(inputs: Inputs) -> None:
    """The change that leaves a resource out."""


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """The change of settings that puts a value at a dotted path; None takes it out."""

    def change(text: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        for name in parents:
            text = text.setdefault(name, {})
        if value is None:
            del text[last]
        else:
            text[last] = value

    return change


class Refused(Exception):
    """What was refused as the environment came up, a sentence each."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True)
class Resource:
    """One resource as it is: of AWS, or a Kubernetes object or release as the program registered it."""

    urn: str
    type: str
    name: str
    id: str
    inputs: Inputs
    outputs: Inputs


@dataclass
class Account:
    """An environment that is up.

    resources: every resource by URN; component resources too, with their outputs.
    outputs: of the stack: `<layer>/<place>` -> outputs of the unit.
    """

    cloud: Cloud
    settings: settings_module.Environment
    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: Inputs = field(default_factory=dict)
    machines: list[Any] = field(default_factory=list)
    _states: dict[str, "State"] = field(default_factory=dict)
    releases: list[ClusterRelease] = field(default_factory=list)
    service_accounts: list[ServiceAccount] = field(default_factory=list)
    _text: dict[str, Any] = field(default_factory=dict)
    _layers: Collection[str] = ()

    def api(self, foundation: str = "") -> Api:
        """AWS as the provider of a foundation sees it, by default the home cluster's."""
        provider = self._provider(foundation or self.settings.home_foundation)
        return provider.api

    def client(self, service: str, foundation: str = "") -> Any:
        """A boto3-like client, with what the laptop keeps beside moto: EKS's add-ons and so on."""
        return self.api(foundation).service(service)

    def of(self, kind: str) -> dict[str, Resource]:
        """Resources of a type, by logical name; the type's last word is enough: `Vpc`."""
        return {
            resource.name: resource
            for resource in self.resources.values()
            if kind in (resource.type, resource.type.rpartition(":")[2])
        }

    @property
    def objects(self) -> list[Inputs]:
        """What the program gave Kubernetes: objects, and releases of charts with their values."""
        return [
            resource.inputs for resource in self.resources.values() if resource.type.startswith("kubernetes:")
        ]

    @property
    def unknowns(self) -> list[str]:
        """What rules did not know."""
        return unknowns.noted(self.cloud)

    def deploy(
        self,
        *,
        settings: Callable[[dict[str, Any]], object] | None = None,
        arguments: Mapping[type, Callable[[Any], Any]] | None = None,
        inputs: Mapping[str, Change] | None = None,
    ) -> "Account":
        """The next `up`: the settings as they are, with these changes; what they change stays changed.

        Changes of arguments and inputs are for this `up` only. Raises Refused; as after an `up` that failed,
        what was made before is there.
        """
        text = self._text if settings is None else _changed(self._text, settings)
        self.settings = settings_module.parse(yaml.safe_dump(text), "settings")
        self._text, again = text, bool(self.resources)
        _Run(self, arguments or {}, inputs or {}).up()
        # With some layers, most has been asked as it was made; a whole `up` asks again, as does a later one.
        whole = set(self._layers) == set(LAYERS)
        if (again or whole) and (sentences := self.broken_dependents()):
            raise Refused(sentences)
        return self

    def broken_dependents(self) -> list[str]:
        """What stands and would not work, as AWS is now."""
        clusters = [outputs["name"] for key, outputs in self.outputs.items() if key.startswith("cluster/")]
        return broken_dependents(self.cloud, clusters, self.releases, self.service_accounts)

    def _provider(self, foundation: str) -> Aws:
        [provider] = [
            state.provider
            for urn, state in self._states.items()
            if urn.endswith(f"pulumi:providers:aws::{foundation}") and state.provider
        ]
        return provider


@dataclass
class State:
    """What an engine keeps of a resource."""

    target: Target
    inputs: Inputs
    outputs: Inputs
    provider: Aws | None = None


@dataclass(frozen=True)
class Plane:
    """Stands in for a control plane, which is not started."""

    cloud: Cloud
    name: str
    certificate_authority: str = "Y2VydGlmaWNhdGU="

    @property
    def endpoint(self) -> str:
        """An address that nothing answers at."""
        return f"https://{self.name}.eks.invalid"

    def start(self) -> None:
        """Nothing."""

    remove = start

    def alive(self) -> bool:
        """It does not run."""
        return False


moto_caches.install()


@contextmanager
def laptop() -> Iterator[Cloud]:
    """An empty AWS in this process, and a cloud's folder, for any number of environments."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory()))
        # moto's images are thousands, read again for each account, and none of them EKS's.
        without_images = {"MOTO_EC2_LOAD_DEFAULT_AMIS": "false"}
        stack.enter_context(patch.dict(os.environ, {"MOKA_CLOUD": str(home), **without_images}))
        stack.enter_context(mock_aws(config={"iam": {"load_aws_managed_policies": True}}))
        stack.enter_context(patch.object(AwsServer, "url", None))
        for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE", "MOKA_MACHINES"):
            os.environ.pop(name, None)
        yield Cloud(home)


_LAPTOPS = ExitStack()


@atexit.register
def close() -> None:
    """Take the AWS of this process away again, so that nothing else meets it."""
    _LAPTOPS.close()


def deploy(
    environment: str | Path = "local",
    *,
    settings: Callable[[dict[str, Any]], object] | None = None,
    arguments: Mapping[type, Callable[[Any], Any]] | None = None,
    inputs: Mapping[str, Change] | None = None,
    layers: Collection[str] = tuple(LAYERS),
    cloud: Cloud | None = None,
) -> Account:
    """Bring up an environment: a name in stacks/, or the path of a settings file. Raises Refused.

    layers: of them, and with those that they read, only: `("foundation", "cluster")` is faster, and has
        nothing in Kubernetes; `("foundation", "cluster", "ingress")` has, and so asks for the API server.
    cloud: of a `laptop()`, for a second environment beside a first; without, each has an AWS of its own, and
        the one before is gone.
    """
    if cloud is None:
        close()
        cloud = _LAPTOPS.enter_context(laptop())
    path = environment if isinstance(environment, Path) else settings_module.path_of(environment)
    text = _whole(path)
    account = Account(
        cloud, settings_module.parse(yaml.safe_dump(text), str(path)), _text=text, _layers=layers
    )
    return account.deploy(settings=settings, arguments=arguments, inputs=inputs)


def _whole(path: Path) -> dict[str, Any]:
    """A settings file without slices."""
    text: dict[str, Any] = yaml.safe_load(path.read_text())
    for name in ("slices", "waves"):
        text.pop(name, None)
    return text


def _changed(text: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    # Through YAML, so that what an anchor shares is changed in one place only.
    text = copy.deepcopy(yaml.safe_load(yaml.dump(text, Dumper=_WithoutAnchors)))
    change(text)
    return text


class _WithoutAnchors(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def few_groups(settings: dict[str, Any]) -> None:
    """The change of `local` that leaves it few groups of machines: enough for what is not about them."""
    groups = settings["clusters"]["spark-a"]["node_groups"]
    settings["clusters"]["spark-a"].pop("shuffle")
    for name in set(groups) - {"system", "driver-arm64", "executor-amd64"}:
        del groups[name]
    for name in ("system", "driver-arm64"):
        groups[name] |= {"zones": ["us-east-1a"]}


class _Run:
    """One `up`: the monitor that a program's SDK talks to, and what it does with resources."""

    def __init__(
        self,
        account: Account,
        arguments: Mapping[type, Callable[[Any], Any]],
        inputs: Mapping[str, Change],
    ) -> None:
        self.account, self.arguments, self.changes = account, arguments, inputs
        self.met: set[str] = set()
        self.refusals: list[str] = []
        self.seen: set[str] = set()
        self.transforms: dict[str, list[pulumi.ResourceTransform]] = {}
        self.parents: dict[str, str] = {}
        self.wires: dict[str, tuple[str, Any]] = {}
        self.callbacks = _Callbacks()
        self.servers: dict[str, str] = {}
        self.signed_in: dict[str, str] = {}
        self.reached: set[str] = set()
        # moto's clients are not for several threads at once, and Python would not run them side by side.
        self.lock = threading.Lock()

    # --- the run ---

    def up(self) -> None:
        """Run the program, then delete what it no longer has."""
        unknowns.clear(self.account.cloud)
        self.account.releases.clear()
        self.account.service_accounts.clear()
        replaced = patch.dict(rpc._RESOURCE_MODULES, {"eks:index": [eks_reference.References()]})
        with (
            replaced,
            without_stack_traces(),
            patch.object(eks_backend, "control_plane", self._plane),
            patch.object(eks_backend, "apply_machines", self._machines),
            patch.object(kubeconfig, "for_cluster", _kubeconfig),
            ExitStack() as stack,
        ):
            for component, change in self.arguments.items():
                stack.enter_context(self._changed_arguments(component, change))
            failure = self._in_thread(self._program)
        if self.refusals:
            raise Refused(self.refusals)
        if failure is not None:
            raise failure
        unmet = [
            *(self.changes.keys() - self.met),
            *(kind for kind in self.arguments if kind not in self.met),
        ]
        assert not unmet, f"the program has nothing that this changes: {unmet}"
        # What was made last first, as it may need what was made before.
        for urn in [urn for urn in reversed(self.account._states) if urn not in self.seen]:
            self._delete(urn)
        if self.refusals:
            raise Refused(self.refusals)

    def _in_thread(self, main: Callable[[], Any]) -> BaseException | None:
        """Run a coroutine with settings of the SDK of its own, so that no later test meets them."""
        failures: list[BaseException] = []

        async def quietly() -> None:
            # Whatever waits for a resource that is refused fails with it, and nobody asks.
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)
            await main()

        def run() -> None:
            try:
                asyncio.run(quietly())
            except (Exception, SystemExit) as error:
                failures.append(error)

        thread = threading.Thread(target=contextvars.Context().run, args=(run,))
        thread.start()
        thread.join()
        return failures[0] if failures else None

    async def _program(self) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(64))
        self._configure()
        settings = self.account.settings
        deployed = frozenset(unit for unit in units(settings) if unit.layer in self.account._layers)
        piece = Slice(settings.environment, deployed)
        await run_in_stack(lambda: program.deploy(settings, piece))

    def _configure(self) -> None:
        environment = self.account.settings.environment
        configure(
            MockSettings(
                monitor=self,
                engine=MockEngine(None),
                project="moka",
                stack=environment,
                dry_run=False,
                organization="organization",
                root_directory=str(EXAMPLES.parent),
                parallel=0,
                legacy_apply_enabled=False,
                outputs=set(),
                lock=threading.Lock(),
                package_refs={},
                feature_support={},
                callbacks=self.callbacks,
            )
        )

    def _plane(self, subject: Any, cluster: str) -> Plane:
        return Plane(subject.api.cloud, cluster)

    def _machines(self, plane: Plane, group: Any) -> None:
        self.account.machines.append(group)

    @contextmanager
    def _changed_arguments(self, component: type, change: Callable[[Any], Any]) -> Iterator[None]:
        original = component.__init__  # type: ignore[misc]

        def init(this: Any, name: str, args: Any, *rest: Any, **more: Any) -> None:
            self.met.add(component)  # type: ignore[arg-type]
            original(this, name, change(args), *rest, **more)

        with patch.object(component, "__init__", init):
            yield

    # --- what the SDK calls ---

    def SupportsFeature(self, request: Any) -> Any:
        unsupported = ("parameterization", "errorHooks", "invokeTransforms")
        return resource_pb2.SupportsFeatureResponse(hasSupport=request.id not in unsupported)

    def RegisterResourceOutputs(self, request: Any) -> Any:
        urn, outputs = request.urn, reveal(from_wire(request.outputs))
        if urn.split("::")[2] == STACK:
            self.account.outputs = outputs
        elif urn in self.account.resources:
            old = self.account.resources[urn]
            self.account.resources[urn] = Resource(urn, old.type, old.name, "", old.inputs, outputs)
        return empty_pb2.Empty()

    def SignalAndWaitForShutdown(self, request: Any) -> Any:
        return empty_pb2.Empty()

    def ReadResource(self, request: Any) -> Any:
        """A reference to another stack, of which there is none: a layer that is read must be deployed too."""
        urn = self._urn(request)
        return resource_pb2.ReadResourceResponse(
            urn=urn, properties=to_wire({"name": request.name, "outputs": {}})
        )

    def Invoke(self, request: Any) -> Any:
        arguments = from_wire(request.args)
        match request.tok:
            case "pulumi:pulumi:getResource":
                id, state = self.wires[arguments["urn"]]
                answer = to_wire({"urn": arguments["urn"], "id": id})
                answer.fields["state"].struct_value.CopyFrom(state)
                return provider_pb2.InvokeResponse(**{"return": answer})
            case "pulumi:pulumi:readStackOutputs":
                outputs: Inputs = {"outputs": {}}
            case _:
                with self.lock:
                    outputs = self._aws(request.provider).invoke(request.tok, arguments)
        return provider_pb2.InvokeResponse(**{"return": to_wire(outputs)})

    def RegisterResource(self, request: Any) -> Any:
        urn = self._urn(request)
        if request.type == STACK:
            return resource_pb2.RegisterResourceResponse(urn=urn)
        self.seen.add(urn)
        transforms = [self.callbacks.transforms[callback.token] for callback in request.transforms]
        # A remote component is registered twice: by the program, with its transforms, and by its plugin.
        self.transforms.setdefault(urn, []).extend(transforms)
        try:
            if request.remote:
                return self._construct(request)
            id, outputs = self._register(urn, request)
        except (Refusal, InitializationFailed) as error:
            self.refusals += [line for line in str(error).splitlines() if line not in self.refusals]
            raise
        self.wires[urn] = (id, outputs)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=id, object=outputs)

    # --- resources ---

    def _urn(self, request: Any) -> str:
        parents = request.parent.split("::")[2] if request.parent else STACK
        chain = request.type if parents == STACK else f"{parents}${request.type}"
        return f"urn:pulumi:{self.account.settings.environment}::moka::{chain}::{request.name}"

    def _construct(self, request: Any) -> Any:
        """A component of the `eks` plugin, in an event loop of its own, as in its process."""
        response: list[Any] = []

        async def construct() -> None:
            self._configure()
            servicer = ProviderServicer(Plugin(), [], "")
            inputs = await servicer._construct_inputs(request.object, request.propertyDependencies)
            options = servicer._construct_options(
                provider_pb2.ConstructRequest(
                    parent=request.parent,
                    dependencies=request.dependencies,
                    providers=request.providers,
                    protect=request.protect,
                    ignoreChanges=request.ignoreChanges,
                )
            )
            result = servicer.provider.construct(request.name, request.type, inputs, options)
            response.append(await servicer._construct_response(result))
            await wait_for_rpcs(await_all_outstanding_tasks=False)

        failure = self._in_thread(construct)
        if failure is not None:
            raise failure
        urn, state = response[0].urn, response[0].state
        self.wires[urn] = ("", state)
        return resource_pb2.RegisterResourceResponse(urn=urn, object=state, propertyDependencies={})

    def _register(self, urn: str, request: Any) -> tuple[str, Any]:
        wire, ignored = self._transformed(urn, request)
        inputs = from_wire(wire)
        inputs_or_none = self._sabotaged(request, inputs)
        if inputs_or_none is None:
            self.seen.discard(urn)
            return "gone", wire
        inputs = inputs_or_none
        if request.type == "pulumi:providers:aws":
            with self.lock:
                self._configure_provider(urn, inputs)
            id, outputs = "id", inputs
        elif request.type.startswith("aws:"):
            with self.lock:
                id, outputs = self._apply(urn, self._aws(request.provider), inputs, ignored)
        else:
            if request.type == "pulumi:providers:kubernetes":
                config = json.loads(reveal(inputs["kubeconfig"]))
                self.servers[urn] = config["server"]
                self.signed_in[config["server"]] = config["principal"]
            elif request.type.startswith("kubernetes:"):
                server = self.servers[request.provider.rpartition("::")[0]]
                self._dial(server)
                if request.type == RELEASE:
                    self._release(_cluster(server), reveal(inputs))
                elif request.type == SERVICE_ACCOUNT:
                    metadata = reveal(inputs["metadata"])
                    self.account.service_accounts.append(
                        ServiceAccount(_cluster(server), metadata["namespace"], metadata["name"])
                    )
            id, outputs = f"{request.name}-id" if request.custom else "", inputs
        self.account.resources[urn] = Resource(
            urn, request.type, request.name, id, reveal(inputs), reveal(outputs)
        )
        return id, to_wire(outputs)

    def _dial(self, server: str) -> None:
        """The first request to an API server: whether it is reached from where `up` runs, and lets it in."""
        with self.lock:
            if server not in self.reached:
                deployer = self.account.settings.deployer_network or ANYWHERE
                refuse_unreachable(
                    self.account.cloud, AwsServer(self.account.cloud).url, _cluster(server), server, deployer
                )
                if arn := self.signed_in[server]:
                    _enter(self.account.cloud, _cluster(server), arn)
                self.reached.add(server)

    def _release(self, cluster: str, inputs: Inputs) -> None:
        """What the `kubernetes` plugin asks before Helm begins."""
        release = ClusterRelease(
            cluster, short_name(inputs["chart"]), inputs["namespace"], inputs.get("values") or {}
        )
        with self.lock:
            refuse_unpermitted(self.account.cloud, *release)
        self.account.releases.append(release)

    def _transformed(self, urn: str, request: Any) -> tuple[Any, list[str]]:
        """Inputs after the transforms of the resource and of those that it is in, and what to ignore."""
        wire, ignored = request.object, list(request.ignoreChanges)
        chain, parent = [urn], request.parent
        while parent:
            chain.append(parent)
            parent = self.parents.get(parent, "")
        self.parents[urn] = request.parent
        for place in chain:
            for transform in self.transforms.get(place, ()):
                args = pulumi.ResourceTransformArgs(
                    custom=request.custom,
                    type_=request.type,
                    name=request.name,
                    props=reveal(from_wire(wire)),
                    opts=pulumi.ResourceOptions(),
                )
                result = transform(args)
                if result is not None:
                    wire = to_wire(result.props)
                    ignored += result.opts.ignore_changes or []
        return wire, ignored

    def _sabotaged(self, request: Any, inputs: Inputs) -> Inputs | None:
        name = f"{request.type.rpartition(':')[2]}::{request.name}"
        for pattern, change in self.changes.items():
            if fnmatchcase(name, pattern):
                self.met.add(pattern)
                if isinstance(change, Mapping):
                    changed = {**inputs, **change}
                    inputs = {key: value for key, value in changed.items() if value is not None}
                else:
                    result = change(copy.deepcopy(reveal(inputs)))
                    if result is None:
                        return None
                    inputs = result
        return inputs

    # --- AWS ---

    def _configure_provider(self, urn: str, inputs: Inputs) -> None:
        provider = Aws(self.account.cloud, None)  # type: ignore[arg-type]
        provider.stack = self.account.settings.environment
        provider.configure(inputs)
        self.account._states[urn] = State(Target(urn, "id"), inputs, inputs, provider)

    def _aws(self, reference: str) -> Aws:
        urn = reference.rpartition("::")[0]
        if urn not in self.account._states:
            self.seen.add(urn)
            self._configure_provider(urn, {})
        provider = self.account._states[urn].provider
        assert provider is not None
        return provider

    def _apply(self, urn: str, provider: Aws, inputs: Inputs, ignored: list[str]) -> tuple[str, Inputs]:
        """Create or update it, or make it anew, as an engine would."""
        states, target = self.account._states, Target(urn)
        old = states.get(urn)
        if old is not None:
            for path in ignored:
                _keep(path.split("."), old.inputs, inputs)
        before = old.inputs if old else {}
        checked, failures = provider.check(target, before, inputs, Naming(seed=urn.encode()))
        if failures:
            raise Refusal("\n".join(f"{target.type} {target.name}: {failure.reason}" for failure in failures))
        if old is not None:
            diff = provider.diff(old.target, old.inputs, old.outputs, checked)
            if not diff.kinds:
                return old.target.id, old.outputs
            if not diff.replaces:
                outputs = provider.update(old.target, old.inputs, old.outputs, checked, False, 0)
                states[urn] = State(old.target, checked, outputs, provider)
                return old.target.id, outputs
            if diff.delete_before_replace:
                provider.delete(old.target, old.inputs, old.outputs, 0)
        id, outputs = provider.create(target, checked, False, 0)
        if old is not None and not diff.delete_before_replace:
            provider.delete(old.target, old.inputs, old.outputs, 0)
        states[urn] = State(Target(urn, id), checked, outputs, provider)
        return id, outputs

    def _delete(self, urn: str) -> None:
        state = self.account._states.pop(urn)
        self.account.resources.pop(urn, None)
        if state.provider is not None and not urn.split("::")[2].endswith("providers:aws"):
            try:
                state.provider.delete(state.target, state.inputs, state.outputs, 0)
            except Refusal as refusal:
                self.refusals.append(str(refusal))


def _cluster(server: str) -> str:
    """The cluster of a `Plane`'s endpoint."""
    return server.removeprefix("https://").partition(".")[0]


def _kubeconfig(endpoint: str, _: str, cluster: str, options: Mapping[str, Any]) -> Inputs:
    """Where a cluster is, and whose credentials `up` has there, if anybody says so."""
    _arn, partition, _service, _region, account, _name = cluster.split(":", 5)
    at_hand = identity_at_hand(EXAMPLES.parent, pulumi.get_stack(), account, partition)
    return {"server": endpoint, "principal": options.get("roleArn") or at_hand or ""}


def _enter(cloud: Cloud, cluster: str, arn: str) -> None:
    """Raise Refusal where EKS would not let a principal in, or its policies not let it make namespaces."""
    authenticator = Authenticator(cloud, cluster, _SignedIn(arn))  # type: ignore[arg-type]
    review = authenticator.token_review({"spec": {"token": ""}})
    if not review["authenticated"]:
        raise Refusal(str(unauthorized(cluster, arn)))
    request = {"verb": "create", "group": "", "resource": "namespaces"}
    spec = {"extra": {PRINCIPAL: [arn]}, "resourceAttributes": request}
    if not authenticator.access_review({"spec": spec})["allowed"]:
        name = review["user"]["username"]
        raise Refusal(
            f'namespaces is forbidden: User "{name}" cannot create resource "namespaces" in API group "" at '
            "the cluster scope"
        )


@dataclass(frozen=True)
class _SignedIn:
    """Credentials that are a principal's, whatever the token."""

    arn: str

    def principal(self, _: str) -> Principal:
        """Whose they are."""
        return principal(self.arn)


class _Callbacks:
    """Takes transforms and hooks of resources, in place of the SDK's server, which only an engine calls."""

    def __init__(self) -> None:
        self.transforms: dict[str, pulumi.ResourceTransform] = {}

    def register_transform(self, transform: pulumi.ResourceTransform) -> callback_pb2.Callback:
        """Keep it under a token."""
        token = str(id(transform))
        self.transforms[token] = transform
        return callback_pb2.Callback(token=token, target="here")

    def register_resource_hook(self, hook: pulumi.ResourceHook) -> None:
        """Hooks run on updates and deletes by a real engine only."""


def _keep(path: list[str], old: Inputs, new: Inputs) -> None:
    """Give `new` the value that `old` has at a path; `*` is all of it."""
    first, *rest = path
    if first == "*":
        new.clear()
        new.update(copy.deepcopy(old))
    elif rest and isinstance(old.get(first), dict) and isinstance(new.get(first), dict):
        _keep(rest, old[first], new[first])
    elif not rest and first in old:
        new[first] = old[first]
    elif not rest:
        new.pop(first, None)
