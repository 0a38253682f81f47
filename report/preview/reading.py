"""Reading a preview: the one document of `pulumi preview --json`, or its stream of events.

Source: pulumi/pulumi v3.200.0, pkg/backend/display/json.go (ShowPreviewDigest, ShowJSONEvents) and
sdk/go/common/apitype/events.go.
"""

import json
from collections.abc import Mapping
from typing import Any

from report.preview.digest import from_digest
from report.preview.model import Preview, UnreadablePreview
from report.preview.stream import EVENTS, from_stream


def read(text: str, source: str = "the preview") -> Preview:
    """A preview in either form.

    source: what messages call it, such as the path of its file.
    Raises UnreadablePreview for one that is empty, cut off, failed, of a newer engine, or no preview.
    """
    if not text.strip():
        raise UnreadablePreview(f"{source} is empty: look at what pulumi wrote to stderr, and preview again.")
    documents = _documents(text, source)
    first = documents[0]
    if len(documents) == 1 and isinstance(first, Mapping) and not _is_event(first):
        return from_digest(first, source)
    if all(isinstance(document, Mapping) for document in documents) and any(map(_is_event, documents)):
        return from_stream(documents, source)
    raise UnreadablePreview(
        f"{source} is JSON, and no preview: give what `pulumi preview --json` of one stack prints."
    )


def _is_event(document: Any) -> bool:
    return ("sequence" in document and "timestamp" in document) or bool(EVENTS & document.keys())


def _documents(text: str, source: str) -> list[Any]:
    """One document, or one a line."""
    decoder = json.JSONDecoder()
    documents: list[Any] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        try:
            document, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise UnreadablePreview(_no_json(text, source, documents, position, error)) from None
        documents.append(document)
    return documents


def _no_json(text: str, source: str, documents: list[Any], start: int, error: json.JSONDecodeError) -> str:
    if text[start] in "{[" and "\n\x00" not in text and not _balanced(text[start:]):
        return f"{source} is cut off at line {text.count(chr(10)) + 1}: preview again, and keep all of it."
    line = text.count("\n", 0, start) + 1
    return (
        f"{source} is not JSON at line {line} ({error.msg}): give what `pulumi preview --json` prints, and "
        "its stdout only."
    )


def _balanced(text: str) -> bool:
    """Whether as many objects and lists end as begin, outside of texts."""
    depth, inside, escaped = 0, False, False
    for character in text:
        if inside:
            inside, escaped = character != '"' or escaped, character == "\\" and not escaped
        elif character == '"':
            inside = True
        else:
            depth += (character in "{[") - (character in "}]")
    return depth == 0 and not inside
