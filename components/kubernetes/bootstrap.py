"""DaemonSets that have to be ready on a node before other pods come to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.admission_policy import bound_policy
from moka.components.kubernetes.rbac import Right, grant_group_everywhere
from moka.components.kubernetes.rollouts import WAVES, tenths, with_time_for
from moka.components.kubernetes.security_context import container_security_context
from moka.components.ordering import after, after_outputs, known_after
from moka.names import BOOTSTRAP_NAMESPACE, ROLE_LABEL, STARTUP_TAINT, startup_taint

Propagation = Literal["None", "HostToContainer", "Bidirectional"]

POLICY_NAME = "moka-bootstrap"
"""Name of the policy and of its binding, of the ClusterRole and of its binding."""

GROUP = f"system:serviceaccounts:{BOOTSTRAP_NAMESPACE}"
"""Kubernetes' group of all service accounts of the namespace."""

NODE_CLAIM = "authentication.kubernetes.io/node-name"
"""What a pod's token says of the pod's node (kubernetes/kubernetes: test/e2e/auth/per_node_update.go)."""

UNCHANGED = (
    *(f"metadata.{field}" for field in ("labels", "annotations", "finalizers", "ownerReferences")),
    *(f"spec.{field}" for field in ("configSource", "externalID", "podCIDR", "podCIDRs", "providerID")),
    "spec.unschedulable",
)
"""All of a node but its taints and its status, which is not changed with it."""

ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"

MAX_TAINTS = 32

OPEN_NODE = f"""\
token=$(cat {ACCOUNT_FOLDER}/token)
node="https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/api/v1/nodes/$NODE"
index=0
while [ $index -lt {MAX_TAINTS} ]; do
  patch='[{{"op":"test","path":"/spec/taints/'$index'/key","value":"'$TAINT'"}}'
  patch=$patch',{{"op":"remove","path":"/spec/taints/'$index'"}}]'
  status=$(curl --silent --show-error --output /dev/null --write-out '%{{http_code}}' \\
    --cacert {ACCOUNT_FOLDER}/ca.crt --header "Authorization: Bearer $token" \\
    --header 'Content-Type: application/json-patch+json' --request PATCH --data "$patch" "$node")
  case $status in
    200) echo "$NODE is open: $TAINT is gone"; exit 0 ;;
    422) index=$((index + 1)) ;;
    *) echo "$NODE stays closed: status $status of the API server"; exit 1 ;;
  esac
done
echo "$NODE was open"
"""
"""Takes a taint off the pod's node, wherever among its taints it is; without one it is done.

422 is what the API server says where the test of a patch does not hold. Nothing is read: the right to patch
is enough.
"""

STARTUP_SECONDS, STARTUP_TRIES = 2, 300
"""How often it is asked whether it is ready, and after how many times it is started anew."""


@dataclass(frozen=True, kw_only=True)
class BootstrapFolder:
    """A folder of the node that a pod sees.

    path: of the node; made where it is not there.
    mount: where it is in the pod.
    read_only: the pod may only read it.
    propagation: Bidirectional for what the pod mounts below it, HostToContainer for what the node does.
    """

    path: str
    mount: str
    read_only: bool = False
    propagation: Propagation = "None"


@dataclass(frozen=True, kw_only=True)
class BootstrapDaemonSet:
    """What differs between DaemonSets.

    image, command, args, env: of its container; without a command the image's.
    ready: command in it that succeeds as soon as other pods may come.
    roles: of the nodes that wait for it.
    privileged: whether its container is.
    folders: of the node.
    cpu, memory: requests; memory is also the limit.
    """

    image: str
    ready: Sequence[str]
    roles: Sequence[str]
    command: Sequence[str] = ()
    args: Sequence[str] = ()
    env: Mapping[str, str]
    privileged: bool = False
    folders: Sequence[BootstrapFolder] = ()
    cpu: str
    memory: str


@dataclass(frozen=True, kw_only=True)
class BootstrapArgs:
    """What differs between clusters.

    daemon_sets: by name.
    namespace: `BOOTSTRAP_NAMESPACE`, at the level `privileged`.
    curl_image: by which a node is opened.
    pause_image: of a container that does nothing.
    """

    daemon_sets: Mapping[str, BootstrapDaemonSet]
    namespace: pulumi.Input[str]
    curl_image: str
    pause_image: str


class Bootstrap(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Bootstrap`.

    Makes: for each DaemonSet, itself and its ServiceAccount. Its own container is a sidecar, before which the
    kubelet starts nothing else of the pod until its startup probe has succeeded; then an init container takes
    the startup taint of its name off the node (`startup_taint` of moka.names). For that a ClusterRole with
    its binding, and a ValidatingAdmissionPolicy with its binding: by its token a pod changes no other node,
    and nothing of its own but that taint. Only the init container has the token.
    Outputs: `namespace`, known only once all DaemonSets are there.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: BootstrapArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Bootstrap", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        policy = bound_policy(name, POLICY_NAME, rules(), child)
        role = grant_group_everywhere(
            name,
            k8s.meta.v1.ObjectMetaArgs(name=POLICY_NAME),
            [Right("", "nodes", ("patch",))],
            # The right comes after what bounds it, and goes before.
            after_outputs(child, policy),
            group=GROUP,
        )
        daemon_sets = []
        for daemon, settings in args.daemon_sets.items():
            metadata = k8s.meta.v1.ObjectMetaArgs(
                name=daemon, namespace=args.namespace, labels={"app.kubernetes.io/name": daemon}
            )
            account = k8s.core.v1.ServiceAccount(f"{name}-{daemon}", metadata=metadata, opts=child)
            daemon_sets.append(
                k8s.apps.v1.DaemonSet(
                    f"{name}-{daemon}",
                    metadata=metadata,
                    spec=_spec(daemon, settings, args),
                    opts=after(
                        with_time_for(child, WAVES, start_seconds=STARTUP_SECONDS * STARTUP_TRIES),
                        account,
                        role,
                    ),
                )
            )
        self.namespace = known_after(args.namespace, *[daemon_set.id for daemon_set in daemon_sets])
        self.register_outputs({"namespace": self.namespace})


def rules() -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    user = "request.userInfo"
    variables = {
        "nodes": f"'{NODE_CLAIM}' in {user}.extra ? {user}.extra['{NODE_CLAIM}'] : []",
        "taint": f"'{STARTUP_TAINT}' + {user}.username.split(':')[3]",
        "before": "has(oldObject.spec.taints) ? oldObject.spec.taints : []",
        "opened": "variables.before.filter(taint, taint.key != variables.taint)",
        "after": "has(object.spec.taints) ? object.spec.taints : []",
    }
    validations = {
        "oldObject.metadata.name in variables.nodes": "a pod of this namespace changes its own node only",
        "variables.after == variables.before || variables.after == variables.opened": (
            "a pod of this namespace takes no taint off its node but that of its service account's name"
        ),
        " && ".join(_equality(field) for field in UNCHANGED): (
            "a pod of this namespace changes nothing of its node but its taints"
        ),
    }
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["UPDATE"],
                    "resources": ["nodes", "nodes/status"],
                }
            ]
        },
        "matchConditions": [{"name": "bootstrap", "expression": f"'{GROUP}' in {user}.groups"}],
        "variables": [{"name": name, "expression": expression} for name, expression in variables.items()],
        "validations": [
            {"expression": expression, "message": message, "reason": "Forbidden"}
            for expression, message in validations.items()
        ],
    }


def _equality(field: str) -> str:
    section, name = field.split(".")
    return f"object.{section}.?{name} == oldObject.{section}.?{name}"


def _spec(name: str, daemon: BootstrapDaemonSet, args: BootstrapArgs) -> k8s.apps.v1.DaemonSetSpecArgs:
    labels = {"app.kubernetes.io/name": name}
    return k8s.apps.v1.DaemonSetSpecArgs(
        selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
        # A mount goes with its pod: jobs are not to lose more of them at a time than nodes that are replaced.
        update_strategy=tenths(),
        template=k8s.core.v1.PodTemplateSpecArgs(
            metadata=k8s.meta.v1.ObjectMetaArgs(labels=labels), spec=_pod(name, daemon, args)
        ),
    )


def _pod(name: str, daemon: BootstrapDaemonSet, args: BootstrapArgs) -> k8s.core.v1.PodSpecArgs:
    return k8s.core.v1.PodSpecArgs(
        service_account_name=name,
        automount_service_account_token=False,
        enable_service_links=False,
        affinity=_on_nodes_of(daemon.roles),
        tolerations=[k8s.core.v1.TolerationArgs(operator="Exists")],
        priority_class_name="system-node-critical",
        security_context=k8s.core.v1.PodSecurityContextArgs(
            seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault")
        ),
        init_containers=[_sidecar(name, daemon), _opener(name, args.curl_image)],
        containers=[
            k8s.core.v1.ContainerArgs(
                name="pause",
                image=args.pause_image,
                security_context=_security_context(),
                resources=_resources("1m", "8Mi"),
            )
        ],
        volumes=[
            *(
                k8s.core.v1.VolumeArgs(
                    name=f"host-{index}",
                    host_path=k8s.core.v1.HostPathVolumeSourceArgs(
                        path=folder.path, type="DirectoryOrCreate"
                    ),
                )
                for index, folder in enumerate(daemon.folders, start=1)
            ),
            _account_volume(),
        ],
    )


def _on_nodes_of(roles: Sequence[str]) -> k8s.core.v1.AffinityArgs:
    expression = k8s.core.v1.NodeSelectorRequirementArgs(key=ROLE_LABEL, operator="In", values=sorted(roles))
    term = k8s.core.v1.NodeSelectorTermArgs(match_expressions=[expression])
    return k8s.core.v1.AffinityArgs(
        node_affinity=k8s.core.v1.NodeAffinityArgs(
            required_during_scheduling_ignored_during_execution=k8s.core.v1.NodeSelectorArgs(
                node_selector_terms=[term]
            )
        )
    )


def _sidecar(name: str, daemon: BootstrapDaemonSet) -> k8s.core.v1.ContainerArgs:
    return k8s.core.v1.ContainerArgs(
        name=name,
        image=daemon.image,
        command=list(daemon.command) or None,
        args=list(daemon.args) or None,
        env=[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in daemon.env.items()] or None,
        # A sidecar: the rest of the pod waits for its start, and it is started anew whenever it ends.
        restart_policy="Always",
        startup_probe=k8s.core.v1.ProbeArgs(
            exec_=k8s.core.v1.ExecActionArgs(command=list(daemon.ready)),
            period_seconds=STARTUP_SECONDS,
            timeout_seconds=10,
            failure_threshold=STARTUP_TRIES,
        ),
        security_context=k8s.core.v1.SecurityContextArgs(privileged=True)
        if daemon.privileged
        else container_security_context(),
        resources=_resources(daemon.cpu, daemon.memory),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(
                name=f"host-{index}",
                mount_path=folder.mount,
                read_only=folder.read_only,
                mount_propagation=None if folder.propagation == "None" else folder.propagation,
            )
            for index, folder in enumerate(daemon.folders, start=1)
        ]
        or None,
    )


def _opener(name: str, image: str) -> k8s.core.v1.ContainerArgs:
    node = k8s.core.v1.EnvVarSourceArgs(
        field_ref=k8s.core.v1.ObjectFieldSelectorArgs(field_path="spec.nodeName")
    )
    return k8s.core.v1.ContainerArgs(
        name="open-node",
        image=image,
        command=["sh", "-c", OPEN_NODE],
        env=[
            k8s.core.v1.EnvVarArgs(name="NODE", value_from=node),
            k8s.core.v1.EnvVarArgs(name="TAINT", value=startup_taint(name)),
        ],
        security_context=_security_context(),
        resources=_resources("10m", "32Mi"),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(name="account", mount_path=ACCOUNT_FOLDER, read_only=True)
        ],
    )


def _account_volume() -> k8s.core.v1.VolumeArgs:
    """The pod's token, and the certificates of the API server, as Kubernetes would mount them everywhere."""
    token = k8s.core.v1.ServiceAccountTokenProjectionArgs(path="token", expiration_seconds=3600)
    authority = k8s.core.v1.ConfigMapProjectionArgs(
        name="kube-root-ca.crt", items=[k8s.core.v1.KeyToPathArgs(key="ca.crt", path="ca.crt")]
    )
    return k8s.core.v1.VolumeArgs(
        name="account",
        projected=k8s.core.v1.ProjectedVolumeSourceArgs(
            default_mode=0o444,
            sources=[
                k8s.core.v1.VolumeProjectionArgs(service_account_token=token),
                k8s.core.v1.VolumeProjectionArgs(config_map=authority),
            ],
        ),
    )


def _security_context() -> k8s.core.v1.SecurityContextArgs:
    """Of containers that are ours: the pod's says nothing of users, as a company's may be root."""
    return k8s.core.v1.SecurityContextArgs(
        allow_privilege_escalation=False,
        read_only_root_filesystem=True,
        run_as_non_root=True,
        run_as_user=65532,
        run_as_group=65532,
        capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
    )


def _resources(cpu: str, memory: str) -> k8s.core.v1.ResourceRequirementsArgs:
    return k8s.core.v1.ResourceRequirementsArgs(
        requests={"cpu": cpu, "memory": memory}, limits={"memory": memory}
    )
