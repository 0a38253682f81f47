"""`eks.Addon`: an add-on of a cluster, which is its parent whatever its options say."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.plugins.components.component import Component
from localcloud.plugins.eks.arguments import ADDON
from localcloud.plugins.eks.configuration import configuration_json
from localcloud.plugins.eks.reference import core_of


class Addon(Component):
    """Pulumi type `eks:index:Addon`: eks.Addon of the same name."""

    TYPE: ClassVar[str] = "eks:index:Addon"
    ARGUMENTS = ADDON

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        cluster = inputs["cluster"]
        if isinstance(cluster, pulumi.Resource):
            opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(parent=cluster))
        super().__init__(name, inputs, opts)
        aws.eks.Addon(
            name,
            cluster_name=core_of(cluster).apply(lambda core: core["cluster"].name),
            addon_name=inputs["addonName"],
            addon_version=inputs.get("addonVersion"),
            configuration_values=configuration_json(inputs.get("configurationValues")),
            preserve=inputs.get("preserve"),
            resolve_conflicts_on_create=inputs.get("resolveConflictsOnCreate"),
            resolve_conflicts_on_update=inputs.get("resolveConflictsOnUpdate"),
            service_account_role_arn=inputs.get("serviceAccountRoleArn"),
            tags=inputs.get("tags"),
            opts=self.child,
        )
        # The real one has the resource as an output, which no SDK reads.
        self.outputs = {}
