"""Fluent Bit's multiline parsers: lines to records, as its rules have it.

fluent/fluent-bit at v5.1.1: src/multiline/flb_ml_rule.c (flb_ml_rule_process), src/multiline/flb_ml.c
(flb_ml_append_text). Without `multiline_buffer_limit`, which cuts records of more than that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.support.fluent_bit_keys import as_python

START = "start_state"


def records(rules: Sequence[Mapping[str, str]], lines: Iterable[bytes]) -> Iterator[bytes]:
    """Records of a file's lines; lines of one record are parted by ends of lines."""
    patterns = [re.compile(as_python(rule["regex"].strip("/")).encode()) for rule in rules]
    numbered = list(enumerate(rules))
    held: list[bytes] = []
    current: int | None = None
    for line in lines:
        matched = None
        if current is not None:
            matched = next(
                (
                    number
                    for number, rule in numbered
                    if rule["state"] == rules[current]["next_state"] != START
                    and patterns[number].search(line)
                ),
                None,
            )
        if matched is not None:
            held.append(line)
            current = matched
            continue
        if held:
            yield b"\n".join(held)
            held = []
        current = next(
            (number for number, rule in numbered if rule["state"] == START and patterns[number].search(line)),
            None,
        )
        if current is None:
            # No rule fits it: a record by itself.
            yield line
        else:
            held = [line]
    if held:
        yield b"\n".join(held)
