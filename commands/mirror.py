"""`moka mirror`: a registry of one's own, filled with every chart and image that the platform runs."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import EnvironmentArgument
from moka import catalog
from moka.mirror import (
    ARCHITECTURES,
    ChartCopy,
    ImageCopy,
    chart_copies,
    digest_of,
    image_copies,
    missing_architectures,
)
from moka.registries import ecr_host
from stacks.settings import InvalidDocument, load

PROGRAMS = {
    "skopeo": "https://github.com/containers/skopeo/blob/main/install.md",
    "helm": "https://helm.sh/docs/intro/install/",
}
"""Program that copies -> how to get it."""

AWS = {"aws": "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"}


DENIED = re.compile("unauthorized|authentication required|credential not found|no basic auth|403 Forbidden")
"""Words of skopeo and Helm for a registry that does not know who asks."""


class CopyFailed(Exception):
    """Something was not copied; with the reason."""


Run = Callable[[Sequence[str], bytes | None], bytes]
"""Runs a command with what it reads; what it prints. Raises CopyFailed."""


def mirror(
    environment: EnvironmentArgument,
    to: Annotated[
        str | None,
        typer.Option(metavar="REGISTRY", help="Host and path; by default `charts.mirror` of the settings."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be copied, and end.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="The mirror speaks HTTP, such as one on this machine.")
    ] = False,
) -> None:
    """Fill a mirror with the platform's charts and images.

    All architectures of an image are copied, so that it keeps its digest. What is there is skipped, so that a
    run that was cut off can be repeated. It logs in to a mirror in ECR by the AWS credentials at hand, and
    needs skopeo and Helm.

    \b
    Examples:
      moka mirror prod --dry-run
      moka mirror prod

    Exit status: 0 all is there, 1 something could not be copied, 2 nothing was tried.
    """
    try:
        settings = load(environment)
    except InvalidDocument as error:
        raise _refuse(str(error)) from None
    target = to or settings.charts.mirror
    if not target:
        raise _refuse(
            f"stacks/{environment}.yaml sets no charts.mirror: set it, or name the registry with --to."
        )
    try:
        in_ecr = ecr_host(target.partition("/")[0])
    except ValueError as error:
        raise _refuse(f"Cannot copy to {target}: {error}.") from None
    charts = catalog.read()
    copies: list[ChartCopy | ImageCopy] = [*chart_copies(charts, target), *image_copies(charts, target)]
    if dry_run:
        for copy in copies:
            print(copy.line)
        return
    programs = PROGRAMS | (AWS if in_ecr else {})
    if missing := [name for name in programs if shutil.which(name) is None]:
        hints = "; ".join(f"{name} ({programs[name]})" for name in missing)
        raise _refuse(f"These programs are missing on PATH: {hints}.")
    work = Work(run=_run, insecure=insecure)
    try:
        work.log_in(target)
    except CopyFailed as error:
        raise _refuse(f"Cannot log in to {target}: {error}.") from None
    failures, denied = 0, False
    for number, copy in enumerate(copies, start=1):
        try:
            done = work.image(copy) if isinstance(copy, ImageCopy) else work.chart(copy)
            print(f"{number}/{len(copies)} {done}: {copy.line}", flush=True)
        except CopyFailed as error:
            failures += 1
            denied = denied or bool(DENIED.search(str(error)))
            typer.echo(f"{number}/{len(copies)} not copied: {copy.line}: {error}.", err=True)
    if denied:
        host = target.partition("/")[0]
        typer.echo(f"Log in first: `skopeo login {host}` and `helm registry login {host}`.", err=True)
    if failures:
        typer.echo(f"{failures} of {len(copies)} were not copied; run this again to go on.", err=True)
        raise typer.Exit(1)
    print(f"{target} has all {len(copies)} charts and images.")
    if settings.charts.mirror != target:
        print(f"Set `charts: {{mirror: {target}}}` in stacks/{environment}.yaml to pull from there.")


@dataclass(frozen=True)
class Work:
    """Copies, by skopeo and Helm.

    insecure: the mirror speaks HTTP.
    """

    run: Run
    insecure: bool = False

    def log_in(self, mirror: str) -> None:
        """Log skopeo and Helm in to a mirror in ECR, for 12 hours; others are left to whoever runs this."""
        host = mirror.partition("/")[0]
        registry = ecr_host(host)
        if registry is None:
            return
        token = self.run(["aws", "ecr", "get-login-password", "--region", registry.region], None)
        for program in (["skopeo", "login"], ["helm", "registry", "login"]):
            self.run([*program, "--username", "AWS", "--password-stdin", host], token)

    def image(self, copy: ImageCopy) -> str:
        """Copy an image unless it is there; what was done."""
        manifest = self.run(["skopeo", "inspect", "--raw", f"docker://{copy.source}"], None)
        digest = digest_of(manifest)
        if copy.digest and digest != copy.digest:
            raise CopyFailed(f"its digest is {digest}, and the catalog has {copy.digest}")
        if missing := missing_architectures(manifest):
            raise CopyFailed(
                f"it does not exist for {' and '.join(sorted(missing))}, of {_all_architectures()}"
            )
        if self._target_digest(copy.target) == digest:
            return "is there"
        plain = ["--dest-tls-verify=false"] if self.insecure else []
        self.run(
            [
                "skopeo",
                "copy",
                "--all",
                "--preserve-digests",
                "--quiet",
                *plain,
                f"docker://{copy.source}",
                f"docker://{copy.target}",
            ],
            None,
        )
        return "copied"

    def chart(self, copy: ChartCopy) -> str:
        """Copy a chart unless it is there; what was done."""
        plain = ["--plain-http"] if self.insecure else []
        target = f"{copy.target}/{copy.chart}"
        try:
            self.run(["helm", "show", "chart", target, "--version", copy.version, *plain], None)
            return "is there"
        except CopyFailed:
            pass
        with tempfile.TemporaryDirectory() as folder:
            self.run(
                [
                    "helm",
                    "pull",
                    copy.chart,
                    "--repo",
                    copy.repository,
                    "--version",
                    copy.version,
                    "--destination",
                    folder,
                ],
                None,
            )
            [package] = Path(folder).glob("*.tgz")
            digest = digest_of(package.read_bytes())
            if copy.digest and digest != copy.digest:
                raise CopyFailed(f"the digest of its package is {digest}, and the catalog has {copy.digest}")
            self.run(["helm", "push", str(package), copy.target, *plain], None)
        return "copied"

    def _target_digest(self, target: str) -> str | None:
        plain = ["--tls-verify=false"] if self.insecure else []
        try:
            return digest_of(self.run(["skopeo", "inspect", "--raw", *plain, f"docker://{target}"], None))
        except CopyFailed:
            return None


def _all_architectures() -> str:
    return " and ".join(sorted(ARCHITECTURES))


def _run(command: Sequence[str], text: bytes | None) -> bytes:
    result = subprocess.run(list(command), input=text, capture_output=True, check=False)
    if result.returncode:
        lines = result.stderr.decode(errors="replace").strip().splitlines()
        raise CopyFailed(_reason(lines[-1]) if lines else f"{command[0]} failed")
    return result.stdout


def _reason(line: str) -> str:
    """What the last line of skopeo or Helm says, without when and how loud: skopeo writes a log."""
    logged = re.search(r' msg=("(?:[^"\\]|\\.)*")', line)
    message: str = json.loads(logged[1]) if logged else line
    return message.removeprefix("Error: ").rstrip(".")


def _refuse(sentence: str) -> typer.Exit:
    print(sentence, file=sys.stderr)
    return typer.Exit(2)
