"""Where a release's chart is: in the folder of charts at hand, at a path, or in a repository that answers."""

import hashlib
import os
import re
import socket
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from localcloud.errors import Refusal
from localcloud.plugins.kubernetes.helm import Helm, HelmFailed

PROBE_SECONDS = 2.0
PORTS = {"http": 80, "https": 443, "oci": 443}

EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+].*)?")
"""A version, not a range of them."""

ABSENT = ("not found in", "no chart version found", "no chart name found", "invalid chart version")
"""What Helm says of a repository that answers and has no such chart."""


@dataclass(frozen=True)
class Chart:
    """A chart that can be rendered. path: its folder or archive."""

    path: Path
    name: str
    version: str | None = None


class ChartUnreachable(Exception):
    """No chart can be had, and why."""


def short_name(chart: str) -> str:
    """A chart's own name, of `oci://host/path/name`, `repository/name` or a path."""
    name = chart.rstrip("/").rpartition("/")[2]
    return re.sub(r"-\d+\.\d+\.\d+.*\.tgz$", "", name)


def misplaced(inputs: Mapping[str, Any]) -> str | None:
    """What is wrong with a registry that is given as a repository; None when it is not."""
    repository = (inputs.get("repositoryOpts") or {}).get("repo")
    if not isinstance(repository, str) or not repository.startswith("oci://"):
        return None
    whole = f"{repository.rstrip('/')}/{inputs.get('chart')}"
    return f"{repository} is a registry, which Helm takes as part of the chart: give {whole} as the chart."


def at_hand(inputs: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Chart | None:
    """The chart, where it is on this machine: in `MOKA_CHARTS`, or at the path that it is given as.

    Raises Refusal where it is there in another version than the one asked for, or there is no such folder.
    """
    asked = str(inputs["chart"])
    named = environ.get("MOKA_CHARTS")
    folder = Path(named).expanduser() if named else None
    if folder and not folder.is_dir():
        raise Refusal(f"MOKA_CHARTS names {named}, and there is no such folder: correct it, or unset it.")
    candidates = [folder / short_name(asked)] if folder else []
    if "://" not in asked:
        candidates.append(Path(asked).expanduser())
    for path in candidates:
        if path.is_file() and path.suffix == ".tgz":
            return Chart(path, short_name(asked))
        if (path / "Chart.yaml").is_file():
            return _folder(path, inputs.get("version"))
    return None


def _folder(path: Path, wanted: Any) -> Chart:
    import yaml

    described = yaml.safe_load((path / "Chart.yaml").read_text()) or {}
    version = str(described.get("version") or "")
    if other_version(wanted, version):
        raise Refusal(
            f"The chart in {path} is version {version}, and the release asks for {wanted}: "
            f"put {wanted} there, or ask for {version}."
        )
    return Chart(path.resolve(), str(described.get("name") or path.name), version)


def other_version(wanted: Any, version: str) -> bool:
    """Whether exactly one version is wanted, and this is another."""
    exact = bool(wanted) and EXACT.fullmatch(str(wanted)) is not None
    return exact and str(wanted).lstrip("v") != version.lstrip("v")


def find(inputs: Mapping[str, Any], helm: Helm) -> Chart:
    """The chart of a release: at hand, or pulled from its repository.

    Raises ChartUnreachable where nobody answers, Refusal where the repository has no such chart.
    """
    near = at_hand(inputs)
    if near is not None:
        return near
    asked, version = str(inputs["chart"]), inputs.get("version")
    repository = inputs.get("repositoryOpts") or {}
    url = asked if "://" in asked else repository.get("repo")
    if not url:
        raise ChartUnreachable("it names no repository, and no chart is at that path")
    unanswered = _unanswered(*_address(url))
    if unanswered:
        raise ChartUnreachable(unanswered)
    told = hashlib.sha256(repr((asked, version, url)).encode()).hexdigest()[:16]
    folder = helm.home / "charts" / told
    if not _archives(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            helm.run("pull", asked, *source(inputs), "--destination", str(folder))
        except HelmFailed as failure:
            if any(word in str(failure) for word in ABSENT):
                raise Refusal(f"Chart {asked} cannot be had: {failure}.") from None
            raise ChartUnreachable(str(failure)) from None
    [archive] = _archives(folder)
    return Chart(archive, short_name(asked))


def source(inputs: Mapping[str, Any]) -> list[str]:
    """Helm's flags that say where a chart comes from."""
    repository = inputs.get("repositoryOpts") or {}
    flags = {
        "--version": inputs.get("version"),
        "--repo": None if "://" in str(inputs["chart"]) else repository.get("repo"),
        "--ca-file": repository.get("caFile"),
        "--cert-file": repository.get("certFile"),
        "--key-file": repository.get("keyFile"),
        "--username": repository.get("username"),
        "--password": repository.get("password"),
    }
    given = [part for name, value in flags.items() if value for part in (name, str(value))]
    return [*given, *(["--devel"] if inputs.get("devel") and not inputs.get("version") else [])]


def _archives(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.tgz"))


def _address(url: str) -> tuple[str, int]:
    """Host and port that a request for the URL goes to: the proxy's, where there is one."""
    parts = urlsplit(url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get("https" if parts.scheme == "oci" else parts.scheme)
    if proxy and not urllib.request.proxy_bypass(parts.hostname or ""):
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return parts.hostname or "", parts.port or PORTS.get(parts.scheme, 443)


@cache
def _unanswered(host: str, port: int) -> str | None:
    """Why nobody answers there; None when somebody does. Asked once in a plugin's life."""
    try:
        with socket.create_connection((host, port), timeout=PROBE_SECONDS):
            return None
    except OSError as error:
        return f"{host} does not answer ({error.strerror or error})"
