"""The command line `moka`, put together from a subcommand a file."""

from collections.abc import Sequence
from typing import Annotated

import typer

from commands import (
    allocate,
    bootstrap,
    celeborn,
    changed,
    dashboards,
    doctor,
    draw,
    drift,
    github,
    init,
    job,
    leftovers,
    logs,
    mirror,
    move,
    package,
    plan,
    preview,
    prices,
    profiles,
    queues,
    recover,
    report,
    rollout,
    sbom,
    schema,
    shrink,
    stack_files,
    usage,
)
from moka import project

# Plain text: what a terminal shows is what a log, a pipe and the documentation show.
app = typer.Typer(
    name="moka",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(rollout.rollout)
app.command("stack-files")(stack_files.stack_files)
app.command()(move.move)
app.command()(queues.queues)
app.command()(allocate.allocate)
app.add_typer(plan.app, name="plan")
app.command()(draw.draw)
app.command()(report.report)
app.command()(prices.prices)
app.add_typer(job.app, name="job")
app.add_typer(usage.app, name="usage")
app.command()(logs.logs)
app.command()(bootstrap.bootstrap)
app.command()(profiles.profiles)
app.command()(doctor.doctor)
app.command()(leftovers.leftovers)
app.command()(mirror.mirror)
app.command()(dashboards.dashboards)
app.add_typer(celeborn.app, name="celeborn")
app.command()(shrink.shrink)
app.command()(init.init)
app.command()(package.package)
app.command()(sbom.sbom)
app.command()(schema.schema)
app.command()(changed.changed)
app.command()(preview.preview)
app.command()(recover.recover)
app.command()(drift.drift)
app.add_typer(github.app, name="github")


def _print_version(version: bool) -> None:
    if version:
        print(f"moka {project.version()}")
        raise typer.Exit


@app.callback()
def moka(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    """Operate Apache Spark on Amazon EKS: the environments that stacks/<environment>.yaml describes.

    \b
    Examples:
      moka doctor prod                  can the AWS accounts of prod take it?
      moka rollout prod                 its Pulumi stacks, in the order in which a change reaches them
      moka queues prod                  its YuniKorn queues, by cluster
      moka plan show prod plan.json     what a plan of queues changes
      moka draw prod --svg prod.svg     a picture of it
      moka job render pi.yaml --help    from a job file to SparkApplications

    `moka COMMAND --help` explains a command. README.md and docs/operations/ have more.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: `arguments`, by default those of the process. Ends with SystemExit."""
    app(arguments, prog_name="moka")
