import time

import pulumi
import pulumi_aws as aws

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
