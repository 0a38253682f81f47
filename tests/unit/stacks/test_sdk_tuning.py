import time

import grpc
import grpc.aio
import pulumi
import pulumi_aws as aws
import pytest
from pulumi.runtime import resource, settings
from pulumi.runtime.proto import source_pb2

from stacks import sdk_tuning

PATIENCE = 30.0
"""Seconds after which no answer will come any more."""


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


def test_of_a_stack_trace_there_is_what_is_within_the_program(monkeypatch):
    monkeypatch.setattr(resource, "_get_stack_trace", lambda: trace("layers/logs.py", "entry.py", "stack.py"))

    sdk_tuning.shorten_stack_traces("/stacks/entry.py")
    sdk_tuning.shorten_stack_traces("/stacks/entry.py")

    assert resource._get_stack_trace() == trace("layers/logs.py")


def test_where_a_resource_is_registered_stays(monkeypatch):
    monkeypatch.setattr(resource, "_get_stack_trace", lambda: trace("entry.py", "stack.py"))

    sdk_tuning.shorten_stack_traces("/stacks/entry.py")

    assert resource._get_stack_trace() == trace("entry.py")


def trace(*files):
    places = [source_pb2.SourcePosition(uri=f"file:///stacks/{file}", line=7) for file in files]
    return source_pb2.StackTrace(frames=[source_pb2.StackFrame(pc=place) for place in places])
