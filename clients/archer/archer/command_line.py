"""The command `archer`: jobs from a terminal, and from scripts.

Exit statuses: 0 where all went well; 1 where the job did not succeed; 2 where the command is wrong; 3 where
Archer refused; 4 where it was not reached.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
import yaml

from archer.client import ENDED, Archer
from archer.credentials import Credentials, IamCredentials, TokenCredentials
from archer.models import EventModel, JobModel, WholeJobModel
from archer.problem import Problem, Unreachable

DID_NOT_SUCCEED, WRONG, REFUSED, UNREACHED = 1, 2, 3, 4

COLUMNS = ("id", "name", "state", "queue", "tier", "owner", "submitted")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Jobs of Spark, by Archer.",
    epilog="Exit status: 0 all well, 1 the job did not succeed, 2 the command is wrong, 3 Archer refused, "
    "4 it was not reached.",
)

Json = Annotated[bool, typer.Option("--json", help="For programs: JSON, on one line.")]
JobId = Annotated[str, typer.Argument(metavar="JOB", help="Id of the job, as `submit` prints it.")]


@app.callback()
def options(
    context: typer.Context,
    url: Annotated[str, typer.Option(envvar="ARCHER_URL", help="Where Archer is.")] = "",
    token: Annotated[
        str, typer.Option(envvar="ARCHER_TOKEN", help="Token of the issuer; without, credentials of AWS.")
    ] = "",
    environment: Annotated[
        str, typer.Option(envvar="ARCHER_ENVIRONMENT", help="Its environment, with credentials of AWS.")
    ] = "",
    region: Annotated[
        str,
        typer.Option(
            envvar=["ARCHER_REGION", "AWS_REGION"], help="Its region of AWS, with credentials of AWS."
        ),
    ] = "",
) -> None:
    """Options of every command, which variables may set."""

    def client() -> Archer:
        if not url:
            _fail(WRONG, "ARCHER_URL is not set, so Archer's address is unknown: set it, or give --url.")
        return Archer(url, _credentials(token, environment, region))

    context.obj = client


def _credentials(token: str, environment: str, region: str) -> Credentials:
    if token:
        return TokenCredentials(token)
    if not environment or not region:
        _fail(
            WRONG,
            "There are no credentials for Archer: set ARCHER_TOKEN, or ARCHER_ENVIRONMENT and ARCHER_REGION "
            "to use AWS credentials.",
        )
    return IamCredentials(environment, region)


@app.command()
def submit(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Job file; `-` for standard input.")],
    wait: Annotated[bool, typer.Option("--wait", help="Show what happens until it has ended.")] = False,
    key: Annotated[
        str, typer.Option(help="Yours for this submission: sent again, it makes no second job.")
    ] = "",
    json_: Json = False,
) -> None:
    """Submit the jobs of a file."""
    documents = _documents(file)
    with context.obj() as archer:
        ids = []
        for number, document in enumerate(documents):
            own = f"{key}/{number}" if key and len(documents) > 1 else key
            submitted = archer.submit(document, own or None)
            ids.append(submitted["id"])
            if json_ and not wait:
                print(json.dumps(submitted))
            elif not json_:
                again = "" if submitted["new"] else " (submitted before)"
                print(f"{submitted['id']}  {document.get('name', '')}{again}")
        if wait:
            _end([_ended_job(archer, job, quiet=json_) for job in ids], json_)


@app.command()
def validate(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Job file; `-` for standard input.")],
) -> None:
    """Say all that is wrong with the jobs of a file, or where they would go; nothing is made."""
    with context.obj() as archer:
        for document in _documents(file):
            answer = archer.validate(document)
            place = f"to {answer['cluster']}" if answer["cluster"] else f"nowhere yet: {answer['message']}"
            print(f"{document.get('name', '')}: would go {place}")


@app.command()
def status(
    context: typer.Context,
    job: JobId,
    wait: Annotated[bool, typer.Option("--wait", help="Show what happens until it has ended.")] = False,
    json_: Json = False,
) -> None:
    """Show a job; with --wait, its exit status says whether it succeeded."""
    with context.obj() as archer:
        if wait:
            _end([_ended_job(archer, job, quiet=json_)], json_)
        whole = archer.get_job(job)
        print(json.dumps(whole) if json_ else _description(whole))


@app.command("list")
def list_(
    context: typer.Context,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
    owner: Annotated[str, typer.Option(help="Of somebody.")] = "",
    name: str = "",
    queue: Annotated[str, typer.Option(help="`organization.project`.")] = "",
    tier: Annotated[int, typer.Option(help="1, 2 or 3.")] = 0,
    workflow: str = "",
    state: Annotated[list[str] | None, typer.Option(help="Any of these (repeatable).")] = None,
    limit: Annotated[int, typer.Option(help="As many at most.")] = 50,
    json_: Json = False,
) -> None:
    """List jobs, the newest first."""
    filters = {
        "owner": "me" if mine else owner or None,
        "name": name or None,
        "queue": queue or None,
        "tier": tier or None,
        "workflow": workflow or None,
        "state": state or None,
        "limit": min(limit, 1000),
    }
    with context.obj() as archer:
        jobs = [job for _, job in zip(range(limit), archer.list_jobs(**filters), strict=False)]
    if json_:
        for job in jobs:
            print(json.dumps(job))
    else:
        _table(jobs)


@app.command()
def events(
    context: typer.Context,
    job: JobId,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on until it has ended.")] = False,
    json_: Json = False,
) -> None:
    """Show what happened to a job."""
    with context.obj() as archer:
        for event in archer.follow(job) if follow else archer.get_events(job):
            print(json.dumps(event) if json_ else _line(event), flush=True)


@app.command()
def why(context: typer.Context, job: JobId, json_: Json = False) -> None:
    """Say why a job waits."""
    with context.obj() as archer:
        answer = archer.why(job)
    if json_:
        print(json.dumps(answer))
        return
    as_of, since = (
        datetime.fromisoformat(answer[name]).astimezone().strftime("%H:%M:%S") for name in ("as_of", "since")
    )
    print(f"{answer['state']}: {answer['message']}\n  {answer['word']}, since {since}, as of {as_of}")


@app.command()
def logs(
    context: typer.Context,
    job: JobId,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on until its end.")] = False,
    executor: Annotated[
        int | None, typer.Option(min=0, help="Number of an executor, in place of the driver.")
    ] = None,
    attempt: Annotated[int | None, typer.Option(min=1, help="Its number; without, the last one.")] = None,
    times: Annotated[bool, typer.Option("--times", help="The time of each line before it.")] = False,
    pods: Annotated[bool, typer.Option("--pods", help="List the pods that have logs instead.")] = False,
) -> None:
    """Print what a job printed: its driver, or an executor."""
    with context.obj() as archer:
        if pods:
            for entry in archer.list_pods(job, attempt)["pods"]:
                print(entry["name"])
            return
        pod = "driver" if executor is None else _executor(archer, job, attempt, executor)
        read = archer.follow_logs if follow else archer.get_logs
        for text in read(job, pod, attempt, times):
            print(text, end="", flush=True)


def _executor(archer: Archer, job: str, attempt: int | None, number: int) -> str:
    """Name of an executor's pod."""
    for pod in archer.list_pods(job, attempt)["pods"]:
        if pod.get("executor") == number:
            return pod["name"]
    _fail(REFUSED, f"There are no logs of executor {number}: --pods lists the pods that have some.")


@app.command()
def stop(context: typer.Context, job: JobId) -> None:
    """Have a job end."""
    with context.obj() as archer:
        now = archer.stop(job)
    print(f"{now['name']} is {now['state']}" + ("" if now["state"] in ENDED else ", and is to stop"))


@app.command()
def clusters(context: typer.Context, json_: Json = False) -> None:
    """Show the clusters, and whether they take jobs."""
    with context.obj() as archer:
        for cluster in archer.list_clusters():
            print(json.dumps(cluster) if json_ else _cluster(cluster))


def main() -> NoReturn:
    """Run the command line."""
    try:
        app(prog_name="archer", standalone_mode=True)
    except Problem as problem:
        for at, sentence in problem.mistakes:
            print(f"{at}: {sentence}", file=sys.stderr)
        if not problem.mistakes:
            print(problem, file=sys.stderr)
        sys.exit(REFUSED)
    except Unreachable as error:
        print(error, file=sys.stderr)
        sys.exit(UNREACHED)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG)
    except KeyboardInterrupt:
        # What was submitted goes on.
        sys.exit(130)
    sys.exit(0)


def _documents(file: Path) -> list[dict[str, Any]]:
    """The jobs of a file."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text()
        documents = [document for document in yaml.safe_load_all(text) if document is not None]
    except OSError as error:
        _fail(WRONG, f"{file} cannot be read: {error.strerror or error}.")
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        _fail(WRONG, f"{file} is not YAML: {error}")
    if not documents or not all(isinstance(document, dict) for document in documents):
        _fail(WRONG, f"{file} has to be a job file: one job, or several with `---` between them.")
    return documents


def _ended_job(archer: Archer, job: str, quiet: bool) -> WholeJobModel:
    """A job once it has ended, with what happened on the way."""
    if not quiet:
        for event in archer.follow(job):
            print(_line(event), flush=True)
    return archer.wait(job)


def _end(jobs: Iterable[WholeJobModel], as_json: bool) -> NoReturn:
    """Say how jobs ended, and end as they did."""
    states = []
    for job in jobs:
        states.append(job["state"])
        print(json.dumps(job) if as_json else _description(job))
    raise typer.Exit(0 if set(states) == {"succeeded"} else DID_NOT_SUCCEED)


def _line(event: EventModel) -> str:
    at = datetime.fromisoformat(event["at"]).astimezone().strftime("%H:%M:%S")
    attempt = f" (attempt {event['attempt']})" if event["attempt"] > 1 else ""
    words = event["message"] or event["reason"]
    return f"{at}  {event['state']:<10}  {words}{attempt}"


def _description(job: WholeJobModel) -> str:
    """A job, for people."""
    lines = [
        f"{job['name']}  {job['state']}" + (f": {job['message']}" if job.get("message") else ""),
        f"  id       {job['id']}",
        f"  queue    {job['queue']}, tier {job['tier']}",
        f"  owner    {job['owner']}",
    ]
    attempts = job.get("attempts") or []
    if job.get("cluster"):
        # Of one that has ended, its last attempt says where it was.
        namespace = job.get("namespace") or (attempts[-1]["namespace"] if attempts else None)
        lines.append(f"  cluster  {job['cluster']}" + (f", namespace {namespace}" if namespace else ""))
    for attempt in attempts:
        how = attempt.get("state") or "there"
        why = f": {attempt['message']}" if attempt.get("message") else ""
        lines.append(f"  attempt {attempt['number']}: {attempt['application']}, {how}{why}")
        links = attempt.get("links") or {}
        lines += [f"    {name:<8} {links[name]}" for name in ("ui", "history") if links.get(name)]
    return "\n".join(lines)


def _cluster(cluster: Mapping[str, Any]) -> str:
    cordoned = cluster.get("cordoned")
    how = (
        f"cordoned: {cordoned}" if cordoned else "takes jobs" if cluster.get("healthy") else "does not answer"
    )
    return f"{cluster['name']}  {how}"


def _table(jobs: list[JobModel]) -> None:
    rows = [COLUMNS, *(tuple(str(job.get(column, ""))[:60] for column in COLUMNS) for job in jobs)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(COLUMNS))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _fail(status: int, sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise typer.Exit(status)
