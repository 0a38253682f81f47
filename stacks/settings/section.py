"""What every part of the settings is made of."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$")]
"""A name that is part of resource names: lower case, digits and dashes, at most 30 characters."""

Account = Annotated[str, Field(pattern=r"^\d{12}$", description="AWS account id, twelve digits, quoted.")]
Region = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", description="AWS region.")]
Principal = Annotated[
    str,
    Field(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$", description="ARN of an IAM role or user."),
]
Days = Annotated[int, Field(ge=1, le=3650, description="Days.")]

LayerName = Literal[
    "foundation", "cluster", "scheduling", "shuffle", "access", "spark", "logs", "metrics", "history"
]


class SettingsError(Exception):
    """All that is wrong with a settings file, a line a mistake."""


class Section(BaseModel):
    """A part of the settings: frozen, and no key is taken in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instead: ClassVar[Mapping[str, str]] = {}
    """Keys that one may expect here, and what is said of them."""
