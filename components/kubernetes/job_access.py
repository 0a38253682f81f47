"""What people may do in a job namespace: groups of access entries, bound to Roles.

EKS's access policies grant nothing on custom resources, such as SparkApplications
(aws/containers-roadmap#2349).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rbac import Right, grant_group
from moka.components.ordering import known_after
from moka.names import JobsLevel, jobs_group

READ = ("get", "list", "watch")

VIEW = (
    Right("sparkoperator.k8s.io", "sparkapplications", READ),
    Right("", "pods", READ),
    Right("", "pods/log", ("get",)),
    Right("", "events", READ),
    # What bounds their jobs.
    Right("", "resourcequotas", READ),
    Right("", "limitranges", READ),
)

RIGHTS: Mapping[JobsLevel, tuple[Right, ...]] = {
    "view": VIEW,
    "edit": (
        *VIEW,
        Right("sparkoperator.k8s.io", "sparkapplications", ("create", "update", "patch", "delete")),
    ),
}
"""What each level allows. No Secrets and no ConfigMaps, nobody enters a pod, and nobody makes one but by a
SparkApplication, which the quota counts."""


@dataclass(frozen=True, kw_only=True)
class JobAccessArgs:
    """What differs between job namespaces.

    name: of the namespace; groups are named after it.
    namespace: the same, known once the namespace is there.
    """

    name: str
    namespace: pulumi.Input[str]


class JobAccess(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobAccess`.

    Makes: for each level of `RIGHTS` a Role `jobs-<level>` and its RoleBinding for the group
    `moka:jobs:<namespace>:<level>`, which access entries name.
    Outputs: `namespace`, known only once who has an access entry may work there.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: JobAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobAccess", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        bindings = [
            grant_group(
                f"{name}-{level}",
                k8s.meta.v1.ObjectMetaArgs(name=f"jobs-{level}", namespace=args.namespace),
                rights,
                child,
                group=jobs_group(args.name, level),
            )
            for level, rights in RIGHTS.items()
        ]
        self.namespace = known_after(args.namespace, *[binding.id for binding in bindings])
        self.register_outputs({"namespace": self.namespace})
