"""`moka celeborn`: Celeborn's workers on a cluster, and how one of them is drained."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from time import sleep
from typing import Annotated

import typer

from commands.celeborn_api import (
    EMPTY,
    LEAVING,
    NORMAL,
    Celeborn,
    CelebornError,
    ForwardingForbidden,
    Pods,
    Worker,
)
from moka.celeborn.configuration import HEARTBEAT_TIMEOUT_SECONDS

POLL_INTERVALS_SECONDS = (1, 2, 4, 8, 15)
"""Between one look and the next; the last one from then on."""

MIN_ACTIVE_WORKERS = 2
"""Workers that have to go on taking data: each copy is on one of its own."""

app = typer.Typer(no_args_is_help=True, help="Show and drain Celeborn's workers.")

Workers = Annotated[
    list[str], typer.Argument(metavar="WORKER", help="Pods of workers, such as celeborn-worker-3.")
]
Context = Annotated[
    str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig; by default the current one.")
]
Namespace = Annotated[str, typer.Option(metavar="NAME", help="Namespace of Celeborn.")]


@app.command()
def status(context: Context = None, namespace: Namespace = "celeborn") -> None:
    """Show which master leads, and the state of each worker.

    \b
    Example:
      moka celeborn status --context prod-batch-a
    """
    with _celeborn(context, namespace) as celeborn:
        print(f"leader: {celeborn.leader()}")
        for worker in celeborn.workers().values():
            applications = _applications(celeborn, worker)
            count = "?" if applications is None else len(applications)
            avoided = "  avoided by running applications" if worker.state == NORMAL and worker.avoided else ""
            print(f"{worker.pod}  {worker.state}  {worker.zone or '-'}  applications: {count}{avoided}")


@app.command()
def drain(workers: Workers, context: Context = None, namespace: Namespace = "celeborn") -> None:
    """Stop workers from taking data; wait until they hold none.

    Do so before their nodes are removed. To lower `workers` in the settings no worker has to be drained
    before: one that is too many waits by itself.

    \b
    Example:
      moka celeborn drain celeborn-worker-3
    """
    with _celeborn(context, namespace) as celeborn:
        _drain(celeborn, workers)


@app.command()
def recommission(workers: Workers, context: Context = None, namespace: Namespace = "celeborn") -> None:
    """Let drained workers take data again: of new applications, and of all once their pods are deleted.

    \b
    Example:
      moka celeborn recommission celeborn-worker-3
    """
    with _celeborn(context, namespace) as celeborn:
        selected = select_workers(workers, celeborn.workers())
        drained = [worker for worker in selected if worker.state in (LEAVING, EMPTY)]
        if drained:
            celeborn.send("RECOMMISSION", drained)
        if pods := [worker.pod for worker in selected if worker in drained or worker.avoided]:
            print(
                "New applications write to them; running ones avoid them until they register anew, at once "
                f"with: kubectl -n {namespace} delete pod {' '.join(pods)}"
            )


def select_workers(names: Sequence[str], workers: Mapping[str, Worker]) -> list[Worker]:
    """Workers of these names. Raises CelebornError when the masters do not know one."""
    if unknown := [name for name in names if name not in workers]:
        raise CelebornError(
            f"the masters know no {', '.join(unknown)}; they know {', '.join(workers) or 'no worker'}"
        )
    return [workers[name] for name in names]


def drain_refusal(leaving: Sequence[Worker], workers: Mapping[str, Worker]) -> str | None:
    """Why these workers cannot be drained together; None when they can."""
    names = {worker.pod for worker in leaving}
    active = [pod for pod, worker in workers.items() if worker.state == NORMAL and pod not in names]
    if len(active) < MIN_ACTIVE_WORKERS:
        return (
            f"this leaves {', '.join(active) or 'no worker'} to take data, and jobs need "
            f"{MIN_ACTIVE_WORKERS}: drain fewer at a time, or raise `workers` first"
        )
    if stopping := [worker.pod for worker in leaving if worker.state not in (NORMAL, LEAVING, EMPTY)]:
        return f"{', '.join(stopping)} is stopping already; wait until it is back"
    return None


def workers_with_data(names: Sequence[str], workers: Mapping[str, Worker]) -> list[Worker]:
    """Draining workers that are not empty yet. Raises CelebornError when one does not drain any more."""
    for name in names:
        worker = workers.get(name)
        if worker is None:
            raise CelebornError(
                f"{name} was stopped or lost before it was empty; jobs may compute its data again"
            )
        if worker.state == NORMAL:
            raise CelebornError(f"{name} was restarted, and takes data again; drain it again")
    return [workers[name] for name in names if workers[name].state != EMPTY]


def drain_progress(applications_of: Mapping[str, Sequence[str] | None]) -> str:
    """Progress message while workers still hold data: worker -> applications, None where it is silent."""
    parts = []
    for pod, applications in applications_of.items():
        if applications is None:
            parts.append(f"{pod} for data of unknown applications")
            continue
        more = f" and {len(applications) - 3} more" if len(applications) > 3 else ""
        parts.append(f"{pod} for {', '.join(applications[:3]) or 'its last files to be removed'}{more}")
    return f"Waiting: {'; '.join(parts)}. It is safe to stop here: they go on, and `drain` waits again."


def poll_intervals() -> Iterator[int]:
    """Seconds between one look and the next, for ever."""
    return chain(POLL_INTERVALS_SECONDS, repeat(POLL_INTERVALS_SECONDS[-1]))


def _drain(celeborn: Celeborn, names: Sequence[str]) -> None:
    workers = celeborn.workers()
    selected = select_workers(names, workers)
    if reason := drain_refusal(selected, workers):
        raise CelebornError(reason)
    if active := [worker for worker in selected if worker.state == NORMAL]:
        celeborn.send("DECOMMISSIONTHENIDLE", active)
    intervals, waited_seconds = poll_intervals(), 0
    last_message, unconfirmed = "", {worker.pod for worker in active}
    while True:
        workers = celeborn.workers()
        # The masters know of a worker's new state with its next heartbeat.
        unconfirmed -= {pod for pod, worker in workers.items() if worker.state != NORMAL}
        if unconfirmed and waited_seconds > HEARTBEAT_TIMEOUT_SECONDS:
            raise CelebornError(
                f"{', '.join(sorted(unconfirmed))} did not start to drain; see its log, then try again"
            )
        remaining = workers_with_data([name for name in names if name not in unconfirmed], workers)
        if not remaining and not unconfirmed:
            break
        message = drain_progress({worker.pod: _applications(celeborn, worker) for worker in remaining})
        if remaining and message != last_message:
            print(message, flush=True)
            last_message = message
        seconds = next(intervals)
        sleep(seconds)
        waited_seconds += seconds
    print(
        f"{', '.join(names)}: empty; its node can be removed. If it stays: `moka celeborn recommission`; "
        "once restarted, a worker takes data again."
    )


def _applications(celeborn: Celeborn, worker: Worker) -> list[str] | None:
    try:
        return celeborn.applications(worker)
    except CelebornError:
        return None


@contextmanager
def _celeborn(context: str | None, namespace: str) -> Iterator[Celeborn]:
    """Celeborn on a cluster; what it or its API server refuses is one sentence on stderr, exit status 1."""
    # Imported here as it takes half a second; its errors are those of the cluster.
    from kubernetes.client import ApiException
    from kubernetes.config import ConfigException

    try:
        yield Celeborn(Pods(context, namespace))
    except (CelebornError, ForwardingForbidden, ConfigException) as error:
        typer.echo(error, err=True)
    except ApiException as error:
        typer.echo(f"The API server answers {error.status} {error.reason}: check your permissions.", err=True)
    else:
        return
    raise typer.Exit(1)
