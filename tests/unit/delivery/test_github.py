"""Comments and issues, on a server in place of GitHub: simulated by what docs.github.com/rest says of it."""

import json
import re
from collections import defaultdict

import pytest

from delivery.github import BODY_LIMIT
from tests.support.http_server import http_server

STACKS = json.dumps([{"stack": stack, "environment": "prod"} for stack in ("prod.shared", "prod.batch-a")])
SHARED, BATCH = "<!-- moka preview prod.shared -->", "<!-- moka preview prod.batch-a -->"


class SimulatedGitHub:
    """Keeps comments of pull request 7, and issues, and counts what is written.

    Lists have 100 items a page (`per_page`); everything is written by a bot.
    """

    def __init__(self):
        self.items = defaultdict(list)
        self.writes = []
        self.refuse = None

    def add(self, kind, body, author="Bot", **more):
        item = {"id": 1000 + len(self.items[kind]), "body": body, "user": {"type": author}, **more}
        self.items[kind].append({"number": item["id"], "state": "open", **item})

    def bodies(self, kind="comments"):
        return [item["body"] for item in self.items[kind]]

    def answer(self, method, path, body):
        path = path.removeprefix("/repos/acme/moka/")
        if self.refuse:
            return 403, json.dumps({"message": self.refuse})
        kind = "comments" if "comments" in path else "issues"
        if method == "GET":
            page = int(re.search(r"[?&]page=(\d+)", path)[1])
            items = [item for item in self.items[kind] if item["state"] == "open"]
            return 200, json.dumps(items[100 * (page - 1) : 100 * page])
        self.writes.append((method, path))
        content = json.loads(body)
        if method == "POST":
            self.add(kind, **content)
            return 201, json.dumps(self.items[kind][-1])
        [item] = [item for item in self.items[kind] if path.endswith(f"/{item['id']}")]
        item.update(content)
        return 200, json.dumps(item)


@pytest.fixture
def github(monkeypatch):
    simulated = SimulatedGitHub()
    with http_server(simulated.answer) as port:
        monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("GITHUB_REPOSITORY", "acme/moka")
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example")
        monkeypatch.setenv("GITHUB_RUN_ID", "5")
        yield simulated


@pytest.fixture
def comment(moka, tmp_path):
    """Comment reports, by stack, of a pull request that touches STACKS."""

    def run(reports, stacks=STACKS):
        for old in tmp_path.glob("*.md"):
            old.unlink()
        for stack, text in reports.items():
            (tmp_path / f"{stack}.md").write_text(text)
        return moka("github", "comment", str(tmp_path), "--pull", "7", "--stacks", stacks)

    return run


def test_each_stack_has_a_comment_that_is_updated_in_place(github, comment):
    comment({"prod.shared": "one bucket more", "prod.batch-a": "nothing"})
    comment({"prod.shared": "two buckets more", "prod.batch-a": "nothing"})

    assert github.bodies() == [f"{SHARED}\ntwo buckets more", f"{BATCH}\nnothing"]
    assert github.writes[2:] == [("PATCH", "issues/comments/1000")]


def test_a_stack_without_a_report_is_said_not_to_be_previewed_over_what_was_said_before(github, comment):
    comment({"prod.shared": "fine", "prod.batch-a": "fine"})
    comment({"prod.shared": "fine"})

    [_, batch] = github.bodies()
    assert "not previewed" in batch
    assert "https://github.example/acme/moka/actions/runs/5" in batch
    assert "fine" not in batch


def test_the_drawing_beside_a_report_is_linked_where_the_run_keeps_it(github, comment):
    comment(
        {"prod.shared": "All of it is drawn in [prod.shared.svg](prod.shared.svg).", "prod.batch-a": "fine"}
    )

    [body] = [body for body in github.bodies() if SHARED in body]
    assert "[prod.shared.svg](https://github.example/acme/moka/actions/runs/5#artifacts)" in body


def test_a_stack_that_is_no_longer_touched_is_said_so(github, comment):
    comment({"prod.shared": "fine", "prod.batch-a": "fine"})
    comment({}, stacks="[]")

    assert all("not touched" in body for body in github.bodies())


def test_a_comment_of_a_person_that_quotes_one_is_left_as_it_is(github, comment):
    github.add("comments", f"{SHARED}\nfine", author="User")

    comment({"prod.shared": "fine", "prod.batch-a": "fine"})

    assert len(github.bodies()) == 3
    assert {method for method, _ in github.writes} == {"POST"}


def test_a_comment_is_found_behind_a_hundred_others(github, comment):
    for number in range(150):
        github.add("comments", f"comment {number}", author="User")
    github.add("comments", f"{SHARED}\nold")

    comment({"prod.shared": "new", "prod.batch-a": "fine"})

    assert github.bodies()[150] == f"{SHARED}\nnew"


def test_a_report_that_is_too_long_is_cut_and_says_so(github, comment):
    comment({"prod.shared": "long " * BODY_LIMIT, "prod.batch-a": "fine"})

    assert len(github.bodies()[0]) == BODY_LIMIT
    assert github.bodies()[0].endswith("cut off, as it is longer than a comment can be: see the run.")


def test_a_refusal_of_github_is_one_sentence_without_the_token(github, comment):
    github.refuse = "Resource not accessible by integration"

    result = comment({"prod.shared": "fine"})

    assert result.status == 1
    assert result.err.endswith("403 Resource not accessible by integration\n")
    assert "secret" not in result.err


def test_a_list_of_stacks_that_is_none_is_refused(github, comment):
    result = comment({"prod.shared": "fine"}, stacks="prod.shared")

    assert result.status == 1
    assert "give what `moka changed --json` prints" in result.err
    assert github.writes == []


def test_outside_of_a_workflow_it_says_what_is_missing(moka, monkeypatch, tmp_path):
    for name in ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    result = moka("github", "comment", str(tmp_path), "--pull", "7", "--stacks", "[]")

    assert result.err.startswith("GITHUB_API_URL and GITHUB_REPOSITORY and GITHUB_TOKEN must be set")


# --- Issues ---


@pytest.fixture
def issue(moka, tmp_path):
    """Update the issue of prod by what was found of its one stack."""

    def run(*resources, problem=None):
        drifts = [
            {"urn": f"urn:pulumi:prod::moka::a:b:C::{name}", "properties": ["tags"]} for name in resources
        ]
        stack = {"stack": "prod.shared", "problem": problem, "resources": drifts}
        file = tmp_path / "prod.json"
        file.write_text(json.dumps({"environment": "prod", "stacks": [stack]}))
        return moka("github", "issue", "prod", str(file))

    return run


def test_drift_opens_one_issue_that_names_it_is_updated_and_closed(github, issue):
    issue("logs")
    issue("logs", "data")
    [opened] = github.items["issues"]
    assert opened["title"] == "prod has drifted"
    assert "- `a:b:C logs` changed: tags\n- `a:b:C data` changed: tags" in opened["body"]
    assert opened["state"] == "open"

    issue()

    assert github.items["issues"][0]["state"] == "closed"
    assert len(github.items["issues"]) == 1


def test_without_drift_no_issue_is_opened(github, issue):
    assert issue().out == "prod has not drifted.\n"
    assert github.writes == []


def test_a_run_that_could_not_check_opens_an_issue_and_closes_none(github, issue):
    issue("logs")

    issue(problem="no credentials")

    [opened] = github.items["issues"]
    assert opened["state"] == "open"
    assert "prod.shared could not be checked: no credentials" in opened["body"]


def test_a_run_that_left_nothing_is_an_issue_too(github, moka, tmp_path):
    moka("github", "issue", "prod", str(tmp_path / "missing.json"))

    [opened] = github.items["issues"]
    assert opened["body"].splitlines()[1] == "Whether prod is as it was deployed is not known."


def test_a_pull_request_and_the_issue_of_another_environment_are_left_as_they_are(github, issue):
    github.add("issues", "<!-- moka drift prod -->\nquoted", pull_request={})
    github.add("issues", "<!-- moka drift dev -->\ndev has drifted")

    issue("logs")

    assert {method for method, _ in github.writes} == {"POST"}


def test_what_was_found_of_another_environment_is_refused(github, moka, tmp_path):
    file = tmp_path / "dev.json"
    file.write_text(json.dumps({"environment": "dev", "stacks": []}))

    result = moka("github", "issue", "prod", str(file))

    assert (result.status, github.writes) == (1, [])
    assert result.err.endswith("dev.json is about dev, not prod.\n")
