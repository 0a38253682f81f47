"""How plugins serve the engine: its protocol, and errors as one sentence."""

import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NoReturn

import grpc
from google.protobuf import empty_pb2

from localcloud.cloud import Cloud
from localcloud.errors import Refusal
from localcloud.plugins.differences import Diff, path_text
from localcloud.plugins.protocol import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2
from localcloud.plugins.provider import Failure, InitializationFailed, Naming, Provider, Target
from localcloud.plugins.safety import refuse_unless_laptop
from localcloud.plugins.values import from_wire, to_wire


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """The engine's protocol, spoken for a `Provider`."""

    def __init__(self, provider: Provider, cloud: Cloud, version: str) -> None:
        self.provider, self.cloud, self.version = provider, cloud, version

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self.version)

    def Attach(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> Any:
        self.provider.cancel()
        return empty_pb2.Empty()

    def CheckConfig(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            inputs, failures = self.provider.check_config(from_wire(request.news))
            return provider_pb2.CheckResponse(inputs=to_wire(inputs), failures=_failures(failures))

    def DiffConfig(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            old = from_wire(request.old_inputs if request.HasField("old_inputs") else request.olds)
            return _diff(self.provider.diff_config(old, from_wire(request.news)))

    def Configure(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            self.provider.stack = Target(request.urn).stack if request.urn else ""
            self.provider.configure(from_wire(request.args))
            return provider_pb2.ConfigureResponse(
                acceptSecrets=True, supportsPreview=True, acceptResources=False, acceptOutputs=False
            )

    def Check(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            inputs, failures = self.provider.check(
                Target(request.urn), from_wire(request.olds), from_wire(request.news), _naming(request)
            )
            return provider_pb2.CheckResponse(inputs=to_wire(inputs), failures=_failures(failures))

    def Diff(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            return _diff(
                self.provider.diff(
                    Target(request.urn, request.id),
                    from_wire(request.old_inputs),
                    from_wire(request.olds),
                    from_wire(request.news),
                )
            )

    def Create(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            id, outputs = self.provider.create(
                Target(request.urn), from_wire(request.properties), request.preview, request.timeout
            )
            return provider_pb2.CreateResponse(id=id, properties=to_wire(outputs))

    def Read(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            result = self.provider.read(
                Target(request.urn, request.id), from_wire(request.inputs), from_wire(request.properties)
            )
            if result is None:
                return provider_pb2.ReadResponse()
            return provider_pb2.ReadResponse(
                id=result.id, inputs=to_wire(result.inputs), properties=to_wire(result.outputs)
            )

    def Update(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            outputs = self.provider.update(
                Target(request.urn, request.id),
                from_wire(request.old_inputs),
                from_wire(request.olds),
                from_wire(request.news),
                request.preview,
                request.timeout,
            )
            return provider_pb2.UpdateResponse(properties=to_wire(outputs))

    def Delete(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            self.provider.delete(
                Target(request.urn, request.id),
                from_wire(request.old_inputs),
                from_wire(request.properties),
                request.timeout,
            )
            return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        with self._errors_as_sentences(context):
            answer = self.provider.invoke(request.tok, from_wire(request.args))
            return provider_pb2.InvokeResponse(**{"return": to_wire(answer)})

    def _unimplemented(self, request: Any, context: Any) -> NoReturn:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "The laptop cloud's plugins do not serve this.")
        raise AssertionError("abort raises")

    Handshake = Parameterize = GetSchema = Call = Construct = List = GetMapping = GetMappings = _unimplemented

    @contextmanager
    def _errors_as_sentences(self, context: Any) -> Iterator[None]:
        try:
            yield
        except InitializationFailed as failure:
            details = provider_pb2.ErrorResourceInitFailed(
                id=failure.id,
                properties=to_wire(failure.outputs),
                inputs=to_wire(failure.inputs),
                reasons=[failure.reason],
            )
            status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=failure.reason)
            status.details.add().Pack(details)
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
            context.abort(grpc.StatusCode.UNKNOWN, failure.reason)
        except Refusal as refusal:
            context.abort(grpc.StatusCode.UNKNOWN, str(refusal))
        except Exception as error:
            sentence = self.provider.explain(error)
            if sentence is None:
                log = self.cloud.home / f"plugin-{self.provider.name}.log"
                with log.open("a") as file:
                    traceback.print_exception(error, file=file)
                message = " ".join(str(error).split())
                sentence = (
                    f"The {self.provider.name} plugin failed ({type(error).__name__}: {message}): "
                    f"please report it with {log}."
                )
            context.abort(grpc.StatusCode.UNKNOWN, sentence)


def _failures(failures: Sequence[Failure]) -> list[Any]:
    return [
        provider_pb2.CheckFailure(property=failure.property, reason=failure.reason) for failure in failures
    ]


def _naming(request: Any) -> Naming:
    if not request.HasField("autonaming"):
        return Naming(seed=request.randomSeed)
    autonaming = request.autonaming
    return Naming(
        seed=request.randomSeed,
        proposed=autonaming.proposed_name or None,
        disabled=autonaming.mode == provider_pb2.CheckRequest.AutonamingOptions.DISABLE,
    )


def _diff(diff: Diff) -> Any:
    response = provider_pb2.DiffResponse
    return response(
        changes=response.DIFF_SOME if diff.kinds else response.DIFF_NONE,
        diffs=sorted({str(path[0]) for path in diff.kinds}),
        replaces=sorted({path_text(path) for path in diff.replaces}),
        deleteBeforeReplace=diff.delete_before_replace,
        hasDetailedDiff=True,
        detailedDiff={
            path_text(path): provider_pb2.PropertyDiff(
                # In the engine's numbers, a replacement follows its kind.
                kind=int(kind.value + (path in diff.replaces)),  # type: ignore[arg-type]
                inputDiff=True,
            )
            for path, kind in diff.kinds.items()
        },
    )


THREADS = 32
"""Most requests at a time; the engine sends one for every resource whose dependencies are done."""


def serve(provider: Provider, version: str) -> int:
    """Serve a provider until the engine is gone; exit status. Refuses outside a laptop cloud."""
    try:
        refuse_unless_laptop(os.environ)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    # The engine ends its plugins so; a user's Ctrl-C reaches the engine only.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    engine = os.getppid()
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(ThreadPoolExecutor(THREADS), options=options)
    servicer = Servicer(provider, Cloud.of_environment(), version)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    while server.wait_for_termination(timeout=1.0):
        if os.getppid() != engine:
            # The engine was killed: stop waiting, finish what is under way, take nothing new.
            provider.cancel()
            server.stop(grace=60).wait()
            break
    return 0
