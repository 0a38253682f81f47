"""What a person can ask of a laptop cloud: start it, bring a stack up, look at it, take it down."""

import shlex
import shutil

from localcloud import report
from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from localcloud.errors import Refusal
from localcloud.orphans import end_orphans


def start(engine: Engine) -> None:
    """Start what the cloud consists of and is not running; what it has is resumed on its data.

    Raises Refusal when the in-memory AWS is gone and stacks had resources there.
    """
    server = AwsServer(engine.cloud)
    if not server.alive():
        lost = [stack for stack in engine.stacks() if engine.resources(stack)]
        if lost:
            raise Refusal(
                f"The laptop's AWS is not running any more and kept all it had in memory, so what "
                f"{' and '.join(lost)} had there is lost: run `make down` to clear away the rest, "
                "then `make up` to start anew."
            )
        server.start()
    engine.lay_plugins()
    for plane in ControlPlane.all(engine.cloud):
        if not plane.alive():
            report.say(f"Starting the control plane of {plane.name} again, on its data.")
        plane.resume()


def up(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """`pulumi up` of a stack, then a summary; the engine's exit status."""
    _prepare(engine, stack)
    status = engine.run("up", "--stack", stack, "--yes", "--skip-preview", *arguments)
    report.cut_off(engine, stack)
    if status == 0:
        report.summary(engine, stack)
    return status


def preview(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """`pulumi preview` of a stack; the engine's exit status."""
    _prepare(engine, stack)
    return engine.run("preview", "--stack", stack, *arguments)


def down(engine: Engine, stack: str, arguments: tuple[str, ...]) -> int:
    """Destroy a stack, and end the cloud's processes once no stack has anything left."""
    if stack not in engine.stacks() and not AwsServer(engine.cloud).alive():
        report.say(f"Nothing to take down: there is no stack {stack}, and nothing runs.")
        return 0
    if not AwsServer(engine.cloud).alive() and engine.resources(stack):
        return _forget(engine)
    _prepare(engine, stack)
    status = engine.run("destroy", "--stack", stack, "--yes", "--skip-preview", *arguments)
    if status:
        return status
    others = [name for name in engine.stacks() if engine.resources(name)]
    if others:
        report.say(f"The cloud goes on running: {' and '.join(others)} still has resources.")
        return 0
    stop(engine)
    report.say(f"Stack {stack} is empty, and nothing runs any more.")
    return 0


def stop(engine: Engine) -> None:
    """End every process of the cloud; what is in the in-memory AWS is lost."""
    end_orphans(engine.cloud)
    for plane in ControlPlane.all(engine.cloud):
        plane.stop()
    AwsServer(engine.cloud).stop()


def exports(engine: Engine) -> str:
    """Shell commands that set up a shell for using `pulumi`, `kubectl` and `aws` by hand."""
    chosen = engine.environment()
    names = [*engine.variables(), "PATH"]
    return "\n".join(f"export {name}={shlex.quote(chosen[name])}" for name in names)


def _prepare(engine: Engine, stack: str) -> None:
    if shutil.which("pulumi", path=engine.environment()["PATH"]) is None:
        raise Refusal("The engine is not there yet: run `make setup`, or `make up`, which does it first.")
    start(engine)
    for sentence in engine.lift_dead_locks(stack):
        report.say(sentence)
    engine.select(stack)


def _forget(engine: Engine) -> int:
    """Clear away what is left of stacks whose AWS is gone: their state and their control planes."""
    for plane in ControlPlane.all(engine.cloud):
        plane.remove()
    for name in list(engine.stacks()):
        engine.ask("stack", "rm", name, "--yes", "--force", "--preserve-config")
    AwsServer(engine.cloud).stop()
    report.say("The laptop's AWS was gone, and all it had with it: the stacks' state is cleared away too.")
    return 0
