"""What AWS says beside what the laptop says."""

import json
from collections import Counter

import pytest
from pulumi_aws import ec2

from aws_rules.catalog import RULES
from conformance.refusals.catalog import ON_CLUSTER, PROBES
from conformance.refusals.comparison import as_json, compare, text
from conformance.refusals.exemptions import UNASKED
from conformance.refusals.probe import Probe

PROBE = Probe(
    rule="subnet-ranges", name="subnet", code="InvalidSubnet.Range", type=ec2.Subnet, inputs=lambda base: {}
)
AGREES = "creating EC2 Subnet: InvalidSubnet.Range: The CIDR '10.99.0.0/24' is invalid."


def shown(message):
    return text(
        "AWS", compare([PROBE], {"subnet": message}), {"nat-gateways": "it costs", "schedules": "it costs"}
    )


def test_each_rule_of_what_aws_or_eks_decide_has_a_probe_or_a_reason_why_none_asks():
    decided = Counter(rule.name for rule in RULES if rule.authority in ("AWS", "EKS"))

    probed = Counter({*(probe.rule for probe in PROBES)}) + Counter({*(probe.rule for probe in ON_CLUSTER)})
    assert probed + Counter(UNASKED.keys()) == decided


def test_no_two_probes_have_a_name():
    assert max(Counter(probe.name for probe in (*PROBES, *ON_CLUSTER)).values()) == 1


def test_the_same_code_is_no_difference():
    assert shown(AGREES) == (
        "AWS: 1 of 1 probes are refused as on the laptop. "
        "No probe asks about 2 further rules (--json says why)."
    )


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            "",
            "taken        subnet-ranges: subnet, which the laptop refuses with InvalidSubnet.Range",
        ),
        (
            "InvalidParameterValue: no",
            "other words  subnet-ranges: subnet, which the laptop refuses with InvalidSubnet.Range: "
            "InvalidParameterValue: no",
        ),
    ],
)
def test_a_difference_is_a_line_and_a_defect_of_the_laptop(message, line):
    lines = shown(message).splitlines()

    assert lines[0] == line
    assert lines[-1].startswith(
        "AWS: 1 of 1 probes are answered otherwise than the laptop does: a defect of it."
    )


def test_scripts_read_every_answer_and_what_nobody_asked():
    document = json.loads(as_json("AWS", compare([PROBE], {"subnet": AGREES}), {"schedules": "it costs"}))

    [answer] = document["answers"]
    assert (answer["rule"], answer["outcome"], answer["message"]) == ("subnet-ranges", "refused", AGREES)
    assert document["unasked"] == {"schedules": "it costs"}
