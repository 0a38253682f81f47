"""The `kubernetes` provider: the engine's requests, answered by one cluster."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aws_rules.access.identity import unauthorized
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY, RUN, Cloud
from localcloud.credentials import GET_TOKEN_SESSION, principal, principal_of
from localcloud.errors import Refusal
from localcloud.plugins.differences import Diff, PropertyPath, differences
from localcloud.plugins.kubernetes import kinds, objects
from localcloud.plugins.kubernetes.api import Api, ApiError, Unreachable
from localcloud.plugins.kubernetes.immutable import fixed_fields, replacing
from localcloud.plugins.kubernetes.kinds import Kind
from localcloud.plugins.kubernetes.kubeconfig import (
    access,
    active_cluster,
    read,
    signed_in,
    with_token_files,
)
from localcloud.plugins.kubernetes.resources import Cluster, Place
from localcloud.plugins.kubernetes.settings import DELETE_UNREACHABLE, Settings
from localcloud.plugins.kubernetes.waiting import NotReady
from localcloud.plugins.provider import Failure, InitializationFailed, Naming, Provider, ReadResult, Target
from localcloud.plugins.safety import loopback, reachable
from localcloud.plugins.values import Properties, reveal, unknown_in
from localcloud.project import deployer_network, image_architectures, stand_in_modules

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane
    from localcloud.plugins.kubernetes.releases import Releases

UNAUTHORIZED = 401

DEPLOYMENT = Kind("apps", "v1", "Deployment")
"""Kind whose pods a program of the project may run in place of."""

CLUSTER_SETTINGS = ("kubeconfig", "context", "cluster")
"""Configuration that selects the cluster."""


GIVEN_UP = (
    f"if the cluster was deleted, run this again with {DELETE_UNREACHABLE}=true, which takes what was on it "
    "out of the state"
)


@dataclass
class Kubernetes(Provider):
    """The provider, for the cluster that it is configured with.

    cloud: the laptop cloud whose control planes it serves, and no others.
    log: shows a message beside the resource of a URN.
    project: folder of the Pulumi project that it serves.
    """

    cloud: Cloud
    log: Callable[[str, str], None] = lambda urn, sentence: None
    project: Path = REPOSITORY
    name: str = "kubernetes"
    settings: Settings = field(default_factory=Settings)
    cancelled: threading.Event = field(default_factory=threading.Event)
    _dialing: threading.Lock = field(default_factory=threading.Lock)
    _reached: bool = False

    # --- configuration ---

    def check_config(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """The configuration as it is, and what in it is not served here."""
        return inputs, [Failure(name, reason) for name, reason in Settings.refusals(reveal(inputs))]

    def diff_config(self, old: Properties, new: Properties) -> Diff:
        """Another cluster replaces the provider; other credentials for the same cluster do not."""
        kinds_ = differences(old, new)
        if reveal(old.get("clusterIdentifier")) and reveal(new.get("clusterIdentifier")):
            return Diff(kinds=kinds_, replaces=_paths_under(kinds_, "clusterIdentifier"))
        unknown = [name for name in CLUSTER_SETTINGS if unknown_in(new.get(name))]
        if unknown:
            return Diff(kinds=kinds_, replaces=_paths_under(kinds_, *unknown))
        if kinds_ and _cluster_of(old) != _cluster_of(new):
            return Diff(kinds=kinds_, replaces=_paths_under(kinds_, *CLUSTER_SETTINGS))
        return Diff(kinds=kinds_)

    def configure(self, inputs: Properties) -> None:
        """Take the configuration. Raises Refusal for another machine's cluster or a wrong localcloud.yaml."""
        self.settings = Settings.of(reveal(inputs))
        # A wrong localcloud.yaml is refused now, not when its Deployments are made.
        stand_in_modules(self.project)
        architectures = image_architectures(self.project)
        server = self.cluster.api.access.server
        if not loopback(server):
            raise Refusal(
                "The laptop's kubernetes plugin serves clusters of this laptop only, and the kubeconfig's is "
                f"{server}: give the kubeconfig of the laptop's eks.Cluster, or use the real engine home."
            )
        # The server must be one of the cloud's: a tunnel to a real cluster is on this machine too.
        answers = reachable(server)
        if self.settings.delete_unreachable and not answers:
            return
        from localcloud.control_plane.image_pulls import note_architectures

        try:
            plane = self.plane()
        except Refusal:
            if answers:
                raise
            raise Refusal(f"configured Kubernetes cluster is unreachable: {server}: {GIVEN_UP}.") from None
        note_architectures(plane.folder, self.project, architectures)

    @cached_property
    def kubeconfig(self) -> dict[str, Any]:
        """The kubeconfig that it is configured with; a role whose credentials are at hand signs in itself.

        So does `aws eks get-token`, which a kubeconfig of EKS runs, unless that names a role.
        """
        from localcloud.plugins.aws.caller import role_at_hand

        settings, aws = self.settings, AwsServer(self.cloud)
        role = role_at_hand(aws.url) if aws.has_url() else ""
        config = with_token_files(settings.kubeconfig, lambda role_name: self._token_file(role_name, role))
        if not role:
            return config
        server = access(config, settings.context, settings.cluster).server
        token = self._control_plane(server).principal_token_file(principal(role))
        return signed_in(config, token)

    def _token_file(self, role_name: str, at_hand: str) -> Path:
        """What the program of a kubeconfig for tokens gets: of a role that it names, or that is at hand.

        Whose the laptop's own credentials stand for, nobody knows here: they are an administrator's.
        """
        settings = self.settings
        entry = active_cluster(settings.kubeconfig, settings.context, settings.cluster) or {}
        plane = self._control_plane(str(entry.get("server", "")).rstrip("/"))
        if not (role_name or at_hand):
            return plane.token_file
        caller = principal(role_name, GET_TOKEN_SESSION) if role_name else principal(at_hand)
        return plane.principal_token_file(caller)

    @cached_property
    def cluster(self) -> Cluster:
        """The cluster that it is configured with."""
        settings = self.settings
        server = access(self.kubeconfig, settings.context, settings.cluster)
        return Cluster(
            Api(server),
            namespace=settings.namespace or server.namespace,
            force=settings.patch_force,
            upsert=settings.upsert,
            cancelled=self.cancelled,
            capped=self.capped,
            add_machine=self.add_machine,
        )

    def capped(self) -> list[str]:
        """Its node groups with fewer machines than their stack asks for."""
        from localcloud.control_plane.nodes import capped_groups

        return capped_groups(self.plane())

    def add_machine(self, pod: Mapping[str, Any]) -> str | None:
        """What the Cluster Autoscaler does for a pod that finds no machine."""
        from localcloud.plugins.aws.cluster_autoscaler import add_machine

        server = AwsServer(self.cloud)
        return add_machine(self.cloud, server.url, self.plane().name, dict(pod)) if server.alive() else None

    def plane(self) -> "ControlPlane":
        """The control plane that it is configured with. Raises Refusal for a cluster of another cloud."""
        return self._control_plane(self.cluster.api.access.server)

    def _control_plane(self, server: str) -> "ControlPlane":
        from localcloud.control_plane import ControlPlane

        return ControlPlane.at(self.cloud, server)

    def dial(self, target: Target) -> None:
        """Raise Refusal when AWS would not let a client there reach the API server from where `up` runs.

        Asked once; it listens on this machine, where everything reaches it.
        """
        with self._dialing:
            if self._reached:
                return
            from localcloud.plugins.aws.refusals.network import refuse_unreachable

            aws, plane = AwsServer(self.cloud), self.plane()
            if aws.has_url():
                network = deployer_network(self.project, target.stack)
                refuse_unreachable(self.cloud, aws.url, plane.name, plane.endpoint, network)
            self._reached = True

    @cached_property
    def releases(self) -> "Releases":
        """The Helm releases of the cluster."""
        from localcloud.plugins.kubernetes.helm import Helm
        from localcloud.plugins.kubernetes.releases import Releases

        kubeconfig = json.dumps(self.kubeconfig)
        helm = Helm(self.cloud.home / "helm", kubeconfig, self.settings.context, self.cancelled)
        return Releases(self.cluster.api, self.cluster, helm, self.plane, self.log, self.cluster.namespace)

    def cancel(self) -> None:
        """Stop waiting for objects that are not ready yet."""
        self.cancelled.set()

    def explain(self, error: Exception) -> str | None:
        """An error of the API server, of Helm or of the network, as one sentence."""
        if isinstance(error, ApiError):
            return self._sign_in_refusal() if error.status == UNAUTHORIZED else _refusal(error)
        if isinstance(error, Unreachable):
            return f"{error}: run `{RUN} up`, which starts it again; {GIVEN_UP}."
        if isinstance(error, NotReady):
            return f"{error}."
        return None

    def _sign_in_refusal(self) -> str:
        """What EKS and its clients say of somebody whom no access entry lets in, and what to do."""
        caller = principal_of(self.cluster.api.access.bearer() or "")
        return str(unauthorized(self.plane().name, caller.arn if caller else ""))

    # --- resources ---

    def check(
        self, target: Target, old: Properties, new: Properties, naming: Naming
    ) -> tuple[Properties, list[Failure]]:
        """Inputs with name and namespace filled in."""
        if target.type == kinds.RELEASE:
            return self.releases.check(target, old, new, naming)
        kind = kinds.kind_of_object(target.type, reveal(new))
        inputs = objects.without_read_only(new)
        metadata = objects.metadata(inputs)
        if metadata.get("generateName"):
            reason = "the name comes from Pulumi or the program, as server-side apply cannot generate it"
            return inputs, [Failure("metadata.generateName", f"{reason}: give a name, or leave both out.")]
        if not metadata.get("name"):
            if objects.enabled(old, objects.AUTONAMED):
                name = objects.name_of(old)
            elif naming.disabled:
                return inputs, [Failure("metadata.name", "naming is switched off: give the object a name.")]
            else:
                name = naming.name(target.name, length=8)
            inputs = objects.with_metadata(inputs, name=name, annotations={objects.AUTONAMED: "true"})
        if self.settings.namespace and not metadata.get("namespace") and self._is_namespaced(kind):
            inputs = objects.with_metadata(inputs, namespace=self.settings.namespace)
        return inputs, []

    def diff(self, target: Target, old: Properties, state: Properties, new: Properties) -> Diff:
        """How the new inputs differ from the old, without the cluster."""
        if target.type == kinds.RELEASE:
            return self.releases.diff(old, state, new)
        kind = kinds.kind_of_object(target.type, reveal(new))
        old = objects.without_read_only(old)
        changes = {
            path: change
            for path, change in differences(old, new, objects.equivalent).items()
            if path != ("metadata", "namespace") or not self._same_namespace(kind, old, new)
        }
        fields = fixed_fields(kind, contents_may_change=self._contents_may_change(kind, old))
        replaces = replacing(changes, fields)
        # The old object has to go first where the new one must have its name.
        same_name = objects.name_of(new) == objects.name_of(old) and ("metadata", "namespace") not in changes
        room = bool(replaces) and same_name and not objects.enabled(new, objects.AUTONAMED)
        return Diff(kinds=changes, replaces=replaces, delete_before_replace=room)

    def create(
        self, target: Target, inputs: Properties, preview: bool, timeout: float
    ) -> tuple[str, Properties]:
        """Make the object and wait until it is ready; in a preview, a dry run."""
        if not preview:
            self.dial(target)
        if target.type == kinds.RELEASE:
            if preview:
                return "", self.releases.preview(inputs)
            return self.releases.create(target, inputs, timeout)
        kind = kinds.kind_of_object(target.type, reveal(inputs))
        manager = self._manager(target, inputs, {})
        thing = objects.manifest(inputs)
        if preview:
            live = self._preview(kind, inputs, thing, manager, new=True)
            return "", objects.outputs(inputs, live, manager) if live else inputs
        place, live = self.cluster.create(kind, thing, manager)
        return place.id, self._ready(kind, place, place.id, inputs, live, manager, timeout, target.stack)

    def update(
        self,
        target: Target,
        old: Properties,
        state: Properties,
        new: Properties,
        preview: bool,
        timeout: float,
    ) -> Properties:
        """Change the object and wait until it is ready again; in a preview, a dry run."""
        if not preview:
            self.dial(target)
        if target.type == kinds.RELEASE:
            return self.releases.preview(new) if preview else self.releases.update(target, new, timeout)
        kind = kinds.kind_of_object(target.type, reveal(new))
        manager = self._manager(target, new, state)
        thing = objects.manifest(new)
        if preview:
            live = self._preview(kind, new, thing, manager, new=False)
            return objects.outputs(new, live, manager) if live else new
        place = self.cluster.place(kind, objects.name_of(thing), objects.metadata(thing).get("namespace"))
        if place is None:
            raise Refusal(
                f"The cluster no longer serves {kind}: make its definition again, or remove {target.id}."
            )
        live = self.cluster.apply(place, thing, manager)
        return self._ready(kind, place, target.id, new, live, manager, timeout, target.stack)

    def read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        """The object as it is, with the inputs that it now corresponds to; None when it is gone."""
        try:
            return self._read(target, inputs, state)
        except Unreachable:
            if self.settings.delete_unreachable:
                return None
            raise

    def _read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        if target.type == kinds.RELEASE:
            return self.releases.read(target, inputs, state)
        kind = kinds.kind_of_object(target.type, reveal(inputs))
        namespace, name = objects.split_id(target.id)
        place = self.cluster.place(kind, name, namespace)
        live = self.cluster.live(place) if place else None
        if place is None or live is None:
            return None
        actual = objects.actual_inputs(inputs, live) if inputs else objects.inputs_of_import(live)
        manager = self._manager(target, actual, state)
        return ReadResult(place.id, actual, objects.outputs(actual, live, manager))

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Delete the object and wait until it is gone; fine when it is gone already."""
        try:
            if target.type == kinds.RELEASE:
                self.releases.delete(target, inputs, state, timeout)
                return
            kind = kinds.kind_of_object(target.type, reveal(state) or reveal(inputs))
            namespace, name = objects.split_id(target.id)
            place = self.cluster.place(kind, name, namespace)
            # Where the kind is no longer served, its definition is gone, and its objects with it.
            if place is not None:
                self.cluster.delete(place, inputs or state, timeout)
            if kind == DEPLOYMENT:
                from localcloud.control_plane.stand_ins import deployments

                deployments.remove(self.plane(), namespace or "default", name)
        except NotReady as error:
            raise Refusal(f"{target.id} is not deleted yet: {error}.") from None
        except Unreachable as error:
            if target.type == kinds.RELEASE:
                # Only a refresh gives one up: https://github.com/pulumi/pulumi-kubernetes/issues/2675
                raise Refusal(
                    f"can't delete Helm Release with unreachable cluster. Reason: {error}: if the cluster "
                    f"was deleted, run `pulumi refresh` with {DELETE_UNREACHABLE}=true."
                ) from None
            if not self.settings.delete_unreachable:
                raise

    def _ready(
        self,
        kind: Kind,
        place: Place,
        id: str,
        inputs: Properties,
        live: dict[str, Any],
        manager: str,
        timeout: float,
        stack: str,
    ) -> Properties:
        """Wait until an object that was made or changed is ready; its outputs."""
        try:
            ready = self.cluster.until_ready(kind, place, inputs, live, timeout)
        except NotReady as error:
            live = self.cluster.live(place) or live
            reason = f"{kind.name} {id} exists but is not ready: {error}."
            outputs = objects.outputs(inputs, live, manager)
            raise InitializationFailed(id, outputs, inputs, reason) from None
        if kind.name == "CustomResourceDefinition":
            self.cluster.api.kinds.clear()
        if kind == DEPLOYMENT:
            from localcloud.control_plane.stand_ins import deployments

            try:
                deployments.apply(self.plane(), live, self.project, stack)
            except Refusal as error:
                reason = f"{kind.name} {id} exists but is not ready: {error}"
                outputs = objects.outputs(inputs, ready, manager)
                raise InitializationFailed(id, outputs, inputs, reason) from None
        return objects.outputs(inputs, ready, manager)

    def _preview(
        self, kind: Kind, inputs: Properties, thing: dict[str, Any], manager: str, *, new: bool
    ) -> dict[str, Any] | None:
        if unknown_in(inputs):
            return None
        try:
            return self.cluster.preview(kind, thing, manager, new=new)
        except Unreachable:
            return None

    def _manager(self, target: Target, inputs: Properties, state: Properties) -> str:
        annotation = objects.annotation(inputs, objects.FIELD_MANAGER)
        return str(annotation or state.get("__fieldManager") or objects.manager_of(target.urn))

    def _is_namespaced(self, kind: Kind) -> bool:
        """Whether objects of a kind live in namespaces; assumed for kinds that are not served yet."""
        if kind.cluster_scoped:
            return False
        if kind.built_in:
            return True
        try:
            return self.cluster.namespaced(kind) is not False
        except Unreachable:
            return True

    def _same_namespace(self, kind: Kind, old: Properties, new: Properties) -> bool:
        if kind.cluster_scoped:
            return True
        default = self.settings.namespace or "default"
        namespaces = {objects.metadata(thing).get("namespace") or default for thing in (old, new)}
        return len(namespaces) == 1

    def _contents_may_change(self, kind: Kind, old: Properties) -> bool:
        allowed = {"ConfigMap": self.settings.config_map_mutable, "Secret": self.settings.secret_mutable}
        return allowed.get(kind.name, True) and reveal(old.get("immutable")) is not True


def _cluster_of(inputs: Properties) -> Any:
    """What identifies the cluster of a configuration; None where that is unknown."""
    settings = reveal(inputs)
    try:
        text = settings.get("kubeconfig")
        config = read(text, {} if text else os.environ)
        return active_cluster(config, settings.get("context"), settings.get("cluster"))
    except Refusal:
        return None


def _paths_under(changes: dict[PropertyPath, Any], *names: str) -> frozenset[PropertyPath]:
    return frozenset(path for path in changes if path[0] in names)


def _refusal(error: ApiError) -> str:
    message = " ".join(str(error).split()).rstrip(".") or f"status {error.status}"
    if error.status == 409 and error.reason == "Conflict" and "Apply failed" in message:
        return (
            f"The API server refused: {message}; to take these fields over, annotate the object with "
            f"{objects.PATCH_FORCE}: true, or set enablePatchForce on the provider."
        )
    return f"The API server refused: {message}."
