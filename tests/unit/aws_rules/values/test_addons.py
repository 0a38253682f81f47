"""Configurations of add-ons: refused in EKS's words, and not refused where no schema is at hand."""

import json

import pytest

from aws_rules.rule import Unknown
from aws_rules.values import addons
from aws_rules.values.request import Request
from moka.components.aws.addon_configuration import (
    EBS_CSI_DRIVER,
    POD_IDENTITY_AGENT,
    coredns_configuration,
    vpc_cni_configuration,
)


def verdicts(addon, configuration):
    text = configuration if isinstance(configuration, str) else json.dumps(configuration)
    members = {"addonName": addon, "configurationValues": text}
    call = Request(resource="it", service="eks", operation="CreateAddon", members=members, region="us-east-1")
    return list(addons.configuration(call))


@pytest.mark.parametrize(
    ("addon", "configuration", "words"),
    [
        (
            "vpc-cni",
            {"env": {"WARM_PREFIX_TARGET": 1}},
            "[$.env.WARM_PREFIX_TARGET: integer found, string",
        ),
        ("vpc-cni", {"enableNetworkPolicy": True}, "[$.enableNetworkPolicy: boolean found, string expected]"),
        ("vpc-cni", {"eniConfig": {"subnets": {"a": {"id": 1}}}}, "[$.eniConfig.subnets.a.id: integer found"),
        ("coredns", {"replicaCount": "three"}, "[$.replicaCount: string found, integer expected]"),
        ("coredns", {"autoScaling": True}, "[$.autoScaling: boolean found, object expected]"),
        ("coredns", "null", "[$: null found, object expected]"),
        ("kube-proxy", "[]", "[$: array found, object expected]"),
        ("coredns", "{broken", "ConfigurationValue provided in request is not supported"),
    ],
)
def test_what_the_schema_has_in_another_type_is_refused(addon, configuration, words):
    [refusal] = verdicts(addon, configuration)

    assert refusal.code == "InvalidParameterException"
    assert words in refusal.message


@pytest.mark.parametrize(
    ("addon", "configuration"),
    [("vpc-cni", {"env": {"NEW": "1"}}), ("coredns", {"replicas": 3}), ("efs", {}), ("coredns", "a: 1")],
)
def test_what_no_schema_at_hand_has_is_not_decided(addon, configuration):
    assert [type(verdict) for verdict in verdicts(addon, configuration)] == [Unknown]


@pytest.mark.parametrize(
    ("addon", "configuration"),
    [
        ("vpc-cni", vpc_cni_configuration("us-east-1", {"us-east-1a": "subnet-1"})),
        ("coredns", coredns_configuration(100, 1000)),
        ("aws-ebs-csi-driver", EBS_CSI_DRIVER),
        ("eks-pod-identity-agent", POD_IDENTITY_AGENT),
    ],
)
def test_the_configurations_of_the_platform_are_taken(addon, configuration):
    assert verdicts(addon, configuration) == []
