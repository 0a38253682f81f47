"""`helm.v3.Release`: rendered by Helm if its chart can be reached, else recorded."""

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from localcloud.errors import Refusal
from localcloud.plugins.differences import Diff, Kind, differences
from localcloud.plugins.kubernetes import charts, helm, objects
from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.charts import Chart, ChartUnreachable
from localcloud.plugins.kubernetes.helm import Helm, HelmFailed, Revision
from localcloud.plugins.kubernetes.kinds import Kind as ObjectKind
from localcloud.plugins.kubernetes.readiness import WAITS
from localcloud.plugins.kubernetes.resources import Cluster
from localcloud.plugins.provider import Failure, InitializationFailed, Naming, ReadResult, Target
from localcloud.plugins.values import UNKNOWN, Properties, Secret, reveal, unknown_in, without_nulls

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane

RECORDED = "recorded"
"""Status of a release whose chart could not be reached: its values are kept, nothing was rendered."""

FINAL_STATUSES = ("deployed", RECORDED)

TIMEOUT_SECONDS = 300
"""Helm's default."""

OWNER = "moka-resource"
"""Label of a release with the resource that made it, to recognize one whose creation was cut off."""

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
"""Boolean input -> Helm's flag."""

OPTIONS = {"description": "--description", "keyring": "--keyring", "postrender": "--post-renderer"}
"""Input with a value -> Helm's flag."""

IGNORED = ("allowNullValues", "disableCRDHooks", "lint", "recreatePods", "replace")
"""Inputs that are accepted and shown, and have no effect here."""

READ = ("chart", "devel", "name", "namespace", "repositoryOpts", "skipAwait", "timeout", "values", "version")
"""Inputs that the code here reads itself, with `MORE`."""

MORE = ("maxHistory", "waitForJobs", "valueYamlFiles")

INPUTS = frozenset((*SWITCHES, *OPTIONS, *IGNORED, *READ, *MORE, "compat", "manifest", "resourceNames"))
"""All inputs of a Release."""

OUTPUTS = frozenset((*INPUTS, "status")) - {"compat"}
"""All outputs of a Release."""

DEFAULTS = dict.fromkeys((*SWITCHES, *IGNORED, "devel", "skipAwait"), False)
"""Outputs that are false unless the program sets them."""

REPLACING = (("name",), ("namespace",))


@dataclass
class Releases:
    """The releases of one cluster.

    plane: finds the control plane that runs programs in place of the pods of releases.
    log: shows a message beside the resource of a URN.
    """

    api: Api
    cluster: Cluster
    helm: Helm
    plane: Callable[[], "ControlPlane"]
    log: Callable[[str, str], None]
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
            inputs["timeout"] = TIMEOUT_SECONDS
        files = inputs.pop("valueYamlFiles", None)
        if files:
            inputs["values"] = _with_files(files, inputs.get("values"))
        mistake = charts.registry_mistake(reveal(inputs))
        if mistake:
            return inputs, [Failure("repositoryOpts.repo", mistake)]
        if not unknown_in(inputs.get("chart")):
            # Also where a version is given, so that a wrong folder of charts is refused at the preview.
            chart = charts.local_chart(reveal(inputs))
            if chart and chart.version and not inputs.get("version"):
                inputs["version"] = chart.version
        return inputs, []

    def diff(self, old: Properties, state: Properties, new: Properties) -> Diff:
        """Changes of the inputs; and of the status, where the release is not as it could be."""
        kinds = differences(old, new)
        status = (reveal(state.get("status")) or {}).get("status")
        if status not in FINAL_STATUSES or (status == RECORDED and charts.local_chart(reveal(new))):
            kinds = {**kinds, ("status",): Kind.UPDATE}
        return Diff(kinds=kinds, replaces=frozenset(path for path in kinds if path in REPLACING))

    def preview(self, inputs: Properties) -> Properties:
        """Outputs, as far as they are known before Helm has run."""
        return {**DEFAULTS, **inputs, "resourceNames": UNKNOWN, "status": UNKNOWN}

    def create(self, target: Target, inputs: Properties, timeout: float) -> tuple[str, Properties]:
        """Install the release, or record it. Raises InitializationFailed where it exists and failed."""
        plain = without_nulls(reveal(inputs))
        id = objects.identity(plain["namespace"], plain["name"])
        return id, self._deploy(target, id, inputs, plain, timeout, new=True)

    def update(self, target: Target, inputs: Properties, timeout: float) -> Properties:
        """Upgrade the release, or record it anew. Raises InitializationFailed where it exists and failed."""
        plain = without_nulls(reveal(inputs))
        return self._deploy(target, target.id, inputs, plain, timeout, new=False)

    def read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        """The release as Helm keeps it, or as it was recorded; None when it is gone."""
        namespace, name = objects.split_id(target.id)
        revision = helm.last_revision(self.api, namespace or self.namespace, name)
        if revision is None:
            is_record = (reveal(state.get("status")) or {}).get("status") == RECORDED
            return ReadResult(target.id, inputs, state) if is_record else None
        if not inputs:
            inputs = {
                "name": name,
                "namespace": namespace or self.namespace,
                "chart": revision.chart,
                "version": revision.version,
                "timeout": TIMEOUT_SECONDS,
                **({"values": revision.config} if revision.config else {}),
            }
            return ReadResult(target.id, inputs, _outputs(inputs, revision))
        actual = dict(inputs)
        if without_nulls(reveal(inputs.get("values")) or {}) != without_nulls(revision.config):
            actual["values"] = objects.mark_secrets(inputs.get("values"), revision.config)
        if charts.version_differs(reveal(inputs.get("version")), revision.version):
            actual["version"] = revision.version
        return ReadResult(target.id, actual, _outputs(actual, revision))

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Uninstall the release, and wait until its objects are gone; fine when it is gone already."""
        namespace, name = objects.split_id(target.id)
        namespace = namespace or self.namespace
        if helm.last_revision(self.api, namespace, name) is not None:
            plain = reveal({**state, **inputs})
            wait = [] if plain.get("skipAwait") else ["--wait", "--cascade", "foreground"]
            seconds = timeout or plain.get("timeout") or TIMEOUT_SECONDS
            flags = ["--ignore-not-found", *wait, "--timeout", f"{seconds:.0f}s"]
            self._helm("uninstall", name, "--namespace", namespace, *flags)
        from localcloud.control_plane.stand_ins import charts as stand_ins

        stand_ins.remove(self.plane(), namespace, name)

    def _deploy(
        self, target: Target, id: str, inputs: Properties, plain: Properties, timeout: float, *, new: bool
    ) -> Properties:
        namespace, name = plain["namespace"], plain["name"]
        self._refuse_unpermitted(plain)
        try:
            chart = charts.find(plain, self.helm)
        except ChartUnreachable as obstacle:
            return self._record(target, inputs, plain, str(obstacle))
        self._recover(target, namespace, name, new=new)
        if not new and helm.last_revision(self.api, namespace, name) is None:
            # It was recorded. Helm takes over what was made in the chart's place, but only adds to it.
            self._stand_in(plain, chart.name, chart.version, rendered=False)
        error = self._upgrade(target, chart, plain, timeout)
        revision = helm.last_revision(self.api, namespace, name)
        if error is not None:
            reason = f"Helm could not deploy release {id}: {error}{self._unready_object(revision, namespace)}"
            if revision is None or revision.status == "deployed":
                raise Refusal(f"{reason}.")
            raise InitializationFailed(id, _outputs(inputs, revision), inputs, f"{reason}.")
        if revision is None:
            raise Refusal(
                f"Release {id} is not in its cluster after Helm installed it: find out what deletes it there."
            )
        self._stand_in(plain, chart.name, revision.version, rendered=True)
        return _outputs(inputs, revision)

    def _refuse_unpermitted(self, plain: Properties) -> None:
        """Refuse a release whose program may not do in AWS what it calls there."""
        from localcloud.plugins.aws.refusals.permissions.releases import refuse_unpermitted

        plane, chart = self.plane(), charts.short_name(str(plain["chart"]))
        refuse_unpermitted(plane.cloud, plane.name, chart, plain["namespace"], plain.get("values") or {})

    def _stand_in(self, plain: Properties, chart: str, version: str | None, *, rendered: bool) -> None:
        """Have programs run in place of the release's pods."""
        from localcloud.control_plane.stand_ins import charts as stand_ins
        from localcloud.control_plane.stand_ins.releases import Release

        release = Release(
            name=plain["name"],
            namespace=plain["namespace"],
            chart=chart,
            version=version or "",
            values=plain.get("values") or {},
            rendered=rendered,
        )
        stand_ins.apply(self.plane(), release)

    def _upgrade(self, target: Target, chart: Chart, plain: Properties, timeout: float) -> str | None:
        """Let Helm install or upgrade; its error, None without one."""
        seconds = timeout or plain.get("timeout") or TIMEOUT_SECONDS
        flags = [flag for name, flag in SWITCHES.items() if plain.get(name)]
        flags += [
            part for name, flag in OPTIONS.items() if plain.get(name) for part in (flag, str(plain[name]))
        ]
        if not plain.get("skipAwait"):
            flags += ["--wait", *(["--wait-for-jobs"] if plain.get("waitForJobs") else [])]
        flags += ["--history-max", str(plain.get("maxHistory") or 0), "--timeout", f"{seconds:.0f}s"]
        # For the owner only, as values may hold secrets.
        with tempfile.NamedTemporaryFile("w", suffix=".json") as values:
            json.dump(plain.get("values") or {}, values)
            values.flush()
            try:
                self.helm.on_cluster(
                    "upgrade", plain["name"], str(chart.path), "--install", "--namespace", plain["namespace"],
                    "--values", values.name, "--labels", f"{OWNER}={_owner(target)}", *flags,
                    hopeless=lambda: self._stopped_pod(plain),
                )  # fmt: skip
            except HelmFailed as failure:
                return str(failure)
        return None

    def _stopped_pod(self, plain: Properties) -> str:
        """A pod of a release that will not start, and why; empty where there is none."""
        pods = f"/api/v1/namespaces/{plain['namespace']}/pods"
        instance = f"app.kubernetes.io/instance={plain['name']}"
        return "" if plain.get("skipAwait") else self.cluster.stopped(pods, labelSelector=instance)

    def _record(self, target: Target, inputs: Properties, plain: Properties, reason: str) -> Properties:
        """Record a release whose chart cannot be reached; none of its objects is pretended."""
        namespace, name, chart = plain["namespace"], plain["name"], str(plain["chart"])
        obstacle = f"chart {chart} cannot be reached ({reason})"
        if helm.last_revision(self.api, namespace, name) is not None:
            raise Refusal(
                f"Release {namespace}/{name} was rendered, and its {obstacle}: "
                "set MOKA_CHARTS to the folder that has it."
            )
        self._namespace(namespace, create=bool(plain.get("createNamespace")))
        version, chart = str(plain.get("version") or ""), charts.short_name(chart)
        self._stand_in(plain, chart, version, rendered=False)
        self.log(target.urn, f"release {name} recorded, not rendered: {obstacle}")
        status = {"name": name, "namespace": namespace, "chart": chart, "version": version}
        status["status"] = RECORDED
        return {**DEFAULTS, **inputs, "resourceNames": {}, "status": status}

    def _namespace(self, name: str, *, create: bool) -> None:
        """Make a release's namespace, or refuse a missing one, as Helm does."""
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
        """Clear away what a killed Helm left half done, so that Helm can go on.

        Raises Refusal where there is a release of this name that is not this resource's.
        """
        revision = helm.last_revision(self.api, namespace, name)
        if revision is None:
            return
        if new and revision.status != "uninstalled" and revision.labels.get(OWNER) != _owner(target):
            raise Refusal(
                f"Release {namespace}/{name} exists already and is not this resource's: "
                "import it, uninstall it, or choose another name."
            )
        if revision.status in ("pending-install", "uninstalling"):
            self._helm("uninstall", name, "--namespace", namespace, "--wait")
        elif revision.status in ("pending-upgrade", "pending-rollback"):
            self._helm("rollback", name, "--namespace", namespace)

    def _helm(self, *arguments: str) -> None:
        try:
            self.helm.on_cluster(*arguments)
        except HelmFailed as failure:
            raise Refusal(f"Helm could not {arguments[0]} release {arguments[1]}: {failure}.") from None

    def _unready_object(self, revision: Revision | None, namespace: str) -> str:
        """An object of a release that is not ready, and why: Helm does not say."""
        for thing in _documents(revision.manifest) if revision else []:
            kind = ObjectKind.of(thing["apiVersion"], thing["kind"])
            wait = WAITS.get((kind.group, kind.name))
            name = objects.name_of(thing)
            place = self.cluster.place(kind, name, objects.metadata(thing).get("namespace") or namespace)
            try:
                live = self.cluster.live(place) if wait and place else None
            except ApiError:
                continue
            if live is not None and wait is not None and not (verdict := wait.judge(live)).ready:
                return f" ({kind.name} {name} is not ready: {verdict.reason})"
        return ""


def _owner(target: Target) -> str:
    return hashlib.sha256(target.urn.encode()).hexdigest()[:16]


def _outputs(inputs: Properties, revision: Revision | None) -> Properties:
    if revision is None:
        return {**DEFAULTS, **inputs}
    status = {
        "appVersion": revision.app_version,
        "chart": revision.chart,
        "name": reveal(inputs["name"]),
        "namespace": reveal(inputs["namespace"]),
        "revision": revision.revision,
        "status": revision.status,
        "version": revision.version,
    }
    names = resource_names(revision.manifest)
    return {**DEFAULTS, **inputs, "version": revision.version, "resourceNames": names, "status": status}


def resource_names(manifest: str) -> dict[str, list[str]]:
    """Names of the objects in a manifest, by kind, as the real provider writes them."""
    names: dict[str, set[str]] = {}
    for thing in _documents(manifest):
        kind = ObjectKind.of(thing["apiVersion"], thing["kind"])
        full = f"{kind.name}.{kind.group}" if kind.group else kind.name
        metadata = objects.metadata(thing)
        id = objects.identity(metadata.get("namespace"), metadata["name"])
        names.setdefault(f"{full}/{kind.api_version}", set()).add(id)
    return {kind: sorted(ids) for kind, ids in sorted(names.items())}


def _documents(manifest: str) -> list[dict[str, Any]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [
        thing
        for thing in yaml.load_all(manifest, Loader=loader)
        if isinstance(thing, dict) and "kind" in thing
    ]


def _with_files(files: Any, values: Any) -> Any:
    """Values over those in files, later files over earlier ones."""
    import yaml

    result: Any = {}
    for asset in reveal(files):
        text = asset.get("text")
        if text is None:
            from pathlib import Path

            path = Path(str(asset.get("path")))
            if not path.is_file():
                raise Refusal(f"valueYamlFiles names {path}, and there is no such file: correct the path.")
            text = path.read_text()
        result = _merge(result, yaml.safe_load(text) or {})
    return _merge(result, values or {})


def _merge(below: Any, above: Any) -> Any:
    if isinstance(above, Secret):
        return Secret(_merge(below, above.value)) if isinstance(above.value, Mapping) else above
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        common = {name: _merge(below[name], above[name]) for name in below if name in above}
        return {**below, **above, **common}
    return above
