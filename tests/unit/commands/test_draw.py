"""What is drawn and printed, and what is refused."""

import io
import re
import shlex
import sys
from xml.etree import ElementTree

import pytest

from localcloud.cloud import REPOSITORY
from tests.support.preview_texts import printed, root, step

PAGE = (REPOSITORY / "docs" / "operations" / "pictures.md").read_text()
BUCKET = step("local", "update", "foundation", "moka:aws:Bucket", "main-staging")


GROUP = step("local", "create", "cluster", "moka:aws:NodeGroup", "spark-a-x")


@pytest.fixture
def preview(tmp_path):
    """Write a preview: its steps -> its file."""

    def write(*steps, name="preview.json"):
        path = tmp_path / name
        path.write_text(printed(*steps))
        return str(path)

    return write


def documented_calls():
    """Arguments of `moka` of each line of the documentation that draws."""
    calls = []
    for line in re.findall(r"^    (.+?)(?:  +#.*)?$", PAGE, re.MULTILINE):
        words = shlex.split(line)
        if words[:2] == ["make", "draw"]:
            variables = dict(word.split("=", 1) for word in words[2:])
            calls.append(["draw", variables["STACK"], *shlex.split(variables.get("ARGS", ""))])
        elif words[0].endswith("/moka"):
            calls.append(words[1:])
    return calls


@pytest.mark.parametrize("arguments", documented_calls(), ids=" ".join)
def test_every_line_of_the_documentation_draws(arguments, moka, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for stack in ("shared", "batch-a"):
        (tmp_path / f"{stack}.json").write_text(printed(root(f"prod.{stack}")))

    result = moka(*arguments)

    assert (result.status, result.err) == (0, "")
    for path in tmp_path.glob("*.svg"):
        ElementTree.parse(path)
        assert result.out == f"{path.name}\n"


def test_the_documentation_shows_text_drawings_stacks_and_previews():
    assert [len(arguments) for arguments in documented_calls()] == [2, 4, 4, 8]


def test_an_environment_is_shown_as_text(moka):
    result = moka("draw", "local")

    assert result.status == 0
    lines = [line.split() for line in result.out.splitlines()]
    assert ["ingress", "stack", "local,", "reads", "cluster,", "foundation/main"] in lines
    assert "nodes driver-amd64" in result.out


def test_a_preview_may_come_from_standard_input(moka, monkeypatch):
    content = printed(root("local"), BUCKET).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    result = moka("draw", "local", "--preview", "-")

    assert result.status == 0
    assert re.search(r"^    staging +7 days  \[~1\]$", result.out, re.MULTILINE)


def test_several_previews_are_drawn_together(moka, preview):
    one = preview(root("prod.shared"), name="one.json")
    two = preview(root("prod.batch-a"), name="two.json")

    result = moka("draw", "prod", "--preview", one, "--preview", two)

    assert "Not previewed: prod.adhoc-a, prod.batch-b." in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prodd"], "Environment 'prodd' has no settings file"),
        (
            ["prod.x"],
            "prod has no stack prod.x; it has prod.adhoc-a, prod.batch-a, prod.batch-b, prod.shared.",
        ),
        (["local.x"], "local has no stack local.x; it has local."),
        (["prod", "--preview", "{preview}"], "The preview is of stack local, and environment prod has"),
        (
            ["local", "--preview", "{preview}", "--preview", "{preview}"],
            "There are 2 previews of stack local",
        ),
        (
            ["local", "--preview", "{other}"],
            "The preview has cluster/spark-a, node group x, which the settings",
        ),
        (["local", "--preview", "/nowhere.json"], "/nowhere.json cannot be read (No such file or directory)"),
        (["local", "--preview", "{cut}"], "{cut} ends within what begins at line 1, so it is cut off"),
        (["local", "--svg", "/nowhere/x.svg"], "/nowhere/x.svg cannot be written (No such file or"),
    ],
)
def test_what_is_refused_is_one_sentence_and_nothing_is_drawn(arguments, message, moka, preview, tmp_path):
    files = {
        "preview": preview(root("local"), BUCKET),
        "other": preview(root("local"), GROUP, name="other.json"),
        "cut": str(tmp_path / "cut.json"),
    }
    (tmp_path / "cut.json").write_text(printed(root("local"), BUCKET)[:-20])
    drawing = tmp_path / "drawing.svg"
    target = [] if "--svg" in arguments else ["--svg", str(drawing)]

    result = moka("draw", *(argument.format(**files) for argument in arguments), *target)

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message.format(**files)) and result.err.count("\n") == 1
    assert not drawing.exists()
