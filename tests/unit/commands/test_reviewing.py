"""Previews that are damaged, or of odd values, end in a sentence or in a report that holds."""

import contextlib
import copy
import functools
import json
import random
from xml.etree import ElementTree

import pytest

from commands.reviewing import review
from drawing.as_svg import as_svg
from drawing.as_text import as_text
from previews import UnreadablePreview
from report.as_json import as_json
from report.markdown import LIMIT, as_markdown
from report.model import WEIGHTS
from stacks.settings import reading
from tests.support.preview_texts import printed, root, step, streamed
from tests.support.snapshots import recorded

EVIL = "zz` </details> <!-- @all #1 [a](b) \ud800\x1b[2J\u202e"
ODD = [
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "[secret]",
    None,
    "",
    7,
    -1,
    1e400,
    True,
    [],
    {},
    ["x"],
    [[]],
    {"a": None},
    {"a": {}},
    "{",
    "*",
    "1e999",
    "9" * 400,
    "x" * 5_000,
    EVIL,
    [EVIL],
    {EVIL: 1},
]
CHANGED = ("queues", "data", "network", "kubernetes", "namespaces", "people", "renamed", "new", "sizes")
SMALL = ("nothing", "queues", "data", "network", "unprotected", "people")


LOAD = functools.cache(reading.load)


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    """Settings are read once."""
    monkeypatch.setattr(reading, "load", LOAD)


def reviewed(content):
    """The report, once all that is made of it holds."""
    result = review(content, "x.json")
    markdown = as_markdown(result.report)
    assert len(markdown.encode()) >= len(markdown) <= LIMIT
    assert all(line.isprintable() for line in markdown.splitlines())
    # Within code everything is text.
    outside = "".join(markdown.replace("\\`", "").split("`")[::2])
    assert not {"<!--", "@all", "[a](b)"} & set(outside.split())
    assert outside.count("<details>") == outside.count("</details>")
    assert as_json(result.report).encode()
    if result.picture:
        ElementTree.fromstring(as_svg(result.picture).encode())
        assert as_text(result.picture).encode()
    return result.report


def odd(value, chance):
    """The value with some of its parts replaced."""
    if random.random() < chance:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: odd(part, chance) for key, part in value.items()}
    if isinstance(value, list):
        return [odd(part, chance) for part in value]
    return value


def states(document):
    """Every state in a preview, in either form."""
    if isinstance(document, dict):
        for key, part in document.items():
            if key in ("old", "new", "oldState", "newState") and isinstance(part, dict):
                yield part
            else:
                yield from states(part)
    elif isinstance(document, list):
        for part in document:
            yield from states(part)


def places(value, path=()):
    """The way to everything in a document."""
    yield path
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


def put(document, path, value):
    """The document with another value at a place."""
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


@pytest.mark.parametrize(("seed", "chance"), [(1, 0.02), (2, 0.05), (3, 0.3), (4, 0.3)])
@pytest.mark.parametrize("name", CHANGED)
def test_a_report_is_made_of_odd_values_too(name, seed, chance):
    random.seed(f"{name} {seed}")
    documents = [json.loads(line) for line in recorded(name).splitlines()]
    for state in states(documents):
        for key in ("inputs", "outputs"):
            if isinstance(state.get(key), dict):
                state[key] = {part: odd(value, chance) for part, value in state[key].items()}

    reviewed("\n".join(map(json.dumps, documents)))


@pytest.mark.parametrize("name", SMALL)
def test_a_text_in_a_preview_is_never_more_than_text_in_the_report(name):
    random.seed(name)
    documents = [json.loads(line) for line in recorded(name).splitlines()]
    texts = [path for path in places(documents) if isinstance(at(documents, path), str)]

    for path in random.sample(texts, 30):
        with contextlib.suppress(UnreadablePreview):
            reviewed("\n".join(map(json.dumps, put(documents, path, EVIL))))


def at(document, path):
    for key in path:
        document = document[key]
    return document


BUCKET = "moka:aws:Bucket$aws:s3/bucket:Bucket"
STEPS = (
    root("local", "logs/spark-a"),
    step(
        "local", "create", "logs", "moka:kubernetes:Namespace", "spark-a-new", provider="urn:pulumi:a::b::1"
    ),
    step("local", "delete", "foundation", BUCKET, "main-old"),
)
POLICY = {"policyName": "no-x", "enforcementLevel": "advisory", "message": "x", "resourceUrn": "a"}
DOCUMENT = printed(*STEPS, diagnostics=[{"severity": "warning", "message": "x"}])
STREAM = streamed(*STEPS, policyEvent=POLICY, outputs={"spark/spark-a": ["moka:kubernetes:Namespace::x"]})


@pytest.mark.parametrize("junk", ODD, ids=lambda value: ascii(value)[:20])
@pytest.mark.parametrize("text", [DOCUMENT, STREAM], ids=["document", "events"])
def test_whatever_stands_in_a_preview_there_is_a_report_or_a_sentence(text, junk):
    documents = [json.loads(line) for line in text.splitlines()]

    for path in places(documents):
        if len(path) > 1:
            try:
                reviewed("\n".join(map(json.dumps, put(documents, path, junk))))
            except UnreadablePreview as refusal:
                assert str(refusal).isprintable()
                assert str(refusal).endswith(".")


@pytest.mark.parametrize("name", [*SMALL, "new", "refused"])
def test_a_preview_that_is_cut_anywhere_is_refused(name):
    random.seed(name)
    text = recorded(name).rstrip()
    ends = [index for index, character in enumerate(text) if character == "\n"]

    for end in {
        0,
        1,
        len(text) - 1,
        *random.sample(range(len(text)), 30),
        *ends[-20:],
    }:
        with pytest.raises(UnreadablePreview) as refusal:
            review(text[:end], "x.json")
        assert str(refusal.value).startswith("x.json ")


@pytest.mark.parametrize("name", [name for name in SMALL if name != "nothing"])
def test_a_preview_that_lacks_a_line_never_looks_better(name):
    lines = recorded(name).splitlines()
    weight = WEIGHTS.index(reviewed("\n".join(lines)).weight)

    for number in range(len(lines)):
        with contextlib.suppress(UnreadablePreview):
            report = reviewed("\n".join(lines[:number] + lines[number + 1 :]))
            assert WEIGHTS.index(report.weight) <= weight, lines[number]


def nested(levels):
    """A preview with a value of so many levels."""
    deep = '{"a": ' * levels + "1" + "}" * levels
    return printed(*STEPS).replace('"custom": true', f'"custom": true, "inputs": {deep}', 1)


def test_values_within_values_without_an_end_are_refused():
    with pytest.raises(UnreadablePreview, match=r"x\.json"):
        reviewed(nested(100_000))


def test_many_values_within_values_are_reported():
    reviewed(nested(100))


@pytest.mark.parametrize("levels", [900, 5_000])
def test_values_in_between_are_reported_or_refused_and_nothing_else(levels):
    with contextlib.suppress(UnreadablePreview):
        reviewed(nested(levels))
