"""`python -m localcloud.tools [NAME...]`: make the tools that are not there yet."""

import argparse
import signal
import sys
from pathlib import Path

from localcloud.errors import Refusal
from localcloud.tools import build, link_into
from localcloud.tools.table import TOOLS


def main() -> int:
    """Make what is missing; exit status."""
    parser = argparse.ArgumentParser(prog="python -m localcloud.tools", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all by default: {', '.join(TOOLS)}")
    parser.add_argument("--link", type=Path, metavar="FOLDER", help="fill this folder with links to them")
    asked = parser.parse_args()
    # Ended from outside, as by a key: what was started is ended with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        build(asked.names)
        if asked.link:
            link_into(asked.link.absolute())
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
