"""What holds for all rules about values, and for the data that they apply."""

import botocore.session
import pytest

from aws_rules import values
from aws_rules.values import calls, exceptions, model
from aws_rules.values.patterns import pattern
from aws_rules.values.request import Request
from aws_rules.values.schemas import document
from aws_rules.values.volumes import VOLUME_TYPES, volume_faults


@pytest.fixture(scope="module")
def service_model():
    return botocore.session.Session().get_service_model


def test_rules_have_names_of_their_own_and_sources():
    names = [rule.name for rule in values.RULES]

    assert len(set(names)) == len(names)
    assert all(rule.source.startswith("https://") or ": " in rule.source for rule in values.RULES)


def test_rules_are_of_calls_that_there_are(service_model):
    for service, operation in calls.CHECKS:
        assert operation in service_model(service).operation_names


def test_exceptions_are_of_shapes_and_types_that_there_are(service_model):
    for service, shape in [*exceptions.LOOSER, *exceptions.GROWING]:
        assert shape in service_model(service).shape_names
    for type, _, _ in exceptions.SCHEMA_LOOSER:
        assert document(type)["typeName"] == type


def test_what_the_model_requires_has_to_be_there_once_all_is_known(service_model):
    shape = service_model("eks").operation_model("CreateCluster").input_shape
    call = Request(
        resource="it", service="eks", operation="CreateCluster", members={"name": "a"}, region="us-east-1"
    )

    assert {verdict.path for verdict in model.verdicts(call, shape)} == {
        ("roleArn",),
        ("resourcesVpcConfig",),
    }
    assert list(model.verdicts(call, shape, whole=False)) == []


def test_a_pattern_that_python_does_not_have_says_nothing():
    assert pattern(r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*") is None
    assert pattern(r"[\p{L}\p{N}]+").fullmatch("ä1")
    assert not pattern(r"\w+").fullmatch("ä")


@pytest.mark.parametrize("name", VOLUME_TYPES)
def test_the_largest_volume_of_a_type_is_one(name):
    kind = VOLUME_TYPES[name]
    volume = {"VolumeType": name, "VolumeSize": kind.gib[1]}
    if kind.iops:
        volume["Iops"] = min(kind.iops[1], kind.gib[1] * kind.iops_per_gib)
    if kind.throughput:
        volume["Throughput"] = kind.throughput[1]

    assert list(volume_faults(volume)) == []


def test_gp3_has_the_throughput_of_its_default_iops():
    small = {"VolumeType": "gp3", "VolumeSize": 1}

    assert list(volume_faults(small | {"Throughput": 750})) == []
    [(member, message, remedy)] = volume_faults(small | {"Throughput": 751})
    assert (member, remedy) == ("Throughput", "set iops to 3004 or more, or a lower throughput")
    assert message.startswith("Throughput (MiBps) to iops ratio of 0.250333 is too high")
