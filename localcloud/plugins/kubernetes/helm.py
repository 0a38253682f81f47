"""Helm, the program, and the releases that it keeps in a cluster."""

import base64
import gzip
import hashlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from localcloud import tools
from localcloud.files import write_private
from localcloud.plugins.kubernetes.api import Api

VARIABLES = ("HELM_", "KUBE")
"""Variables of the caller that would lead Helm to other clusters and folders."""

POLL_SECONDS = 1.0
"""Between two looks at whether the user has stopped the update."""


class HelmFailed(Exception):
    """Helm failed; with the reason that it printed."""


@dataclass(frozen=True)
class Helm:
    """Helm for one cluster.

    home: folder of its caches. kubeconfig: contents. context: of the kubeconfig; None for its current.
    cancelled: set when the user stops the update; a running Helm is then terminated.
    """

    home: Path
    kubeconfig: str = ""
    context: str | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def run(self, *arguments: str, hopeless: Callable[[], str] = lambda: "") -> str:
        """Run Helm; what it prints. Raises HelmFailed with its reason.

        hopeless: why its waiting is in vain, upon which it is terminated; empty where it may help.
        """
        environment = {name: value for name, value in os.environ.items() if not name.startswith(VARIABLES)}
        folders = {f"HELM_{name}_HOME": str(self.home / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
        process = subprocess.Popen(
            [str(tools.path("helm")), *arguments],
            env={**environment, **folders},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        terminated, why = False, ""
        while True:
            try:
                output, errors = process.communicate(timeout=POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                why = why or hopeless()
                if (self.cancelled.is_set() or why) and not terminated:
                    terminated = True
                    process.terminate()
        if process.returncode and why:
            raise HelmFailed(why)
        if process.returncode:
            raise HelmFailed(_reason(errors or output))
        return output

    def on_cluster(self, *arguments: str, hopeless: Callable[[], str] = lambda: "") -> str:
        """Run Helm on the cluster, as `run` does; what it prints. Raises HelmFailed."""
        context = ["--kube-context", self.context] if self.context else []
        return self.run(*arguments, "--kubeconfig", str(self._file()), *context, hopeless=hopeless)

    def _file(self) -> Path:
        name = hashlib.sha256(self.kubeconfig.encode()).hexdigest()[:16]
        path = self.home / f"{name}.kubeconfig"
        if not path.is_file():
            self.home.mkdir(parents=True, exist_ok=True)
            write_private(path, self.kubeconfig)
        return path


def _reason(text: str) -> str:
    """The error that Helm reports, in one line."""
    _, separator, reason = text.rpartition("\nError: ")
    if not separator:
        reason = text.removeprefix("Error: ")
    for prefix in ("INSTALLATION FAILED: ", "UPGRADE FAILED: "):
        reason = reason.replace(prefix, "")
    return " ".join(reason.split()).rstrip(".") or "it printed no reason"


@dataclass(frozen=True)
class Revision:
    """The last revision of a release, as Helm keeps it in a Secret.

    labels: those of the Secret, ours included. config: the values of the release, without the chart's.
    """

    labels: Mapping[str, str]
    status: str
    revision: int
    chart: str
    version: str
    app_version: str
    config: dict[str, Any]
    manifest: str


def last_revision(api: Api, namespace: str, name: str) -> Revision | None:
    """The last revision of a release; None where there is none."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    secrets = api.get(path, labelSelector=f"owner=helm,name={name}").get("items") or []
    if not secrets:
        return None
    last = max(secrets, key=lambda secret: int(secret["metadata"]["labels"]["version"]))
    release = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(last["data"]["release"]))))
    chart = (release.get("chart") or {}).get("metadata") or {}
    return Revision(
        labels=last["metadata"]["labels"],
        status=release["info"]["status"],
        revision=int(release["version"]),
        chart=str(chart.get("name") or ""),
        version=str(chart.get("version") or ""),
        app_version=str(chart.get("appVersion") or ""),
        config=release.get("config") or {},
        manifest=release.get("manifest") or "",
    )
