import argparse

import pytest

from services.ui_gateway import login_options
from services.ui_gateway.hosts import Hosts

DOMAIN = "spark-a.spark.example"
NEEDED = [
    "--issuer=https://id.example",
    "--client-id=moka",
    "--secret-name=login",
    "--secret-region=us-east-1",
]


def login(*arguments, scheme="https"):
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheme", default=scheme)
    login_options.add(parser)
    return login_options.login(parser.parse_args(arguments), Hosts(DOMAIN))


def test_without_an_issuer_there_is_no_login():
    assert login() is None


def test_the_issuer_sends_browsers_back_to_the_clusters_login():
    assert login(*NEEDED).client.redirect_uri == f"https://login.{DOMAIN}/callback"


def test_the_issuer_is_asked_for_the_scopes_that_are_named():
    assert login(*NEEDED).client.scopes == "openid profile"
    assert login(*NEEDED, "--scopes=openid groups").client.scopes == "openid groups"


def test_groups_of_a_namespace_add_up():
    access = login(*NEEDED, "--viewers=data=a", "--viewers=data=b=c", "--operators=ops").settings.access

    assert access.viewers == {"data": {"a", "b=c"}}
    assert access.groups == {"a", "b=c", "ops"}


@pytest.mark.parametrize(
    ("arguments", "scheme", "message"),
    [
        (NEEDED[:-1], "https", "--issuer needs --secret-region"),
        (NEEDED, "http", "a login needs --scheme https"),
        (["--viewers=data=a"], "https", "who sees what needs a login"),
        (["--for-operators=yunikorn.example"], "https", "who sees what needs a login"),
        ([*NEEDED, "--viewers=data"], "https", "'data' names no viewers"),
    ],
)
def test_arguments_that_do_not_fit_each_other_are_refused(arguments, scheme, message):
    with pytest.raises(ValueError, match=message):
        login(*arguments, scheme=scheme)
