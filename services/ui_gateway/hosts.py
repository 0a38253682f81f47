"""What a host name leads to: the driver of an application, a page of the platform, or nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
"""A label of DNS, as names in Kubernetes are (RFC 1123)."""

_NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*")


@dataclass(frozen=True)
class Application:
    """The host of an application."""

    namespace: str
    name: str


@dataclass(frozen=True)
class Page:
    """The host of a page of the platform.

    upstreams: path, `/ws`, -> URL of the server that answers there and below.
    """

    host: str
    upstreams: Mapping[str, str]

    def upstream(self, path: str) -> str | None:
        """The server for a path: the one with the longest path that it is at or below."""
        fitting = [
            start for start in self.upstreams if path == start or path.startswith(f"{start.rstrip('/')}/")
        ]
        return self.upstreams[max(fitting, key=len)] if fitting else None


@dataclass(frozen=True)
class Hosts:
    """All that this gateway answers for.

    domain: of its cluster; `<application>.<namespace>.<domain>` is the host of an application.
    pages: by host.
    """

    domain: str
    pages: Mapping[str, Page] = field(default_factory=dict)

    def target(self, host: str) -> Application | Page | None:
        """What the host of a request leads to; `host` is the header, in any case, with a port or without."""
        name = normal(host)
        if name is None:
            return None
        if page := self.pages.get(name):
            return page
        labels = name.removesuffix(f".{self.domain}").split(".")
        # A namespace is one label, and so is the name of an application: longer ones have no host.
        if not name.endswith(f".{self.domain}") or len(labels) != 2:
            return None
        return Application(namespace=labels[1], name=labels[0])


def normal(host: str) -> str | None:
    """A host without port, in lower case; None where it is no name of DNS."""
    name = re.sub(r":[0-9]{1,5}\Z", "", host).lower()
    return name if len(name) <= 253 and _NAME.fullmatch(name) else None


def pages(arguments: Sequence[str]) -> dict[str, Page]:
    """Pages, each written as `<host>[/path]=<URL>`, by host. Raises ValueError for one that is not."""
    upstreams: dict[str, dict[str, str]] = {}
    for text in arguments:
        place, _, url = text.partition("=")
        host, slash, path = place.partition("/")
        if normal(host) != host or not re.match(r"https?://[^/]+\Z", url):
            raise ValueError(f"{text!r} is no page; write <host>[/path]=http://<server>:<port>")
        upstreams.setdefault(host, {})[slash + path or "/"] = url
    return {host: Page(host, by_path) for host, by_path in upstreams.items()}
