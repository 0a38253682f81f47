import time
from itertools import takewhile
from pathlib import Path

import grpc
import grpc.aio
import pulumi
import pulumi_aws as aws
import pytest
from pulumi.runtime import resource, settings

from moka.components.aws.key import Key, KeyArgs
from stacks import sdk_tuning

PATIENCE = 30.0
"""Seconds after which no answer will come any more."""

WHOLE = resource._get_stack_trace
"""The SDK's own."""


def test_what_is_made_is_answered_while_the_program_goes_on(deploy):
    urns = []
    in_time = []

    def program():
        aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16").urn.apply(urns.append)
        end = time.monotonic() + PATIENCE
        while not urns and time.monotonic() < end:
            sdk_tuning.flush_registrations()
        in_time.extend(urns)

    deploy(program)
    assert len(in_time) == 1


def test_debug_messages_of_the_sdk_stay_here_unless_asked_for(monkeypatch):
    messages = []
    monkeypatch.setattr(pulumi.log, "debug", messages.append)

    monkeypatch.setenv("MOKA_DEBUG", "1")
    sdk_tuning.silence_debug_messages()
    pulumi.log.debug("heard")
    monkeypatch.delenv("MOKA_DEBUG")
    sdk_tuning.silence_debug_messages()
    pulumi.log.debug("not heard")

    assert messages == ["heard"]


@pytest.mark.parametrize(
    "code, details, kind",
    [
        (grpc.StatusCode.UNKNOWN, "resource monitor shut down", pulumi.RunError),
        (grpc.StatusCode.UNAVAILABLE, "", pulumi.RunError),
        (grpc.StatusCode.UNKNOWN, "the name is taken", Exception),
    ],
)
def test_only_an_end_that_the_engine_has_given_the_reason_of_is_a_line(monkeypatch, code, details, kind):
    # Put back afterwards.
    monkeypatch.setattr(settings, "grpc_error_to_exception", settings.grpc_error_to_exception)
    error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)

    sdk_tuning.end_without_traceback()

    # As the SDK's registrations do.
    with pytest.raises(kind) as raised:
        settings.handle_grpc_error(error)
    assert type(raised.value) is kind
    assert details in str(raised.value) or kind is pulumi.RunError


def test_of_a_stack_trace_there_is_what_is_within_the_program(traces):
    args = KeyArgs(alias="logs", description="logs", account_id="123456789012", region="us-east-1")
    pairs = traces(lambda: Key("logs", args))

    here = Path(__file__).as_uri()
    for trace, whole in pairs:
        within = list(takewhile(lambda frame: frame.pc.uri != here, whole.frames))
        assert list(trace.frames) == (within or list(whole.frames[:1]))
    assert {Path(trace.frames[0].pc.uri).name for trace, _ in pairs} >= {Path(__file__).name, "key.py"}


def test_code_that_is_in_no_file_has_no_place_in_a_stack_trace(traces):
    [(trace, whole)] = traces(lambda: exec("aws.ec2.Vpc('vpc')", {"aws": aws}))

    assert list(trace.frames) == list(whole.frames[:1])
    assert not trace.frames[0].pc.uri


@pytest.fixture
def traces(deploy):
    """Run a program -> for each resource, its trace within this file, and all that the SDK has of it."""

    def run(program):
        pairs = []

        def patched():
            sdk_tuning.shorten_stack_traces(__file__)
            shortened = resource._get_stack_trace

            def both():
                pairs.append((shortened(), WHOLE()))
                return pairs[-1][0]

            # `deploy` puts its own back.
            resource._get_stack_trace = both
            program()

        deploy(patched)
        return pairs

    return run
