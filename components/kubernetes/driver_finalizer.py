"""The service that removes the finalizer of drivers once their application has read how they ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rbac import Right, grant
from moka.components.kubernetes.service import Service, ServiceArgs, service_metadata
from moka.components.ordering import known_after
from moka.names import JOB_NAMESPACE_LABEL

SERVICE = "driver-finalizer"

JOB_NAMESPACE_RIGHTS = (
    # Who may patch pods may exchange their images, and so run anything in them: to delete some, and to patch
    # applications, is no more.
    Right("", "pods", ("get", "list", "watch", "patch", "deletecollection")),
    # Which bindings YuniKorn gave up.
    Right("", "events", ("list", "watch")),
    # Whether what a driver mounts is there.
    Right("", "configmaps", ("get",)),
    Right("sparkoperator.k8s.io", "sparkapplications", ("get", "patch")),
    # A Role grants this for its own namespace only.
    Right("", "namespaces", ("get",)),
)

OWN_RIGHTS = (Right("", "configmaps", ("list",)),)


@dataclass(frozen=True, kw_only=True)
class DriverFinalizerArgs:
    """What differs between clusters.

    image: reference of the service's image, for every architecture of the system nodes.
    namespace: of the service.
    job_namespaces: those that it serves, once it has its Role there.
    """

    image: str
    namespace: pulumi.Input[str]
    job_namespaces: Sequence[str]


class DriverFinalizer(Service):
    """Pulumi type `moka:kubernetes:DriverFinalizer`: the Service `driver-finalizer`.

    Makes, besides what every Service does, a ConfigMap for each job namespace.

    Job namespaces must depend on it, so that they are deleted first: it removes the finalizers there.
    """

    def __init__(
        self, name: str, args: DriverFinalizerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        service = ServiceArgs(service=SERVICE, image=args.image, namespace=args.namespace, rights=OWN_RIGHTS)
        super().__init__(name, service, opts)
        for namespace in args.job_namespaces:
            # Not an argument of the Deployment, which is updated before a namespace is deleted.
            k8s.core.v1.ConfigMap(
                f"{name}-{namespace}",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    name=namespace,
                    namespace=args.namespace,
                    labels={"app.kubernetes.io/name": SERVICE, JOB_NAMESPACE_LABEL: namespace},
                ),
                opts=pulumi.ResourceOptions(parent=self),
            )


@dataclass(frozen=True, kw_only=True)
class DriverFinalizerRoleArgs:
    """Where the service removes finalizers.

    job_namespace: with the drivers.
    namespace: of the service.
    """

    job_namespace: pulumi.Input[str]
    namespace: pulumi.Input[str]


class DriverFinalizerRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:DriverFinalizerRole`.

    Makes: Role and RoleBinding `driver-finalizer` in a job namespace, for the service's ServiceAccount.
    Outputs: `job_namespace`, known only once finalizers are removed there.

    They must go with the namespace and not before it: Kubernetes deletes its pods first, and only then the
    Role by which their finalizers are removed. `opts` has to name it in `deleted_with`.
    """

    job_namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: DriverFinalizerRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:DriverFinalizerRole", name, {}, opts)
        binding = grant(
            f"{name}-{SERVICE}",
            service_metadata(SERVICE, args.job_namespace),
            JOB_NAMESPACE_RIGHTS,
            pulumi.ResourceOptions(parent=self, deleted_with=opts.deleted_with if opts else None),
            account=SERVICE,
            account_namespace=args.namespace,
        )
        self.job_namespace = known_after(args.job_namespace, binding.id)
        self.register_outputs({"job_namespace": self.job_namespace})
