"""Settings that will go are said, with the last day."""

import runpy
from datetime import date, timedelta
from pathlib import Path

import pulumi
import pytest
import yaml

from localcloud.cloud import REPOSITORY
from stacks import settings
from stacks.settings.deprecations import DEPRECATIONS, Deprecation, deprecated

LAST = date(2027, 3, 31)
LOCAL = yaml.safe_load(settings.path_of("local").read_text())


def parsed(**sections):
    return settings.parse(yaml.safe_dump({**LOCAL, **sections}), "stacks/local.yaml")


def sentences(environment, today=LAST, **row):
    table = (Deprecation(last_day=LAST, instead="write the other", **row),)
    return list(deprecated(environment, today, table))


def test_a_setting_is_named_by_its_place_with_the_last_day_and_what_to_do():
    assert sentences(parsed(), at="clusters.*.profile") == [
        "clusters.spark-a.profile is deprecated and is read until 2027-03-31: write the other."
    ]


def test_after_the_last_day_it_says_that_it_may_be_gone_any_time():
    assert sentences(parsed(), LAST + timedelta(days=1), at="home") == [
        "home is deprecated and was to be read until 2027-03-31, and any version from now on may be without "
        "it: write the other."
    ]


def test_of_a_value_that_goes_only_that_value_is_said():
    assert sentences(parsed(), at="home", value="spark-z") == []
    assert sentences(parsed(), at="home", value="spark-a") == [
        "home spark-a is deprecated and is read until 2027-03-31: write the other."
    ]


def test_a_default_is_nobodys_to_change():
    assert sentences(parsed(), at="ingress.controller") == []


def test_our_own_environments_have_nothing_that_goes():
    for name in ("test", "dev", "staging", "prod", "local"):
        assert list(deprecated(settings.load(name), date(2026, 11, 23))) == [], name


@pytest.mark.parametrize("row", DEPRECATIONS, ids=lambda row: row.at)
def test_every_deprecation_is_in_the_changelog_and_names_a_setting(row):
    changelog = (REPOSITORY / "CHANGELOG.md").read_text()
    described = changelog.replace("\n", " ").split("### Deprecated")[1:]

    assert [text for text in described if f"`{row.at}" in text and str(row.last_day) in text]


def test_the_program_warns_of_it(deploy, tmp_path, monkeypatch):
    text = yaml.safe_dump({**LOCAL, "ingress": {"controller": "ingress-nginx"}})
    monkeypatch.setattr(settings, "load", lambda _: settings.parse(text, "stacks/local.yaml"))
    monkeypatch.setenv("MOKA_AS_OF", "2026-11-23")
    warnings = []
    monkeypatch.setattr(pulumi.log, "warn", warnings.append)
    monkeypatch.setattr("stacks.program.deploy", lambda *_: None)
    pulumi.runtime.set_all_config({"moka:environment": "local"})

    deploy(lambda: runpy.run_path(str(Path(REPOSITORY) / "__main__.py")))

    assert warnings == [
        "ingress.controller ingress-nginx is deprecated and is read until 2027-06-30: move to traefik, as "
        "docs/operations/ingress.md says."
    ]
