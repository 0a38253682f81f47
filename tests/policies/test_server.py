"""The engine's protocol: what it asks, and what it is answered."""

import pytest
import yaml
from google.protobuf import json_format
from pulumi.runtime import proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from policies import start
from policies.catalog import RULES
from policies.pack import configuration
from policies.pack.configuration import Configuration
from policies.pack.evaluation import Evaluation
from policies.pack.server import Analyzer
from policies.pack.types import BUCKET_BLOCK, FLOW_LOG, KEY, LAUNCH_TEMPLATE, NETWORK_POLICY, VPC
from policies.pack.wire import SECRET, SIGNATURE
from policies.start import environment
from tests.policies.test_configuration import EXCEPTION

STACK = "pulumi:pulumi:Stack"


def analyzer(*mistakes, render=lambda release: [], **settings):
    return Analyzer(Evaluation(RULES, Configuration(settings), render), mistakes)


def request_for(analyzer, type, inputs, name="main"):
    request = proto.AnalyzeRequest(type=type, name=name, urn=f"urn:pulumi:prod::moka::{type}::{name}")
    json_format.ParseDict(inputs, request.properties)
    request.options.protect = True
    return request


def diagnostics(analyzer, type, inputs):
    return analyzer.Analyze(request_for(analyzer, type, inputs), None).diagnostics


def test_the_engine_is_told_all_rules_with_their_levels():
    info = analyzer(**{"key-rotates": {"level": "advisory"}}).GetAnalyzerInfo(None, None)

    levels = {policy.name: policy.enforcementLevel for policy in info.policies}
    assert len(levels) == len(RULES) >= 60
    assert levels["key-rotates"] == proto.ADVISORY
    assert levels["bucket-not-public"] == proto.MANDATORY


def test_a_violation_has_its_rule_its_resource_and_what_to_do():
    [violation] = diagnostics(analyzer(), KEY, {"enableKeyRotation": False})

    assert (violation.policyName, violation.enforcementLevel) == ("key-rotates", proto.MANDATORY)
    assert violation.urn.endswith("::main")
    assert violation.message == "Key main does not rotate: set enableKeyRotation to true."


def test_what_is_not_known_yet_is_no_violation():
    assert not diagnostics(analyzer(), KEY, {"enableKeyRotation": UNKNOWN_STRING_VALUE})
    assert not diagnostics(
        analyzer(),
        LAUNCH_TEMPLATE,
        {
            "metadataOptions": UNKNOWN_STRING_VALUE,
            "blockDeviceMappings": UNKNOWN_STRING_VALUE,
            "tagSpecifications": UNKNOWN_STRING_VALUE,
        },
    )


def test_a_secret_is_no_secret_in_plain():
    text = "correct-horse-battery"
    plain = {"metadata": {"name": "a", "namespace": "b"}, "data": {"password": text}}
    secret = {**plain, "data": {"password": {SIGNATURE: SECRET, "value": text}}}

    assert [
        violation.policyName for violation in diagnostics(analyzer(), "kubernetes:core/v1:ConfigMap", plain)
    ] == ["no-plain-secrets"]
    assert not diagnostics(analyzer(), "kubernetes:core/v1:ConfigMap", secret)


def test_a_configuration_that_cannot_be_used_lets_nothing_ship():
    broken = analyzer("line one", "line two")

    assert [violation.message for violation in diagnostics(broken, STACK, {})] == ["line one", "line two"]
    assert {violation.enforcementLevel for violation in diagnostics(broken, STACK, {})} == {proto.MANDATORY}
    assert {violation.policyName for violation in diagnostics(broken, STACK, {})} == {"policy-configuration"}


def test_on_a_day_that_is_none_nothing_may_ship():
    [violation] = diagnostics(start.analyzer({"PULUMI_STACK": "prod", "MOKA_AS_OF": "soon"}), STACK, {})

    assert violation.policyName == "policy-configuration"
    assert violation.message.startswith("MOKA_AS_OF is 'soon', which is no day")


def test_a_configuration_that_is_not_yaml_lets_nothing_ship(monkeypatch, tmp_path):
    file = tmp_path / "configuration.yaml"
    file.write_text("environments: [")
    monkeypatch.setattr(configuration, "FILE", file)

    [violation] = diagnostics(start.analyzer({"PULUMI_STACK": "prod"}), STACK, {})

    assert (violation.policyName, violation.enforcementLevel) == ("policy-configuration", proto.MANDATORY)
    assert "configuration.yaml is not YAML" in violation.message


def test_an_exception_is_judged_on_the_day_that_is_named(monkeypatch, tmp_path):
    file = tmp_path / "configuration.yaml"
    file.write_text(yaml.safe_dump({"exceptions": [EXCEPTION]}))
    monkeypatch.setattr(configuration, "FILE", file)

    def mistakes(day):
        return diagnostics(start.analyzer({"PULUMI_STACK": "prod", "MOKA_AS_OF": day}), STACK, {})

    assert not mistakes("2027-03-01")
    assert "expired on 2027-03-01" in mistakes("2027-03-02")[0].message


def configured(analyzer, **policies):
    request = proto.ConfigureAnalyzerRequest()
    for name, (level, properties) in policies.items():
        request.policyConfig[name.replace("_", "-")].enforcementLevel = level
        json_format.ParseDict(properties, request.policyConfig[name.replace("_", "-")].properties)
    analyzer.Configure(request, None)
    return analyzer


def test_the_engines_own_configuration_lies_over_ours():
    advised = configured(analyzer(), key_rotates=(proto.ADVISORY, {}))

    assert diagnostics(advised, KEY, {"enableKeyRotation": False})[0].enforcementLevel == proto.ADVISORY
    assert not diagnostics(configured(analyzer(), key_rotates=(proto.DISABLED, {})), KEY, {})


def test_the_engines_word_for_all_rules_is_no_rule():
    configured_for_all = configured(analyzer(), all=(proto.ADVISORY, {}), key_rotates=(proto.ADVISORY, {}))

    assert [v.policyName for v in diagnostics(configured_for_all, KEY, {})] == ["key-rotates"]


def test_parameters_of_the_engines_own_configuration_count():
    lenient = configured(analyzer(), key_deletion_window=(proto.MANDATORY, {"at_least_days": 7}))

    assert not diagnostics(lenient, KEY, {"enableKeyRotation": True, "deletionWindowInDays": 7})


@pytest.mark.parametrize("properties", [{"days": 7}, {"at_least_days": "seven"}])
def test_a_mistake_in_the_engines_own_configuration_lets_nothing_ship(properties):
    broken = configured(analyzer(), key_deletion_window=(proto.MANDATORY, properties))

    [mistake] = diagnostics(broken, STACK, {})
    assert mistake.message.startswith("--policy-pack-config: key-deletion-window.")


def test_a_rule_of_the_whole_stack_sees_inputs_that_outputs_do_not_show_yet():
    asking = analyzer()
    request = proto.AnalyzeStackRequest()
    for type, inputs in {
        VPC: {},
        FLOW_LOG: {},
        "kubernetes:core/v1:Namespace": {
            "metadata": {"name": "jobs", "labels": {"pod-security.kubernetes.io/enforce": "baseline"}}
        },
        NETWORK_POLICY: {
            "metadata": {"name": "deny", "namespace": "jobs"},
            "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
        },
    }.items():
        question = request_for(asking, type, inputs)
        asking.Analyze(question, None)
        resource = request.resources.add(type=type, name="main", urn=question.urn)
        json_format.ParseDict({"metadata": UNKNOWN_STRING_VALUE}, resource.properties)

    names = {violation.policyName for violation in asking.AnalyzeStack(request, None).diagnostics}

    assert names == {"vpc-flow-logs", "job-namespace-bounded"}


def test_a_rule_that_may_correct_does_and_keeps_what_is_secret_or_not_known():
    correcting = analyzer(**{"imdsv2-required": {"level": "remediate"}})
    inputs = {
        "metadataOptions": {"httpTokens": "optional", "instanceMetadataTags": UNKNOWN_STRING_VALUE},
        "userData": {SIGNATURE: SECRET, "value": "x"},
    }

    [remediation] = correcting.Remediate(request_for(correcting, LAUNCH_TEMPLATE, inputs), None).remediations

    corrected = json_format.MessageToDict(remediation.properties)
    assert remediation.policyName == "imdsv2-required"
    assert corrected["metadataOptions"] == {
        "httpTokens": "required",
        "instanceMetadataTags": UNKNOWN_STRING_VALUE,
    }
    assert corrected["userData"] == inputs["userData"]


def test_a_rule_corrects_only_where_its_environment_says_so_and_where_it_is_violated():
    wrong, right = (
        {"blockPublicAcls": False},
        dict.fromkeys(
            ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True
        ),
    )
    refusing, correcting = analyzer(), analyzer(**{"bucket-not-public": {"level": "remediate"}})

    assert not refusing.Remediate(request_for(refusing, BUCKET_BLOCK, wrong), None).remediations
    assert not correcting.Remediate(request_for(correcting, BUCKET_BLOCK, right), None).remediations
    assert correcting.Remediate(request_for(correcting, BUCKET_BLOCK, wrong), None).remediations


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"PULUMI_CONFIG": '{"moka:environment": "prod"}', "PULUMI_STACK": "canary"}, "prod"),
        ({"PULUMI_CONFIG": "{}", "PULUMI_STACK": "staging.shared"}, "staging"),
        ({"PULUMI_CONFIG": "nonsense", "PULUMI_STACK": "dev"}, "dev"),
        ({}, ""),
    ],
)
def test_the_environment_is_the_one_of_the_stacks_settings(variables, name):
    assert environment(variables) == name
