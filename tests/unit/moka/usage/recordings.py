"""What a real YuniKorn said: recorded/README.md."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "recorded"
CLUSTER = "spark-a"


def document(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def log_lines():
    return (FOLDER / "yunikorn.log").read_text().splitlines(keepends=True)
