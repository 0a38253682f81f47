"""Files that people write: what has no end, or no meaning, is refused in one sentence and at once."""

import pytest

from moka import documents
from moka.documents import DocumentKind, Section
from moka.jobs import job_file
from moka.mistakes import InvalidDocument
from moka.queues import queue_file
from stacks import settings
from tests.support.unbounded_yaml import REPEATED, WITHIN_ITSELF

READERS = {"settings": settings.parse, "queues": queue_file.loads, "jobs": job_file.read}


class Anything(Section):
    """A section with one key."""

    key: object


KIND = DocumentKind(model=Anything, example="stacks/local.yaml", noun="settings")


def refusal(read, content):
    """The one sentence with which a file is refused."""
    with pytest.raises(InvalidDocument) as error:
        read(content, "file.yaml")
    [sentence] = str(error.value).splitlines()
    return sentence


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", REPEATED.values(), ids=REPEATED)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_file_that_expands_without_bound_is_refused_before_it_does(read, content):
    assert refusal(read, content) == (
        "file.yaml has more than 100000 keys and values where its YAML aliases repeat others: write out what "
        "differs, and repeat less."
    )


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", WITHIN_ITSELF.values(), ids=WITHIN_ITSELF)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_file_that_contains_itself_is_refused_with_the_line(read, content):
    assert refusal(read, content) == "file.yaml contains itself, in line 1: remove the YAML alias in it."


def test_aliases_that_repeat_what_anybody_would_write_are_taken():
    content = "key: [&a {b: [1, 2]}, *a, *a, {<<: *a, c: 3}]\n"

    assert KIND.read(content, "file.yaml")["key"][3] == {"b": [1, 2], "c": 3}


@pytest.mark.timeout(60)
def test_a_file_of_more_values_than_anybody_needs_is_refused_while_it_is_read(monkeypatch):
    monkeypatch.setattr(documents, "MAX_VALUES", 1000)

    assert refusal(KIND.read_all, f"key: [{'x, ' * 1001}]\n") == (
        "file.yaml has more than 1000 keys and values: divide it."
    )


def test_a_file_of_more_than_four_mebibytes_is_refused_before_it_is_read():
    assert refusal(KIND.read_all, b"key: " + b"x" * 2**22) == (
        "file.yaml has more than 4 MiB: write it like stacks/local.yaml."
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize("sign", ["[", "{a: ", "- ", "? "])
def test_a_file_of_endless_levels_is_refused(sign):
    content = f"key:\n  {sign * 50_000}"

    assert refusal(KIND.read, content) == "file.yaml is nested too deeply: write it like stacks/local.yaml."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "2026-13-45",
            "is not YAML: '2026-13-45' cannot be read as timestamp: correct it, or put it in quotes in "
            '"<unicode string>", line 1, column 6',
        ),
        ("9" * 5000, "cannot be read as int: correct it, or put it in quotes"),
        ("!!bool maybe", "'maybe' cannot be read as bool: correct it, or put it in quotes"),
        ('!!float ""', "'' cannot be read as float: correct it, or put it in quotes"),
        ("!!timestamp soon", "'soon' cannot be read as timestamp: correct it, or put it in quotes"),
        ("!!map [a]", "is not YAML: expected a mapping node, but found sequence"),
        ("{2026-01-01: a}", "line 1: 2026-01-01 is read as a date; put it in quotes."),
        ("{yes: a, true: b}", "line 1: true is a duplicate of line 1; rename or remove one of the two."),
        ("{1: a, 0x1: b}", "line 1: 0x1 is a duplicate of line 1; rename or remove one of the two."),
        (":".join(["59"] * 5000), "has a number of thousands of digits: correct it."),
        ('"\\ud800"', "has half of a character (\\ud800 to \\udfff): remove it."),
    ],
    ids=lambda text: text[:20],
)
def test_what_neither_yaml_nor_json_can_have_is_refused_in_a_sentence(value, expected):
    def read(content, where):
        return KIND.validate(KIND.read(content, where), where)

    assert expected in refusal(read, f"key: {value}\n")


def test_a_very_long_value_is_shown_by_its_beginning():
    with pytest.raises(InvalidDocument) as error:
        settings.parse(f"domain: {'v' * 9000}!\n", "file.yaml")

    [line] = [line for line in str(error.value).splitlines() if line.startswith("file.yaml: domain:")]
    assert "vvv...; write a domain such as spark.example.com" in line
    assert len(line) < 500


def test_of_very_many_mistakes_some_are_listed_and_the_others_counted():
    content = "".join(f"unknown-{number}: 1\n" for number in range(1000))

    with pytest.raises(InvalidDocument) as error:
        settings.parse(content, "file.yaml")

    lines = str(error.value).splitlines()
    [rest] = [line for line in lines if "more mistakes" in line]
    # Ten required keys are missing, too.
    assert rest == "file.yaml: settings: has 810 more mistakes; correct these first."
    assert len(lines) < 300
