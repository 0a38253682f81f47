"""The table of what deploying takes: complete, of nothing more, and each action with its source."""

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from accounts.names import AccountNames
from accounts.permissions.boundaries import deploy_boundary, preview_boundary, workload_boundary
from accounts.permissions.grant import MAX_ATTACHED, MAX_SIZE, size
from accounts.permissions.identity import MANAGED_POLICIES, PASSED_TO
from accounts.permissions.policies import deploy_policies, preview_policies
from accounts.permissions.row import PROVIDER
from accounts.permissions.scopes import SCOPES, scopes_of
from accounts.permissions.table import ROWS, rows_of
from aws_rules.iam import definitions
from aws_rules.iam.evaluation import like
from tests.support.bootstrapped_previews import FILES, Preview, preview

KEY = "arn:aws:kms:us-east-1:123456789012:key/12345678-1234-1234-1234-123456789012"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ACTIONS = sorted({action for row in ROWS for action in row.actions(retain=False)})


def accounts_of(of: Preview) -> list[AccountNames]:
    return [AccountNames(of.settings, account) for account in of.settings.accounts]


@pytest.mark.parametrize("environment", FILES)
def test_every_account_has_the_rows_of_the_types_that_its_preview_has_and_no_others(environment):
    rendered = preview(environment)

    for names in accounts_of(rendered):
        types = {resource.type for resource in rendered.of(names.account)}
        rows = {row.type for row in rows_of(rendered.settings, names.foundations)}
        functions = {type for type in rows if ":get" in type}
        assert rows - functions == types
        assert functions == {token for token in rendered.functions if token.startswith("aws:")}


def test_every_row_is_used_by_some_environment():
    used = {
        row.type
        for name in FILES
        for row in rows_of(preview(name).settings, preview(name).settings.foundations)
    }

    assert {row.type for row in ROWS} - used == set()
    assert len({row.type for row in ROWS}) == len(ROWS)


@cache
def handlers() -> dict[str, frozenset[str]]:
    """CloudFormation's types of the table -> the actions that their handlers call, in any region."""
    spec = find_spec("cfnlint")
    assert spec is not None and spec.origin is not None
    wanted = {schema for row in ROWS for schema in row.schemas.split()}
    named = re.compile("|".join(f'"{schema}"' for schema in wanted))
    calls: dict[str, set[str]] = {schema: set() for schema in wanted}
    for path in (Path(spec.origin).parent / "data" / "schemas" / "resources").glob("*.json"):
        text = path.read_text()
        schema = json.loads(text) if named.search(text) else {}
        if schema.get("typeName") in wanted:
            for handler in schema.get("handlers", {}).values():
                calls[schema["typeName"]].update(handler.get("permissions", ()))
    return {schema: frozenset(actions) for schema, actions in calls.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.type)
def test_every_action_is_one_of_cloudformations_handlers_or_has_a_source_of_its_own(row):
    known = {action for schema in row.schemas.split() for action in handlers()[schema]}

    assert row.actions(retain=False) - known - row.beyond.keys() == set()
    assert row.beyond.keys() - row.actions(retain=False) == set()
    assert row.beyond.keys() & known == set()
    assert all(
        source.startswith((PROVIDER, "https://docs.aws.amazon.com/")) for source in row.beyond.values()
    )


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_exists_and_takes_what_it_is_allowed_on(action):
    prefix, _, name = action.partition(":")
    assert name in definitions.actions(prefix)
    taken = definitions.resource_types(action)
    for environment in ("prod", "world"):
        settings = preview(environment).settings
        names = AccountNames(settings, settings.foundations[settings.home_foundation].account)
        for scope in scopes_of(action):
            resources = scope.resources(names)
            examples = [resource.replace("*", "x") for resource in resources if resource != "*"]
            # DescribeUpdate is about updates of any of these.
            fitting = [arn for arn in examples if any(like(pattern, arn) for pattern in taken)]
            assert fitting == examples or scope.name == "Clusters"
            assert fitting or resources in ([], ["*"])
            # What has a name is not allowed on everything.
            assert resources != ["*"] or scope.conditions(names)
            for keys in scope.conditions(names).values():
                assert all(definitions.takes_key(action, key) for key in keys)


def test_every_scope_is_used():
    assert {scope.name for scope in SCOPES} == {
        scope.name for action in ACTIONS for scope in scopes_of(action)
    }


def test_roles_get_no_policies_of_aws_but_those_that_the_program_uses():
    used = {
        resource.inputs["policyArn"].partition(":policy/")[2]
        for name in FILES
        for resource in preview(name).resources
        if resource.type == ATTACHMENT
    }

    assert used == set(MANAGED_POLICIES)


def test_roles_are_passed_to_no_service_but_those_that_the_program_gives_them_to():
    trusted = {
        service
        for name in FILES
        for resource in preview(name).resources
        if resource.type == "aws:iam/role:Role"
        for statement in json.loads(resource.inputs["assumeRolePolicy"])["Statement"]
        # Others trust a role of ours.
        if (service := statement["Principal"].get("Service"))
    }

    assert trusted == set(PASSED_TO)


@pytest.mark.parametrize("environment", FILES)
def test_policies_are_within_what_iam_takes(environment):
    for names in accounts_of(preview(environment)):
        deploying, previewing = deploy_policies(names, KEY), preview_policies(names, KEY)
        bounds = [boundary(names, KEY) for boundary in (deploy_boundary, preview_boundary, workload_boundary)]
        assert max(len(deploying), len(previewing)) <= MAX_ATTACHED
        assert max(map(size, [*deploying.values(), *previewing.values(), *bounds])) <= MAX_SIZE
