"""Scripts that nodes run before they join: files beside the settings, which `user_data` of a group names."""

import re
from collections.abc import Iterator, Sequence

from moka.plain_secrets import is_called_secret, shape
from moka.project import project_folder

FOLDER = project_folder() / "stacks"
"""Folder of the settings files."""

MAX_BYTES = 12 * 1024
"""Of all scripts of a group. EC2 takes 16 KiB of user data, before it is encoded, and what EKS and we tell
nodeadm is in them (EC2 User Guide, "Run commands when you launch an EC2 instance with user data input")."""

ASSIGNMENT = re.compile(
    r"^\s*(?:export\s+|readonly\s+|declare\s+)?([A-Za-z_]\w*)=[\"']?([^\s\"'$`]*)", re.MULTILINE
)
"""A variable of a shell that is set: its name, and what of its value is plain text."""


def text(name: str) -> str:
    """The text of a script."""
    return (FOLDER / name).read_text("ascii")


def mistakes(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What is wrong with the scripts of a group: index, and a sentence without its subject."""
    size = 0
    for index, name in enumerate(names):
        path = FOLDER / name
        if not path.is_file():
            yield index, f"is {name!r}, but there is no such file beside this one; name one such as mounts.sh"
            continue
        content = path.read_bytes()
        size += len(content)
        yield from ((index, f"is {name!r}, which {sentence}") for sentence in _problems(content))
    if size > MAX_BYTES:
        yield (
            len(names) - 1,
            f"makes {size} bytes of scripts, but the 16 KiB of EC2's user data have room for {MAX_BYTES}; "
            "have a script fetch what is long",
        )


def _problems(content: bytes) -> Iterator[str]:
    if not content.startswith(b"#!"):
        yield "does not begin with #! and its shell, without which nothing runs it; write #!/bin/bash first"
    if not content.isascii():
        yield "has letters that are not ASCII, which do not come through user data as they are; replace them"
    if b"\r" in content:
        yield "has the line ends of Windows, with which no shell is found; save it with those of Unix"
    plain = content.decode("ascii", "replace")
    secret = shape(plain) or next(
        (
            f"what {key} calls a secret"
            for key, value in ASSIGNMENT.findall(plain)
            if is_called_secret(key, value)
        ),
        "",
    )
    if secret:
        yield (
            f"has {secret} in plain; have it fetch that from Secrets Manager, and take what was in a commit "
            "out of use"
        )
