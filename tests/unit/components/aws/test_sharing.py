import pytest

from moka.components.aws.sharing import PRIVATE, Roles, Sharing, sharing_statements

ACTIONS = {"read": ["s3:GetObject"], "add": ["s3:PutObject"], "write": ["s3:GetObject", "s3:PutObject"]}
STAGING = Roles(account_id="222233334444", path="/acme-staging/")
TEST = Roles(account_id="111122223333", path="/acme-test/")
OWN = "arn:aws:iam::444455556666:role/acme-prod/*"


def by_id(sharing):
    statements = sharing_statements(sharing, ACTIONS, "s3:*", ["arn:aws:s3:::data/*"])
    return {statement["Sid"]: statement for statement in statements}


def test_nobody_is_granted_or_denied_anything_unless_named():
    assert by_id(PRIVATE) == {}


def test_who_is_granted_access_is_known_by_account_and_path_of_role():
    allowed = by_id(Sharing(grants={STAGING: "read"}))["Read"]

    assert allowed["Principal"] == {"AWS": ["arn:aws:iam::222233334444:root"]}
    assert allowed["Condition"] == {
        "ArnLike": {"aws:PrincipalArn": ["arn:aws:iam::222233334444:role/acme-staging/*"]}
    }
    assert allowed["Action"] == ["s3:GetObject"]


def test_who_may_read_is_refused_all_else_even_where_their_own_policies_allow_it():
    denials = by_id(Sharing(grants={STAGING: "read", TEST: "write"}))

    assert denials["DenyBeyondRead"]["NotAction"] == ["s3:GetObject"]
    assert denials["DenyBeyondRead"]["Condition"] == {"ArnLike": {"aws:PrincipalArn": [STAGING.arn_pattern]}}
    assert denials["DenyBeyondWrite"]["NotAction"] == ["s3:GetObject", "s3:PutObject"]
    assert denials["DenyBeyondWrite"]["Condition"] == {"ArnLike": {"aws:PrincipalArn": [TEST.arn_pattern]}}


def test_roles_are_denied_unless_they_are_owners_or_granted_access():
    sharing = Sharing(grants={STAGING: "read"}, denied=("arn:aws:iam::*:role/acme-*/*",), owners=(OWN,))
    denial = by_id(sharing)["DenyOtherEnvironments"]

    assert (denial["Effect"], denial["Action"]) == ("Deny", "s3:*")
    assert denial["Condition"] == {
        "ArnLike": {"aws:PrincipalArn": ["arn:aws:iam::*:role/acme-*/*"]},
        "ArnNotLike": {"aws:PrincipalArn": [STAGING.arn_pattern, OWN]},
    }


def test_a_key_is_shared_with_all_whom_any_of_its_data_is_shared_with():
    others = ("arn:aws:iam::*:role/acme-*/*",)
    logs = Sharing(grants={STAGING: "read", TEST: "add"}, denied=others, owners=(OWN,))
    staging = Sharing(grants={TEST: "write"}, denied=others)

    assert Sharing.union([logs, staging]) == Sharing(
        grants={STAGING: "read", TEST: "write"}, denied=others, owners=(OWN,)
    )


@pytest.mark.parametrize("partition", ["aws", "aws-cn"])
def test_roles_are_in_the_partition_of_their_account(partition):
    roles = Roles(account_id="111122223333", path="/acme-test/", partition=partition)

    assert roles.arn_pattern == f"arn:{partition}:iam::111122223333:role/acme-test/*"
    assert roles.account_arn == f"arn:{partition}:iam::111122223333:root"
