"""The laptop cloud from the command line: `python -m localcloud`, or `laptop-cloud` where it is installed."""

import argparse
import errno
import os
import signal
import sys
from pathlib import Path

from localcloud.cloud import CHECKOUT, Cloud
from localcloud.credentials import SESSION
from localcloud.errors import Refusal
from localcloud.project import project_folder

NAME = "python -m localcloud" if CHECKOUT else "laptop-cloud"

SIMULATED = Path(__file__).with_name("simulated.yaml")

# What is wrong then is the machine or its disk, not this program.
MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}


def main() -> int:
    """Run the command line; exit status."""
    os.umask(0o077)
    try:
        return _run(arguments().parse_args())
    except Refusal as refusal:
        sys.stdout.flush()
        print(refusal, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Who reads has enough, as in `status | head`: docs.python.org/3/library/signal.html#note-on-sigpipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno not in MACHINE_ERRORS:
            raise
        place = error.filename or Cloud.of_environment().home
        print(f"{place}: {error.strerror}; correct that, then run this again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def arguments() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(prog=NAME, description="The laptop cloud from the command line.")
    parser.add_argument(
        "--project",
        type=Path,
        default=project_folder(Path.cwd()),
        help="folder of the Pulumi project, by default the one that you are in",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("setup", help="build or find the tools")
    verbs.add_parser("start", help="start the cloud, empty")
    verbs.add_parser("stop", help="end every process of the cloud")
    verbs.add_parser("clean", help="end every process of the cloud, and delete what it has")
    verbs.add_parser("tidy", help="remove the stacks that only previews have used")
    verbs.add_parser("env", help="print shell commands that make pulumi, kubectl and aws work on it")
    verbs.add_parser(
        "rules", help="what AWS, EKS and Kubernetes would refuse and is refused here, with sources"
    )
    verbs.add_parser("simulated", help="what of a running environment is not there to be looked at, as YAML")
    config = verbs.add_parser("kubeconfig", help="write the kubeconfig of somebody, and print its path")
    config.add_argument("--principal", required=True, help="ARN of an IAM role or user")
    config.add_argument(
        "--session", default=SESSION, help="name of the role's session, %(default)s by default"
    )
    config.add_argument("--cluster", help="by default the only one")
    status = verbs.add_parser("status", help="what runs, and what is deployed")
    status.add_argument("--json", action="store_true", help="as JSON, for scripts")
    verbs.add_parser("summary", help="the same, with hints for what to do after `up`")
    clock = verbs.add_parser("clock", help="the time in the cloud; move it, and what is scheduled is done")
    clock.add_argument("--advance", metavar="DURATION", help="how far to move it: 90m, 12h, 2d")
    execute = verbs.add_parser("exec", help="run a command on the cloud, which is started: -- pulumi up")
    execute.add_argument("command", nargs=argparse.REMAINDER, help="after --: the command and its options")
    for verb, meaning in (
        ("create", "create an empty stack"),
        ("up", "bring a stack up"),
        ("preview", "show what `up` would do"),
        ("down", "destroy a stack, and end the cloud once no stack has resources"),
    ):
        command = verbs.add_parser(verb, help=meaning)
        _add_stack(command)
        if verb == "up":
            command.add_argument("--brief", action="store_true", help="one line at the end, not a summary")
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="after --: options of pulumi itself")
    by_hand = verbs.add_parser("pulumi", help="run a verb of pulumi's on a stack as it is")
    # Verbs of their own: as an argument before the rest, one would leave --stack to the rest.
    operations = by_hand.add_subparsers(dest="operation", metavar="OPERATION", required=True)
    for operation in ("up", "refresh", "destroy", "preview"):
        command = operations.add_parser(operation)
        _add_stack(command)
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="after --: options of pulumi itself")
    return parser


def _add_stack(command: argparse.ArgumentParser) -> None:
    # Only this project is known to have a stack `local`.
    command.add_argument("--stack", default="local" if CHECKOUT else None, required=CHECKOUT is None)


def _run(options: argparse.Namespace) -> int:
    if options.verb == "setup":
        # First, so that it loads nothing else: where all is set up it takes no time.
        from localcloud.setup import set_up

        set_up()
        return 0

    if options.verb == "rules":
        from aws_rules import catalog

        print(catalog.table())
        return 0

    if options.verb == "simulated":
        print(SIMULATED.read_text(), end="")
        return 0

    from localcloud import commands, report
    from localcloud.engine import Engine

    engine = Engine(Cloud.of_environment(), options.project.resolve())
    match options.verb:
        case "start":
            commands.start(engine)
            report.status(engine, as_json=False)
        case "stop":
            commands.stop(engine)
        case "clean":
            commands.clean(engine)
        case "tidy":
            commands.tidy(engine)
        case "kubeconfig":
            print(commands.kubeconfig(engine, options.principal, options.session, options.cluster))
        case "env":
            print(commands.exports(engine))
        case "clock":
            if options.advance:
                commands.advance_clock(engine, options.advance)
            report.time(engine)
        case "status":
            report.status(engine, options.json)
        case "exec":
            # The one -- is ours; another one is the command's.
            words = options.command[1:] if options.command[:1] == ["--"] else options.command
            if not words:
                raise Refusal(f"exec has no command: write it after --, as in `{NAME} exec -- pulumi up`.")
            return commands.execute(engine, tuple(words))
        case "summary":
            report.summary(engine)
        case "create":
            commands.create(engine, options.stack)
        case verb:
            arguments = tuple(argument for argument in options.arguments if argument != "--")
            if verb == "pulumi":
                return engine.run(options.operation, options.stack, *arguments)
            if verb == "up":
                return commands.up(engine, options.stack, arguments, brief=options.brief)
            run = {"preview": commands.preview, "down": commands.down}[verb]
            return run(engine, options.stack, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
