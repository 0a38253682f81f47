"""The commands of a laptop cloud: start it, bring a stack up, preview it, take it down."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from pathlib import Path

from localcloud import clock, clusters, databases, report, store, unknowns
from localcloud.aws_server import AwsServer
from localcloud.cloud import CHECKOUT, RUN, recovery
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.stand_ins import deployments
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.credentials import principal
from localcloud.engine import Engine
from localcloud.errors import Refusal
from localcloud.files import locked
from localcloud.locks import at_work
from localcloud.orphans import end_orphans
from localcloud.project import stand_in_modules
from localcloud.protection import unprotect
from localcloud.states import UnreadableState

SHELL_SETTINGS = ("PULUMI_STACK", "PULUMI_SKIP_CONFIRMATIONS")
"""Variables of pulumi that a shell may keep: they name no account and no backend."""

JSON = {"--json", "-j"}
"""Options by which pulumi prints JSON."""

KILLED = 128
"""Exit status of what a signal ended, to which shells add the signal's number."""


def start(engine: Engine) -> None:
    """Start the programs of the cloud that are not running, on the data that is there.

    Raises Refusal when the in-memory AWS is gone and stacks had resources there, or the project's
    localcloud.yaml is wrong.
    """
    # A wrong localcloud.yaml is refused now, not when its Deployments are made.
    stand_in_modules(engine.project)
    if lost_stacks := _lost_stacks(engine):
        raise Refusal(
            "The laptop's AWS has ended, and kept everything in memory, so what "
            f"{' and '.join(lost_stacks)} had there is lost: run `{RUN} down` to clear away the rest, then "
            f"`{RUN} up` to start anew."
        )
    with _one_at_a_time(engine):
        _start(engine)


def _start(engine: Engine) -> None:
    server = AwsServer(engine.cloud)
    if not server.alive():
        _clear(engine)
        server.start()
    engine.lay_plugins()
    # A `pulumi` in a shell that is set up for the cloud finds its backend, before the first stack.
    engine.cloud.state.mkdir(parents=True, exist_ok=True)
    for stack in engine.stacks():
        # One that cannot be restored says so when it is used.
        with suppress(UnreadableState):
            if sentence := engine.state_file(stack).restore():
                report.say(sentence)
    # Before the programs that use them.
    databases.resume(engine.cloud)
    clusters.resume(engine.cloud)


def create(engine: Engine, stack: str) -> None:
    """Create an empty stack, unless it exists."""
    _prepare(engine, stack)


def up(engine: Engine, stack: str, arguments: tuple[str, ...], *, brief: bool = False) -> int:
    """`pulumi up` of a stack, then a summary, `brief` in one line.

    The engine's exit status, and 1 where something that stands would no longer work on AWS.
    """
    _refuse_full_disk(engine)
    was_cut_short = engine.state_file(stack).is_cut_short
    _prepare(engine, stack)
    if CHECKOUT and was_cut_short:
        raise Refusal(
            f"An `up` would make again what is not in this copy of the state of {stack}: run "
            f"`{recovery(stack)} ARGS=--rebuild`, which looks for it, then this again."
        )
    _refuse_cut_off(engine, stack)
    unknowns.clear(engine.cloud)
    # Policies refuse at the preview, before anything is made; without, `up` itself refuses what it must.
    judged = any(argument.startswith("--policy-pack") for argument in arguments)
    options = () if judged else ("--skip-preview",)
    # The summary says how to reach what is there; all outputs are one `pulumi stack output` away.
    status = _run(engine, "up", stack, "--yes", *options, "--suppress-outputs", *arguments)
    report.cut_off(engine, stack)
    defects = report.standing(engine) if status == 0 else 0
    report.unknown(engine)
    if status == 0:
        report.say(f"\n{stack} is up: {len(engine.resources(stack))} resources.")
        if not brief:
            report.summary(engine)
    return status or int(defects > 0)


def preview(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """`pulumi preview` of a stack; the engine's exit status."""
    # Whoever reads JSON reads nothing else: what is for people goes beside it.
    people = redirect_stdout(sys.stderr) if JSON & set(arguments) else nullcontext()
    with people:
        _prepare(engine, stack)
        unknowns.clear(engine.cloud)
        status = _run(engine, "preview", stack, *arguments)
        report.unknown(engine)
    return status


def down(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """Destroy a stack, and end the cloud's processes once no stack has anything left."""
    if lost_stacks := _lost_stacks(engine):
        return _discard(engine, lost_stacks)
    if stack not in engine.stacks():
        report.say(f"Nothing to take down: there is no stack {stack}.")
    else:
        try:
            _prepare(engine, stack)
        except UnreadableState:
            return _discard_unreadable(engine, stack)
        # What nobody wrote down ends with the cloud; where that goes on, it would stay in its AWS.
        if set(engine.populated()) - {stack} or at_work(engine.cloud):
            _refuse_cut_off(engine, stack)
        if count := unprotect(engine, stack):
            report.say(f"{stack} protects {count} resources; on the laptop they go, with what is in them.")
        if status := _run(
            engine, "destroy", stack, "--yes", "--skip-preview", "--suppress-outputs", *arguments
        ):
            # It may be what stands in the way, as a subnet in that of its network.
            report.cut_off(engine, stack)
            return status
        report.say(f"Stack {stack} is empty.")
    if stacks := engine.populated():
        report.say(f"The cloud keeps running, as these stacks have resources: {' and '.join(stacks)}.")
    elif workers := at_work(engine.cloud):
        report.say(
            f"The cloud keeps running, as pulumi works on it, process {' and '.join(map(str, workers))}."
        )
    else:
        _end(engine)
        report.say("All processes have ended.")
    return 0


def advance_clock(engine: Engine, duration: str) -> None:
    """Move the cloud's clock, and do what AWS does at the times that it passes."""
    from localcloud.plugins.aws.passing_time import pass_time

    server = AwsServer(engine.cloud)
    if not server.alive():
        raise Refusal(f"The laptop's AWS is not running, so no time passes there: run `{RUN} up` first.")
    before, after = clock.advance(engine.cloud, clock.duration_of(duration))
    for sentence in pass_time(engine.cloud, server.url, before, after):
        report.say(sentence)


def stop(engine: Engine) -> None:
    """End every process of the cloud; what is in the in-memory AWS is lost."""
    if engine.cloud.home.is_dir():
        with _one_at_a_time(engine):
            _stop(engine)


def clean(engine: Engine) -> None:
    """End every process of the cloud, and delete what the cloud has."""
    stop(engine)
    engine.cloud.remove()


def tidy(engine: Engine) -> None:
    """Remove the stacks that only previews have used: the engine previews no stack that is not there."""
    for stack in list(engine.stacks()):
        # A state that nobody can read was one of an update.
        with suppress(UnreadableState):
            if not engine.was_updated(stack) and not at_work(engine.cloud, engine.project_name, stack):
                engine.pulumi("stack", "rm", stack, "--yes", "--preserve-config")


def _stop(engine: Engine) -> None:
    end_orphans(engine.cloud)
    for plane in ControlPlane.all(engine.cloud):
        plane.stop()
    databases.stop(engine.cloud)
    AwsServer(engine.cloud).stop()


def exports(engine: Engine) -> str:
    """Shell commands that set up a shell for using `pulumi`, `kubectl` and `aws` by hand."""
    variables = engine.environment()
    unset = [f"unset {name}" for name in os.environ if name not in variables and name not in SHELL_SETTINGS]
    exports = [f"export {name}={shlex.quote(variables[name])}" for name in [*engine.variables(), "PATH"]]
    planes = ControlPlane.all(engine.cloud)
    schedulers = " ".join(f"{plane.name}={url}" for plane in planes if (url := yunikorn_url(plane)))
    programs = {name: value for plane in planes for name, value in deployments.variables(plane).items()}
    exports += [f"export {name}={shlex.quote(value)}" for name, value in programs.items()]
    return "\n".join([*unset, *exports, f"export MOKA_SCHEDULERS={shlex.quote(schedulers)}"])


def kubeconfig(engine: Engine, arn: str, session: str, cluster: str | None) -> Path:
    """The kubeconfig with which an IAM role or user signs in to a cluster, whether or not it is let in.

    session: name of a role's session. cluster: None for the only one.
    Raises Refusal where there is no such cluster, or the ARN is of something else.
    """
    planes = {plane.name: plane for plane in ControlPlane.all(engine.cloud)}
    if cluster is None and len(planes) > 1:
        raise Refusal(f"The laptop has clusters {' and '.join(planes)}: name one with --cluster.")
    if not planes or (cluster and cluster not in planes):
        inventory = f"has only {' and '.join(planes)}" if planes else f"has none: run `{RUN} up` first"
        raise Refusal(f"There is no cluster {cluster or 'yet'} on the laptop; it {inventory}.")
    if not re.fullmatch(r"arn:[a-z-]+:iam::\d{12}:(role|user)/.+", arn):
        raise Refusal(f"{arn} is no IAM role or user: write arn:aws:iam::<account>:role/<path and name>.")
    plane = planes[cluster] if cluster else next(iter(planes.values()))
    return plane.principal_kubeconfig(principal(arn, session))


def execute(engine: Engine, command: tuple[str, ...]) -> int:
    """Run a command on the cloud, which is started: `pulumi`, or anything that runs pulumi, kubectl or aws.

    Its exit status. What it prints is all that goes to stdout, as a script may read it.
    """
    with redirect_stdout(sys.stderr):
        _refuse_without_engine(engine)
        if shutil.which(command[0], path=engine.environment()["PATH"]) is None:
            raise Refusal(f"There is no command {command[0]}: correct its name, or install it.")
        start(engine)
        unknowns.clear(engine.cloud)
        before = engine.written()
        status = engine.execute(command)
        if engine.written() != before:
            report.standing(engine)
        report.unknown(engine)
    return status if status >= 0 else KILLED - status


def _run(engine: Engine, verb: str, stack: str, *arguments: str) -> int:
    """Run pulumi for a person to watch; its exit status, as a shell has it where a signal ended it."""
    status = engine.run(verb, stack, *arguments)
    if status:
        report.ended(engine)
    if status < 0:
        report.killed(verb, stack, -status)
    return status if status >= 0 else KILLED - status


def _prepare(engine: Engine, stack: str) -> None:
    _refuse_without_engine(engine)
    _refuse_without_project(engine)
    start(engine)
    with _one_at_a_time(engine):
        _select(engine, stack)


def _refuse_without_project(engine: Engine) -> None:
    _ = engine.project_name


def _refuse_cut_off(engine: Engine, stack: str) -> None:
    """As `moka recover --check` does before an update of a real stack; others' programs have no `recover`."""
    pending = [f"{operation} {urn.rpartition('::')[2]}" for urn, operation in engine.pending(stack).items()]
    if CHECKOUT and pending:
        raise Refusal(
            f"An update of {stack} was cut off while it was {_listing(pending)}, and its outcome is unknown: "
            f"run `{recovery(stack)}`, then this again."
        )


def _listing(things: list[str], limit: int = 3) -> str:
    more = len(things) - limit
    return ", ".join(things[:limit]) + (f" and {more} more" if more > 0 else "")


def _refuse_without_engine(engine: Engine) -> None:
    if shutil.which("pulumi", path=engine.environment()["PATH"]) is None:
        raise Refusal(f"The engine is not built yet: run `{RUN} setup`, which does that.")


def _select(engine: Engine, stack: str) -> None:
    for sentence in engine.remove_stale_locks(stack):
        report.say(sentence)
    state = engine.state_file(stack)
    state.restore()
    engine.refuse_broken(stack)
    engine.select(stack)
    state.keep()


@contextmanager
def _one_at_a_time(engine: Engine) -> Iterator[None]:
    """Keep other processes from starting or ending the cloud meanwhile: two would each have a server."""
    engine.cloud.home.mkdir(parents=True, exist_ok=True)
    with locked(engine.cloud.start_lock):
        yield


def _refuse_full_disk(engine: Engine) -> None:
    free = report.free_mib(engine.cloud)
    if free < report.DISK_MIB:
        raise Refusal(
            f"The laptop cloud needs {report.DISK_MIB} MiB of disk, and the disk of {engine.cloud.home} has "
            f"{free} MiB left: free some space, then run this again; nothing was changed."
        )


def _lost_stacks(engine: Engine) -> list[str]:
    """Stacks whose resources were in an in-memory AWS that is gone."""
    return [] if AwsServer(engine.cloud).alive() else engine.populated()


def _discard(engine: Engine, lost_stacks: list[str]) -> int:
    """Clear away what is left of stacks whose AWS is gone: their state and their control planes."""
    for name in lost_stacks:
        _remove(engine, name)
    _end(engine)
    report.say(
        f"The laptop's AWS had ended, and its resources with it; the state of {' and '.join(lost_stacks)} is "
        "cleared away too."
    )
    return 0


def _discard_unreadable(engine: Engine, stack: str) -> int:
    """Clear away a stack whose state nobody can read: nothing says any more what it had."""
    engine.state_file(stack).remove()
    report.say(f"The state of stack {stack} was cut short, with all copies of it, and is removed.")
    if stacks := engine.populated():
        report.say(
            f"What {stack} had stays until the cloud ends, which {' and '.join(stacks)} keep running: take "
            "them down too."
        )
    else:
        _end(engine)
        report.say("All processes have ended, and what it had with them.")
    return 0


def _end(engine: Engine) -> None:
    """End a cloud in which no stack has resources, with everything that no stack knows of."""
    for name in list(engine.stacks()):
        # What was cut off is gone with AWS, but the stack's state would go on listing it.
        if engine.cut_off(name):
            _remove(engine, name)
    with _one_at_a_time(engine):
        _stop(engine)
        _clear(engine)


def _clear(engine: Engine) -> None:
    """Remove what belongs to an AWS that is gone; a new one knows nothing of it."""
    for plane in ControlPlane.all(engine.cloud):
        plane.remove()
    databases.clear(engine.cloud)
    shutil.rmtree(store.store_folder(engine.cloud), ignore_errors=True)
    clock.reset(engine.cloud)


def _remove(engine: Engine, stack: str) -> None:
    state = engine.state_file(stack)
    # Where nobody can read it, pulumi cannot either.
    with suppress(UnreadableState):
        state.restore()
        engine.pulumi("stack", "rm", stack, "--yes", "--force", "--preserve-config")
    state.remove()
