"""The collectors as processes of the laptop, with the configuration that they are deployed with.

What is put in another place there, and what cannot be had, is in this file and nowhere else.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from moka import catalog
from moka.catalog import merge_values
from moka.collectors.sending import STORE_URL
from moka.components.kubernetes import opentelemetry
from moka.components.kubernetes.opentelemetry import (
    AGENT_RELEASE,
    GATEWAY_RELEASE,
    SCRAPER_RELEASE,
    OpenTelemetryArgs,
)
from moka.names import MONITORING_NAMESPACE, MONITORING_NODES_NAMESPACE

NOT_ON_THE_LAPTOP = {
    "k8sobjects": "no module proxy has the version of the others",
    "sigv4auth": "no checksum database has the version of the others",
}
"""Parts of deployed configurations that the collector built here lacks, and why."""

SECONDS = 3
"""Between two readings, on the laptop: what takes two of them is there soon."""

ORIGIN = {"environment": "laptop", "cluster": "spark-a", "region": "us-east-1"}
SHARDS = 2

Config = dict[str, Any]


def arguments(job_namespaces: tuple[str, ...]) -> OpenTelemetryArgs:
    """Of a cluster with these job namespaces, which keeps its metrics itself."""
    return OpenTelemetryArgs(
        catalog=catalog.read(),
        namespace=MONITORING_NAMESPACE,
        nodes_namespace=MONITORING_NODES_NAMESPACE,
        origin=ORIGIN,
        job_namespaces=job_namespaces,
        storage_class="monitoring",
        shards=SHARDS,
    )


def deployed(release: str, args: OpenTelemetryArgs, gateway: str) -> Config:
    """The configuration in a release, which its chart writes into a ConfigMap as it is.

    gateway: where the others send to.
    """
    values = {
        GATEWAY_RELEASE: lambda: opentelemetry.gateway_values(args),
        SCRAPER_RELEASE: lambda: opentelemetry.scraper_values(args, gateway),
        AGENT_RELEASE: lambda: opentelemetry.agent_values(args, gateway),
    }[release]()
    config: Config = merge_values(args.catalog.values[release], values)["alternateConfig"]
    return config


def without_absent(config: Config) -> Config:
    """Without the parts of NOT_ON_THE_LAPTOP, and pipelines that have nothing to read then."""
    config = json.loads(json.dumps(config))
    for kind in ("receivers", "extensions"):
        for part in NOT_ON_THE_LAPTOP:
            config.get(kind, {}).pop(part, None)
    for exporter in config["exporters"].values():
        if exporter.get("auth", {}).get("authenticator") in NOT_ON_THE_LAPTOP:
            del exporter["auth"]
    service = config["service"]
    service["extensions"] = [name for name in service["extensions"] if name not in NOT_ON_THE_LAPTOP]
    for name, pipeline in list(service["pipelines"].items()):
        pipeline["receivers"] = [part for part in pipeline["receivers"] if part not in NOT_ON_THE_LAPTOP]
        if not pipeline["receivers"]:
            del service["pipelines"][name]
    return config


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where on the laptop is what a pod has elsewhere.

    store: address of the Prometheus. folder: of the queue. certificate, key: by which the kubelet knows the
    agent: in a pod that is its account.
    """

    store: str
    folder: Path
    kubeconfig: Path
    certificate: Path
    key: Path


def on_the_laptop(config: Config, places: Places) -> Config:
    """The configuration with other places, and read more often."""
    config = without_absent(config)
    for name, receiver in config["receivers"].items():
        if name == "prometheus":
            receiver["config"]["scrape_configs"] = [
                _scraped_often(job, places.kubeconfig) for job in receiver["config"]["scrape_configs"]
            ]
        if "collection_interval" in receiver:
            receiver["collection_interval"] = f"{SECONDS}s"
        if name == "kubeletstats":
            tls = {"cert_file": str(places.certificate), "key_file": str(places.key)}
            receiver |= {"auth_type": "tls", "ca_file": str(places.certificate), **tls}
    text = yaml.safe_dump(config, sort_keys=False)
    for deployed_at, local_at in {
        "auth_type: serviceAccount": "auth_type: kubeConfig",
        "root_path: /hostfs": "root_path: /",
        "/var/lib/opentelemetry": str(places.folder),
        STORE_URL: STORE_URL.replace("prometheus:9090", places.store),
    }.items():
        text = text.replace(deployed_at, local_at)
    replaced: Config = yaml.safe_load(text)
    return replaced


def _scraped_often(job: Config, kubeconfig: Path) -> Config:
    discovery = [entry | {"kubeconfig_file": str(kubeconfig)} for entry in job["kubernetes_sd_configs"]]
    often = {"scrape_interval": f"{SECONDS}s", "scrape_timeout": f"{SECONDS}s"}
    return {**job, **often, "kubernetes_sd_configs": discovery}


def account(release: str, args: OpenTelemetryArgs) -> list[Config]:
    """Objects of the release's service account: the rights that the chart gives it, and no others."""
    namespace = MONITORING_NODES_NAMESPACE if release == AGENT_RELEASE else MONITORING_NAMESPACE
    metadata = {"name": release, "namespace": namespace}
    group = "rbac.authorization.k8s.io"
    rules = args.catalog.values[release].get("clusterRole", {}).get("rules", [])
    subjects = [{"kind": "ServiceAccount", **metadata}]
    role = {"apiGroup": group, "kind": "ClusterRole", "name": release}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": release}, "rules": rules},
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": release},
            "roleRef": role,
            "subjects": subjects,
        },
    ]


def environment(release: str, address: str, more: Mapping[str, str]) -> dict[str, str]:
    """Of a pod of the release: what the chart, the file of values and the program give it."""
    origin = {} if release == GATEWAY_RELEASE else {name.upper(): value for name, value in ORIGIN.items()}
    return {"MY_POD_IP": address, "OTEL_K8S_NAMESPACE": MONITORING_NAMESPACE, **origin, **more}


def with_destination(args: OpenTelemetryArgs, destination: Any) -> OpenTelemetryArgs:
    """The same cluster, whose metrics go elsewhere."""
    return replace(args, destination=destination)
