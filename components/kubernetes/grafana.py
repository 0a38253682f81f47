"""A Grafana that shows the platform's dashboards and keeps nothing: all that it shows comes from files."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s
import yaml

from moka.catalog import Catalog
from moka.components.kubernetes.checksum import CHECKSUM, checksum
from moka.components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from moka.components.kubernetes.security_context import container_security_context, pod_security_context
from moka.components.kubernetes.single_pod import single_pod
from moka.components.ordering import known_after
from moka.names import GRAFANA

PORT = 3000
UID = 472
"""Of the image: https://grafana.com/docs/grafana/latest/setup-grafana/installation/docker/"""

PROVISIONING = "/etc/grafana/provisioning"
DASHBOARDS = "/var/lib/dashboards"


@dataclass(frozen=True, kw_only=True)
class QueriedStore:
    """What it asks.

    url: of a Prometheus.
    region: signs requests there, for Amazon Managed Prometheus.
    """

    url: pulumi.Input[str]
    region: str | None = None


@dataclass(frozen=True, kw_only=True)
class GrafanaArgs:
    """What differs between clusters.

    dashboards: name of the ConfigMap that has them.
    files: what is in it, so that a change is shown.
    store: what it asks.
    catalog: pins, values and mirror of charts and images.
    namespace: in which it is; it exists.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    dashboards: pulumi.Input[str]
    files: Mapping[str, str]
    store: QueriedStore


class Grafana(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Grafana`.

    Makes: ServiceAccount, ConfigMap, Deployment of one pod, Service and NetworkPolicy, all called `grafana`.
    Who reaches it sees all dashboards and changes nothing. Nobody does but who may forward a port of its pod.
    Outputs: `url`, within the cluster, known only once it serves.
    """

    url: pulumi.Output[str]

    def __init__(self, name: str, args: GrafanaArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Grafana", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/name": GRAFANA}
        metadata = k8s.meta.v1.ObjectMetaArgs(name=GRAFANA, namespace=args.namespace, labels=labels)

        k8s.core.v1.ServiceAccount(name, metadata=metadata, automount_service_account_token=False, opts=child)
        provisioning = pulumi.Output.from_input(args.store.url).apply(
            lambda url: {"sources.yaml": sources(url, args.store.region), "dashboards.yaml": providers()}
        )
        k8s.core.v1.ConfigMap(name, metadata=metadata, data=provisioning, opts=child)
        service = k8s.core.v1.Service(
            name,
            metadata=metadata,
            spec=k8s.core.v1.ServiceSpecArgs(
                selector=labels,
                ports=[k8s.core.v1.ServicePortArgs(name="http", port=PORT, target_port="http")],
            ),
            opts=child,
        )
        k8s.networking.v1.NetworkPolicy(name, metadata=metadata, spec=way_in(labels), opts=child)
        deployment = single_pod(
            name,
            metadata,
            {CHECKSUM: provisioning.apply(lambda files: checksum({**files, **args.files}))},
            _pod(args),
            child,
        )
        url = pulumi.Output.concat(f"http://{GRAFANA}.", args.namespace, f":{PORT}")
        self.url = known_after(url, deployment.id, service.id)
        self.register_outputs({"url": self.url})


def sources(url: str, region: str | None) -> str:
    """Its one source of data: https://grafana.com/docs/grafana/latest/datasources/prometheus/configure/."""
    signed = {"sigV4Auth": True, "sigV4AuthType": "default", "sigV4Region": region} if region else {}
    source = {
        "name": "metrics",
        "uid": "metrics",
        "type": "prometheus",
        "access": "proxy",
        "url": url,
        "isDefault": True,
        "editable": False,
        "jsonData": {"httpMethod": "POST", "timeInterval": "60s", **signed},
    }
    return yaml.safe_dump({"apiVersion": 1, "datasources": [source]}, sort_keys=False)


def providers() -> str:
    """Where it finds dashboards: https://grafana.com/docs/grafana/latest/administration/provisioning/."""
    provider = {
        "name": "moka",
        "folder": "moka",
        "type": "file",
        "allowUiUpdates": False,
        "options": {"path": DASHBOARDS},
    }
    return yaml.safe_dump({"apiVersion": 1, "providers": [provider]}, sort_keys=False)


def settings(signed: bool) -> dict[str, str]:
    """Its environment: https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/."""
    return {
        "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Viewer",
        "GF_AUTH_BASIC_ENABLED": "false",
        "GF_AUTH_DISABLE_LOGIN_FORM": "true",
        # Nobody signs in, so there is no password that would be kept or guessed.
        "GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION": "true",
        # Nothing is asked of the internet.
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        "GF_SECURITY_DISABLE_GRAVATAR": "true",
        "GF_PLUGINS_PREINSTALL_DISABLED": "true",
        # The store's rules alert.
        "GF_UNIFIED_ALERTING_ENABLED": "false",
        **({"GF_AUTH_SIGV4_AUTH_ENABLED": "true", "AWS_SDK_LOAD_CONFIG": "true"} if signed else {}),
    }


def way_in(labels: Mapping[str, str]) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """None over the network: it asks for no login. A forwarded port comes from the kubelet."""
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=dict(labels)),
        policy_types=["Ingress"],
        ingress=[],
    )


def _pod(args: GrafanaArgs) -> k8s.core.v1.PodSpecArgs:
    healthy = k8s.core.v1.HTTPGetActionArgs(path="/api/health", port="http")
    environment = settings(args.store.region is not None)
    folders = {"state": "/var/lib/grafana", "tmp": "/tmp"}
    return k8s.core.v1.PodSpecArgs(
        service_account_name=GRAFANA,
        automount_service_account_token=False,
        node_selector=node_selector("system"),
        tolerations=tolerations("system"),
        priority_class_name=PLATFORM_PRIORITY,
        security_context=pod_security_context(UID, fs_group=UID),
        containers=[
            k8s.core.v1.ContainerArgs(
                name=GRAFANA,
                image=args.catalog.image(GRAFANA),
                env=[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in environment.items()],
                ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=PORT)],
                startup_probe=k8s.core.v1.ProbeArgs(http_get=healthy, period_seconds=5, failure_threshold=60),
                readiness_probe=k8s.core.v1.ProbeArgs(http_get=healthy),
                liveness_probe=k8s.core.v1.ProbeArgs(http_get=healthy),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": "100m", "memory": "256Mi"}, limits={"memory": "1Gi"}
                ),
                security_context=container_security_context(read_only=True),
                volume_mounts=[
                    *(
                        k8s.core.v1.VolumeMountArgs(name=folder, mount_path=path)
                        for folder, path in folders.items()
                    ),
                    k8s.core.v1.VolumeMountArgs(
                        name="provisioning",
                        mount_path=f"{PROVISIONING}/datasources/sources.yaml",
                        sub_path="sources.yaml",
                    ),
                    k8s.core.v1.VolumeMountArgs(
                        name="provisioning",
                        mount_path=f"{PROVISIONING}/dashboards/dashboards.yaml",
                        sub_path="dashboards.yaml",
                    ),
                    k8s.core.v1.VolumeMountArgs(name="dashboards", mount_path=DASHBOARDS),
                ],
            )
        ],
        volumes=[
            *(
                k8s.core.v1.VolumeArgs(
                    name=folder, empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(size_limit="1Gi")
                )
                for folder in folders
            ),
            k8s.core.v1.VolumeArgs(
                name="provisioning", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name=GRAFANA)
            ),
            k8s.core.v1.VolumeArgs(
                name="dashboards", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name=args.dashboards)
            ),
        ],
    )
