"""What the gateway answers for an application's host, once it knows what there is: no I/O."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from moka.pages import history_path
from services.common.kubernetes import Object
from services.ui_gateway.drivers import RUN, Driver

PATIENCE = timedelta(minutes=5)
"""After so long a driver whose UI this gateway has not seen may have closed it, before this gateway started:
a link to the history is shown."""

_RUN_PATH = re.compile(rf"/run/({RUN.pattern})(/.*)?")


@dataclass(frozen=True)
class Redirect:
    """To another address, for now: it may be another one the next time."""

    url: str


@dataclass(frozen=True)
class UiNotReady:
    """The job is there, and its UI is not yet.

    reason: a sentence's end, `its driver is Pending (ContainerCreating)`.
    history: address of its page in the history, where that may be what is wanted.
    """

    reason: str
    history: str = ""


@dataclass(frozen=True)
class NotThere:
    """There is nothing of that name."""


Answer = Redirect | UiNotReady | NotThere


@dataclass(frozen=True)
class History:
    """Where the History Server is.

    url: `https://history.spark.example`.
    """

    url: str

    def page(self, run: str, path: str = "/") -> str:
        """Address of a run's page; `path`, with its query, is that of the live UI: the tabs are the same."""
        place, mark, query = path.partition("?")
        if any(part in (".", "..") for part in place.replace("%2e", ".").replace("%2E", ".").split("/")):
            place, mark, query = "/", "", ""
        return f"{self.url}{history_path(run)}/{place.lstrip('/')}{mark}{query}"


def run_asked_for(path: str) -> tuple[str, str] | None:
    """Of a path `/run/<id>/...`, the id and what follows it; None where it is no such path."""
    match = _RUN_PATH.fullmatch(path.partition("?")[0])
    return (match[1], match[2] or "/") if match else None


def before_asking(driver: Driver, path: str, history: History) -> Answer | None:
    """What is answered without a word from the driver's UI; None where it has to be asked."""
    if driver.ended and driver.run:
        return Redirect(history.page(driver.run, path))
    if driver.phase == "Pending" or not driver.address:
        reason = f" ({driver.waiting})" if driver.waiting else ""
        return UiNotReady(f"its driver is {driver.phase}{reason}")
    return None


def after_refusal(driver: Driver, path: str, history: History, *, answered: bool, now: datetime) -> Answer:
    """What is answered where nothing listens on the UI's port of a driver that runs.

    answered: whether it has listened before: then Spark has ended, and its pod will.
    """
    page = history.page(driver.run, path) if driver.run else ""
    if answered and page:
        return Redirect(page)
    late = driver.started is not None and now - driver.started > PATIENCE
    return UiNotReady("its driver runs, and its UI is not up yet", page if late else "")


def of_application(application: Object, path: str, history: History) -> Answer:
    """What is answered for a SparkApplication that has no driver pod."""
    status = application.get("status") or {}
    run = status.get("sparkApplicationId") or ""
    if RUN.fullmatch(run):
        return Redirect(history.page(run, path))
    state = (status.get("applicationState") or {}).get("state") or "new"
    queue = ((application.get("spec") or {}).get("batchSchedulerOptions") or {}).get("queue")
    return UiNotReady(f"its state is {state}" + (f", its queue {queue}" if queue else ""))
