"""Have AWS take the probes, and say what it said of each."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pulumi import automation
from pulumi.automation import events

from conformance.refusals.probe import Cluster, Probe
from conformance.refusals.program import NAME, program


def answers(
    probes: Sequence[Probe],
    account: str,
    region: str,
    folder: Path,
    progress: Callable[[str], object],
    cluster: Cluster | None = None,
) -> Mapping[str, str]:
    """What AWS said of each probe, by its name; '' of what it took.

    Everything is deleted again; a run that was killed leaves it to the next one with the same backend.
    folder: an existing one, for the stack's configuration. progress: takes lines for who waits.
    cluster: one that is up, which some probes need.
    Raises automation.CommandError where the base cannot be made, or not be deleted.
    """
    stack = automation.create_or_select_stack(
        stack_name="-".join(["refusals", account, region, *([cluster.name] if cluster else [])]),
        project_name=NAME,
        program=partial(program, probes, region, cluster),
        opts=automation.LocalWorkspaceOptions(work_dir=str(folder)),
    )
    refusals: dict[str, str] = {}
    try:
        progress(f"Creating what {len(probes)} probes stand on")
        before = -1
        # What a provider refuses before it asks AWS ends the run, and others go on without it.
        while len(refusals) > before:
            before = len(refusals)
            pending = [probe for probe in probes if probe.name not in refusals]
            refusals |= _round(stack, partial(program, pending, region, cluster), pending, progress)
    finally:
        progress("Deleting all of it")
        stack.destroy(remove=True)
    return {probe.name: refusals.get(probe.name, "") for probe in probes}


def _round(
    stack: automation.Stack,
    trial: Callable[[], None],
    probes: Sequence[Probe],
    progress: Callable[[str], object],
) -> dict[str, str]:
    """Refusals of these probes, or of some of them if one ended the run."""
    refusals: dict[str, str] = {}
    names = {probe.name for probe in probes}

    def listen(event: events.EngineEvent) -> None:
        diagnostic = event.diagnostic_event
        name = diagnostic.urn.rsplit("::", 1)[-1] if diagnostic and diagnostic.urn else ""
        if diagnostic and diagnostic.severity == "error" and name in names and name not in refusals:
            refusals[name] = diagnostic.message.strip()
            progress(f"{name} is refused")

    try:
        stack.up(program=trial, on_event=listen, continue_on_error=True)
    except automation.CommandError:
        # Refusals are what the run is for; without any, the base itself failed.
        if not refusals:
            raise
    return refusals
