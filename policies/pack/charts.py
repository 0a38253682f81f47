"""What is inside a Helm release: its chart rendered with its values, by Helm itself.

The engine shows a policy a release's values only. A chart is looked for in the folder of `MOKA_CHARTS`, at
the path that the release names, in Helm's cache, and else pulled from its repository or mirror as Helm would
for `up`. What was rendered is kept by the content of the chart and of the values.
"""

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from policies.pack.resource import UNKNOWN, Resource, SecretText, text

PROBE_SECONDS = 2.0
HELM_SECONDS = 120

PLACEHOLDER = "moka-value-not-known-yet"
"""In place of a value that is not known at preview; whatever it got into is not known either."""

SECRET = "moka-secret-value"
"""In place of a secret, which Helm is not shown and no file here holds; whatever it got into is secret."""

NOT_RENDERED_KINDS = frozenset({"CustomResourceDefinition"})
"""Large, and no concern of any rule."""


class NotRendered(Exception):
    """A chart cannot be rendered; why, as the end of a sentence, and what to do."""


@dataclass(frozen=True)
class Charts:
    """Renders releases.

    cache: folder of charts and of what was rendered.
    folder: of `MOKA_CHARTS`, a folder or an archive a chart; None where it is not set.
    """

    cache: Path
    folder: Path | None = None
    _unreachable: dict[str, str] = field(default_factory=dict)

    def render(self, release: Resource) -> list[dict[str, Any]]:
        """The objects of a release. Raises NotRendered."""
        chart = self._find(release)
        values = json.dumps(_with_placeholders(release.get("values", {})), sort_keys=True)
        name = text(release.get("name")) or release.name
        namespace = text(release.get("namespace")) or "default"
        identity = json.dumps([_digest(chart), values, name, namespace, self._helm_identity])
        cache_file = self.cache / "rendered" / f"{hashlib.sha256(identity.encode()).hexdigest()}.json"
        if not cache_file.is_file():
            objects = self._template(chart, name, namespace, values)
            _write(cache_file, json.dumps(objects).encode())
        return [_without_placeholders(document) for document in json.loads(cache_file.read_text())]

    def _template(self, chart: Path, name: str, namespace: str, values: str) -> list[dict[str, Any]]:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(values)
            file.flush()
            output = self._run("template", name, str(chart), "--namespace", namespace, "--values", file.name)
        try:
            documents = list(yaml.load_all(output, Loader=_LOADER))
        except yaml.YAMLError as error:
            raise NotRendered(
                f"what it renders is not YAML ({' '.join(str(error).split())}): mend the chart"
            ) from None
        return [
            document
            for document in documents
            if isinstance(document, dict) and document.get("kind") not in NOT_RENDERED_KINDS
        ]

    def _find(self, release: Resource) -> Path:
        chart = release.get("chart")
        if not isinstance(chart, str):
            raise NotRendered("which chart it is, is not known yet: preview again once it is")
        version = text(release.get("version"))
        for path in self._places(chart, version):
            if path.is_file() or (path / "Chart.yaml").is_file():
                return path
        return self._pull(chart, version, text(release.get("repositoryOpts.repo")))

    def _places(self, chart: str, version: str) -> Iterator[Path]:
        name = short_name(chart)
        if self.folder:
            yield from (
                self.folder / name,
                self.folder / f"{name}-{version}.tgz",
                self.folder / f"{name}.tgz",
            )
        if "://" not in chart:
            yield Path(chart).expanduser()
        yield self.cache / "charts" / f"{name}-{version}.tgz"
        yield _helm_cache() / f"{name}-{version}.tgz"

    def _pull(self, chart: str, version: str, repository: str) -> Path:
        address = urlsplit(chart if "://" in chart else repository)
        if not address.hostname:
            raise NotRendered(f"there is no chart {chart} here: put it into the folder of MOKA_CHARTS")
        self._refuse_unreachable(address.hostname, address.port or (80 if address.scheme == "http" else 443))
        target = self.cache / "charts"
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        source = ["--repo", repository] if repository else []
        with tempfile.TemporaryDirectory(dir=target) as folder:
            self._run("pull", chart, "--version", version, *source, "--destination", folder)
            [archive] = Path(folder).glob("*.tgz")
            return archive.replace(target / f"{short_name(chart)}-{version}.tgz")

    def _refuse_unreachable(self, host: str, port: int) -> None:
        """Ask once whether a host answers: Helm would wait for each chart anew."""
        if host not in self._unreachable:
            try:
                socket.create_connection((host, port), PROBE_SECONDS).close()
                self._unreachable[host] = ""
            except OSError as error:
                self._unreachable[host] = error.strerror or str(error) or "no answer"
        if reason := self._unreachable[host]:
            raise NotRendered(
                f"{host} cannot be reached ({reason}), and the chart is not in Helm's cache: set "
                "MOKA_CHARTS to a folder of charts, or run this where the repository or the mirror can be "
                "reached"
            )

    def _run(self, *arguments: str) -> str:
        if not self._helm:
            raise NotRendered("helm is missing on PATH: install it (https://helm.sh/docs/intro/install/)")
        try:
            result = subprocess.run(
                [self._helm, *arguments], capture_output=True, text=True, timeout=HELM_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise NotRendered(
                f"`helm {arguments[0]}` took longer than {HELM_SECONDS} s: try it by hand"
            ) from None
        if result.returncode:
            raise NotRendered(
                f"`helm {arguments[0]}` says “{_reason(result.stderr)}”: mend its values, or the chart"
            )
        return result.stdout

    @cached_property
    def _helm(self) -> str | None:
        return shutil.which("helm")

    @cached_property
    def _helm_identity(self) -> Sequence[Any]:
        if not self._helm:
            return ()
        file = Path(self._helm).resolve()
        return (str(file), file.stat().st_size, file.stat().st_mtime_ns)


def _helm_cache() -> Path:
    """Where Helm keeps what it pulls: `helm env`, HELM_REPOSITORY_CACHE."""
    if folder := os.environ.get("HELM_REPOSITORY_CACHE"):
        return Path(folder)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return Path(os.environ.get("HELM_CACHE_HOME") or caches / "helm") / "repository"


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def short_name(chart: str) -> str:
    """Name of a chart that is given as `oci://host/path/name`, `repository/name` or a path."""
    name = chart.rstrip("/").rpartition("/")[2]
    return re.sub(r"(-\d+\.\d+\.\d+.*)?\.tgz$", "", name)


def _digest(chart: Path) -> str:
    """Of a chart's content, whatever it is called."""
    digest = hashlib.sha256()
    files = [chart] if chart.is_file() else sorted(path for path in chart.rglob("*") if path.is_file())
    for file in files:
        digest.update(f"{file.relative_to(chart) if file != chart else ''}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all: others may read it at the same time."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as draft:
        draft.write(content)
    Path(draft.name).replace(file)


def _with_placeholders(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_placeholders(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_placeholders(part) for part in value]
    if isinstance(value, SecretText):
        return SECRET
    return PLACEHOLDER if value is UNKNOWN else value


def _without_placeholders(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_placeholders(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_placeholders(part) for part in value]
    if not isinstance(value, str):
        return value
    if PLACEHOLDER in value:
        return UNKNOWN
    return SecretText(value) if SECRET in value else value


def _reason(errors: str) -> str:
    """The error that Helm reports, in one line."""
    return " ".join(errors.rpartition("Error: ")[2].split()).rstrip(".") or "nothing"
