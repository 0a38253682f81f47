"""The boundary of the roles that `up` makes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from accounts.names import AccountNames, StateNames
from accounts.permissions.boundaries import workload_boundary
from aws_rules.iam import definitions
from aws_rules.iam.evaluation import Resource as Target
from aws_rules.iam.evaluation import Role, allowed
from stacks import settings
from stacks.settings import Environment, parse, path_of
from tests.support.account_roles import EVERYTHING, places, state_key
from tests.support.bootstrapped_previews import FILES, Preview, bounded, preview, preview_of
from tests.support.wrong_settings import REMOVED, changed

ACCOUNT = "123456789012"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
NAMED = re.compile(r'"([a-z0-9-]+):[A-Za-z*]+"')
"""An action as it stands in the text of a component."""

OPTIONS = {
    "uses": {"lake": {"bucket": "acme-lake"}},
    "metastores": {
        "here": {"glue": {"databases": ["sales"], "access": "write"}, "warehouse": "s3a://acme-lake/a/"},
        "there": {
            "glue": {"databases": ["raw_*"], "account": "210987654321", "region": "eu-west-1"},
            "warehouse": "s3a://acme-lake/b/",
        },
    },
    "job_namespaces": {
        "jobs-a": {"uses": {"lake": "write"}, "metastore": "here", "own_key": True},
        "jobs-b": {"uses": {"lake": "read"}, "metastore": "there"},
    },
    "metrics": {"destination": {"cloudwatch": {"region": "us-east-1"}}},
}
"""What gives roles permissions and no settings file of ours has."""

WITHOUT = dict.fromkeys(("archer", "services.archer", "services.allocator"), REMOVED)


@pytest.fixture(scope="module")
def with_options() -> Preview:
    """The laptop's environment with these, as far as it goes by them."""
    environment = bounded(changed(OPTIONS | WITHOUT), "local")
    return preview_of(environment, "foundation", "cluster", "shuffle", "spark", "metrics")


def bound(environment: Environment, account: str = ACCOUNT) -> Role:
    """A role that may do all that the boundary leaves to it."""
    boundary = workload_boundary(AccountNames(environment, account), state_key(environment))
    return Role(arn=f"arn:aws:iam::{account}:role/x/y", policies=(EVERYTHING,), boundary=boundary)


def allowed_here(role: Role, action: str, arn: str) -> bool:
    """Whether a role may do this where the resource itself leaves it to the role's account."""
    leave = {"Effect": "Allow", "Principal": {"AWS": role.account}, "Action": "*", "Resource": "*"}
    policy = {"Version": "2012-10-17", "Statement": [leave]}
    # Policies say `*` for the account where it is their own.
    target = Target(arn=arn.replace("::*:", f"::{role.account}:"), account=role.account, policy=policy)
    return allowed(role, action, target)


def given(of: Preview, account: str) -> Iterator[tuple[str, str]]:
    """What policies of roles allow in an account: action and resource."""
    for resource in of.of(account):
        if resource.type == ROLE_POLICY:
            for statement in json.loads(resource.inputs["policy"])["Statement"]:
                for pattern in statement["Action"]:
                    for action in definitions.expanded(pattern):
                        yield from ((action, arn) for arn in statement["Resource"])


def denied(of: Preview, account: str) -> set[tuple[str, str]]:
    """What of it the boundary denies."""
    role = bound(of.settings, account)
    return {(action, arn) for action, arn in set(given(of, account)) if not allowed_here(role, action, arn)}


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_boundary_of_workloads_leaves_their_policies_what_they_say_and_keeps_them_from_state(
    environment, account
):
    of = preview(environment)
    role, state = bound(of.settings, account), StateNames(of.settings)

    assert denied(of, account) == set()
    assert not allowed_here(role, "s3:GetObject", f"{state.bucket_arn}/.pulumi/stacks/moka/x.json")
    secret, prefix = "secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-east-1:{account}:secret"
    login = of.settings.ingress.login
    assert allowed_here(role, secret, f"{prefix}:acme-{environment}/login-Ab12Cd") == (login is not None)
    assert not allowed_here(role, secret, f"{prefix}:acme-{environment}/other-Ab12Cd")
    for action in ("iam:CreateRole", "iam:PassRole", "sts:AssumeRole", "secretsmanager:GetSecretValue"):
        assert not allowed_here(role, action, f"arn:aws:iam::{account}:role/x")


def test_the_boundary_leaves_to_jobs_and_programs_what_settings_besides_ours_give_them(with_options):
    assert denied(with_options, ACCOUNT) == set()


def test_the_boundary_leaves_no_catalog_of_tables_to_who_has_none_in_the_settings(with_options):
    catalog = f"arn:aws:glue:us-east-1:{ACCOUNT}:catalog"
    role = bound(with_options.settings)

    assert allowed_here(role, "glue:GetTables", catalog)
    for action, arn in (
        ("glue:GetTables", catalog.replace("us-east-1", "us-west-2")),
        ("glue:GetTables", catalog.replace(ACCOUNT, "111122223333")),
        ("glue:CreateJob", catalog.replace("catalog", "job/x")),
    ):
        assert not allowed_here(role, action, arn)
    assert not allowed_here(bound(settings.load("local")), "glue:GetTables", catalog)


def test_every_service_of_which_a_component_gives_permissions_is_asked_about_here(with_options):
    """A service that no role of these environments has could be denied by the boundary, and go unseen."""
    folders = [Path(settings.__file__).parents[2] / name for name in ("components", "moka", "stacks")]
    text = [path.read_text() for folder in folders for path in folder.rglob("*.py")]
    named = {name for one in text for name in NAMED.findall(one) if definitions.known_service(name)}
    of_roles = {
        action.partition(":")[0]
        for of in (with_options, *map(preview, FILES))
        for account in of.settings.accounts
        for action, _ in given(of, account)
    }

    assert {"glue", "cloudwatch", "s3"} <= named
    assert named - of_roles == set()


def test_the_boundary_leaves_a_workspace_of_metrics_to_who_writes_and_asks():
    workspace = f"arn:aws:aps:us-east-1:{ACCOUNT}:workspace/ws-0a1b"
    text = path_of("local").read_text()
    section = f"\nmetrics: {json.dumps({'destination': {'remote_write': {'workspace': workspace}}})}\n"

    with_one = bound(parse(text + section, "stacks/local.yaml"))
    without = bound(parse(text, "stacks/local.yaml"))
    for action in ("aps:RemoteWrite", "aps:QueryMetrics", "aps:GetSeries"):
        assert allowed_here(with_one, action, workspace)
        assert not allowed_here(with_one, action, f"{workspace}2")
        assert not allowed_here(without, action, workspace)
    assert not allowed_here(with_one, "aps:DeleteWorkspace", workspace)
