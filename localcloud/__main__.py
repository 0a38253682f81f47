"""`python -m localcloud`: the laptop cloud from the command line."""

import argparse
import errno
import os
import sys
from pathlib import Path

from localcloud.cloud import REPOSITORY, Cloud
from localcloud.errors import Refusal

# What is wrong then is the machine or its disk, not this program.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}


def main() -> int:
    """Do what the command line says; exit status."""
    parser = argparse.ArgumentParser(prog="python -m localcloud", description=__doc__)
    parser.add_argument(
        "--project",
        type=Path,
        default=REPOSITORY,
        help="folder of the Pulumi project, this checkout by default",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("setup", help="build or find the tools, and write .local/env")
    verbs.add_parser("start", help="start the cloud, with nothing in it")
    verbs.add_parser("stop", help="end every process of the cloud")
    verbs.add_parser("env", help="print shell commands that make pulumi, kubectl and aws work on it")
    told = verbs.add_parser("status", help="what runs, and what is there")
    told.add_argument("--json", action="store_true", help="as JSON, for scripts")
    verbs.add_parser("summary", help="the same, and what to know of it after `up`")
    for verb, meaning in (
        ("create", "make a stack, with nothing in it"),
        ("up", "bring a stack up"),
        ("preview", "show what `up` would do"),
        ("down", "destroy a stack, and end the cloud when nothing is left in it"),
    ):
        one = verbs.add_parser(verb, help=meaning)
        one.add_argument("--stack", default="local")
        if verb == "up":
            one.add_argument("--brief", action="store_true", help="no summary at the end, but a line")
        one.add_argument("arguments", nargs=argparse.REMAINDER, help="after --: options for pulumi itself")
    asked = parser.parse_args()
    try:
        return _do(asked)
    except Refusal as refusal:
        sys.stdout.flush()
        print(refusal, file=sys.stderr)
        return 1
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            raise
        place = error.filename or Cloud.of_environment().home
        print(f"{place}: {error.strerror}; put that right, then run this again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _do(asked: argparse.Namespace) -> int:
    if asked.verb == "setup":
        # Alone and first: when there is nothing to do it takes no time, so it loads nothing else.
        from localcloud.setup import set_up

        set_up()
        return 0

    from localcloud import commands, report
    from localcloud.engine import Engine

    engine = Engine(Cloud.of_environment(), asked.project.resolve())
    match asked.verb:
        case "start":
            commands.start(engine)
            report.status(engine, as_json=False)
        case "stop":
            commands.stop(engine)
        case "env":
            print(commands.exports(engine))
        case "status":
            report.status(engine, asked.json)
        case "summary":
            report.summary(engine)
        case "create":
            commands.create(engine, asked.stack)
        case verb:
            arguments = tuple(a for a in asked.arguments if a != "--")
            if verb == "up":
                return commands.up(engine, asked.stack, arguments, brief=asked.brief)
            run = {"preview": commands.preview, "down": commands.down}[verb]
            return run(engine, asked.stack, arguments)
    return 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
