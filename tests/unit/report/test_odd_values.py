"""Values that are not known, or of another kind than expected, end in no report that a program broke down."""

import json
import random

import pytest

from previews import read
from report.examination import examine
from report.markdown import LIMIT, as_markdown
from tests.support.snapshots import recorded

ODD = [
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "[secret]",
    None,
    "",
    7,
    True,
    [],
    {},
    ["x"],
    {"a": None},
    "{",
    "*",
]
CHANGED = ("queues", "data", "network", "kubernetes", "namespaces", "people", "renamed", "new", "sizes")


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


@pytest.mark.parametrize(("seed", "chance"), [(1, 0.02), (2, 0.05), (3, 0.3), (4, 0.3)])
@pytest.mark.parametrize("name", CHANGED)
def test_a_report_is_made_of_odd_values_too(name, seed, chance):
    random.seed(f"{name} {seed}")
    documents = [json.loads(line) for line in recorded(name).splitlines()]
    for state in states(documents):
        for key in ("inputs", "outputs"):
            if isinstance(state.get(key), dict):
                state[key] = {part: odd(value, chance) for part, value in state[key].items()}

    report = examine(read("\n".join(map(json.dumps, documents))))

    assert len(as_markdown(report)) <= LIMIT
