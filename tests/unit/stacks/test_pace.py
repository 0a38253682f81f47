import pulumi
import pulumi_aws as aws

from stacks import pace

TURNS = 100
"""More than a registration takes."""


def test_what_is_made_goes_to_the_engine_before_the_program_ends(deploy):
    answered = []
    at_the_end = []

    def program():
        aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16").urn.apply(answered.append)
        while not answered and len(at_the_end) < TURNS:
            pace.let_go()
            at_the_end.append(list(answered))

    deploy(program)
    assert len(at_the_end[-1]) == 1


def test_debug_messages_of_the_sdk_stay_here_unless_asked_for(monkeypatch):
    said = []
    monkeypatch.setattr(pulumi.log, "debug", said.append)

    monkeypatch.setenv("MOKA_DEBUG", "1")
    pace.quiet()
    pulumi.log.debug("heard")
    monkeypatch.delenv("MOKA_DEBUG")
    pace.quiet()
    pulumi.log.debug("not heard")

    assert said == ["heard"]
