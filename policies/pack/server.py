"""The engine's protocol for policy packs, spoken for our rules.

Not the SDK's `PolicyPack`: it reads and wraps a resource's properties anew for each policy, and
docs/decisions/0024 has what that costs with as many rules as ours. What is asked and how it is answered
is as there (pulumi_policy/policy.py).
"""

import sys
from collections.abc import Iterable, Mapping
from concurrent import futures
from contextlib import suppress
from dataclasses import replace
from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime import proto
from pulumi.runtime.proto import analyzer_pb2_grpc

from policies.pack.configuration import mistakes_of
from policies.pack.evaluation import Evaluation, Violation
from policies.pack.resource import Inputs, Resource
from policies.pack.rule import Level, Rule
from policies.pack.types import STACK
from policies.pack.wire import from_struct

PACK = "moka"
VERSION = "1.0.0"
CONFIGURATION_RULE = "policy-configuration"

EVERY_RULE = "all"
"""Stands for all rules in what the engine is given, which it spreads itself."""

MAX_MESSAGE_BYTES = 400 * 2**20
"""As the engine's own: all of a stack comes in one message."""

LEVELS: Mapping[Level, Any] = {
    "disabled": proto.DISABLED,
    "advisory": proto.ADVISORY,
    "mandatory": proto.MANDATORY,
    "remediate": proto.REMEDIATE,
}
SEVERITIES = {
    "low": proto.POLICY_SEVERITY_LOW,
    "medium": proto.POLICY_SEVERITY_MEDIUM,
    "high": proto.POLICY_SEVERITY_HIGH,
    "critical": proto.POLICY_SEVERITY_CRITICAL,
}
REPORTED: Mapping[Level, Level] = {"remediate": "mandatory"}
"""What is violated still after it was corrected is refused."""


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """Answers the engine.

    mistakes: why the configuration cannot be used, a line each; then nothing may ship.
    """

    def __init__(self, evaluation: Evaluation, mistakes: Iterable[str] = ()) -> None:
        self._evaluation = evaluation
        self._mistakes = list(mistakes)
        self._inputs: dict[str, Inputs] = {}

    def Handshake(self, request: Any, context: Any) -> Any:
        """Say that there is nothing to agree on."""
        return proto.AnalyzerHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        """The pack's version."""
        return proto.PluginInfo(version=VERSION)

    def GetAnalyzerInfo(self, request: Any, context: Any) -> Any:
        """The rules."""
        return proto.AnalyzerInfo(
            name=PACK,
            version=VERSION,
            supportsConfig=True,
            policies=[self._info(rule) for rule in self._evaluation.rules],
        )

    def Configure(self, request: Any, context: Any) -> Any:
        """Take what `--policy-pack-config` sets, over the configuration of the environment."""
        # The engine sends the level of every rule, its own where nothing is set.
        settings = {
            name: {**from_struct(config.properties), "level": _level(config.enforcementLevel)}
            for name, config in request.policyConfig.items()
            if name != EVERY_RULE
        }
        self._mistakes += [
            f"--policy-pack-config: {mistake}"
            for mistake in mistakes_of(settings, self._evaluation.rules, "")
        ]
        if not self._mistakes:
            self._evaluation = self._evaluation.with_settings(settings)
        return empty_pb2.Empty()

    def ConfigureStack(self, request: Any, context: Any) -> Any:
        """Nothing here depends on the stack beyond its environment."""
        return proto.AnalyzerStackConfigureResponse()

    def Analyze(self, request: Any, context: Any) -> Any:
        """What is wrong with a resource."""
        if self._mistakes:
            # Once for a stack, not for each of its resources.
            mistakes = self._mistakes if request.type == STACK else []
            return proto.AnalyzeResponse(diagnostics=[_mistake(sentence) for sentence in mistakes])
        resource = _resource(request)
        self._inputs[resource.urn] = resource.inputs
        violations = self._evaluation.violations(resource)
        return proto.AnalyzeResponse(diagnostics=[self._diagnostic(violation) for violation in violations])

    def AnalyzeStack(self, request: Any, context: Any) -> Any:
        """What is wrong with the resources of a stack together."""
        if self._mistakes:
            return proto.AnalyzeResponse()
        # They come with outputs, of which a preview knows less than of inputs; a stack has outputs only.
        resources = [
            replace(resource, inputs=self._inputs.get(resource.urn) or resource.inputs)
            for resource in map(_resource_of_stack, request.resources)
        ]
        violations = self._evaluation.stack_violations(resources)
        return proto.AnalyzeResponse(diagnostics=[self._diagnostic(violation) for violation in violations])

    def Remediate(self, request: Any, context: Any) -> Any:
        """A resource as rules that may correct would have it."""
        response = proto.RemediateResponse()
        if self._mistakes:
            return response
        inputs = None
        for rule in self._evaluation.correcting(request.type):
            if inputs is None:
                inputs = json_format.MessageToDict(request.properties)
            correction = self._evaluation.corrected(rule, _resource(request), inputs)
            if correction != inputs:
                inputs = correction
                remediation = proto.Remediation(
                    policyName=rule.name,
                    policyPackName=PACK,
                    policyPackVersion=VERSION,
                    description=rule.title,
                )
                json_format.ParseDict(dict(correction), remediation.properties)
                response.remediations.append(remediation)
                request.properties.CopyFrom(remediation.properties)
        return response

    def Cancel(self, request: Any, context: Any) -> Any:
        """Nothing runs between two questions."""
        return empty_pb2.Empty()

    def _info(self, rule: Rule) -> Any:
        return proto.PolicyInfo(
            name=rule.name,
            displayName=rule.name,
            description=rule.title,
            enforcementLevel=LEVELS[self._evaluation.configuration.level(rule)],
            severity=SEVERITIES[rule.severity],
            policy_type=proto.POLICY_TYPE_RESOURCE if rule.check else proto.POLICY_TYPE_STACK,
            tags=[rule.subject],
        )

    def _diagnostic(self, violation: Violation) -> Any:
        rule = violation.rule
        level = self._evaluation.configuration.level(rule)
        return proto.AnalyzeDiagnostic(
            policyName=rule.name,
            policyPackName=PACK,
            policyPackVersion=VERSION,
            description=rule.title,
            message=violation.sentence,
            urn=violation.urn,
            enforcementLevel=LEVELS[REPORTED.get(level, level)],
            severity=SEVERITIES[rule.severity],
        )


def _mistake(sentence: str) -> Any:
    return proto.AnalyzeDiagnostic(
        policyName=CONFIGURATION_RULE,
        policyPackName=PACK,
        policyPackVersion=VERSION,
        description="The configuration of the policies can be used.",
        message=sentence,
        enforcementLevel=proto.MANDATORY,
        severity=proto.POLICY_SEVERITY_CRITICAL,
    )


def _level(number: int) -> str:
    return next(name for name, level in LEVELS.items() if level == number)


def _resource(request: Any) -> Resource:
    return Resource(
        type=request.type,
        name=request.name,
        urn=request.urn,
        inputs=from_struct(request.properties),
        protected=request.options.protect,
        provider=request.provider.urn,
        parent=request.options.parent,
    )


def _resource_of_stack(request: Any) -> Resource:
    reads = {name: list(sources.urns) for name, sources in request.propertyDependencies.items()}
    return replace(_resource(request), parent=request.parent, reads=reads)


def serve(analyzer: Analyzer) -> None:
    """Answer on a port of loopback, which is printed for the engine, until the engine ends this process."""
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=4),
        options=[("grpc.max_receive_message_length", MAX_MESSAGE_BYTES)],
    )
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    # The engine interrupts its plugins when it is done with them.
    with suppress(KeyboardInterrupt):
        server.wait_for_termination()
