"""Tags and keys as Fluent Bit 5.1 makes them, from its source, to see where a line ends up.

fluent/fluent-bit at v5.1.1: plugins/in_tail/tail_file.c (tag_compose), plugins/filter_rewrite_tag,
src/aws/flb_aws_util.c (flb_get_s3_key).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatch
from typing import Any

from tests.support.fluent_bit_keys import as_python

MAX_TAG_PARTS = 10
MAX_KEY_BYTES = 1024

Labels = Mapping[str, str]


def reader(inputs: Sequence[Mapping[str, Any]], path: str) -> list[Mapping[str, Any]]:
    """Inputs that read a file of the node."""
    return [
        section
        for section in inputs
        if section["name"] == "tail"
        and any(fnmatch(path, pattern) for pattern in section["path"].split(","))
        and not any(fnmatch(path, pattern) for pattern in section["exclude_path"].split(","))
    ]


def tag_of(section: Mapping[str, Any], path: str) -> str:
    """The tag of a file's records: each `<name>` of it by what `tag_regex` has of that name."""
    if "tag_regex" not in section:
        return str(section["tag"])
    match = re.search(as_python(section["tag_regex"]), path)
    assert match, f"tag_regex does not fit {path}, and Fluent Bit would not read it"
    return re.sub(r"<(\w+)>", lambda name: match.groupdict().get(name[1]) or "_", section["tag"])


def kubernetes_of(section: Mapping[str, Any], parser: Mapping[str, Any], tag: str, labels: Labels) -> Any:
    """What filter `kubernetes` adds: parts of the tag, and the labels that the kubelet has of the pod."""
    match = re.match(as_python(parser["regex"]), tag.removeprefix(section["kube_tag_prefix"]))
    assert match, f"the parser does not fit {tag}"
    return {**match.groupdict(), "labels": labels}


def rewritten(rule: str, tag: str, kubernetes: Mapping[str, Any]) -> str:
    """The tag after `rewrite_tag`: another one where the rule's key fits its pattern."""
    key, pattern, template, keep = rule.split(" ")
    assert keep == "false"
    if not re.search(pattern, _accessed(key, kubernetes)):
        return tag
    # A key ends at a dot, blank, comma or quote only (src/flb_record_accessor.c, ra_parse_buffer).
    return re.sub(r"\$[^., \"]+", lambda accessor: _accessed(accessor[0], kubernetes), template)


def _accessed(accessor: str, kubernetes: Mapping[str, Any]) -> str:
    value: Any = {"kubernetes": kubernetes}
    for name in re.findall(r"^\$(\w+)|\['([^']+)'\]", accessor):
        value = value.get(name[0] or name[1], "") if isinstance(value, Mapping) else ""
    return str(value)


def outputs_of(outputs: Sequence[Mapping[str, Any]], tag: str) -> list[Mapping[str, Any]]:
    """Outputs that take records of a tag."""
    return [
        output
        for output in outputs
        if ("match" in output and fnmatch(tag, output["match"]))
        or ("match_regex" in output and re.search(output["match_regex"], tag))
    ]


def key_of(output: Mapping[str, Any], tag: str, begun: datetime, uuid: str) -> str:
    """The key of an object, without the slash at its beginning, as S3 has it."""
    delimiters = output["s3_key_format_tag_delimiters"]
    parts = [part for part in re.split(f"[{re.escape(delimiters)}]", tag) if part]
    key = str(output["s3_key_format"])
    for number, part in enumerate(parts[:MAX_TAG_PARTS]):
        key = key.replace(f"$TAG[{number}]", part)
    assert "$TAG[" not in key, f"{tag} has no such part"
    return begun.strftime(key.replace("$UUID", uuid)).removeprefix("/")
