"""With which roles the further accounts of an environment are entered."""

from configparser import ConfigParser

from accounts import profiles
from tests.support.bootstrapped_previews import bootstrapped, preview

PROFILE = "acme-world-444455556666"
ROLE = "arn:aws:iam::444455556666:role/acme-world"


def config(environment, *, preview):
    parser = ConfigParser()
    parser.read_string(profiles.text(bootstrapped(environment), preview=preview))
    return {name: dict(parser[name]) for name in parser.sections()}


def test_a_preview_takes_the_role_that_reads_and_an_up_the_one_that_deploys():
    of_preview, of_up = (config("world", preview=preview) for preview in (True, False))

    assert of_preview.keys() == of_up.keys() == {f"profile {PROFILE}"}
    assert of_preview[f"profile {PROFILE}"]["role_arn"] == f"{ROLE}-preview"
    assert of_up[f"profile {PROFILE}"]["role_arn"] == f"{ROLE}-deploy"
    assert of_up[f"profile {PROFILE}"]["credential_source"] == "Environment"


def test_an_environment_in_one_account_needs_no_profile():
    assert config("prod", preview=False) == {}


def test_providers_name_the_profile_of_their_account_and_no_role():
    settings = preview("world").settings

    assert {name: settings.profile(foundation) for name, foundation in settings.foundations.items()} == {
        "us": None,
        "eu": PROFILE,
    }
