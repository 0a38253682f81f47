import gzip
import io
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from localcloud.cloud import REPOSITORY
from moka import prices
from tests.support.preview_texts import printed, root, step
from tests.support.previews import PREVIEWS
from tests.support.snapshots import file


@pytest.fixture
def preview(tmp_path):
    """The path of a recorded preview."""

    def write(name):
        path = tmp_path / f"{name}.json"
        path.write_bytes(gzip.decompress((PREVIEWS / f"{name}.gz").read_bytes()))
        return str(path)

    return write


@pytest.mark.parametrize(("name", "status"), [("nothing", 0), ("queues", 1), ("unprotected", 3)])
def test_the_exit_status_is_the_verdict(moka, preview, name, status):
    result = moka("report", preview(name))

    assert result.status == status
    assert result.out == file(name).read_text() + "\n"


def test_a_preview_on_stdin_is_read(moka, preview, monkeypatch):
    text = Path(preview("queues")).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))

    assert moka("report", "-").out == file("queues").read_text() + "\n"


def documented_calls():
    """Arguments of `moka` of each line of the documentation that reports."""
    page = (REPOSITORY / "docs" / "review.md").read_text()
    return [
        shlex.split(line)
        for line in re.findall(r"^    \.local/venv/bin/moka (report .+)$", page, re.MULTILINE)
    ]


def test_every_line_of_the_documentation_reports(moka, preview, tmp_path, monkeypatch):
    shutil.copy(preview("queues"), tmp_path / "preview.json")
    monkeypatch.chdir(tmp_path)

    assert [(len(call), moka(*call).status) for call in documented_calls()] == [(2, 1), (3, 1), (6, 1)]
    assert "[report.svg](report.svg)" in (tmp_path / "report.md").read_text()
    ElementTree.parse(tmp_path / "report.svg")


def test_the_json_says_what_is_marked_in_the_picture(moka, preview):
    drawing = json.loads(moka("report", preview("sizes"), "--json").out)["drawing"]

    assert drawing["marks"] == {
        "archer/batch-a": {"update": 2},
        "cluster/batch-a": {"update": 6},
        "cluster/batch-a#driver-arm64": {"update": 3},
        "cluster/batch-a#executor-amd64": {"update": 1},
        "cluster/batch-a#executor-arm64": {"update": 1},
        # What the keeper of queues, and jobs, are told of its machines.
        "scheduling/batch-a": {"update": 1},
        "spark/batch-a": {"update": 1},
    }
    assert "nodes executor-amd64" in drawing["text"]
    assert "ingress" not in drawing["text"], "only what changes"


def test_where_nothing_changes_nothing_is_drawn(moka, preview, tmp_path):
    result = moka("report", preview("nothing"), "--json", "--svg", str(tmp_path / "x.svg"))

    assert json.loads(result.out)["drawing"] is None
    assert not (tmp_path / "x.svg").exists()


CREATED = step("local", "create", "", "aws:s3/bucket:Bucket", "logs")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            printed(root("local", project="shop"), CREATED).replace("::moka::", "::shop::"),
            "The preview is of project shop, and the settings here are of moka: draw it where",
        ),
        (
            printed(root("europe"), CREATED).replace("pulumi:local", "pulumi:europe"),
            "Environment 'europe' has no settings file stacks/europe.yaml",
        ),
        (
            printed(root("local"), step("local", "create", "cluster", "moka:aws:NodeGroup", "spark-a-x")),
            "The preview has cluster/spark-a, node group x, which the settings here do not have",
        ),
    ],
)
def test_a_report_on_what_cannot_be_drawn_here_says_why(moka, tmp_path, text, reason):
    (tmp_path / "p.json").write_text(text)

    result = moka("report", str(tmp_path / "p.json"), "--svg", str(tmp_path / "x.svg"))

    assert result.status in (0, 1)
    assert f"<sub>There is no picture of it: {reason}" in result.out
    assert not (tmp_path / "x.svg").exists()


def test_json_is_for_scripts(moka, preview):
    result = moka("report", preview("queues"), "--json")

    document = json.loads(result.out)
    assert (document["stack"], document["verdict"], document["version"]) == ("staging.batch-a", "look", 1)
    assert "queues" in document["sections"]


def test_the_markdown_is_written_to_a_file_too(moka, preview, tmp_path):
    moka("report", preview("queues"), "--json", "--markdown", str(tmp_path / "r.md"))

    assert (tmp_path / "r.md").read_text() == file("queues").read_text()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"{", "so it is cut off"),
        (b"\xff\xfe", "is no text in UTF-8"),
        (b'{"steps": [], "changeSummary": {}}', "has no step"),
    ],
)
def test_what_is_no_preview_ends_with_one_sentence_and_no_report(moka, tmp_path, content, sentence):
    path = tmp_path / "p.json"
    path.write_bytes(content)

    result = moka("report", str(path))

    assert (result.status, result.out) == (2, "")
    assert sentence in result.err
    assert result.err.count("\n") == 1


def test_a_file_that_is_not_there_is_said_to_be_so(moka):
    result = moka("report", "nowhere.json")

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("nowhere.json cannot be read (No such file or directory): name a file")


def test_a_broken_table_of_prices_ends_with_one_sentence(moka, preview, monkeypatch, tmp_path):
    (tmp_path / "prices.json").write_text("{}")
    monkeypatch.setattr("report.subjects.cost.prices", lambda: prices.prices(tmp_path / "prices.json"))

    result = moka("report", preview("sizes"))

    assert (result.status, result.out) == (2, "")
    assert "is no table of prices" in result.err
