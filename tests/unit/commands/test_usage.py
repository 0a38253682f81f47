"""`moka usage` as people and scripts run it, on the day of tests/support/usage_day.py."""

import json
from html.parser import HTMLParser

import boto3
import pytest
from moto import mock_aws

from localcloud.cloud import REPOSITORY
from moka.prices import prices
from moka.usage.questions import QueryScope
from stacks.settings import load
from stacks.usage_sizes import cluster_sizes
from tests.support import usage_day

WORKFLOWS = """
format: moka-workflows/1
workflows:
  orders: {tier: 1, slo_hours: 1, owner: a@acme.example, project: retail.orders, cluster: batch-a}
  billing: {tier: 1, slo_hours: 2, owner: a@acme.example, project: retail.orders, cluster: batch-a}
"""
BUCKET = "acme-prod-444455556666-us-east-1-resource-usage"
DAY = ("usage", "report", "prod", "--day", "2026-11-25")


@pytest.fixture
def history(tmp_path):
    """A folder with the day, and its name."""
    return str(usage_day.write(tmp_path / "history"))


@pytest.fixture
def workflows(tmp_path):
    """The name of a document of workflows."""
    file = tmp_path / "workflows.yaml"
    file.write_text(WORKFLOWS)
    return str(file)


def test_a_day_is_summed_up(moka, history, workflows):
    result = moka(*DAY, "--history", history, "--workflows", workflows)

    assert result.status == 0
    assert "tier 1: 1 of 2 workflows within their SLO, 50%: missed" in result.out
    assert "Not known from 00:00 to 01:30: The scheduler started anew." in result.out
    assert "There are no records of adhoc-a of 2026-11-25" in result.out


def test_json_is_of_the_clusters_that_are_named(moka, history):
    result = moka(*DAY, "--history", history, "--cluster", "batch-a", "--json")

    [cluster] = json.loads(result.out)["clusters"]
    assert cluster["name"] == "batch-a"
    assert cluster["use"]["hours"]["vcores"] == 1000


def test_capacity_and_price_are_those_of_the_settings_and_the_table(moka, history):
    result = moka(*DAY, "--history", history, "--cluster", "batch-a", "--json")

    [cluster] = json.loads(result.out)["clusters"]
    settings = load("prod")
    [size] = cluster_sizes(settings, ["batch-a"], prices())
    stated = settings.capacity("batch-a")
    assert cluster["capacity"]["vcores"] == stated.cpu / 1000
    machine = size.machines["m7g.4xlarge"]
    assert machine.usd == prices().price("ec2/m7g.4xlarge", "us-east-1")
    # 960 vcore-hours of orders, and 800 GiB-hours of science.
    hours = 960_000 / machine.cpu + 800 * 1024 / machine.memory
    assert cluster["cost"]["usd"] == pytest.approx(hours * machine.usd, abs=0.01)


class Page(HTMLParser):
    """What a browser would fetch, and what a screen reader would say of pictures."""

    def __init__(self):
        super().__init__()
        self.fetched, self.pictures, self.headings = [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.fetched += [given[name] for name in ("src", "href") if not given.get(name, "#").startswith("#")]
        if tag == "svg":
            self.pictures.append(given["aria-label"])


def test_the_page_fetches_nothing_and_says_its_pictures(moka, history, workflows, tmp_path):
    file = tmp_path / "usage.html"

    moka(*DAY, "--history", history, "--workflows", workflows, "--page", str(file))

    page = Page()
    page.feed(file.read_text())
    assert page.fetched == []
    assert "url(" not in file.read_text() and "<script" not in file.read_text()
    assert "Workflows that were successful, by tier: tier 1 50%" in page.pictures
    assert any(says.startswith("vcores by hour: at most 50 at 12:00") for says in page.pictures)


def test_the_numbers_are_written_for_prometheus(moka, history, workflows, tmp_path):
    file = tmp_path / "usage.prom"

    moka(*DAY, "--history", history, "--workflows", workflows, "--metrics", str(file))

    lines = file.read_text().splitlines()
    assert 'moka_usage_workflows_judged{target="batch-a",tier="1"} 2' in lines
    assert 'moka_usage_hours{target="batch-a",tier="1",resource="vcores"} 960' in lines


def test_the_bucket_is_read_with_the_credentials_at_hand(moka, history, workflows, tmp_path, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    from_folder = moka(*DAY, "--history", history, "--workflows", workflows)

    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket=BUCKET)
        for file in (tmp_path / "history").rglob("*.parquet"):
            s3.upload_file(str(file), BUCKET, str(file.relative_to(tmp_path / "history")))
        s3.put_object(Bucket=BUCKET, Key="usage/v1/profiles/day=2026-11-25/state.json", Body=b"{}")
        from_bucket = moka(*DAY, "--workflows", workflows)

    assert from_bucket == from_folder


def test_a_bucket_that_cannot_be_read_is_told(moka, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        result = moka(*DAY)

    assert result.status == 2
    assert result.err.startswith(f"The history in s3://{BUCKET} cannot be read (")
    assert "see the credentials, or name a folder with --history." in result.err


def test_a_file_that_is_cut_off_is_told(moka, history, tmp_path):
    [file] = (tmp_path / "history/usage/v1/profiles/day=2026-11-25/cluster=batch-a").iterdir()
    file.write_bytes(file.read_bytes()[:100])

    result = moka(*DAY, "--history", history)

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"The history in {history} cannot be read: ")
    assert file.name in result.err
    assert len(result.err.splitlines()) == 1


def test_an_slo_of_zero_is_refused(moka, history, tmp_path):
    file = tmp_path / "zero.yaml"
    file.write_text(WORKFLOWS.replace("slo_hours: 2", "slo_hours: 0"))

    result = moka(*DAY, "--history", history, "--workflows", str(file))

    assert result.status == 2
    assert "billing.slo_hours" in result.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--day", "25.11."], "'25.11.' is no day: write one such as 2026-11-25."),
        (["--day", "2999-01-01"], "2999-01-01 is still to come."),
        (["--cluster", "batch-c", "--history", "."], "prod has no cluster 'batch-c'; did you mean"),
        (["--history", "nowhere"], "nowhere is no folder: name one that is laid out as the bucket."),
        (["--workflows", "nowhere.yaml"], "nowhere.yaml cannot be read (No such file or directory)"),
        (["--history", ".", "--page", "/nowhere/page.html"], "/nowhere/page.html cannot be written"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(moka, arguments, says):
    result = moka("usage", "report", "prod", *arguments)

    assert result.status == 2
    assert says in " ".join(result.err.split())


def test_what_a_spark_job_is_to_ask_is_printed(moka, workflows):
    result = moka("usage", "asked", "prod", "--day", "2026-11-25", "--days", "30", "--workflows", workflows)

    scope = QueryScope.from_json(result.out)
    assert scope.ended - scope.began == 30 * 24 * usage_day.HOUR
    assert scope.ended == usage_day.BEGAN + 24 * usage_day.HOUR
    assert set(scope.machines) == {"batch-a", "batch-b", "adhoc-a"}
    assert scope.slos == {"orders": usage_day.HOUR, "billing": 2 * usage_day.HOUR}
    assert scope.views()


@pytest.mark.parametrize("text", ["", "[]", '{"began": 1}'])
def test_another_file_is_not_what_to_ask(text):
    with pytest.raises(ValueError, match="This is not what to ask about"):
        QueryScope.from_json(text)


@pytest.mark.parametrize("environment", ["test", "dev", "staging", "prod", "local"])
def test_every_environment_has_sizes_of_its_clusters(environment):
    settings = load(environment)

    for size in cluster_sizes(settings, list(settings.clusters), prices()):
        assert size.capacity.instances >= 1
        assert size.queues


def test_examples_of_workflows_are_taken(moka, history):
    examples = sorted((REPOSITORY / "examples" / "workflows").glob("*.yaml"))

    assert examples
    for file in examples:
        assert moka(*DAY, "--history", history, "--workflows", str(file)).status == 0
