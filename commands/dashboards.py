"""`moka dashboards`: what Grafana shows of the platform, and the rules that go with it, as files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from commands.refusals import write_folder
from moka.observability.dashboards import DASHBOARDS
from moka.observability.files import dashboard_files, rule_files
from moka.observability.grafana import model


def dashboards(
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write them there, a file each, and the rules.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all of them as JSON: name, and what Grafana reads.")
    ] = False,
) -> None:
    """List Grafana dashboards, or write them.

    Where layer metrics deploys a Grafana, it has them already. Any other takes the files as they are, and
    needs a store of the platform's metrics whose rules are those files that end in `.rules.yaml`.

    \b
    Examples:
      moka dashboards
      moka dashboards --to dashboards

    Exit status: 0 listed or written, 2 the folder cannot be written.
    """
    if as_json and to:
        raise typer.BadParameter("--to and --json exclude each other.")
    if as_json:
        print(json.dumps({dashboard.name: model(dashboard) for dashboard in DASHBOARDS}, indent=1))
        return
    if to is None:
        for dashboard in DASHBOARDS:
            rows = ", ".join(row.title for row in dashboard.rows)
            print(f"{dashboard.name:<14}{len(dashboard.panels):>3} panels  {rows}")
        return
    files = dashboard_files() | rule_files()
    write_folder(to, files)
    print(f"{to} has {len(DASHBOARDS)} dashboards and {len(rule_files())} files of rules.")
