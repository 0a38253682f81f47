"""Who an access entry makes a principal of IAM."""

import pytest

from aws_rules.access.identity import default_username, user


@pytest.mark.parametrize(
    ("principal", "type", "username"),
    [
        ("arn:aws:iam::1:user/me", "STANDARD", "arn:aws:iam::1:user/me"),
        ("arn:aws:iam::1:role/dev", "STANDARD", "arn:aws:sts::1:assumed-role/dev/{{SessionName}}"),
        ("arn:aws-cn:iam::1:role/a/b/dev", "STANDARD", "arn:aws-cn:sts::1:assumed-role/dev/{{SessionName}}"),
        ("arn:aws:iam::1:role/node", "EC2_LINUX", "system:node:{{EC2PrivateDNSName}}"),
    ],
)
def test_eks_gives_entries_without_a_user_name_one(principal, type, username):
    assert default_username(principal, type) == username


def test_a_session_of_a_role_is_a_user_of_its_own():
    role = "arn:aws:iam::1:role/path/dev"
    entry = {"principalArn": role, "username": default_username(role), "kubernetesGroups": ["devs"]}

    who = user(entry, "me@example.com")

    assert who.name == "arn:aws:sts::1:assumed-role/dev/me-example.com"
    assert who.groups == ("devs",)
    assert who.extra["canonicalArn"] == (role,)
    assert who.extra["arn"] == ("arn:aws:sts::1:assumed-role/dev/me@example.com",)


def test_a_user_name_of_ones_own_may_have_the_session_as_it_is():
    entry = {"principalArn": "arn:aws:iam::1:role/dev", "username": "dev:{{SessionNameRaw}}"}

    assert user(entry, "me@example.com").name == "dev:me@example.com"
