"""Probes of conformance, put to the laptop's AWS, which is simulated."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from pulumi_aws import ec2

from conformance.refusals.catalog import PROBES
from conformance.refusals.probe import Probe
from conformance.refusals.trial import answers
from localcloud.cloud import REGION, REPOSITORY

ACCOUNT = "123456789012"
BY_NAME = {probe.name: probe for probe in PROBES}
BEFORE_AWS, BY_AWS = BY_NAME["template-with-a-blank-in-its-name"], BY_NAME["subnet-of-another-network"]
RIGHT = Probe(
    rule="subnet-ranges",
    name="subnet-that-fits",
    code="InvalidSubnet.Range",
    type=ec2.Subnet,
    inputs=lambda base: {"vpc_id": base.vpc_id, "cidr_block": "10.213.7.0/24"},
)


@pytest.fixture
def in_its_shell(engine, monkeypatch):
    """As in a shell that is set up for the laptop."""
    environment = engine.environment()
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def test_what_is_refused_is_told_from_what_is_taken_and_nothing_is_left(in_its_shell, aws, tmp_path):
    networks = aws("ec2").describe_vpcs()["Vpcs"]
    broken = replace(BEFORE_AWS, name="another-template")

    messages = answers([BEFORE_AWS, BY_AWS, RIGHT, broken], ACCOUNT, REGION, tmp_path, lambda line: None)

    assert BEFORE_AWS.code in messages[BEFORE_AWS.name]
    assert BY_AWS.code in messages[BY_AWS.name]
    assert BEFORE_AWS.code in messages[broken.name]
    assert messages[RIGHT.name] == ""
    assert aws("ec2").describe_vpcs()["Vpcs"] == networks


def test_nothing_is_made_in_an_account_that_was_not_named(in_its_shell, aws):
    networks = aws("ec2").describe_vpcs()["Vpcs"]

    result = subprocess.run(
        [sys.executable, "-m", "conformance", "--account", "111122223333"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 2
    assert result.stderr == (
        "The credentials are of account 123456789012, not 111122223333: nothing was made.\n"
    )
    assert aws("ec2").describe_vpcs()["Vpcs"] == networks
