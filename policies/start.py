"""The pack as the engine starts it: for which environment, with which configuration, and where charts are."""

import datetime
import json
import os
from collections.abc import Mapping
from pathlib import Path

from moka.mistakes import InvalidDocument
from policies.catalog import RULES
from policies.pack import configuration
from policies.pack.charts import Charts
from policies.pack.configuration import Configuration
from policies.pack.evaluation import Evaluation
from policies.pack.server import Analyzer, serve

ENVIRONMENT_KEY = "moka:environment"


def start() -> None:
    """Serve the rules to the engine that started this process."""
    serve(analyzer(os.environ))


def analyzer(environ: Mapping[str, str]) -> Analyzer:
    """What answers the engine. environ: of the process; the engine puts the stack and its settings there."""
    try:
        settings = configuration.load(
            configuration.FILE.read_bytes(), RULES, environment(environ), datetime.date.today()
        )
    except InvalidDocument as error:
        return Analyzer(Evaluation(RULES, Configuration(), _charts(environ).render), str(error).splitlines())
    return Analyzer(Evaluation(RULES, settings, _charts(environ).render))


def environment(environ: Mapping[str, str]) -> str:
    """The environment of the stack: as its file names it, or else the stack's name up to the first dot."""
    try:
        named = json.loads(environ.get("PULUMI_CONFIG", "{}")).get(ENVIRONMENT_KEY)
    except (ValueError, AttributeError):
        named = None
    return str(named) if named else environ.get("PULUMI_STACK", "").partition(".")[0]


def _charts(environ: Mapping[str, str]) -> Charts:
    cache = Path(environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "moka" / "policies"
    folder = environ.get("MOKA_CHARTS")
    return Charts(cache, Path(folder).expanduser() if folder else None)
