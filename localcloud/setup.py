"""What a checkout needs once: the tools, links to them, and a file for shells."""

import shlex
from pathlib import Path

from localcloud import tools
from localcloud.cloud import REPOSITORY

LOCAL = REPOSITORY / ".local"
"""All that is made here and belongs to this checkout alone; ignored by git."""


def set_up() -> None:
    """Build the tools that are not there, link them into `.local/bin`, write `.local/env`."""
    tools.build()
    tools.link_into(LOCAL / "bin")
    _write(
        LOCAL / "env",
        "# `. .local/env` makes pulumi, kubectl and aws work on the laptop cloud, as it is now.\n"
        f'eval "$(cd {shlex.quote(str(REPOSITORY))} && .local/venv/bin/python -m localcloud env)"\n',
    )


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
