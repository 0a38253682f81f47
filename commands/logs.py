"""`moka logs`: what drivers and executors of an application printed, from S3."""

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from time import sleep
from typing import Annotated, Literal

import typer

from commands.arguments import EnvironmentArgument
from commands.log_bucket import LogBuckets, LogsUnreachable, Place, Stored, places
from commands.refusals import refuse
from moka.log_keys import APPLICATION_ID, LogObject
from moka.log_lines import Joiner, Line
from moka.quantities import duration_seconds
from stacks.settings import Environment, InvalidDocument, load

LOOK_SECONDS = 5
"""Between two looks for new objects, with --follow."""

Role = Literal["driver", "executor", "all"]


def logs(
    environment: EnvironmentArgument,
    application: Annotated[
        str, typer.Argument(metavar="APPLICATION", help="Spark's id of it: status.sparkApplicationId.")
    ],
    role: Annotated[Role, typer.Option(help="Whose logs.")] = "driver",
    pod: Annotated[str | None, typer.Option(metavar="NAME", help="Only this pod's.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="Only on this cluster.")] = None,
    namespace: Annotated[str | None, typer.Option(metavar="NAME", help="Only in this job namespace.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only from then on: 10m, 2h, or 2026-11-22T10:15:00Z.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as more is uploaded.")] = False,
    list_objects: Annotated[bool, typer.Option("--list", help="List the objects in S3 instead.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document a line.")] = False,
) -> None:
    """Print what an application logged, while it runs or after.

    Lines come by time, from S3, where they are some time after they were written: 60 s for drivers, unless
    the settings have other `logs.drivers_behind_seconds`. It needs credentials that may read the bucket of
    job logs, and asks no cluster.

    \b
    Examples:
      moka logs prod spark-0a1b2c --follow
      moka logs prod spark-0a1b2c --role executor --since 15m
      moka logs prod spark-0a1b2c --list --json

    \b
    Exit status: 0 there are logs, 1 there are none,
    2 wrong settings or arguments, or a bucket that cannot be read.
    """
    if follow and list_objects:
        raise typer.BadParameter("--follow and --list exclude each other.")
    try:
        settings = load(environment)
        begin = _begin(since, datetime.now(UTC))
        log_places = _log_places(settings, application, cluster, namespace, "" if role == "all" else role)
        buckets = LogBuckets(begin)
        entries = buckets.find(log_places, pod)
        if list_objects:
            _print_objects(entries, as_json=as_json)
        elif follow:
            _print_lines(followed(buckets, log_places, pod, lambda: sleep(LOOK_SECONDS)), as_json=as_json)
        else:
            _print_lines(buckets.lines(entries), as_json=as_json)
    except (InvalidDocument, LogsUnreachable) as error:
        refuse(error)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None
    if not entries:
        typer.echo(_no_logs_message(settings, application, role, log_places), err=True)
        raise typer.Exit(1)


def followed(
    buckets: LogBuckets, log_places: Sequence[Place], pod: str | None, pause: Callable[[], None]
) -> Iterator[tuple[LogObject, Line]]:
    """Lines as they are uploaded, by time within what comes at once; without an end.

    pause: waits until the next look.
    """
    seen_keys: set[str] = set()
    joiners: defaultdict[LogObject, Joiner] = defaultdict(Joiner)
    while True:
        new_entries = [entry for entry in buckets.find(log_places, pod) if entry.object.key not in seen_keys]
        yield from buckets.new_lines(new_entries, joiners)
        seen_keys.update(entry.object.key for entry in new_entries)
        pause()


def _begin(since: str | None, now: datetime) -> datetime | None:
    """The time that --since means. Raises InvalidDocument."""
    if since is None:
        return None
    if (seconds := duration_seconds(since)) is not None:
        return now - timedelta(seconds=seconds)
    try:
        begin = datetime.fromisoformat(since)
    except ValueError:
        raise InvalidDocument(
            f"--since is {since!r}: write how long ago, as 10m or 2h, or a time as 2026-11-22T10:15:00Z."
        ) from None
    return begin.replace(tzinfo=begin.tzinfo or UTC).astimezone(UTC)


def _log_places(
    settings: Environment, application: str, cluster: str | None, namespace: str | None, role: str
) -> list[Place]:
    """Raises InvalidDocument for names that the environment does not have, and for no id."""
    if not APPLICATION_ID.fullmatch(application):
        raise InvalidDocument(
            f"{application!r} is no id of Spark's, such as spark-0a1b2c: `kubectl get sparkapplication "
            "<name> -o jsonpath={.status.sparkApplicationId}` prints it."
        )
    for option, name, names in (
        ("cluster", cluster, settings.clusters),
        ("namespace", namespace, settings.job_namespaces),
    ):
        if name is not None and name not in names:
            raise InvalidDocument(
                f"{settings.environment} has no {option} {name!r}; --{option} is one of {', '.join(names)}."
            )
    return places(
        settings,
        application,
        [cluster] if cluster else settings.clusters,
        [namespace] if namespace else settings.job_namespaces,
        role,
    )


def _print_lines(lines: Iterator[tuple[LogObject, Line]], *, as_json: bool) -> None:
    for of, line in lines:
        text = line.text.decode(errors="replace")
        print(_json_line(of, line) if as_json else f"{line.time} {of.pod} {text}", flush=True)


def _json_line(of: LogObject, line: Line) -> str:
    try:
        text = {"text": line.text.decode()}
    except UnicodeDecodeError:
        text = {"base64": base64.b64encode(line.text).decode()}
    names = {key: getattr(of, key) for key in ("cluster", "namespace", "role", "pod", "container")}
    return json.dumps({"time": line.time, **names, "stream": line.stream, **text})


def _print_objects(entries: Sequence[Stored], *, as_json: bool) -> None:
    for entry in entries:
        address = f"s3://{entry.place.bucket}/{entry.object.key}"
        if as_json:
            print(
                json.dumps({"object": address, "bytes": entry.size, "uploaded": entry.uploaded.isoformat()})
            )
        else:
            print(f"{entry.uploaded:%Y-%m-%dT%H:%M:%SZ} {entry.size:>9} {address}")


def _no_logs_message(settings: Environment, application: str, role: Role, log_places: Sequence[Place]) -> str:
    drivers, executors = settings.logs.drivers_behind_seconds, settings.logs.executors_behind_seconds
    of = "" if role == "all" else f" of role {role}"
    looked = ", ".join(f"s3://{place.bucket}/{place.prefix}" for place in log_places)
    return (
        f"There are no logs of {application}{of} below {looked}: check the id and --since; what was just "
        f"written is there after {drivers} seconds for drivers, {executors} for executors."
    )
