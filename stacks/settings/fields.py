"""Kinds of values that several parts of the settings have."""

from typing import Annotated

from pydantic import Field

Account = Annotated[str, Field(pattern=r"^\d{12}$", description="AWS account id, twelve digits, quoted.")]
Region = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", description="AWS region.")]
Principal = Annotated[
    str,
    Field(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$", description="ARN of an IAM role or user."),
]
Days = Annotated[int, Field(ge=1, le=3650, description="Days.")]
