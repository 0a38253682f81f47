"""Files with previews, as arguments of subcommands."""

import sys
from pathlib import Path

from previews import UnreadablePreview


def content_of(path: str) -> tuple[bytes, str]:
    """What a file has, `-` being standard input, and its name in messages. Raises UnreadablePreview."""
    if path == "-":
        return sys.stdin.buffer.read(), "The preview on standard input"
    try:
        return Path(path).read_bytes(), path
    except OSError as error:
        raise UnreadablePreview(
            f"{path} cannot be read ({error.strerror}): name a file with a preview."
        ) from None
