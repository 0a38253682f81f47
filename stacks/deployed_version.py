"""The version of moka that deployed a stack: an older one leaves what it does not know alone."""

from collections.abc import Mapping
from typing import Any

from packaging.version import Version

OUTPUT = "moka"
"""Of every stack: the version that last deployed it. Units have a `/` in theirs."""

VARIABLE = "MOKA_BACK_FROM"
"""Names the version that a stack is to go back from."""


class OlderVersion(Exception):
    """A newer version deployed the stack: one sentence."""


def refuse_older(stack: str, outputs: Mapping[str, Any], version: str, environ: Mapping[str, str]) -> None:
    """Raise OlderVersion where a stack was deployed by a newer version than this, unless it is to go back.

    outputs: of the stack; without a version where it is new, or of before versions were kept.
    version: this one. environ: of the process.
    """
    deployed = str(outputs.get(OUTPUT) or version)
    if Version(deployed) > Version(version) and environ.get(VARIABLE) != deployed:
        raise OlderVersion(
            f"Stack {stack} was deployed by moka {deployed}, and this is {version}, which would take back "
            f"what it does not know: use {deployed} or a later one, or "
            f"{VARIABLE}={deployed} to go back on purpose."
        )
