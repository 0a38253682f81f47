import time

import pulumi
import pulumi_aws as aws

from stacks import sdk_tuning

PATIENCE = 30.0
"""Seconds after which no answer will come any more."""


def test_what_is_made_is_answered_while_the_program_goes_on(deploy):
    answered = []
    in_time = []

    def program():
        aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16").urn.apply(answered.append)
        end = time.monotonic() + PATIENCE
        while not answered and time.monotonic() < end:
            sdk_tuning.flush_registrations()
        in_time.extend(answered)

    deploy(program)
    assert len(in_time) == 1


def test_debug_messages_of_the_sdk_stay_here_unless_asked_for(monkeypatch):
    said = []
    monkeypatch.setattr(pulumi.log, "debug", said.append)

    monkeypatch.setenv("MOKA_DEBUG", "1")
    sdk_tuning.silence_debug_messages()
    pulumi.log.debug("heard")
    monkeypatch.delenv("MOKA_DEBUG")
    sdk_tuning.silence_debug_messages()
    pulumi.log.debug("not heard")

    assert said == ["heard"]
