"""Messages that pages quote, which a reader looks for: of ours each is said somewhere, word for word."""

import re
import subprocess
from pathlib import Path

import pytest

from localcloud.cloud import REPOSITORY
from tests.support.documented import in_one_line

OTHER_PAGES = {"benchmarks.md", "layers.md", "policies.md", "scale.md", "settings.md", "wrong-changes.md"}
"""Made from what they are about, or quoting no messages."""

PAGES = [
    page
    for page in (*(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "docs" / "operations").glob("*.md"))
    if page.name not in OTHER_PAGES
]

OTHERS = {
    # AWS, and its provider
    "AccessDenied in `up`",
    "already exists",
    "conflicts with another subnet",
    "desiredSize equals minSize",
    "EntityAlreadyExists",
    "invalid principal",
    "no permissions boundary allows",
    "Not authorized to perform sts:AssumeRoleWithWebIdentity",
    # Kubernetes and its clients
    "connection refused",
    "is forbidden",
    "sparkapplications.sparkoperator.k8s.io is forbidden",
    "status unknown for quota: applications",
    "the server has asked for the client to provide credentials",
    "You must be logged in to the server",
    # Pulumi
    "cannot be deleted because it is protected",
    "configured Kubernetes cluster is unreachable",
    "currently locked by",
    "error reading from server: EOF",
    "error: EOF",
    "is marked for protection",
    "the stack is currently locked",
    "unable to replace",
    "You must run with the `--run-program` flag",
    # Go, the Spark Operator, and YuniKorn
    "driver pod not found",
    "failed to create placeholder pod",
    "cannot fit application",
    "failed to place application",
    "no placement rule matched",
    "Preempted by",
}
"""What is in no code of ours: the words of other programs."""

COMMANDS = ("archer ", "aws ", "eval ", "kubectl ", "make ", "moka ", "pip ", "pulumi ", "python ")

BLANK = re.compile(r"\.\.\.|<[\w ]+>|\b[nm]\b|\b\d+\b|`, |guaranteed cpu|Draining|batch-a|exit status")
"""What stands for something else in a quotation, dots, a name, a number, or is beside it."""


@pytest.fixture(scope="module")
def said() -> str:
    """What this project's programs are written of, their texts whole."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.yaml", "*.mk", "Makefile"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [name for name in listed.stdout.split() if not name.startswith(("tests/", "docs/"))]
    text = "\n".join((REPOSITORY / name).read_text() for name in files if (REPOSITORY / name).exists())
    return in_one_line(re.sub(r'["\']\s*\n\s*f?["\']', "", text))


def quotations(page: Path) -> set[str]:
    """What a page quotes: between quotes, in the first column of messages, and several words in code."""
    text = re.sub(r"^```[\s\S]*?^```$|^    .*$", "", page.read_text(), flags=re.MULTILINE)
    found = set()
    for table in re.findall(
        r"^\| (?:what it says|it says)[^\n]*\n\|[^\n]*\n((?:\|.*\n)+)", text, re.MULTILINE
    ):
        found |= {row.strip("| ").split(" | ")[0] for row in table.strip().split("\n")}
    found |= set(re.findall(r'"([^"`|]+)"', re.sub(r"`[^`]*`", "", text)))
    found |= set(re.findall(r"`([a-z][a-z' ]+ [a-z:' ]+)`", text))
    return {in_one_line(quotation) for quotation in found if not quotation.startswith(COMMANDS)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY / "docs")))
def test_every_message_that_a_page_quotes_is_said(page, said):
    missing = []
    for quotation in quotations(page):
        if any(words in quotation for words in OTHERS):
            continue
        pieces = [piece.strip(" `,:()") for piece in BLANK.split(quotation)]
        missing += [piece for piece in pieces if piece not in said]

    assert missing == []


def test_there_are_messages_to_look_for():
    assert len({quotation for page in PAGES for quotation in quotations(page)}) > 100


def test_words_of_others_are_quoted_somewhere():
    everything = "\n".join(in_one_line(page.read_text()) for page in PAGES)

    assert {words for words in OTHERS if words not in everything} == set()
