"""What the gateway itself shows: small pages, with whatever comes from names escaped."""

from collections.abc import Collection
from html import escape

from services.common.pages import page

RETRY_SECONDS = 5


def waiting(application: str, reason: str, history: str) -> str:
    """The page of a job whose UI is not up yet; it refreshes itself."""
    link = _link(history, "its page in the history") if history else ""
    return page(
        f"{application} is not up yet",
        f"{_text(f'The job is there: {reason}. This page looks again every {RETRY_SECONDS} seconds.')}{link}",
        refresh_seconds=RETRY_SECONDS,
    )


def not_there(application: str, namespace: str, days: int, history: str) -> str:
    """The page of a name that nothing is known of; `days`: how long event logs are kept."""
    sentence = f"Namespace {namespace} has no job of that name. Histories are kept for {days} days."
    return page(f"No job {application}", f"{_text(sentence)}{_link(history, 'all jobs of the history')}")


def no_answer(application: str, reason: str) -> str:
    """The page of a job whose driver takes connections and does not answer."""
    return page(
        f"{application} does not answer",
        _text(f"Its driver runs, and its UI gave no answer: {reason}. It may be busy; try again."),
    )


def unknown(application: str) -> str:
    """The page of a job of which nothing can be learned at present."""
    sentence = f"Kubernetes cannot be asked at present. This page tries again every {RETRY_SECONDS} seconds."
    return page(f"{application} is not known here", _text(sentence), refresh_seconds=RETRY_SECONDS)


def logged_in(name: str, groups: Collection[str], logout: str) -> str:
    """The page of the login itself: who one is here."""
    sentence = f"Groups that count here: {', '.join(sorted(groups)) or 'none'}."
    return page(f"{name} is logged in", f"{_text(sentence)}{_link(logout, 'log out')}")


def logged_out(minutes: int, start: str, everywhere: str | None) -> str:
    """The page after a logout; `everywhere`: where the issuer's own session is ended."""
    sentence = f"Pages that this browser has opened may answer it for up to {minutes} minutes more."
    ways = _link(start, "log in again") + (
        _link(everywhere, "log out of the issuer, too") if everywhere else ""
    )
    return page("You are logged out", f"{_text(sentence)}{ways}")


def login_failed(reason: str, again: str) -> str:
    """The page of a login that did not come about; `again`: where to begin anew."""
    return page("This login failed", f"{_text(reason)}{_link(again, 'try again')}")


def _text(sentence: str) -> str:
    return f"<p>{escape(sentence)}</p>\n"


def _link(url: str, name: str) -> str:
    return f'<p><a href="{escape(url)}">{escape(name)}</a></p>\n'
