"""`python -m commands.job render FILE --target outputs.json`: job file in, SparkApplications out.

The target is what `pulumi stack output --json` prints for the stack with layer spark; `-` reads it, or the
job file, from the standard input. Exit status: 0 written, 2 refused, with a line a mistake.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from moka.jobs import checks
from moka.jobs.application import spark_application
from moka.jobs.job_file import Draft, read
from moka.jobs.job_target import JobTarget
from moka.mistakes import InvalidDocument, listed, near

LAYER, OUTPUT = "spark/", "jobs"
"""Outputs of a stack: `spark/<cluster>` holds, as `jobs`, what the cluster is for jobs."""


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; exit status."""
    parser = argparse.ArgumentParser(prog="python -m commands.job", description=__doc__)
    commands = parser.add_subparsers(required=True)
    render = commands.add_parser("render", help="job file in, manifest out")
    render.add_argument("file", help="YAML with a job, or several, each a document; - for the standard input")
    render.add_argument("--target", required=True, help="outputs of the stack with layer spark, as JSON")
    render.add_argument("--cluster", help="the one to run on, where the stack has several")
    render.add_argument("--json", action="store_true", help="a list as JSON in place of YAML")
    asked = parser.parse_args(arguments)
    try:
        if asked.file == asked.target == "-":
            raise InvalidDocument(
                "Both the job file and the outputs cannot be the standard input: name one of them."
            )
        target = job_target_in(_text(asked.target), asked.cluster)
        made = applications(read(_text(asked.file), asked.file), target)
    except InvalidDocument as refused:
        print(refused, file=sys.stderr)
        return 2
    if asked.json:
        print(json.dumps(made, indent=2))
    else:
        print(yaml.safe_dump_all(made, sort_keys=False, width=110), end="")
    return 0


def applications(drafts: Sequence[Draft], target: JobTarget) -> list[dict[str, Any]]:
    """SparkApplications of all jobs of a file.

    Raises InvalidDocument with all that is wrong with any of them.
    """
    wrong = []
    for draft in drafts:
        found = checks.mistakes(draft.job, target, draft.unsure) if draft.job else []
        wrong += [f"{draft.where}: {mistake}" for mistake in (*draft.mistakes, *found)]
    if wrong:
        raise InvalidDocument("\n".join(wrong))
    return [spark_application(draft.job, target) for draft in drafts if draft.job]


def job_target_in(text: str, cluster: str | None = None) -> JobTarget:
    """The job target in the outputs of a stack, or of several, as `pulumi stack output --json` prints them.

    Raises InvalidDocument when they have none, or several and no cluster is named, or not the one that is.
    """
    outputs = _outputs(text)
    found = {
        key.removeprefix(LAYER): value[OUTPUT]
        for key, value in outputs.items()
        if key.startswith(LAYER) and isinstance(value, dict) and isinstance(value.get(OUTPUT), dict)
    }
    if not found:
        raise InvalidDocument(
            "The stack has no cluster for jobs: take the outputs of the one that holds layer spark, once it "
            "is up."
        )
    if cluster is None and len(found) > 1:
        raise InvalidDocument(
            f"The stack has several clusters: choose one of {listed(found)} with --cluster."
        )
    if cluster is not None and cluster not in found:
        raise InvalidDocument(f"Cluster {cluster} is not in the stack: {near(cluster, found)}")
    name = cluster or next(iter(found))
    try:
        return JobTarget.from_outputs(found[name])
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
            each, end = decoder.raw_decode(rest)
            outputs |= each
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
            f"{path} is not text: byte {error.start + 1} is no UTF-8; write it as YAML."
        ) from None


if __name__ == "__main__":
    sys.exit(main())
