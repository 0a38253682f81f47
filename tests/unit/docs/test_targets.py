"""What a reader begins with has all there is: commands, folders, pages."""

import re
import subprocess

from localcloud.cloud import REPOSITORY
from tests.support import makefiles

README = (REPOSITORY / "README.md").read_text()

TARGETS = dict(re.findall(r"^([a-z-]+):.*?## (.+)$", makefiles.TEXT, re.MULTILINE))
"""Those that `make help` lists, each with what it says."""

NOT_IN_THE_TABLE = {"help"}
"""It is what lists them."""


def table() -> str:
    """The section with the commands, without what follows it."""
    return README.split("\n## Commands\n")[1].split("\n## ")[0]


def test_the_table_of_commands_has_a_row_for_every_target_that_make_help_lists():
    rows = set(re.findall(r"^\| `make ([a-z-]+)", table(), re.MULTILINE))

    assert len(TARGETS) > 20
    assert rows == TARGETS.keys() - NOT_IN_THE_TABLE


def test_the_table_of_folders_has_every_folder():
    section = README.split("\n## Where things are\n")[1]
    listed = set(re.findall(r"`([.\w-]+)/`", "".join(re.findall(r"^\|.*", section, re.MULTILINE))))
    files = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    folders = {path.partition("/")[0] for path in files.stdout.splitlines() if "/" in path}

    shown = {folder for folder in folders if not folder.startswith(".")}
    assert shown - {"docs"} - listed == set()


def test_the_index_of_operations_links_to_every_page():
    folder = REPOSITORY / "docs" / "operations"
    linked = set(re.findall(r"\]\(([a-z-]+\.md)\)", (folder / "README.md").read_text()))

    assert linked == {path.name for path in folder.glob("*.md")} - {"README.md"}
