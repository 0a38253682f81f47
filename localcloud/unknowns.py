"""What the rules did not know in a run, and so did not refuse: noted by every process, listed at the end."""

import json
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from aws_rules.rule import Unknown, Verdict, Violation
from localcloud.cloud import Cloud
from localcloud.errors import Refusal


def note(cloud: Cloud, unknown: Unknown) -> None:
    """Note something that a rule does not know; once, however often it is met."""
    text = str(unknown)
    file = _folder(cloud) / f"{sha256(text.encode()).hexdigest()[:24]}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"rule": unknown.rule.name, "says": text}))


def noted(cloud: Cloud) -> list[str]:
    """What was noted since the last `clear`, a sentence each."""
    return sorted(json.loads(file.read_text())["says"] for file in _folder(cloud).glob("*.json"))


def clear(cloud: Cloud) -> None:
    """Begin a run, in which nothing is noted yet."""
    shutil.rmtree(_folder(cloud), ignore_errors=True)


def refuse(cloud: Cloud, verdicts: Iterable[Verdict]) -> None:
    """Note what rules do not know, and raise Refusal with all that they refuse, a line each."""
    violations = []
    for verdict in verdicts:
        match verdict:
            case Violation():
                violations.append(str(verdict))
            case Unknown():
                note(cloud, verdict)
    if violations:
        raise Refusal("\n".join(violations))


def _folder(cloud: Cloud) -> Path:
    return cloud.home / "unknown"
