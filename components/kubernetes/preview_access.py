"""What the role that previews may read on a cluster: the objects of the program, and no Secret.

A preview without a refresh asks for nothing: where a dry run is forbidden, the provider goes by the inputs
(pulumi/pulumi-kubernetes: provider/pkg/provider/provider.go, Create and Update). A refresh gets each object,
and for some of them what tells whether they are ready (provider/pkg/await: `Read` of each awaiter). EKS's own
policies are too little or too much for it: AmazonEKSViewPolicy has no roles and no classes, and
AmazonEKSAdminViewPolicy has Secrets
(https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html).
"""

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rbac import Right, grant_group_everywhere
from moka.names import PREVIEWS_GROUP

READ = ("get", "list", "watch")

NAME = "moka-previews"

OBJECTS: Mapping[str, str] = {
    "": "configmaps limitranges namespaces resourcequotas serviceaccounts services",
    "admissionregistration.k8s.io": "validatingadmissionpolicies validatingadmissionpolicybindings",
    "apps": "daemonsets deployments statefulsets",
    "networking.k8s.io": "ingresses networkpolicies",
    "policy": "poddisruptionbudgets",
    "rbac.authorization.k8s.io": "clusterrolebindings clusterroles rolebindings roles",
    "scheduling.k8s.io": "priorityclasses",
    "storage.k8s.io": "storageclasses",
}
"""API group -> resources that the program makes; a test holds it equal to those of all previews."""

READINESS: Mapping[str, str] = {
    "": "endpoints persistentvolumeclaims pods",
    "apps": "replicasets",
}
"""API group -> resources that tell whether others are ready."""


class PreviewAccess(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:PreviewAccess`.

    Makes: a ClusterRole and its ClusterRoleBinding for the group `PREVIEWS_GROUP`.
    """

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:PreviewAccess", name, {}, opts)
        grant_group_everywhere(
            name,
            k8s.meta.v1.ObjectMetaArgs(name=NAME),
            [
                Right(group, resources, READ)
                for table in (OBJECTS, READINESS)
                for group, resources in table.items()
            ],
            pulumi.ResourceOptions(parent=self),
            group=PREVIEWS_GROUP,
        )
        self.register_outputs({})
