import yaml

from moka.components.aws.sharing import Roles
from stacks import settings
from stacks.sharing import sharing
from tests.support.two_accounts import OTHER, in_two_accounts

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
HOME, ACCOUNT = "main", "123456789012"


def environment(**changes):
    """Local's settings, with changes."""
    return settings.parse(yaml.safe_dump(LOCAL | changes), "stacks/local.yaml")


def grant(access="read", data=("event-logs",), account=OTHER):
    return {"environment": "test", "account": account, "data": list(data), "access": access}


def test_nothing_is_shared_unless_the_settings_say_so():
    assert sharing(environment(), HOME, "event-logs").grants == {}


def test_clusters_of_every_account_add_what_is_gathered_at_home_and_see_nothing_of_it():
    theirs = Roles(account_id=OTHER, path="/moka-local/")
    services = {
        name: one for name, one in LOCAL["services"].items() if name not in ("allocator", "usage_recorder")
    }
    without = in_two_accounts(services=services)

    for data, kind in {"event-logs": "log", "resource-usage": "add"}.items():
        assert sharing(without, HOME, data).grants == {theirs: kind}
    assert sharing(without, HOME, "staging").grants == {}


def test_recorders_of_every_account_read_what_they_record():
    theirs = Roles(account_id=OTHER, path="/moka-local/")

    assert sharing(in_two_accounts(), HOME, "resource-usage").grants == {theirs: "record"}


def test_a_grant_lets_the_roles_of_the_named_environment_in_for_the_named_data_alone():
    granted = environment(grants={"replay": grant()})

    assert sharing(granted, HOME, "event-logs").grants == {
        Roles(account_id=OTHER, path="/moka-test/"): "read"
    }
    assert sharing(granted, HOME, "staging").grants == {}


def test_of_two_grants_to_an_environment_the_wider_one_counts():
    granted = environment(grants={"one": grant("write"), "two": grant("read")})

    assert list(sharing(granted, HOME, "event-logs").grants.values()) == ["write"]


def test_all_other_environments_are_strangers_but_never_who_deploys():
    shared = sharing(in_two_accounts(), HOME, "event-logs")

    assert shared.denied == ("arn:aws:iam::*:role/moka-*/*",)
    assert set(shared.owners) == {
        f"arn:aws:iam::{ACCOUNT}:role/moka-local/*",
        f"arn:aws:iam::{OTHER}:role/moka-local/*",
        LOCAL["foundations"]["main"]["deployer"],
    }
