import pytest

from components.aws.sharing import NOBODY, Roles, Sharing, statements

ACTIONS = {"read": ["s3:GetObject"], "add": ["s3:PutObject"], "write": ["s3:GetObject", "s3:PutObject"]}
STAGING = Roles(account_id="222233334444", path="/acme-staging/")
TEST = Roles(account_id="111122223333", path="/acme-test/")
OWN = "arn:aws:iam::444455556666:role/acme-prod/*"


def by_id(sharing):
    return {each["Sid"]: each for each in statements(sharing, ACTIONS, "s3:*", ["arn:aws:s3:::data/*"])}


def test_nobody_is_let_in_or_kept_out_unless_named():
    assert by_id(NOBODY) == {}


def test_who_is_let_in_is_known_by_account_and_path_of_role():
    allowed = by_id(Sharing(let_in={STAGING: "read"}))["Read"]

    assert allowed["Principal"] == {"AWS": ["arn:aws:iam::222233334444:root"]}
    assert allowed["Condition"] == {
        "ArnLike": {"aws:PrincipalArn": ["arn:aws:iam::222233334444:role/acme-staging/*"]}
    }
    assert allowed["Action"] == ["s3:GetObject"]


def test_who_may_read_is_refused_all_else_even_where_their_own_policies_allow_it():
    refused = by_id(Sharing(let_in={STAGING: "read", TEST: "write"}))

    assert refused["ReadAndNoMore"]["NotAction"] == ["s3:GetObject"]
    assert refused["ReadAndNoMore"]["Condition"] == {"ArnLike": {"aws:PrincipalArn": [STAGING.arns]}}
    assert refused["WriteAndNoMore"]["NotAction"] == ["s3:GetObject", "s3:PutObject"]
    assert refused["WriteAndNoMore"]["Condition"] == {"ArnLike": {"aws:PrincipalArn": [TEST.arns]}}


def test_strangers_are_kept_out_but_owners_and_those_let_in_are_none():
    sharing = Sharing(let_in={STAGING: "read"}, strangers=("arn:aws:iam::*:role/acme-*/*",), owners=(OWN,))
    kept_out = by_id(sharing)["Strangers"]

    assert (kept_out["Effect"], kept_out["Action"]) == ("Deny", "s3:*")
    assert kept_out["Condition"] == {
        "ArnLike": {"aws:PrincipalArn": ["arn:aws:iam::*:role/acme-*/*"]},
        "ArnNotLike": {"aws:PrincipalArn": [STAGING.arns, OWN]},
    }


@pytest.mark.parametrize("partition", ["aws", "aws-cn"])
def test_roles_are_in_the_partition_of_their_account(partition):
    roles = Roles(account_id="111122223333", path="/acme-test/", partition=partition)

    assert roles.arns == f"arn:{partition}:iam::111122223333:role/acme-test/*"
    assert roles.account == f"arn:{partition}:iam::111122223333:root"
