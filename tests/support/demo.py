"""The demo on a laptop, and what its page quotes of it."""

import os
import re
import shlex
import subprocess
import sys

from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine

MOKA = ".local/venv/bin/moka"


def run(engine: Engine, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as in a shell after `. .local/env`."""
    exports = (line.removeprefix("export ") for line in commands.exports(engine).splitlines())
    pairs = (shlex.split(line)[0].partition("=") for line in exports if not line.startswith("unset"))
    variables = {"HOME": os.environ["HOME"], **{name: value for name, _, value in pairs}}
    return subprocess.run(command, cwd=REPOSITORY, env=variables, capture_output=True, text=True)


def demo(engine: Engine, *options: str) -> str:
    """Run it to its end; what it printed."""
    done = run(engine, sys.executable, "-m", "demo", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def lines(text: str) -> set[str]:
    """Lines with the same in place of all numbers, amounts, ids, folders and verdicts."""
    for change in (
        r"\d{4}-\d\d-\d\d-cp-sat-\w+",
        r"nothing|[\d.]+ cores and [\d.]+ GiB",
        r"any number of|none|met$|missed$",
        r"/\S*(?=/[a-z]+[.])|[.]local/demo(?=/)",
        r"\d[\d.,]*[mMGi]*",
    ):
        text = re.sub(change, "#", text, flags=re.MULTILINE)
    return {re.sub(r"\s+", " ", line).strip() for line in text.splitlines()}


def quoted() -> list[str]:
    """What the page quotes: blocks that begin with a command."""
    page = (REPOSITORY / "docs" / "demo.md").read_text()
    return [block for block in re.findall(r"(?:^    .*\n)+", page, re.MULTILINE) if block[4] == "$"]
