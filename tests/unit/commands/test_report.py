import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from commands import github_api
from report.cost import prices
from tests.support.http_server import http_server
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
        (b"{", "is cut off"),
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

    assert (result.status, result.err) == (2, "nowhere.json: No such file or directory.\n")


def test_a_broken_table_of_prices_ends_with_one_sentence(moka, preview, monkeypatch, tmp_path):
    (tmp_path / "prices.json").write_text("{}")
    monkeypatch.setattr("report.subjects.cost.prices", lambda: prices.prices(tmp_path / "prices.json"))

    result = moka("report", preview("sizes"))

    assert (result.status, result.out) == (2, "")
    assert "is no table of prices" in result.err


class GitHub:
    """The comments of one pull request, kept as GitHub keeps them."""

    def __init__(self, *bodies):
        self.comments = [{"id": 100 + number, "body": body} for number, body in enumerate(bodies)]
        self.refuses = 0

    def answer(self, method, path, body):
        if self.refuses:
            return self.refuses, '{"message": "Resource not accessible by integration"}'
        if method == "GET":
            page = int(path.partition("&page=")[2])
            return 200, json.dumps(self.comments[(page - 1) * 100 : page * 100])
        text = json.loads(body)["body"]
        if method == "POST":
            assert path == "/repos/acme/data/issues/12/comments"
            self.comments.append({"id": 100 + len(self.comments), "body": text})
            return 201, json.dumps({"html_url": "https://github.example/new"})
        [one] = [one for one in self.comments if path == f"/repos/acme/data/issues/comments/{one['id']}"]
        one["body"] = text
        return 200, json.dumps({"html_url": "https://github.example/over"})


@pytest.fixture
def github(monkeypatch):
    """A GitHub on this machine, for the pull request 12 of acme/data."""
    server = GitHub(*["Looks good"] * 150)
    with http_server(server.answer) as port:
        monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{port}/")
        monkeypatch.setenv("GITHUB_REPOSITORY", "acme/data")
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        yield server


def reports(github):
    return [one["body"] for one in github.comments if "moka report" in one["body"]]


def test_a_comment_is_written_once_for_each_stack_and_then_over(moka, preview, github):
    first = moka("report", preview("queues"), "--comment", "12")
    moka("report", preview("unprotected"), "--comment", "12")
    second = moka("report", preview("people"), "--comment", "12")

    assert (first.err, second.err) == ("https://github.example/new\n", "https://github.example/over\n")
    assert reports(github) == [file("people").read_text(), file("unprotected").read_text()]


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_comment_that_github_refuses_is_an_error_in_one_sentence(moka, preview, github, status):
    github.refuses = status

    result = moka("report", preview("nothing"), "--comment", "12")

    assert result.status == 2
    assert f"({status} " in result.err and "pull-requests: write" in result.err
    assert "secret" not in result.err
    assert result.out == file("nothing").read_text() + "\n"


def test_a_github_that_cannot_be_reached_is_an_error_in_one_sentence(moka, preview, github, monkeypatch):
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")

    result = moka("report", preview("nothing"), "--comment", "12")

    assert result.status == 2
    assert "http://127.0.0.1:1 cannot be asked" in result.err


def test_without_a_token_nothing_is_read(moka, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)

    result = moka("report", "nowhere.json", "--comment", "12")

    assert (result.status, result.out) == (2, "")
    assert "needs GITHUB_REPOSITORY and GITHUB_TOKEN" in result.err


def test_githubs_own_address_is_the_default():
    repository = github_api.Repository.of_environment({"GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "t"})

    assert repository.url == "https://api.github.com"
