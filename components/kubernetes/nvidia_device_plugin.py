"""NVIDIA's device plugin: without it a node with GPUs offers none of them to pods."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rollouts import WAVES, tenths, with_time_for
from moka.components.kubernetes.security_context import container_security_context
from moka.components.ordering import known_after
from moka.names import GPU_LABEL

NAME = "nvidia-device-plugin"
SOCKETS = "/var/lib/kubelet/device-plugins"
"""Where the kubelet listens for device plugins."""

LABELS = {"app.kubernetes.io/name": NAME}


@dataclass(frozen=True, kw_only=True)
class NvidiaDevicePluginArgs:
    """What differs between clusters.

    image: of the plugin.
    namespace: it must allow privileged pods, for the kubelet's folder.
    """

    image: str
    namespace: pulumi.Input[str]


class NvidiaDevicePlugin(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:NvidiaDevicePlugin`.

    Makes: apps.v1.DaemonSet on every node with `GPU_LABEL`. EKS's AL2023 image for NVIDIA has the drivers and
    the runtime and not the plugin (EKS User Guide, "Install Kubernetes device plugin for GPUs"); the pods are
    those of NVIDIA/k8s-device-plugin: deployments/static/nvidia-device-plugin.yml.
    Outputs: `namespace`, known only once the GPUs of all nodes can be asked for.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: NvidiaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:NvidiaDevicePlugin", name, {}, opts)
        plugin = k8s.apps.v1.DaemonSet(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=NAME, namespace=args.namespace, labels=LABELS),
            spec=k8s.apps.v1.DaemonSetSpecArgs(
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
                update_strategy=tenths(),
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(labels=LABELS), spec=_pod(args.image)
                ),
            ),
            opts=with_time_for(pulumi.ResourceOptions(parent=self), WAVES),
        )
        self.namespace = known_after(args.namespace, plugin.id)
        self.register_outputs({"namespace": self.namespace})


def _pod(image: str) -> k8s.core.v1.PodSpecArgs:
    return k8s.core.v1.PodSpecArgs(
        node_selector={GPU_LABEL: "true"},
        tolerations=[k8s.core.v1.TolerationArgs(operator="Exists")],
        priority_class_name="system-node-critical",
        automount_service_account_token=False,
        containers=[
            k8s.core.v1.ContainerArgs(
                name=NAME,
                image=image,
                security_context=container_security_context(read_only=True),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": "20m", "memory": "64Mi"}, limits={"memory": "128Mi"}
                ),
                volume_mounts=[k8s.core.v1.VolumeMountArgs(name="sockets", mount_path=SOCKETS)],
            )
        ],
        volumes=[
            k8s.core.v1.VolumeArgs(
                name="sockets", host_path=k8s.core.v1.HostPathVolumeSourceArgs(path=SOCKETS)
            )
        ],
    )
