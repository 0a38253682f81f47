"""Where a release's chart is: in the folder of `MOKA_CHARTS`, at a path, or in a reachable repository."""

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

PROBE_TIMEOUT_SECONDS = 2.0
PORTS = {"http": 80, "https": 443, "oci": 443}

EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+].*)?")
"""A version, not a range of them."""

NO_SUCH_CHART = ("not found in", "no chart version found", "no chart name found", "invalid chart version")
"""Helm's errors for a repository that answers and has no such chart."""


@dataclass(frozen=True)
class Chart:
    """A chart that can be rendered. path: its folder or archive."""

    path: Path
    name: str
    version: str | None = None


class ChartUnreachable(Exception):
    """A chart's repository cannot be reached; with the reason."""


def short_name(chart: str) -> str:
    """Name of a chart that is given as `oci://host/path/name`, `repository/name` or a path."""
    name = chart.rstrip("/").rpartition("/")[2]
    return re.sub(r"-\d+\.\d+\.\d+.*\.tgz$", "", name)


def registry_mistake(inputs: Mapping[str, Any]) -> str | None:
    """A sentence about a registry that is given as a repository; None for other inputs."""
    repository = (inputs.get("repositoryOpts") or {}).get("repo")
    if not isinstance(repository, str) or not repository.startswith("oci://"):
        return None
    chart = f"{repository.rstrip('/')}/{inputs.get('chart')}"
    return f"{repository} is a registry, which Helm takes as part of the chart: give {chart} as the chart."


def local_chart(inputs: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Chart | None:
    """The chart, if it is on this machine: in `MOKA_CHARTS`, or at the path that is given as its name.

    Raises Refusal where it has another version than the release asks for, or there is no such folder.
    """
    name = str(inputs["chart"])
    variable = environ.get("MOKA_CHARTS")
    folder = Path(variable).expanduser() if variable else None
    if folder and not folder.is_dir():
        raise Refusal(f"MOKA_CHARTS names {variable}, and there is no such folder: correct it, or unset it.")
    candidates = [folder / short_name(name)] if folder else []
    if "://" not in name:
        candidates.append(Path(name).expanduser())
    for path in candidates:
        if path.is_file() and path.suffix == ".tgz":
            return Chart(path, short_name(name))
        if (path / "Chart.yaml").is_file():
            return _folder(path, inputs.get("version"))
    return None


def _folder(path: Path, expected: Any) -> Chart:
    import yaml

    metadata = yaml.safe_load((path / "Chart.yaml").read_text()) or {}
    version = str(metadata.get("version") or "")
    if version_differs(expected, version):
        raise Refusal(
            f"The chart in {path} is version {version}, and the release asks for {expected}: "
            f"put {expected} there, or ask for {version}."
        )
    return Chart(path.resolve(), str(metadata.get("name") or path.name), version)


def version_differs(expected: Any, version: str) -> bool:
    """Whether an exact version is expected, and this is another."""
    exact = bool(expected) and EXACT.fullmatch(str(expected)) is not None
    return exact and str(expected).lstrip("v") != version.lstrip("v")


def find(inputs: Mapping[str, Any], helm: Helm) -> Chart:
    """The chart of a release: from this machine, or pulled from its repository.

    Raises ChartUnreachable where no repository answers, Refusal where it has no such chart.
    """
    chart = local_chart(inputs)
    if chart is not None:
        return chart
    name, version = str(inputs["chart"]), inputs.get("version")
    repository = inputs.get("repositoryOpts") or {}
    url = name if "://" in name else repository.get("repo")
    if not url:
        raise ChartUnreachable("it names no repository, and no chart is at that path")
    obstacle = _obstacle(*_address(url))
    if obstacle:
        raise ChartUnreachable(obstacle)
    key = hashlib.sha256(repr((name, version, url)).encode()).hexdigest()[:16]
    folder = helm.home / "charts" / key
    if not _archives(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            helm.run("pull", name, *source(inputs), "--destination", str(folder))
        except HelmFailed as failure:
            if any(word in str(failure) for word in NO_SUCH_CHART):
                raise Refusal(f"Chart {name} cannot be pulled: {failure}.") from None
            raise ChartUnreachable(str(failure)) from None
    [archive] = _archives(folder)
    return Chart(archive, short_name(name))


def source(inputs: Mapping[str, Any]) -> list[str]:
    """Helm's flags for a chart's version and repository."""
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
    arguments = [part for name, value in flags.items() if value for part in (name, str(value))]
    return [*arguments, *(["--devel"] if inputs.get("devel") and not inputs.get("version") else [])]


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
def _obstacle(host: str, port: int) -> str | None:
    """Why a host cannot be reached; None when it can. Tried once in a plugin's life."""
    try:
        with socket.create_connection((host, port), timeout=PROBE_TIMEOUT_SECONDS):
            return None
    except OSError as error:
        return f"{host} does not answer ({error.strerror or error})"
