"""`make demo`: a demonstration of the loop from what was used to what queues get, on the laptop."""

import argparse
import os
import sys
from pathlib import Path

from demo import steps
from demo.stage import NotShown, stage
from moka.mistakes import InvalidDocument
from moka.project import CODE

MOST = 10_000
"""Workflows, as their names have four digits."""


def main() -> int:
    """Run it; exit status."""
    parser = argparse.ArgumentParser(
        prog="make demo", usage='make demo [ARGS="--workflows N"]', description="Show the loop on the laptop."
    )
    parser.add_argument("--workflows", type=int, default=2_000, metavar="N", help="by default 2000")
    parser.add_argument(
        "--folder", type=Path, default=CODE / ".local" / "demo", metavar="DIR", help="for what is written"
    )
    arguments = parser.parse_args()
    if not 10 <= arguments.workflows < MOST:
        parser.error(f"--workflows is {arguments.workflows}, and is from 10 to {MOST - 1}.")
    try:
        steps.play(stage(os.environ, arguments.folder.resolve()), arguments.workflows)
    except (NotShown, InvalidDocument) as problem:
        sys.stdout.flush()
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
