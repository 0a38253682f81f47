"""Kinds of values that several parts of the settings have."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

Account = Annotated[str, Field(pattern=r"^\d{12}$", description="AWS account id, twelve digits, quoted.")]
Region = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", description="AWS region.")]
Principal = Annotated[
    str,
    Field(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$", description="ARN of an IAM role or user."),
]
Days = Annotated[int, Field(ge=1, le=3650, description="Days.")]


def _own_image(reference: str) -> str:
    if not re.fullmatch(r"[^\s/:@]+(:\d+)?(/[a-z0-9._-]+)+(:\w[\w.-]*)?(@sha256:[0-9a-f]{64})?", reference):
        raise ValueError("write <registry>/<repository>:<tag>")
    if ":" not in reference.rpartition("/")[2]:
        raise ValueError("without a tag or digest, nobody can say which image runs; add one")
    return reference


OwnImage = Annotated[str, AfterValidator(_own_image)]
"""An image of one's own, with registry and tag or digest."""
