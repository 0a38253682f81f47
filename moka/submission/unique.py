"""Jobs of which there is to be one at most: what a job says of itself."""

from typing import Annotated, Literal

from pydantic import Field

from moka.documents import Section

Second = Literal["refuse", "return", "replace"]
"""What happens to a job that is submitted while another of its key is active."""


class Unique(Section):
    """At most one active job of this key in a project.

    A key is a project's own: others may use the same.
    """

    key: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")] = Field(
        description="What it is one of: a table and its day, `orders/2026-11-23`. Visible ASCII."
    )
    second: Second = Field(
        default="refuse",
        description="What happens to a second: `refuse` it, `return` the first in its place, or "
        "`replace` the first, which is stopped, and has ended before the second starts.",
    )
