"""Dashboards where a Grafana finds them: in a ConfigMap with the label that its sidecar looks for."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.ordering import known_after

NAME = "grafana-dashboards"
LABEL = "grafana_dashboard"
FOLDER_ANNOTATION = "grafana_folder"
"""What the sidecar of Grafana's chart looks for, and its usual annotation for a folder:
https://github.com/grafana/helm-charts/blob/main/charts/grafana/README.md"""


@dataclass(frozen=True, kw_only=True)
class DashboardsArgs:
    """What differs between clusters.

    files: name -> JSON of a dashboard, less than 1 MiB in all.
    folder: in Grafana.
    namespace: in which it is; it exists.
    """

    namespace: pulumi.Input[str]
    files: Mapping[str, str]
    folder: str = "moka"


class Dashboards(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Dashboards`.

    Makes: a ConfigMap.
    Outputs: `config_map`, its name, known only once it is there.
    """

    config_map: pulumi.Output[str]

    def __init__(self, name: str, args: DashboardsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Dashboards", name, {}, opts)

        config_map = k8s.core.v1.ConfigMap(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=NAME,
                namespace=args.namespace,
                labels={LABEL: "1"},
                annotations={FOLDER_ANNOTATION: args.folder},
            ),
            data=dict(args.files),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.config_map = known_after(NAME, config_map.id)
        self.register_outputs({"config_map": self.config_map})
