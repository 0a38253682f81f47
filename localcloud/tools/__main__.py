"""`python -m localcloud.tools [NAME...]`: make the missing tools."""

import argparse
import signal
import sys
from pathlib import Path

from localcloud.errors import Refusal
from localcloud.tools import build, link_into
from localcloud.tools.table import TOOLS


def main() -> int:
    """Make the missing tools; exit status."""
    parser = argparse.ArgumentParser(prog="python -m localcloud.tools", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all by default: {', '.join(TOOLS)}")
    parser.add_argument("--link", type=Path, metavar="FOLDER", help="fill this folder with links to them")
    options = parser.parse_args()
    # When it is ended from outside, as by Ctrl-C, it ends what it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        build(options.names)
        if options.link:
            link_into(options.link.absolute())
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
