"""Amazon Managed Grafana: who reaches it, and what it may ask."""

import json

import pytest

from moka.components.aws.managed_grafana import ManagedGrafana, ManagedGrafanaArgs

WORKSPACE = "arn:aws:aps:us-east-1:111122223333:workspace/ws-0a1b"


@pytest.fixture
def grafana(deploy):
    def program():
        args = ManagedGrafanaArgs(
            workspace_arn=WORKSPACE,
            account="111122223333",
            sign_in="AWS_SSO",
            prefix_lists=["pl-0123456789abcdef0"],
            path="/acme-prod/",
            permissions_boundary_arn="arn:aws:iam::111122223333:policy/bound",
        )
        ManagedGrafana("spark-a-grafana", args)

    return deploy(program)


def test_it_is_reached_from_where_settings_say_and_from_nowhere_else(grafana):
    [workspace] = grafana.inputs("aws:grafana/workspace:Workspace")

    assert workspace["networkAccessControl"] == {"prefixListIds": ["pl-0123456789abcdef0"], "vpceIds": []}


def test_it_may_ask_one_store_and_write_nowhere(grafana):
    [policy] = grafana.inputs("aws:iam/rolePolicy:RolePolicy")

    [statement] = json.loads(policy["policy"])["Statement"]
    assert statement["Resource"] == [WORKSPACE]
    assert all(action.startswith(("aps:Get", "aps:Query")) for action in statement["Action"])


def test_its_role_is_bounded_and_for_workspaces_of_its_own_account_only(grafana):
    [role] = grafana.inputs("aws:iam/role:Role")
    [workspace] = grafana.inputs("aws:grafana/workspace:Workspace")

    [statement] = json.loads(role["assumeRolePolicy"])["Statement"]
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
    assert (role["path"], role["permissionsBoundary"].rpartition("/")[2]) == ("/acme-prod/", "bound")
    assert workspace["permissionType"] == "CUSTOMER_MANAGED"
