"""The header `Range` (RFC 9110, section 14), of one range of bytes."""

import re
from dataclasses import dataclass

RANGE = re.compile(r"bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))")


@dataclass(frozen=True)
class ByteRange:
    """first, last: positions; last None for the end. Of a range from the end, `suffix` is its length."""

    first: int = 0
    last: int | None = None
    suffix: int | None = None


def byte_range(header: str) -> ByteRange | None:
    """The range that a header asks for; None where it asks for none, or for several."""
    match = RANGE.fullmatch(header.replace(" ", ""))
    if match is None:
        return None
    if match[3] is not None:
        return ByteRange(suffix=int(match[3]))
    first, last = int(match[1]), int(match[2]) if match[2] else None
    return None if last is not None and last < first else ByteRange(first, last)
