"""Regular expressions of AWS's models, which are Java's: matched where Python can, else they say nothing."""

import warnings
from functools import cache
from typing import Any


@cache
def pattern(text: str) -> Any | None:
    """The compiled expression; None for one that Python does not have."""
    # `regex` has Java's classes (`\p{L}`), which `re` has not. A preview without changes does not load it.
    import regex

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # In Java, `\w` and `\d` are ASCII's, and `\p{L}` is of all scripts.
            return regex.compile(text, regex.VERSION0 | (0 if r"\p" in text else regex.ASCII))
    except (regex.error, ValueError):
        return None
