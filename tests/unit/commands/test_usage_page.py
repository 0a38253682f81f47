"""Every `moka usage` that docs/operations/usage-report.md shows, run on a bucket with a day."""

import boto3
import pytest
from moto import mock_aws

from localcloud.cloud import REPOSITORY
from moka.usage.report.rules import ReportRules
from tests.support import usage_day
from tests.support.command_line import shown_commands

PAGE = (REPOSITORY / "docs" / "operations" / "usage-report.md").read_text()
CALLS = [
    arguments
    for arguments in shown_commands(PAGE, "moka")
    if arguments[:2] in (["usage", "report"], ["usage", "asked"]) and len(arguments) > 2
]
BUCKET = "acme-prod-444455556666-us-east-1-resource-usage"


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """Prod's bucket, in a folder with the examples."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    usage_day.write(tmp_path / "history")
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    monkeypatch.chdir(tmp_path)
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket=BUCKET)
        for file in (tmp_path / "history").rglob("*.parquet"):
            s3.upload_file(str(file), BUCKET, str(file.relative_to(tmp_path / "history")))
        yield tmp_path


def test_the_page_has_calls_of_both():
    assert {arguments[1] for arguments in CALLS} == {"report", "asked"}


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_a_call_of_the_page_does_what_it_says(moka, bucket, arguments):
    words = arguments[: arguments.index(">")] if ">" in arguments else arguments

    result = moka(*words)

    assert (result.status, result.err) == (0, "")
    assert result.out
    for option in ("--page", "--metrics"):
        if option in words:
            assert (bucket / words[words.index(option) + 1]).read_text()


def test_the_page_has_the_numbers_of_the_rules():
    rules = ReportRules()
    table = PAGE.split("## What it recommends")[1].split("\n## ")[0]

    for shown in (
        f"{rules.busy_hours} hours or more took {rules.busy}% of its instances",
        f"the busiest hour takes {rules.target}%",
        f"more than {rules.most:,} machines",
        f"took less than {rules.idle}%",
        f"waited up to more than {rules.waiting // 60} minutes",
        f"{rules.unbalanced}% or more of a resource",
    ):
        assert shown in table, shown
