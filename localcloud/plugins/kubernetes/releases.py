"""`helm.v3.Release`: rendered by Helm where its chart can be had, recorded where it cannot."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from localcloud.errors import Refusal
from localcloud.plugins.differences import Diff, Kind, differences
from localcloud.plugins.kubernetes import charts, helm, objects
from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.charts import Chart, ChartUnreachable
from localcloud.plugins.kubernetes.helm import Helm, HelmFailed, Stored
from localcloud.plugins.kubernetes.kinds import Kind as ObjectKind
from localcloud.plugins.kubernetes.readiness import WAITS
from localcloud.plugins.kubernetes.resources import Cluster
from localcloud.plugins.provider import Failure, Found, Naming, Target, Unfinished
from localcloud.plugins.values import UNKNOWN, Properties, Secret, reveal, unknown_in, without_nulls

RECORDED = "recorded"
"""Status of a release whose chart could not be had: its values are kept, and nothing was rendered."""

SETTLED = ("deployed", RECORDED)

SECONDS = 300
"""How long Helm waits unless told otherwise."""

OWNER = "moka-resource"
"""Label of a release that says which resource made it, so that one whose creation was cut off is known."""

SWITCHES = {
    "atomic": "--atomic",
    "cleanupOnFail": "--cleanup-on-fail",
    "createNamespace": "--create-namespace",
    "dependencyUpdate": "--dependency-update",
    "disableOpenapiValidation": "--disable-openapi-validation",
    "disableWebhooks": "--no-hooks",
    "forceUpdate": "--force",
    "renderSubchartNotes": "--render-subchart-notes",
    "resetValues": "--reset-values",
    "reuseValues": "--reuse-values",
    "skipCrds": "--skip-crds",
    "takeOwnership": "--take-ownership",
    "verify": "--verify",
}
"""Inputs that are on or off, and Helm's flags for them."""

OPTIONS = {"description": "--description", "keyring": "--keyring", "postrender": "--post-renderer"}
"""Inputs with a value, and Helm's flags for them."""

WITHOUT_EFFECT = ("allowNullValues", "disableCRDHooks", "lint", "recreatePods", "replace")
"""Inputs that are taken and shown, and do nothing here."""

OWN = ("chart", "devel", "name", "namespace", "repositoryOpts", "skipAwait", "timeout", "values", "version")
"""Inputs that the code here reads itself."""

MORE = ("maxHistory", "waitForJobs", "valueYamlFiles")

INPUTS = frozenset((*SWITCHES, *OPTIONS, *WITHOUT_EFFECT, *OWN, *MORE, "compat", "manifest", "resourceNames"))
"""All that a Release takes."""

OUTPUTS = frozenset((*INPUTS, "status")) - {"compat"}
"""All that a Release gives."""

OFF = (
    *SWITCHES,
    "allowNullValues",
    "disableCRDHooks",
    "devel",
    "lint",
    "recreatePods",
    "replace",
    "skipAwait",
)
"""Outputs that are false where the program did not ask for them."""

REPLACING = (("name",), ("namespace",))


class StandIns(Protocol):
    """Who runs programs in place of a release's pods."""

    def deployed(
        self, name: str, namespace: str, chart: str, version: str, values: dict[str, Any], rendered: bool
    ) -> None:
        """A release is there, or was changed."""

    def removed(self, namespace: str, name: str) -> None:
        """A release is gone."""


@dataclass
class Releases:
    """The releases of one cluster.

    say: tells people something about a resource, known by its URN.
    """

    api: Api
    cluster: Cluster
    helm: Helm
    stand_ins: StandIns
    say: Callable[[str, str], None]
    namespace: str = "default"

    def check(
        self, target: Target, old: Properties, new: Properties, naming: Naming
    ) -> tuple[Properties, list[Failure]]:
        """Inputs with name, namespace and timeout filled in, and files of values merged into the values."""
        inputs = {name: value for name, value in new.items() if name not in ("compat", "resourceNames")}
        if not inputs.get("name"):
            if old.get("name"):
                inputs["name"] = old["name"]
            elif naming.disabled:
                return inputs, [
                    Failure("name", "naming is switched off, so the release needs a name: give one.")
                ]
            else:
                inputs["name"] = naming.name(target.name, length=8)
        inputs["namespace"] = inputs.get("namespace") or self.namespace
        if not inputs.get("skipAwait") and inputs.get("timeout") is None:
            inputs["timeout"] = SECONDS
        files = inputs.pop("valueYamlFiles", None)
        if files:
            inputs["values"] = _with_files(files, inputs.get("values"))
        wrong = charts.misplaced(reveal(inputs))
        if wrong:
            return inputs, [Failure("repositoryOpts.repo", wrong)]
        if not unknown_in(inputs.get("chart")):
            # Looked for whatever the version, so that a wrong folder of charts is told at the preview.
            near = charts.at_hand(reveal(inputs))
            if near and near.version and not inputs.get("version"):
                inputs["version"] = near.version
        return inputs, []

    def diff(self, old: Properties, state: Properties, new: Properties) -> Diff:
        """What changed in the inputs; and the status, where the release is not yet as it could be."""
        kinds = differences(old, new)
        status = (reveal(state.get("status")) or {}).get("status")
        if status not in SETTLED or (status == RECORDED and charts.at_hand(reveal(new)) is not None):
            kinds = {**kinds, ("status",): Kind.UPDATE}
        return Diff(kinds=kinds, replaces=frozenset(path for path in kinds if path in REPLACING))

    def preview(self, inputs: Properties) -> Properties:
        """Outputs, as far as they are known before Helm has run."""
        return {**_defaults(), **inputs, "resourceNames": UNKNOWN, "status": UNKNOWN}

    def create(self, target: Target, inputs: Properties, timeout: float) -> tuple[str, Properties]:
        """Install the release, or record it. Raises Unfinished where Helm left it behind failed."""
        asked = without_nulls(reveal(inputs))
        id = objects.identity(asked["namespace"], asked["name"])
        return id, self._deploy(target, id, inputs, asked, timeout, new=True)

    def update(self, target: Target, inputs: Properties, timeout: float) -> Properties:
        """Upgrade the release, or record it anew. Raises Unfinished where Helm left it behind failed."""
        asked = without_nulls(reveal(inputs))
        return self._deploy(target, target.id, inputs, asked, timeout, new=False)

    def read(self, target: Target, inputs: Properties, state: Properties) -> Found | None:
        """The release as Helm keeps it; one that was recorded, as it was recorded; None when it is gone."""
        namespace, name = objects.parted(target.id)
        there = helm.stored(self.api, namespace or self.namespace, name)
        if there is None:
            recorded = (reveal(state.get("status")) or {}).get("status") == RECORDED
            return Found(target.id, inputs, state) if recorded else None
        if not inputs:
            inputs = {
                "name": name,
                "namespace": namespace or self.namespace,
                "chart": there.chart,
                "version": there.version,
                "timeout": SECONDS,
                **({"values": there.config} if there.config else {}),
            }
            return Found(target.id, inputs, _outputs(inputs, there))
        now = dict(inputs)
        if without_nulls(reveal(inputs.get("values")) or {}) != without_nulls(there.config):
            now["values"] = objects.secret_as(inputs.get("values"), there.config)
        if charts.other_version(reveal(inputs.get("version")), there.version):
            now["version"] = there.version
        return Found(target.id, now, _outputs(now, there))

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Uninstall the release, and wait until what it made is gone; fine when it is gone already."""
        namespace, name = objects.parted(target.id)
        namespace = namespace or self.namespace
        if helm.stored(self.api, namespace, name) is not None:
            asked = reveal({**state, **inputs})
            wait = [] if asked.get("skipAwait") else ["--wait", "--cascade", "foreground"]
            seconds = timeout or asked.get("timeout") or SECONDS
            self._helm(
                "uninstall",
                name,
                "--namespace",
                namespace,
                "--ignore-not-found",
                *wait,
                "--timeout",
                f"{seconds:.0f}s",
            )
        self.stand_ins.removed(namespace, name)

    def _deploy(
        self, target: Target, id: str, inputs: Properties, asked: Properties, timeout: float, *, new: bool
    ) -> Properties:
        namespace, name = asked["namespace"], asked["name"]
        try:
            chart = charts.find(asked, self.helm)
        except ChartUnreachable as why:
            return self._record(target, inputs, asked, str(why))
        self._recover(target, namespace, name, new=new)
        if not new and helm.stored(self.api, namespace, name) is None:
            # It was recorded. Helm takes over what was made in the chart's place, but only adds to it.
            self._stand_in(asked, chart.name, chart.version, rendered=False)
        failure = self._upgrade(target, chart, asked, timeout)
        there = helm.stored(self.api, namespace, name)
        if failure is not None:
            reason = f"Helm did not bring release {id} up: {failure}{self._unready(there, namespace)}"
            if there is None or there.status == "deployed":
                raise Refusal(f"{reason}.")
            raise Unfinished(id, _outputs(inputs, there), inputs, f"{reason}.")
        if there is None:
            raise Refusal(
                f"Release {id} is not in its cluster after Helm made it: look who deletes it there."
            )
        self._stand_in(asked, chart.name, there.version, rendered=True)
        return _outputs(inputs, there)

    def _stand_in(self, asked: Properties, chart: str, version: str | None, *, rendered: bool) -> None:
        """Have programs run in place of the release's pods."""
        values = asked.get("values") or {}
        self.stand_ins.deployed(asked["name"], asked["namespace"], chart, version or "", values, rendered)

    def _upgrade(self, target: Target, chart: Chart, asked: Properties, timeout: float) -> str | None:
        """Let Helm install or upgrade; what it says is wrong, None when nothing is."""
        seconds = timeout or asked.get("timeout") or SECONDS
        flags = [flag for name, flag in SWITCHES.items() if asked.get(name)]
        flags += [
            part for name, flag in OPTIONS.items() if asked.get(name) for part in (flag, str(asked[name]))
        ]
        if not asked.get("skipAwait"):
            flags += ["--wait", *(["--wait-for-jobs"] if asked.get("waitForJobs") else [])]
        flags += ["--history-max", str(asked.get("maxHistory") or 0), "--timeout", f"{seconds:.0f}s"]
        with helm.values_file(asked.get("values") or {}) as values:
            try:
                self.helm.on_cluster(
                    "upgrade", asked["name"], str(chart.path), "--install", "--namespace", asked["namespace"],
                    "--values", values, "--labels", f"{OWNER}={_owner(target)}", *flags,
                )  # fmt: skip
            except HelmFailed as failure:
                return str(failure)
        return None

    def _record(self, target: Target, inputs: Properties, asked: Properties, why: str) -> Properties:
        """Keep a release whose chart cannot be had; nothing of it is pretended."""
        namespace, name, chart = asked["namespace"], asked["name"], str(asked["chart"])
        if helm.stored(self.api, namespace, name) is not None:
            raise Refusal(
                f"Release {namespace}/{name} was rendered, and its chart {chart} cannot be reached ({why}): "
                "set MOKA_CHARTS to the folder that has it."
            )
        self._namespace(namespace, create=bool(asked.get("createNamespace")))
        version, own = str(asked.get("version") or ""), charts.short_name(chart)
        self._stand_in(asked, own, version, rendered=False)
        self.say(
            target.urn, f"release {name} recorded, not rendered: chart {chart} cannot be reached ({why})"
        )
        status = {"name": name, "namespace": namespace, "chart": own, "version": version, "status": RECORDED}
        return {**_defaults(), **inputs, "resourceNames": {}, "status": status}

    def _namespace(self, name: str, *, create: bool) -> None:
        """What Helm does about a release's namespace."""
        kind = ObjectKind("", "v1", "Namespace")
        place = self.cluster.place(kind, name, None)
        if place is None or self.cluster.live(place) is not None:
            return
        if not create:
            raise Refusal(
                f"There is no namespace {name} for the release: make it a dependency, or set createNamespace."
            )
        thing = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.cluster.apply(place, thing, "helm")

    def _recover(self, target: Target, namespace: str, name: str, *, new: bool) -> None:
        """Clear away what a killed Helm left half done, so that it goes on.

        Raises Refusal where a release of this name is somebody else's.
        """
        there = helm.stored(self.api, namespace, name)
        if there is None:
            return
        if new and there.status != "uninstalled" and there.labels.get(OWNER) != _owner(target):
            raise Refusal(
                f"There is a release {namespace}/{name} already, made by somebody else: "
                "import it, uninstall it, or choose another name."
            )
        if there.status in ("pending-install", "uninstalling"):
            self._helm("uninstall", name, "--namespace", namespace, "--wait")
        elif there.status in ("pending-upgrade", "pending-rollback"):
            self._helm("rollback", name, "--namespace", namespace)

    def _helm(self, *arguments: str) -> None:
        try:
            self.helm.on_cluster(*arguments)
        except HelmFailed as failure:
            raise Refusal(f"Helm could not {arguments[0]} release {arguments[1]}: {failure}.") from None

    def _unready(self, there: Stored | None, namespace: str) -> str:
        """Which object of a release is not ready, and why: Helm does not say."""
        for thing in _rendered(there.manifest) if there else []:
            kind = ObjectKind.of(thing["apiVersion"], thing["kind"])
            wait = WAITS.get((kind.group, kind.name))
            name = objects.name_of(thing)
            place = self.cluster.place(kind, name, objects.metadata(thing).get("namespace") or namespace)
            try:
                live = self.cluster.live(place) if wait and place else None
            except ApiError:
                continue
            if live is not None and wait is not None and not (verdict := wait.judge(live)).ready:
                return f" ({kind.name} {name} is not ready: {verdict.why})"
        return ""


def _owner(target: Target) -> str:
    return hashlib.sha256(target.urn.encode()).hexdigest()[:16]


def _defaults() -> Properties:
    return dict.fromkeys(OFF, False)


def _outputs(inputs: Properties, there: Stored | None) -> Properties:
    if there is None:
        return {**_defaults(), **inputs}
    status = {
        "appVersion": there.app_version,
        "chart": there.chart,
        "name": reveal(inputs["name"]),
        "namespace": reveal(inputs["namespace"]),
        "revision": there.revision,
        "status": there.status,
        "version": there.version,
    }
    shown = {**_defaults(), **inputs, "version": there.version}
    return {**shown, "resourceNames": resource_names(there.manifest), "status": status}


def resource_names(manifest: str) -> dict[str, list[str]]:
    """Names of the objects in a manifest, by kind, as the real provider writes them."""
    found: dict[str, set[str]] = {}
    for thing in _rendered(manifest):
        kind = ObjectKind.of(thing["apiVersion"], thing["kind"])
        full = f"{kind.name}.{kind.group}" if kind.group else kind.name
        metadata = objects.metadata(thing)
        id = objects.identity(metadata.get("namespace"), metadata["name"])
        found.setdefault(f"{full}/{kind.api_version}", set()).add(id)
    return {kind: sorted(names) for kind, names in sorted(found.items())}


def _rendered(manifest: str) -> list[dict[str, Any]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [
        thing
        for thing in yaml.load_all(manifest, Loader=loader)
        if isinstance(thing, dict) and "kind" in thing
    ]


def _with_files(files: Any, values: Any) -> Any:
    """Values on top of those in files, the later over the earlier."""
    import yaml

    merged: Any = {}
    for asset in reveal(files):
        text = asset.get("text")
        if text is None:
            from pathlib import Path

            path = Path(str(asset.get("path")))
            if not path.is_file():
                raise Refusal(f"valueYamlFiles names {path}, and there is no such file: correct the path.")
            text = path.read_text()
        merged = _merged(merged, yaml.safe_load(text) or {})
    return _merged(merged, values or {})


def _merged(below: Any, above: Any) -> Any:
    if isinstance(above, Secret):
        return Secret(_merged(below, above.value)) if isinstance(above.value, Mapping) else above
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        both = {name: _merged(below[name], above[name]) for name in below if name in above}
        return {**below, **above, **both}
    return above
