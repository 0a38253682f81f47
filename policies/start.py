"""The pack as the engine starts it: for which environment, with which configuration, and where charts are."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from moka.as_of import InvalidDay, as_of
from moka.mistakes import InvalidDocument
from moka.project import project_folder
from policies.catalog import RULES
from policies.pack import configuration
from policies.pack.charts import Charts
from policies.pack.configuration import Configuration
from policies.pack.evaluation import Evaluation
from policies.pack.server import Analyzer, serve

ENVIRONMENT_KEY = "moka:environment"

SETTINGS = project_folder() / "stacks"


def start(pack: Path) -> None:
    """Serve the rules to the engine that started this process. pack: folder with their configuration."""
    serve(analyzer(os.environ, pack / configuration.FILE.name))


def analyzer(environ: Mapping[str, str], file: Path | None = None) -> Analyzer:
    """What answers the engine.

    environ: of the process; the engine puts the stack and its settings there. file: configuration, by default
    the project's.
    """
    try:
        content, today = (file or configuration.FILE).read_bytes(), as_of(environ)
        settings = configuration.load(content, RULES, environment(environ), environments(), today)
    except (InvalidDay, InvalidDocument) as error:
        return Analyzer(Evaluation(RULES, Configuration(), _charts(environ).render), str(error).splitlines())
    return Analyzer(Evaluation(RULES, settings, _charts(environ).render))


def environment(environ: Mapping[str, str]) -> str:
    """The environment of the stack: as its file names it, or else the stack's name up to the first dot."""
    try:
        environment_name = json.loads(environ.get("PULUMI_CONFIG", "{}")).get(ENVIRONMENT_KEY)
    except (ValueError, AttributeError):
        environment_name = None
    return str(environment_name) if environment_name else environ.get("PULUMI_STACK", "").partition(".")[0]


def environments() -> Collection[str]:
    """All environments: those that have settings."""
    return {path.stem for path in SETTINGS.glob("*.yaml") if "." not in path.stem}


def _charts(environ: Mapping[str, str]) -> Charts:
    cache = Path(environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "moka" / "policies"
    folder = environ.get("MOKA_CHARTS")
    return Charts(cache, Path(folder).expanduser() if folder else None)
