"""Whom the ConfigMap aws-auth lets in."""

import pytest
import yaml

from aws_rules.access.config_map import mapped, with_machines, without

DEV, NODE = "arn:aws:iam::1:role/dev", "arn:aws:iam::1:role/node"
DATA = {
    "mapRoles": f"- rolearn: {DEV}\n  username: dev:{{{{AccountID}}}}\n  groups: [devs]\n",
    "mapUsers": "- userarn: arn:aws:iam::1:user/me\n  groups: []\n",
}


@pytest.mark.parametrize(
    ("principal", "username", "groups"),
    [
        (DEV, "dev:1", ["devs"]),
        # A session of a role does not show the role's path.
        ("arn:aws:iam::1:role/people/dev", "dev:1", ["devs"]),
        ("arn:aws:iam::1:user/me", "arn:aws:iam::1:user/me", []),
    ],
)
def test_a_principal_is_who_the_config_map_says(principal, username, groups):
    entry = mapped(DATA, principal)

    assert (entry["username"], entry["kubernetesGroups"]) == (username, groups)


@pytest.mark.parametrize("principal", ["arn:aws:iam::2:role/dev", "arn:aws:iam::1:user/dev"])
def test_others_are_nobody(principal):
    assert mapped(DATA, principal) is None


@pytest.mark.parametrize("text", ["", "- rolearn: [", "rolearn: no list", "- no mapping"])
def test_what_cannot_be_read_lets_nobody_in(text):
    assert mapped({"mapRoles": text}, DEV) is None


def test_a_role_that_is_mapped_with_its_path_is_never_found():
    with_path = "arn:aws:iam::1:role/people/dev"

    assert mapped({"mapRoles": f"- rolearn: {with_path}\n  username: dev\n"}, with_path) is None


def test_machines_are_added_once_and_taken_out():
    data = with_machines(DATA, NODE)

    assert [mapping["rolearn"] for mapping in yaml.safe_load(data["mapRoles"])] == [DEV, NODE]
    assert mapped(data, NODE)["kubernetesGroups"] == ["system:bootstrappers", "system:nodes"]
    assert with_machines(data, NODE) == data
    assert mapped(without(data, NODE), NODE) is None
    assert mapped(without(data, NODE), DEV)["kubernetesGroups"] == ["devs"]
