"""What the engine writes, as far as it is read here: other members are passed over.

Source: pulumi/pulumi v3.200.0, sdk/go/common/apitype/events.go and history.go; pkg/backend/display/json.go
(ShowPreviewDigest) and sdk/go/common/display/json.go (PreviewDigest).
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from previews import refusals

PRINTABLE_URN = r"^urn:pulumi:[^:\s]+::[^:\s]+::.+?::.+$"


class Member(BaseModel):
    """Anything with members of its own; what is null is as if it were not there."""

    model_config = ConfigDict(strict=True, alias_generator=to_camel)


class Position(Member):
    """A place in the program."""

    source_position: str | None = None


class ResourceState(Member):
    """A resource as it is, or as it would be."""

    custom: bool | None = None
    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None
    id: str | None = None
    parent: str | None = None
    provider: str | None = None
    protect: bool | None = None
    retain_on_delete: bool | None = None
    source_position: str | None = None
    stack_trace: list[Position] | None = None


def _printable(urn: str) -> str:
    if not urn.isprintable():
        raise ValueError(f"has characters that cannot be printed ({urn!a})")
    return urn


class ResourceStep(Member):
    """What the engine does with one resource; the document and the stream have other names for most of it."""

    op: str
    urn: Annotated[str, Field(pattern=PRINTABLE_URN), AfterValidator(_printable)]
    old: ResourceState | None = Field(None, validation_alias=AliasChoices("oldState", "old"))
    new: ResourceState | None = Field(None, validation_alias=AliasChoices("newState", "new"))
    detailed_diff: dict[str, Any] | None = None
    diffs: list[str] | None = Field(None, validation_alias=AliasChoices("diffReasons", "diffs"))
    keys: list[str] | None = Field(None, validation_alias=AliasChoices("replaceReasons", "keys"))


class ResourceEvent(Member):
    """A step begins, ends or fails."""

    metadata: ResourceStep


class Diagnostic(Member):
    """What the engine, the program or a provider says."""

    severity: str | None = None
    message: str | None = None
    ephemeral: bool | None = None


class PolicyEvent(Member):
    """What a policy has against a resource, or did about it."""

    policy_name: str
    policy_pack_name: str | None = None
    enforcement_level: str | None = None
    message: str | None = None
    resource_urn: str | None = None


class PolicySummary(Member):
    """Which policies had something against a resource, or the stack."""

    failed: list[str] | None = None


class ErrorEvent(Member):
    """The engine broke down."""

    error: str | None = None


class SummaryEvent(Member):
    """The end. resource_changes: operation -> how many."""

    is_preview: bool | None = None
    maybe_corrupt: bool | None = None
    resource_changes: dict[str, int] | None = None
    policy_packs: dict[str, str] | None = Field(None, alias="PolicyPacks")


class Digest(Member):
    """The one document."""

    steps: list[ResourceStep] | None = None
    diagnostics: list[Diagnostic] | None = None
    change_summary: dict[str, int] | None = None
    maybe_corrupt: bool | None = None


M = TypeVar("M", bound=Member)


def checked(model: type[M], value: Mapping[str, Any], source: str, at: str = "") -> M:
    """The members of a value. at: where it stands in the file. Raises UnreadablePreview."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(map(str, first["loc"]))
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise refusals.malformed(source, f"{at}{path}", f"({reason})") from None
