"""EKS add-ons: software that AWS installs and keeps on a cluster, each at the version that we name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws


@dataclass(frozen=True, kw_only=True)
class Addon:
    """One add-on at one version.

    version: as EKS names it, for example `v1.11.4-eksbuild.2`.
    configuration: values by the add-on's own schema.
    """

    version: str
    configuration: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    """Which add-ons, on which cluster.

    cluster_name: EKS cluster.
    addons: by the name that EKS knows them by, for example `coredns`.
    """

    cluster_name: pulumi.Input[str]
    addons: Mapping[str, Addon]
    tags: dict[str, str] = field(default_factory=dict)


class Addons(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Addons`.

    Makes: an eks.Addon each. One that runs as a Deployment (CoreDNS, the EBS CSI driver) becomes healthy
    only where there are nodes: let this depend on the node groups then.
    Outputs: `names`, known only once all of them are healthy.
    """

    names: pulumi.Output[list[str]]

    def __init__(self, name: str, args: AddonsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Addons", name, {}, opts)

        made = [
            aws.eks.Addon(
                f"{name}-{addon}",
                cluster_name=args.cluster_name,
                addon_name=addon,
                addon_version=pinned.version,
                configuration_values=configuration_json(pinned.configuration),
                # What the add-on owns is set here, not by hand on the cluster.
                resolve_conflicts_on_create="OVERWRITE",
                resolve_conflicts_on_update="OVERWRITE",
                tags=args.tags,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for addon, pinned in args.addons.items()
        ]
        self.names = pulumi.Output.all(*[each.addon_name for each in made]).apply(list)
        self.register_outputs({"names": self.names})


def configuration_json(configuration: Mapping[str, Any]) -> str | None:
    """Configuration as EKS takes it; equal values give equal text, so that no order of keys is a change."""
    return json.dumps(configuration, sort_keys=True) if configuration else None
