import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from report.cost import prices
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
