"""`moka job`: from a job file to SparkApplications."""

import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from commands.refusals import exit_on
from commands.s3_api import Answer, NotSeen, ObjectLookup
from moka.jobs import checks
from moka.jobs.application import spark_application
from moka.jobs.files import named_objects
from moka.jobs.job import Job
from moka.jobs.job_file import Draft, read
from moka.jobs.job_target import JobTarget
from moka.mistakes import InvalidDocument, Mistake, comma_list, near

LAYER_PREFIX, OUTPUT = "spark/", "jobs"
"""Outputs of a stack: `spark/<cluster>` holds, as `jobs`, the cluster's job target."""

MISSING: Mapping[Answer, str] = {
    "no object": "that is not there; upload it with `aws s3 cp {file.name} {file.url}`",
    "no bucket": "there is no bucket {file.bucket}; correct its name",
}
"""What is said of a file that is not there."""

app = typer.Typer(no_args_is_help=True)


@app.callback()
def job() -> None:
    """Turn job files into SparkApplications."""


@app.command()
def render(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="YAML with a job, or several, each a document; - for the standard input."
        ),
    ],
    target: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="What `pulumi stack output --json` prints for the stack with layer spark; - for the "
            "standard input.",
        ),
    ],
    cluster: Annotated[
        str | None, typer.Option(metavar="NAME", help="Where to run, if the stack has several clusters.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list as JSON instead of YAML.")] = False,
    look: Annotated[
        bool,
        typer.Option(
            "--look/--no-look",
            help="Look, with your own AWS credentials, for the files on S3 that jobs name.",
        ),
    ] = True,
) -> None:
    """Print the SparkApplications of a job file.

    Nothing is printed but its mistakes, all at once, if it has any. A file on S3 that is not there is one; of
    those that your AWS credentials do not let it see, or without credentials, it only says so.

    \b
    Examples:
      pulumi stack output --json --stack prod > outputs.json
      moka job render pi.yaml --target outputs.json | kubectl apply -f -

    \b
    Exit status: 0 printed, 2 refused, with a line for each mistake.
    """
    with exit_on(InvalidDocument):
        if file == target == "-":
            raise InvalidDocument(
                "The job file and the outputs cannot both be the standard input: name a file for one of them."
            )
        job_target = job_target_in(_text(target), cluster)
        s3 = ObjectLookup(job_target.region) if look else None
        manifests = applications(read(_text(file), file), job_target, s3)
    if as_json:
        print(json.dumps(manifests, indent=2))
    else:
        print(yaml.safe_dump_all(manifests, sort_keys=False, width=110), end="")


def applications(
    drafts: Sequence[Draft], target: JobTarget, s3: ObjectLookup | None = None
) -> list[dict[str, Any]]:
    """SparkApplications of all jobs of a file.

    s3: looks for the files on S3 that they name; None to take them for granted.
    Raises InvalidDocument with all that is wrong with any of them.
    """
    mistakes = []
    for draft in drafts:
        job_mistakes = checks.mistakes(draft.job, target, draft.unsure) if draft.job else []
        if draft.job and s3:
            wrong = {mistake.at for mistake in job_mistakes} | draft.unsure
            job_mistakes += _missing(draft.job, draft.where, s3, wrong)
        mistakes += [f"{draft.where}: {mistake}" for mistake in (*draft.mistakes, *job_mistakes)]
    if mistakes:
        raise InvalidDocument("\n".join(mistakes))
    return [spark_application(draft.job, target) for draft in drafts if draft.job]


def _missing(job: Job, where: str, s3: ObjectLookup, wrong: Collection[str]) -> Iterator[Mistake]:
    """Files on S3 that are not there; of those that cannot be seen it prints why.

    wrong: fields that have mistakes already.
    """
    for file, s3_object in named_objects(job):
        if {file.at, file.at.partition(".")[0]} & set(wrong):
            continue
        try:
            answer = s3.find(s3_object)
        except NotSeen as error:
            typer.echo(
                f"{where}: {file.at}: cannot check whether {file.url} exists: {error}; check it yourself, "
                "or leave the check out with --no-look.",
                err=True,
            )
            continue
        if answer != "found":
            yield Mistake(file.at, f"is {file.url}, but {MISSING[answer].format(file=s3_object)}")


def job_target_in(text: str, cluster: str | None = None) -> JobTarget:
    """The job target in the outputs of a stack, or of several, as `pulumi stack output --json` prints them.

    Raises InvalidDocument when there is none, when there are several and no cluster is named, or when the
    named cluster is not among them.
    """
    targets = {
        key.removeprefix(LAYER_PREFIX): value[OUTPUT]
        for key, value in _outputs(text).items()
        if key.startswith(LAYER_PREFIX) and isinstance(value, dict) and isinstance(value.get(OUTPUT), dict)
    }
    if not targets:
        raise InvalidDocument(
            "The stack has no cluster for jobs: take the outputs of the one with layer spark, once it is up."
        )
    if cluster is None and len(targets) > 1:
        raise InvalidDocument(
            f"The stack has several clusters: choose one of {comma_list(targets)} with --cluster."
        )
    if cluster is not None and cluster not in targets:
        raise InvalidDocument(f"Cluster {cluster} is not in the stack: {near(cluster, targets)}")
    name = cluster or next(iter(targets))
    try:
        return JobTarget.from_outputs(targets[name])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidDocument(
            f"Cluster {name} cannot be read ({error}): bring its stack up with this version."
        ) from None


def _outputs(text: str) -> dict[str, Any]:
    """Outputs of stacks, one JSON document after the other."""
    outputs: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        try:
            stack_outputs, end = decoder.raw_decode(rest)
            outputs |= stack_outputs
        except (TypeError, ValueError):
            raise InvalidDocument(
                "The target is not JSON with outputs: give what `pulumi stack output --json` prints."
            ) from None
        rest = rest[end:].lstrip()
    return outputs


def _text(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text()
    except OSError as error:
        raise InvalidDocument(
            f"{path} cannot be read ({error.strerror}): name a file that is there."
        ) from None
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"{path} is not text: byte {error.start + 1} is not UTF-8; write it as YAML."
        ) from None
