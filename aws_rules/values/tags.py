"""Tags: how many, how long, of which characters, and whose."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.patterns import pattern
from aws_rules.values.request import LATER, Path, Request, ValueVerdict

RULE = Rule(
    name="tags",
    authority="AWS",
    decides="how many tags there may be, of what length and characters, and that `aws:` is AWS's own",
    source="https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html",
)

RULES = (RULE,)

MOST = 50
LONGEST_KEY = 128
LONGEST_VALUE = 256
RESERVED = "aws:"

CHARACTERS = r"[\p{L}\p{Z}\p{N}_.:/=+\-@]*"
"""Of keys and values, in every service but EC2, which takes any.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
"""
ANY_CHARACTERS = frozenset({"ec2", "autoscaling"})

IN_METADATA = r"[0-9a-zA-Z\-_+=,.@:]{1,255}"
"""Keys of an instance's tags, where its metadata show them.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/work-with-tags-in-IMDS.html
"""

_KEYS, _VALUES = ("Key", "TagKey"), ("Value", "TagValue")

# Service -> code for too many tags, and for a key or a value that does not fit.
CODES: Mapping[str, tuple[str, str]] = {
    "ec2": ("TagLimitExceeded", "InvalidParameterValue"),
    "iam": ("LimitExceeded", "ValidationError"),
    "s3": ("BadRequest", "InvalidTag"),
    "kms": ("LimitExceededException", "TagException"),
    "ecr": ("TooManyTagsException", "InvalidTagParameterException"),
    "eks": ("InvalidParameterException", "InvalidParameterException"),
    "logs": ("TooManyTagsException", "InvalidParameterException"),
    "autoscaling": ("LimitExceeded", "ValidationError"),
}


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """What would be refused of the tags in a call."""
    for path, tags in _tags((), request.members):
        yield from _list_faults(request, path, tags)
    if request.value_at("LaunchTemplateData", "MetadataOptions", "InstanceMetadataTags") == "enabled":
        yield from _in_metadata(request)


def _list_faults(
    request: Request, path: Path, tags: Sequence[tuple[Path, Any, Any]]
) -> Iterator[ValueVerdict]:
    too_many, unfit = CODES.get(request.service, ("ValidationException", "ValidationException"))
    if len(tags) > MOST:
        message = (
            f"The maximum number of tags has been reached: {len(tags)} tags, and at most {MOST} can be set"
        )
        yield request.misfit(RULE, path, too_many, message, f"leave out {len(tags) - MOST} of them")
    compiled = None if request.service in ANY_CHARACTERS else pattern(CHARACTERS)
    for place, key, value in tags:
        for noun, text, longest in (("key", key, LONGEST_KEY), ("value", value, LONGEST_VALUE)):
            if not isinstance(text, str):
                continue
            if len(text) > longest:
                message = f"Tag {noun} exceeds the maximum length of {longest} characters: {text[:60]}..."
                yield request.misfit(RULE, place, unfit, message, f"shorten it by {len(text) - longest}")
            elif compiled is not None and not compiled.fullmatch(text):
                message = f"The tag {noun} '{text}' contains invalid characters"
                remedy = "keep to letters, digits, spaces and _.:/=+-@"
                yield request.misfit(RULE, place, unfit, message, remedy)
        if key == "":
            yield request.misfit(RULE, place, unfit, "Tag key cannot be empty", "name the tag")
        elif isinstance(key, str) and key.lower().startswith(RESERVED):
            message = f"Tag keys starting with '{RESERVED}' are reserved for internal use: {key}"
            yield request.misfit(RULE, place, unfit, message, "name the tag otherwise")


def _in_metadata(request: Request) -> Iterator[ValueVerdict]:
    compiled = pattern(IN_METADATA)
    for index, specification in enumerate(request.value_at("LaunchTemplateData", "TagSpecifications") or ()):
        if not isinstance(specification, Mapping) or specification.get("ResourceType") != "instance":
            continue
        path = ("LaunchTemplateData", "TagSpecifications", index, "Tags")
        for place, key, _ in _pairs(path, specification.get("Tags") or ()):
            if isinstance(key, str) and compiled is not None and not compiled.fullmatch(key):
                message = (
                    f"'{key}' is not a valid tag key. Tag keys must match pattern "
                    "([0-9a-zA-Z\\-_+=,.@:]{1,255}), and must not be a reserved name ('.', '..', '_index')"
                )
                remedy = "name the tag otherwise, or do not show tags in the instance's metadata"
                yield request.misfit(RULE, place, "InvalidParameterValue", message, remedy)


def _tags(path: Path, value: Any) -> Iterator[tuple[Path, list[tuple[Path, Any, Any]]]]:
    """Where tags are in a call: path of their list or map, and path, key and value of each."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            inner = (*path, name)
            if name.lower() in ("tags", "tagset", "resourcetags") and item:
                pairs = list(_pairs(inner, item))
                if pairs:
                    yield inner, pairs
                    continue
            yield from _tags(inner, item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _tags((*path, index), item)


def _pairs(path: Path, tags: Any) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(tags, Mapping):
        for key, value in tags.items():
            yield (*path, key), key, value
    elif isinstance(tags, list | tuple):
        for index, tag in enumerate(tags):
            if isinstance(tag, Mapping):
                key = next((tag[name] for name in _KEYS if name in tag), LATER)
                value = next((tag[name] for name in _VALUES if name in tag), None)
                yield (*path, index), key, value
