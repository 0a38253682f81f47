"""`moka bootstrap` where it refuses; tests/local/test_bootstrap.py has it at work."""

import json
import sys

import boto3
import pytest
from moto import mock_aws

ACCOUNT = "123456789012"
BUCKET = "moka-local-123456789012-us-east-1-state"

PULUMI = f"""#!{sys.executable}
import pathlib, sys
with pathlib.Path("{{calls}}").open("a") as calls:
    print(*sys.argv[1:], file=calls)
print("[]")
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """A program in place of pulumi that has no stacks; the calls of it, as far as there are any."""
    calls, program = tmp_path / "calls", tmp_path / "bin" / "pulumi"
    program.parent.mkdir()
    program.write_text(PULUMI.format(calls=calls))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("PULUMI_BACKEND_URL", f"file://{tmp_path}/state")
    return lambda: calls.read_text().splitlines() if calls.exists() else []


@pytest.fixture(autouse=True)
def aws(monkeypatch):
    """AWS in memory, with credentials of account 123456789012."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        yield


def test_credentials_of_another_account_are_refused_before_anything_is_made(moka, calls):
    result = moka("bootstrap", "prod", "--yes")

    assert result.status == 2
    assert result.err.startswith(f"The credentials at hand are of account {ACCOUNT} (")
    assert result.err.endswith("and prod keeps its state in 444455556666: sign in there.\n")
    assert calls() == []


def test_a_bucket_that_no_state_knows_is_left_alone(moka, calls):
    boto3.client("s3", "us-east-1").create_bucket(Bucket=BUCKET)

    result = moka("bootstrap", "local", "--yes")

    assert result.status == 2
    assert result.err == (
        f"Bucket {BUCKET} exists, and no state here knows it: go on in the checkout where it was begun, "
        "whose .local/accounts has the state.\n"
    )
    assert {call.split()[1] for call in calls()} == {"ls"}


def test_nothing_is_undone_where_nothing_is_made(moka, calls):
    result = moka("bootstrap", "local", "--undo", "--delete-state", "--yes")

    assert (result.status, result.out) == (0, "Nothing of local is made.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere"),
        (["local", "--delete-state"], "--delete-state goes with --undo: nothing was done.\n"),
        (["local", "--undo", "--dry-run"], "--dry-run shows what would be made, and goes without --undo"),
    ],
)
def test_what_makes_no_sense_is_refused_before_aws_is_asked(moka, calls, arguments, message):
    result = moka("bootstrap", *arguments)

    assert result.status == 2
    assert message in result.err
    assert calls() == []


def test_without_pulumi_it_says_where_to_get_it(moka, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    result = moka("bootstrap", "local")

    assert (result.status, result.err) == (2, "There is no pulumi on PATH: install it from pulumi.com.\n")


def test_scripts_learn_what_to_set_without_any_credentials(moka, calls, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")

    result = moka("bootstrap", "prod", "--json")

    document = json.loads(result.out)
    assert document["backend"] == "s3://acme-prod-444455556666-us-east-1-state?region=us-east-1&awssdk=v2"
    assert document["foundations"]["main"]["deployer"] == "arn:aws:iam::444455556666:role/acme-prod-deploy"
    assert document["github"]["variables"]["prod"]["AWS_ROLE"] == document["foundations"]["main"]["deployer"]
    assert document["stacks"] == ["prod.shared", "prod.adhoc-a", "prod.batch-b", "prod.batch-a"]
    assert calls() == []
