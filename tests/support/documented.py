"""Commands and programs as pages of docs/ show them."""

import re

from localcloud.cloud import REPOSITORY


def in_one_line(text: str) -> str:
    """A text without its breaks."""
    return " ".join(text.split())


def chapter(page: str, heading: str) -> str:
    """The text below a heading of a page, up to the next one of its rank: `## A heading`."""
    rank = heading.partition(" ")[0]
    return (REPOSITORY / page).read_text().split(f"{heading}\n", 1)[1].split(f"\n{rank} ", 1)[0]


def commands(page: str, heading: str, number: int) -> str:
    """The shell commands of an indented block of a chapter, the first one 0."""
    blocks = re.findall(r"(?:^    .*\n)+", chapter(page, heading), re.MULTILINE)
    return blocks[number].replace("\n    ", "\n").strip() + "\n"


def program(page: str, heading: str) -> str:
    """The first program in Python of a chapter."""
    match = re.search(r"^```python\n(.*?)^```", chapter(page, heading), re.MULTILINE | re.DOTALL)
    assert match, f"{page} has no program under {heading}"
    return match[1]
