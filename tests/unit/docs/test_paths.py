"""Files of this repository that its documentation names."""

import re
from pathlib import Path

import pytest

from localcloud.cloud import REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

OLD_NAMES = REPOSITORY / "docs" / "decisions" / "0018-the-house.md"
"""Names what there was before."""

EXAMPLES = ("stacks/layers/tracing.py", "services/census/", "tests/unit/services/census/")
"""What the recipes of docs/adding.md add."""

FILE = re.compile(r"`((?:[a-z_-]+/)+[\w.-]+\.(?:py|yaml|md|json|toml))`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page):
    if page == OLD_NAMES:
        pytest.skip("its table names what there was before")

    missing = [
        path
        for path in FILE.findall(page.read_text())
        if not path.startswith(EXAMPLES) and not (REPOSITORY / path).exists()
    ]

    assert [path for path in missing if path.partition("/")[0] in ROOTS] == []


ROOTS = {path.name for path in REPOSITORY.iterdir() if path.is_dir()}


LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """Names under which GitHub links to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading_of_it(page):
    broken = []
    for path, anchor in LINK.findall(page.read_text()):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}")

    assert broken == []
