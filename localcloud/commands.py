"""The commands of a laptop cloud: start it, bring a stack up, preview it, take it down."""

import os
import re
import shlex
import shutil
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

from localcloud import clock, report, unknowns
from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane, stand_ins
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.credentials import principal
from localcloud.engine import Engine
from localcloud.errors import Refusal
from localcloud.orphans import end_orphans
from localcloud.plugins.aws import store
from localcloud.project import stand_in_modules
from localcloud.protection import unprotect

SHELL_SETTINGS = ("PULUMI_STACK", "PULUMI_SKIP_CONFIRMATIONS")
"""Variables of pulumi that a shell may keep: they name no account and no backend."""

JSON = {"--json", "-j"}
"""Options by which pulumi prints JSON."""

DISK_MIB = 512
"""Disk that a cloud needs: etcd lays out its log ahead, and every program keeps one."""


def start(engine: Engine) -> None:
    """Start the programs of the cloud that are not running, on the data that is there.

    Raises Refusal when the in-memory AWS is gone and stacks had resources there, or the project's
    localcloud.yaml is wrong.
    """
    # A wrong localcloud.yaml is refused now, not when its Deployments are made.
    stand_in_modules(engine.project)
    server = AwsServer(engine.cloud)
    if lost := _lost_stacks(engine):
        raise Refusal(
            f"The laptop's AWS has ended, and kept everything in memory, so what {' and '.join(lost)} had "
            "there is lost: run `make down` to clear away the rest, then `make up` to start anew."
        )
    if not server.alive():
        _clear(engine)
        server.start()
    engine.lay_plugins()
    for plane in ControlPlane.all(engine.cloud):
        if not plane.alive():
            report.say(f"Starting the control plane of {plane.name} again, on its data.")
        stand_ins.resume(plane)


def create(engine: Engine, stack: str) -> None:
    """Create an empty stack, unless it exists."""
    _prepare(engine, stack)


def up(engine: Engine, stack: str, arguments: tuple[str, ...], *, brief: bool = False) -> int:
    """`pulumi up` of a stack, then a summary, `brief` in one line.

    The engine's exit status, and 1 where something that stands would no longer work on AWS.
    """
    _refuse_full_disk(engine)
    _prepare(engine, stack)
    unknowns.clear(engine.cloud)
    # Policies refuse at the preview, before anything is made; without, `up` itself refuses what it must.
    judged = any(argument.startswith("--policy-pack") for argument in arguments)
    skipped = () if judged else ("--skip-preview",)
    # The summary says how to reach what is there; all outputs are one `pulumi stack output` away.
    status = engine.run("up", stack, "--yes", *skipped, "--suppress-outputs", *arguments)
    report.cut_off(engine, stack)
    broken = report.standing(engine) if status == 0 else 0
    report.unknown(engine)
    if status == 0:
        report.say(f"\n{stack} is up: {len(engine.resources(stack))} resources.")
        if not brief:
            report.summary(engine)
    return status or int(broken > 0)


def preview(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """`pulumi preview` of a stack; the engine's exit status."""
    # Whoever reads JSON reads nothing else: what is for people goes beside it.
    people = redirect_stdout(sys.stderr) if JSON & set(arguments) else nullcontext()
    with people:
        _prepare(engine, stack)
        unknowns.clear(engine.cloud)
        status = engine.run("preview", stack, *arguments)
        report.unknown(engine)
    return status


def down(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """Destroy a stack, and end the cloud's processes once no stack has anything left."""
    if lost := _lost_stacks(engine):
        return _discard(engine, lost)
    if stack not in engine.stacks():
        report.say(f"Nothing to take down: there is no stack {stack}.")
    else:
        _prepare(engine, stack)
        if count := unprotect(engine, stack):
            report.say(f"{stack} protects {count} resources; on the laptop they are deleted all the same.")
        if status := engine.run(
            "destroy", stack, "--yes", "--skip-preview", "--suppress-outputs", *arguments
        ):
            return status
        report.say(f"Stack {stack} is empty.")
    if stacks := engine.populated():
        report.say(f"The cloud keeps running, as these stacks have resources: {' and '.join(stacks)}.")
    else:
        _end(engine)
        report.say("All processes have ended.")
    return 0


def advance_clock(engine: Engine, duration: str) -> None:
    """Move the cloud's clock, and do what AWS does at the times that it passes."""
    from localcloud.plugins.aws.passing_time import pass_time

    server = AwsServer(engine.cloud)
    if not server.alive():
        raise Refusal("The laptop's AWS is not running, so no time passes there: run `make up` first.")
    before, after = clock.advance(engine.cloud, clock.duration_of(duration))
    for sentence in pass_time(engine.cloud, server.url, before, after):
        report.say(sentence)


def stop(engine: Engine) -> None:
    """End every process of the cloud; what is in the in-memory AWS is lost."""
    end_orphans(engine.cloud)
    for plane in ControlPlane.all(engine.cloud):
        plane.stop()
    AwsServer(engine.cloud).stop()


def exports(engine: Engine) -> str:
    """Shell commands that set up a shell for using `pulumi`, `kubectl` and `aws` by hand."""
    variables = engine.environment()
    unset = [f"unset {name}" for name in os.environ if name not in variables and name not in SHELL_SETTINGS]
    exports = [f"export {name}={shlex.quote(variables[name])}" for name in [*engine.variables(), "PATH"]]
    planes = ControlPlane.all(engine.cloud)
    schedulers = " ".join(f"{plane.name}={url}" for plane in planes if (url := yunikorn_url(plane)))
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
        there = f"has only {' and '.join(planes)}" if planes else "has none: run `make up` first"
        raise Refusal(f"There is no cluster {cluster or 'yet'} on the laptop; it {there}.")
    if not re.fullmatch(r"arn:[a-z-]+:iam::\d{12}:(role|user)/.+", arn):
        raise Refusal(f"{arn} is no IAM role or user: write arn:aws:iam::<account>:role/<path and name>.")
    plane = planes[cluster] if cluster else next(iter(planes.values()))
    return plane.principal_kubeconfig(principal(arn, session))


def _prepare(engine: Engine, stack: str) -> None:
    if shutil.which("pulumi", path=engine.environment()["PATH"]) is None:
        raise Refusal("The engine is not built yet: run `make setup`, or `make up`, which does that first.")
    start(engine)
    for sentence in engine.remove_stale_locks(stack):
        report.say(sentence)
    if restored := engine.restore_checkpoint(stack):
        report.say(restored)
    engine.select(stack)


def _refuse_full_disk(engine: Engine) -> None:
    home = engine.cloud.home
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free // 2**20
    if free < DISK_MIB:
        raise Refusal(
            f"The laptop cloud needs {DISK_MIB} MiB of disk, and the disk of {place} has {free} MiB left: "
            "free some space, then run this again; nothing was changed."
        )


def _lost_stacks(engine: Engine) -> list[str]:
    """Stacks whose resources were in an in-memory AWS that is gone."""
    return [] if AwsServer(engine.cloud).alive() else engine.populated()


def _discard(engine: Engine, lost: list[str]) -> int:
    """Clear away what is left of stacks whose AWS is gone: their state and their control planes."""
    for name in lost:
        _remove(engine, name)
    _end(engine)
    report.say(
        f"The laptop's AWS had ended, and its resources with it; the state of {' and '.join(lost)} is "
        "cleared away too."
    )
    return 0


def _end(engine: Engine) -> None:
    """End a cloud in which no stack has resources, with everything that no stack knows of."""
    for name in list(engine.stacks()):
        # What was cut off is gone with AWS, but the stack's state would go on listing it.
        if engine.cut_off(name):
            _remove(engine, name)
    stop(engine)
    _clear(engine)


def _clear(engine: Engine) -> None:
    """Remove what belongs to an AWS that is gone; a new one knows nothing of it."""
    for plane in ControlPlane.all(engine.cloud):
        plane.remove()
    for folder in (store.store_folder(engine.cloud), engine.cloud.cut_off):
        shutil.rmtree(folder, ignore_errors=True)
    clock.reset(engine.cloud)


def _remove(engine: Engine, stack: str) -> None:
    engine.pulumi("stack", "rm", stack, "--yes", "--force", "--preserve-config")
