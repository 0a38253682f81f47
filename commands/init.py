"""`moka init`: a repository for a company that begins with moka."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from commands.distributions import BuildFailed, build_wheels, require_checkout
from commands.repository_files import EXECUTABLE, Company, Files, moka_files, own_files
from stacks.settings import InvalidDocument
from stacks.settings.reading import parse


class InitRefused(Exception):
    """Why nothing is written."""


def init(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Where it goes: a folder that is not there yet, or empty."),
    ],
    organization: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Short name of the company; by default the folder's."),
    ] = None,
    account: Annotated[
        str | None, typer.Option(metavar="ID", help="AWS account of the first environment, `dev`.")
    ] = None,
    region: Annotated[str, typer.Option(metavar="REGION", help="Its region.")] = "us-east-1",
    zones: Annotated[
        str, typer.Option(metavar="LETTERS", help="Its availability zones there, by their last letters.")
    ] = "abc",
    deployer_network: Annotated[
        str | None,
        typer.Option(
            metavar="CIDR",
            help="Where `up` of it runs: the public address of CI or of your office.",
        ),
    ] = None,
    github: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER@ID/NAME@ID",
            help="Its repository in GitHub, with both ids as `ci` in docs/accounts.md; by default of the two "
            "names, without.",
        ),
    ] = None,
    domain: Annotated[
        str | None, typer.Option(metavar="NAME", help="Domain of its pages; by default below `example`.")
    ] = None,
    update: Annotated[
        bool,
        typer.Option("--update", help="Replace what is moka's in a repository that is there, and no more."),
    ] = False,
) -> None:
    """Start a repository for a company's own platform.

    It has settings of `local`, for the laptop, and of `dev`, for an account; Pulumi's files, workflows for
    GitHub, policies, a job, and moka itself as wheels, pinned with all that it needs. `make up` works there
    at once.

    \b
    Examples:
      moka init ~/acme --account 111122223333 --region eu-central-1 --deployer-network 54.240.193.7/32
      moka init ~/acme --update        with a newer moka
    """
    try:
        require_checkout()
        if update:
            _update(folder)
            print(f"{folder} has moka of this checkout now: commit it, and look at the previews.")
            return
        company = _company(folder, organization, account, region, zones, deployer_network, github, domain)
        _start(folder, company)
    except (InitRefused, BuildFailed, InvalidDocument) as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    print(
        f"{folder} has a repository for {company.organization}: `make up` there brings up `local` on the "
        "laptop cloud, and README.md says how `dev` comes up in its account."
    )


def _company(
    folder: Path,
    organization: str | None,
    account: str | None,
    region: str,
    zones: str,
    deployer_network: str | None,
    github: str | None,
    domain: str | None,
) -> Company:
    organization = folder.resolve().name if organization is None else organization
    if account is None:
        raise InitRefused(
            "No account: name the AWS account of the first environment, as in --account 111122223333."
        )
    if not re.fullmatch("[0-9]{12}", account):
        raise InitRefused(f"--account is {account!r}: write the twelve digits of an AWS account.")
    if deployer_network is None:
        raise InitRefused(
            "No network: name where `up` runs, as in --deployer-network 54.240.193.7/32, the address from "
            "which CI or your office goes out to the internet (curl https://checkip.amazonaws.com)."
        )
    if not re.fullmatch("[a-z]+", zones):
        raise InitRefused(
            f"--zones is {zones!r}: name zones by their last letters, as in abc for us-east-1a, 1b and 1c."
        )
    return Company(
        organization=organization,
        account=account,
        region=region,
        zones=tuple(f"{region}{letter}" for letter in zones),
        deployer_network=deployer_network,
        github=github or f"{organization}/{folder.resolve().name}",
        domain=domain or f"spark.dev.{organization}.example",
    )


def _start(folder: Path, company: Company) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InitRefused(
            f"{folder} is there and not empty: name a new folder, or --update for one that has moka."
        )
    files = own_files(company)
    for environment in ("local", "dev"):
        parse(files[f"stacks/{environment}.yaml"], f"stacks/{environment}.yaml", environment)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # All of it, or nothing.
    with TemporaryDirectory(dir=folder.resolve().parent, prefix=f".{folder.name}-") as work:
        begun = Path(work) / folder.name
        wheels = _vendor(begun)
        _write(begun, files)
        _write(begun, moka_files(wheels))
        if shutil.which("git"):
            subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", begun], check=True)
        begun.replace(folder.resolve())


def _update(folder: Path) -> None:
    if not (folder / "vendor").is_dir() or not (folder / "stacks").is_dir():
        raise InitRefused(f"{folder} has no vendor/ and stacks/: name a folder that `moka init` made.")
    with TemporaryDirectory(dir=folder, prefix=".moka-") as work:
        wheels = _vendor(Path(work))
        files = moka_files(wheels)
        for old in (folder / "vendor").glob("*.whl"):
            old.unlink()
        for wheel in wheels:
            wheel.replace(folder / "vendor" / wheel.name)
    _write(folder, files)


def _vendor(folder: Path) -> list[Path]:
    print("Building the wheels of moka ...", file=sys.stderr)
    return build_wheels(folder / "vendor")


def _write(folder: Path, files: Files) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name in EXECUTABLE:
            path.chmod(0o755)
