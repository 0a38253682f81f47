"""Pages of the gate, for what the History Server has no page for: plain HTML, without scripts."""

from html import escape

from moka.event_logs import Marker
from services.common.pages import page

READ_MIBPS = 20
"""MiB of a compressed log that the server reads in a second. An assumption: half a core parses JSON."""


def _page(title: str, *paragraphs: str, refresh_seconds: int | None = None) -> str:
    """paragraphs: HTML."""
    return page(title, "\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs), refresh_seconds)


def running(marker: Marker, live_url: str) -> str:
    """A job whose driver is there. live_url: address of its live UI."""
    return _page(
        f"{marker.name} still runs",
        f"Since {escape(marker.started)}, in {escape(marker.namespace)} on {escape(marker.cluster)}.",
        f'Its <a href="{escape(live_url)}">live UI</a> shows it as it is. This page opens by itself once the '
        "job has ended.",
        refresh_seconds=30,
    )


def being_read(log: str, size: int) -> str:
    """A log that the server is reading. size: bytes."""
    mib = size / 2**20
    return _page(
        "The history of this job is being read",
        f"The log of <code>{escape(log)}</code> has {mib:.1f} MiB, which takes about "
        f"{max(1, round(mib / READ_MIBPS))} s. Long ones take minutes.",
        "This page goes on by itself.",
        refresh_seconds=3,
    )


def unknown(log: str, days: int) -> str:
    """A job without a log. days: that logs are kept."""
    return _page(
        "There is no history of this job",
        f"No log of <code>{escape(log)}</code> is kept: there never was one, or it is older than {days} "
        "days.",
    )


def no_logs() -> str:
    """An address of logs that leads nowhere."""
    return _page(
        "There are no logs of that name",
        "An address of logs is <code>/logs/&lt;cluster&gt;/&lt;namespace&gt;/&lt;application id&gt;/"
        "&lt;driver or executor&gt;/&lt;pod&gt;</code>, with a cluster of this environment.",
    )


def failed(log: str, reason: str) -> str:
    """A log that the server could not open. reason: in its own words."""
    return _page(
        "The history of this job could not be opened",
        f"The History Server says of <code>{escape(log)}</code>:",
        f"<code>{escape(reason)}</code>",
    )


def unreachable() -> str:
    """No History Server answers."""
    return _page(
        "The History Server is starting",
        "None of its pods answers yet. This page goes on by itself.",
        refresh_seconds=5,
    )
