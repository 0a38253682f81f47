"""`moka doctor --cost` as people and scripts run it; without credentials, as it asks nobody."""

import json

import pytest


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def test_what_costs_is_shown_with_what_is_assumed(moka):
    result = moka("doctor", "prod", "--cost", "--assume", "shuffle_gb_a_node_day=7")

    assert result.status == 0
    assert "main/batch-a  control planes " in result.out
    assert "  shuffle_gb_a_node_day         7 " in result.out
    assert "prod: $" in result.out


def test_scripts_get_the_same_as_json(moka):
    result = moka("doctor", "prod", "--cost", "--json")

    shown = json.loads(result.out)
    assert result.status == 0
    assert shown["usd_a_month"] == pytest.approx(sum(line["usd_a_month"] for line in shown["lines"]), abs=0.1)
    assert shown["sums"]["control planes"] == 219
    assert shown["assumptions"]["celeborn_share"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--cost", "--assume", "node_share"], "--assume node_share: write NAME=VALUE, with a number."),
        (["--cost", "--assume", "nodes=3"], "There is no assumption nodes"),
        (["--assume", "node_share=1"], "--assume goes with --cost."),
        (["--cost", "--only", "quotas"], "--cost asks nobody: leave out --only and --upgrade."),
    ],
)
def test_arguments_that_do_not_fit_are_refused(moka, arguments, says):
    result = moka("doctor", "prod", *arguments)

    assert result.status == 2
    assert says in result.err
