"""Reading a preview: the one document of `pulumi preview --json`, or its stream of events.

Source: pulumi/pulumi v3.200.0, pkg/backend/display/json.go (ShowPreviewDigest, ShowJSONEvents) and
sdk/go/common/apitype/events.go.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from previews import refusals
from previews.digest import from_digest
from previews.model import Preview
from previews.stream import EVENTS, STAMPS, from_stream

TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
BRACKETS = re.compile(r"[{\[]"), re.compile(r"[}\]]")


def read(content: bytes | str, source: str = "The preview") -> Preview:
    """A preview in either form.

    source: what messages call it, such as the path of its file.
    Raises UnreadablePreview for one that is empty, cut off, failed, of a newer engine, of several stacks, or
    none at all.
    """
    text = _decoded(content, source)
    if not text.strip():
        raise refusals.empty(source)
    documents = _documents(text, source)
    events = [isinstance(document, Mapping) and _is_event(document) for document in documents]
    if all(events):
        return from_stream(documents, source)
    if any(events) or not isinstance(documents[0], Mapping):
        raise refusals.no_preview(source, "it has something else than events or one document")
    if len(documents) > 1:
        raise refusals.several(source, f"{len(documents)} documents")
    return from_digest(documents[0], source)


def _decoded(content: bytes | str, source: str) -> str:
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refusals.not_text(source) from None


def _is_event(document: Mapping[str, Any]) -> bool:
    return document.keys() >= STAMPS or bool(EVENTS & document.keys())


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
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, position) + 1
            if isinstance(error, json.JSONDecodeError) and _is_open(text[position:]):
                raise refusals.cut_off(source, f"ends within what begins at line {line}") from None
            raise refusals.not_json(source, line, getattr(error, "msg", "it is not to be read")) from None
        documents.append(document)
    return documents


def _is_open(text: str) -> bool:
    """Whether more objects and lists begin than end, or a text does not end."""
    if text[0] not in "{[":
        return False
    rest = TEXT.sub("", text)
    begun, ended = (len(brackets.findall(rest)) for brackets in BRACKETS)
    return begun > ended or '"' in rest
