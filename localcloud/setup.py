"""What is needed once: the tools, links to them, and a file for shells."""

import shlex
import shutil
from pathlib import Path

from localcloud import submission, tools
from localcloud.cloud import CHECKOUT, local_folder
from localcloud.errors import Refusal

LOCAL = local_folder()


def set_up() -> None:
    """Build the missing tools and link them into `.local/bin`; in a checkout, write `.local/env`.

    Raises Refusal when something is missing that has to be installed beforehand.
    """
    if shutil.which("java") is None:
        raise Refusal("No java is on PATH, and the Spark Operator submits jobs with it: install a JDK 17.")
    tools.build()
    tools.link_into(LOCAL / "bin")
    submission.make_archives(tools.path("spark"), lambda line: print(line, flush=True))
    if CHECKOUT:
        _write(
            LOCAL / "env",
            "# `. .local/env` makes pulumi, kubectl and aws work on the laptop cloud, as it is now.\n"
            f'eval "$(cd {shlex.quote(str(CHECKOUT))} && .local/venv/bin/python -m localcloud env)"\n',
        )


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
