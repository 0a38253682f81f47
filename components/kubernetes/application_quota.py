"""How many SparkApplications a namespace may hold."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.ordering import known_after
from moka.quantities import canonical

APPLICATIONS = "count/sparkapplications.sparkoperator.k8s.io"

COUNTED = f"jsonpath={{.status.used['{APPLICATIONS}']}}"
"""Until they are counted, every application is refused. Kubernetes looks for new definitions every 30 s, and
every 5 minutes at quotas that were there before: so a quota comes after the definitions and is waited for."""


@dataclass(frozen=True, kw_only=True)
class ApplicationQuotaArgs:
    """What differs between namespaces.

    namespace: it must exist, and the definition of SparkApplications, too.
    applications: SparkApplications, finished ones included, until their time to live is over.
    """

    namespace: pulumi.Input[str]
    applications: int


class ApplicationQuota(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ApplicationQuota`.

    Makes: ResourceQuota `applications`.
    Outputs: `namespace`, known only once applications are counted, and so can be submitted.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: ApplicationQuotaArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:ApplicationQuota", name, {}, opts)

        quota = k8s.core.v1.ResourceQuota(
            f"{name}-applications",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name="applications",
                namespace=args.namespace,
                annotations={"pulumi.com/waitFor": COUNTED},
            ),
            spec=k8s.core.v1.ResourceQuotaSpecArgs(hard={APPLICATIONS: canonical(str(args.applications))}),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.namespace = known_after(args.namespace, quota.id)
        self.register_outputs({"namespace": self.namespace})
