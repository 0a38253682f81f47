"""`python -m commands.celeborn`: Celeborn's workers on a cluster, and how one of them is emptied.

    python -m commands.celeborn status                    who leads, and what each worker does
    python -m commands.celeborn drain celeborn-worker-3   it takes no more data; waits until it has none
    python -m commands.celeborn back celeborn-worker-3    it takes data again

It asks the cluster of the current kubeconfig context, or of `--context`. Drain workers whose nodes are to go.
To lower `workers` none has to be drained before: a worker that is too many waits by itself.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat

from commands.celeborn_api import EMPTY, LEAVING, NORMAL, Celeborn, Pods, Unanswered, Worker
from moka.celeborn.configuration import HEARTBEAT

PAUSES = (1, 2, 4, 8, 15)
"""Seconds between one look and the next; the last one from then on."""

KEPT = 2
"""Workers that have to go on taking data: each copy is on one of its own."""


def chosen(names: Sequence[str], workers: Mapping[str, Worker]) -> list[Worker]:
    """Workers of these names. Raises Unanswered when the masters do not know one."""
    if unknown := [name for name in names if name not in workers]:
        raise Unanswered(
            f"the masters know no {', '.join(unknown)}; they know {', '.join(workers) or 'no worker'}"
        )
    return [workers[name] for name in names]


def refusal(going: Sequence[Worker], workers: Mapping[str, Worker]) -> str | None:
    """Why these cannot be drained together, if so."""
    names = {worker.pod for worker in going}
    left = [pod for pod, worker in workers.items() if worker.state == NORMAL and pod not in names]
    if len(left) < KEPT:
        return (
            f"this leaves {', '.join(left) or 'no worker'} to take data, and jobs need {KEPT}: drain fewer "
            "at a time, or raise `workers` first"
        )
    if stopping := [w.pod for w in going if w.state not in (NORMAL, LEAVING, EMPTY)]:
        return f"{', '.join(stopping)} is stopping already; wait until it is back"
    return None


def left(names: Sequence[str], workers: Mapping[str, Worker]) -> list[Worker]:
    """Those that are not empty yet. Raises Unanswered when one is no longer on its way to it."""
    for name in names:
        worker = workers.get(name)
        if worker is None:
            raise Unanswered(f"{name} was stopped or lost before it was empty; jobs may read its data anew")
        if worker.state == NORMAL:
            raise Unanswered(f"{name} was restarted, and takes data again; drain it again")
    return [workers[name] for name in names if workers[name].state != EMPTY]


def waiting(holding: Mapping[str, Sequence[str] | None]) -> str:
    """What a person is told while workers have data: worker -> applications, None where it did not say."""
    parts = []
    for pod, applications in holding.items():
        if applications is None:
            parts.append(f"{pod} for what it has")
            continue
        some = ", ".join(applications[:3]) + (f" and {len(applications) - 3} more" * (len(applications) > 3))
        parts.append(f"{pod} for {some or 'its last files to be removed'}")
    return f"Waits: {'; '.join(parts)}. It is safe to stop here: they go on, and `drain` waits again."


def drain(
    celeborn: Celeborn, names: Sequence[str], say: Callable[[str], None], pause: Callable[[float], None]
) -> None:
    """Let workers take no more data, and wait until they have none."""
    workers = celeborn.workers()
    going = chosen(names, workers)
    if reason := refusal(going, workers):
        raise Unanswered(reason)
    if taking := [worker for worker in going if worker.state == NORMAL]:
        celeborn.send("DECOMMISSIONTHENIDLE", taking)
    pauses, waited = chain(PAUSES, repeat(PAUSES[-1])), 0
    told, asked = "", {worker.pod for worker in taking}
    while True:
        workers = celeborn.workers()
        # The masters know of a worker's new state with its next heartbeat.
        asked -= {pod for pod, worker in workers.items() if worker.state != NORMAL}
        if asked and waited > HEARTBEAT:
            raise Unanswered(f"{', '.join(sorted(asked))} does not do as it is told; see its log, try again")
        holding = left([name for name in names if name not in asked], workers)
        if not holding and not asked:
            break
        now = waiting({worker.pod: _applications(celeborn, worker) for worker in holding})
        if holding and now != told:
            say(now)
            told = now
        seconds = next(pauses)
        pause(seconds)
        waited += seconds
    say(
        f"{', '.join(names)}: empty, and its node may go. If it stays: `python -m commands.celeborn back`; "
        "once restarted, a worker takes data again."
    )


def back(celeborn: Celeborn, names: Sequence[str]) -> None:
    """Let workers that were drained take data again."""
    going = chosen(names, celeborn.workers())
    if away := [worker for worker in going if worker.state in (LEAVING, EMPTY)]:
        celeborn.send("RECOMMISSION", away)


def status(celeborn: Celeborn) -> str:
    """Who leads, and each worker with its state and its applications, a line each."""
    lines = [f"leader: {celeborn.leader()}"]
    for worker in celeborn.workers().values():
        applications = _applications(celeborn, worker)
        count = "?" if applications is None else len(applications)
        lines.append(f"{worker.pod}  {worker.state}  {worker.zone or '-'}  applications: {count}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, pause: Callable[[float], None] = time.sleep) -> int:
    """The command. Returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m commands.celeborn",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--context", help="of the kubeconfig; by default the current one")
    parser.add_argument("--namespace", default="celeborn")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("status", help="who leads, and what each worker does")
    for name, said in (("drain", "empty workers"), ("back", "let drained workers take data again")):
        commands.add_parser(name, help=said).add_argument("workers", nargs="+", metavar="WORKER")
    args = parser.parse_args(arguments)
    # Imported here as it is slow; its errors are those of the cluster.
    from kubernetes.client import ApiException
    from kubernetes.config import ConfigException

    try:
        celeborn = Celeborn(Pods(args.context, args.namespace))
        if args.command == "status":
            print(status(celeborn))
        elif args.command == "drain":
            drain(celeborn, args.workers, lambda line: print(line, flush=True), pause)
        else:
            back(celeborn, args.workers)
    except (Unanswered, ConfigException) as error:
        print(error, file=sys.stderr)
        return 1
    except ApiException as error:
        print(f"The API server answers {error.status} {error.reason}: see that you may.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _applications(celeborn: Celeborn, worker: Worker) -> list[str] | None:
    try:
        return celeborn.applications(worker)
    except Unanswered:
        return None


if __name__ == "__main__":
    sys.exit(main())
