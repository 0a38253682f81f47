"""The tables against the SDK's own classes: nothing works here that the real plugin would not accept."""

import inspect
import json
import re

import pytest

from localcloud.plugins.aws import replacements
from localcloud.plugins.aws.deviations import DEVIATIONS, REPLACES, UPDATES
from localcloud.plugins.aws.invokes import FUNCTIONS
from localcloud.plugins.aws.resources import check
from localcloud.plugins.aws.table import Change
from localcloud.plugins.aws.tables import all_rows
from localcloud.plugins.provider import Naming
from tests.support.sdk_types import module_of, snake

ROWS = all_rows()


def properties(cls):
    """Pulumi's names of a class's properties."""
    getters = {name: value.fget for name, value in vars(cls).items() if isinstance(value, property)}
    return {getattr(getter, "_pulumi_name", name) for name, getter in getters.items()}


def sdk(token):
    """Names of inputs, of those that are required, and of outputs, as the SDK has them."""
    module, name = module_of(token), token.rsplit(":", 1)[1]
    resource = getattr(module, name)
    # A type whose name is that of a structure too has its arguments under another.
    arguments = getattr(module, f"{name}InitArgs", None) or getattr(module, f"{name}Args")
    source = inspect.getsource(resource)
    assert f"'{token}'" in source, "the module found is that of the type"
    by_snake = {snake(name): name for name in properties(arguments)}
    required = {by_snake[name] for name in re.findall(r"Missing required property '(\w+)'", source)}
    return properties(arguments), required, properties(resource)


@pytest.fixture(params=sorted(ROWS))
def token(request):
    return request.param


@pytest.fixture(params=sorted(FUNCTIONS))
def function(request):
    return request.param


def test_inputs_and_outputs_are_named_as_in_the_sdk(token):
    inputs, _, outputs = sdk(token)

    assert ROWS[token].input_names - inputs == set()
    assert ROWS[token].output_names - outputs == set()


def test_what_the_sdk_requires_is_required_and_nothing_else(token):
    inputs, required, _ = sdk(token)

    assert ROWS[token].required == required & inputs


def test_what_the_sdk_has_and_the_table_has_not_is_refused_by_its_name(token):
    inputs, _, _ = sdk(token)
    for name in inputs - ROWS[token].input_names - ROWS[token].fixed.keys():
        _, failures = check(ROWS[token], token, "it", "us-east-1", {}, {name: "x"}, Naming())
        assert any(f"{name} of {token} is not simulated" in failure.reason for failure in failures)


def test_what_is_simulated_only_as_its_default_is_taken_so_and_refused_otherwise():
    for token, kind in ROWS.items():
        assert kind.fixed.keys() <= sdk(token)[0] - kind.input_names
        for name, default in kind.fixed.items():
            _, taken = check(kind, token, "it", "us-east-1", {}, {name: default}, Naming())
            _, refused = check(kind, token, "it", "us-east-1", {}, {name: not default}, Naming())
            assert not [failure for failure in taken if failure.property == name]
            [reason] = [failure.reason for failure in refused if failure.property == name]
            assert (
                f"{name} of {token} is simulated by the laptop cloud only as {json.dumps(default)}" in reason
            )


def test_every_property_is_known_to_update_or_to_replace_by_data_or_for_a_reason(token):
    kind, deviations = ROWS[token], DEVIATIONS.get(token, {})
    by_data = {name.lower() for name in replacements.document(kind.schema)["properties"]}
    by_rule = {"region", "tags"} | kind.arguments

    for name in kind.input_names - by_rule:
        decided = name in deviations or replacements.schema_path(kind, [name])[0] in by_data
        assert decided, f"{name} of {token}: map it in schema_names, or list it in deviations.py"


def test_deviations_are_of_properties_that_there_are_and_say_why():
    for token, deviations in DEVIATIONS.items():
        for path, (outcome, reason) in deviations.items():
            assert path.split(".")[0] in sdk(token)[0], f"{token} has no {path}"
            assert outcome in (UPDATES, REPLACES) and len(reason) > 20


def test_a_deviation_that_says_what_the_data_says_is_none():
    for token, deviations in DEVIATIONS.items():
        kind = ROWS[token]
        for path, (outcome, _) in deviations.items():
            members = replacements.schema_path(kind, path.split("."))
            by_data = {name.lower() for name in replacements.document(kind.schema)["properties"]}
            if members[0] in by_data:
                fixed = members in replacements.create_only(kind.schema)
                assert fixed != (outcome is REPLACES), f"{path} of {token} needs no deviation"


def test_what_does_not_replace_has_a_call_that_changes_it(token):
    kind = ROWS[token]
    changed = {name for change in kind.changes for name in change.properties}
    sample = {name: {} for name in kind.input_names}
    for name in sorted(kind.input_names - {"tags", "region"} - kind.arguments - changed):
        path = (name,)
        fixed = path in replacements.replacing(token, kind, [path], sample, sample)
        assert fixed or name in UNCHANGEABLE.get(token, ()), f"nothing changes {name} of {token}"


# Updated in place on AWS, and by nothing in moto: the plugin says so when it is asked to.
UNCHANGEABLE = {
    "aws:ec2/instance:Instance": {"monitoring"},
    "aws:iam/group:Group": {"path"},
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": {"clientIdLists"},
}


def test_functions_take_what_the_sdk_gives(function):
    source = inspect.getsource(getattr(module_of(function), snake(function.rsplit(":", 1)[1])))
    assert f"'{function}'" in source

    arguments = {argument.rstrip("!") for argument in FUNCTIONS[function].arguments.split()}
    assert arguments - set(re.findall(r"__args__\['(\w+)'\]", source)) == set()


def test_changes_are_of_inputs(token):
    kind = ROWS[token]
    for change in kind.changes:
        assert isinstance(change, Change)
        assert set(change.properties) <= kind.input_names


def test_what_a_row_says_of_properties_it_says_of_its_own(token):
    kind = ROWS[token]
    for paths in (kind.arguments, kind.write_only, kind.computed, kind.documents, kind.unordered):
        assert {path.split(".")[0] for path in paths} <= kind.input_names
    assert set(kind.defaults) <= kind.input_names
    assert kind.volatile | set(kind.derived) | kind.aws_lists | kind.pulumi_lists <= kind.output_names
