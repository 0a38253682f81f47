"""Which rules a preview breaks, and for which resource."""

import re

VIOLATION = re.compile(r"\[(advisory|mandatory)\]\s+([\w-]+)\s+\(\S+:(\w+): (\S+)\)")


def violations(result, level="mandatory"):
    """Rules of a level that a preview breaks, each with the resource, as BROKEN has them."""
    return {
        (rule, f"{kind}::{name}") for of, rule, kind, name in VIOLATION.findall(result.stdout) if of == level
    }


def assert_may_ship(result):
    """A preview that no policy refuses."""
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert not violations(result)
