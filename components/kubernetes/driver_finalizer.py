"""The controller that lets finished driver pods go once their application has read how they ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from moka.names import JOB_NAMESPACE_LABEL

SERVICE_ACCOUNT = "driver-finalizer"
"""Also the name of all else that is made."""

RIGHTS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("", "pods", ("get", "list", "watch", "patch")),
    ("sparkoperator.k8s.io", "sparkapplications", ("get",)),
    # A Role grants this for its own namespace alone.
    ("", "namespaces", ("get",)),
)
"""In each job namespace: group, resource, verbs."""

OWN_RIGHTS: Sequence[tuple[str, str, Sequence[str]]] = (("", "configmaps", ("list",)),)
"""In the controller's own namespace."""

PORT = 8080
UID = 65532


@dataclass(frozen=True, kw_only=True)
class DriverFinalizerArgs:
    """What differs between clusters.

    image: reference of the controller's image, for every architecture of the system nodes.
    namespace: of the controller.
    job_namespaces: those that it serves, once it has its Role there.
    """

    image: str
    namespace: pulumi.Input[str]
    job_namespaces: Sequence[str]


class DriverFinalizer(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:DriverFinalizer`.

    Makes: ServiceAccount, Role, RoleBinding and Deployment `driver-finalizer`, and a ConfigMap for each job
    namespace.
    Outputs: `namespace` and `service_account`, known only once the controller runs.

    Job namespaces must depend on it, so that they are deleted first: it is what lets their drivers go.
    """

    namespace: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(
        self, name: str, args: DriverFinalizerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:DriverFinalizer", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/name": SERVICE_ACCOUNT}
        metadata = k8s.meta.v1.ObjectMetaArgs(name=SERVICE_ACCOUNT, namespace=args.namespace, labels=labels)

        account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
        role = k8s.rbac.v1.Role(name, metadata=metadata, rules=_rules(OWN_RIGHTS), opts=child)
        binding = _binding(name, metadata, role, args.namespace, child)
        for each in args.job_namespaces:
            # Not an argument of the Deployment, which is updated before a namespace is deleted.
            k8s.core.v1.ConfigMap(
                f"{name}-{each}",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    name=each, namespace=args.namespace, labels={**labels, JOB_NAMESPACE_LABEL: each}
                ),
                opts=child,
            )
        deployment = k8s.apps.v1.Deployment(
            name,
            metadata=metadata,
            spec=k8s.apps.v1.DeploymentSpecArgs(
                replicas=1,
                # There is no lease; two at once would do no harm, and all the work twice.
                strategy=k8s.apps.v1.DeploymentStrategyArgs(type="Recreate"),
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(
                        labels=labels,
                        annotations={
                            "prometheus.io/scrape": "true",
                            "prometheus.io/port": str(PORT),
                            "prometheus.io/path": "/metrics",
                        },
                    ),
                    spec=_pod(args.image),
                ),
            ),
            opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[account, binding])),
        )
        ready = pulumi.Output.all(args.namespace, deployment.id)
        self.namespace = ready.apply(lambda known: str(known[0]))
        self.service_account = ready.apply(lambda _: SERVICE_ACCOUNT)
        self.register_outputs({"namespace": self.namespace, "service_account": self.service_account})


@dataclass(frozen=True, kw_only=True)
class DriverFinalizerRoleArgs:
    """Where the controller is to do its part.

    job_namespace: with the drivers.
    namespace: of the controller.
    """

    job_namespace: pulumi.Input[str]
    namespace: pulumi.Input[str]


class DriverFinalizerRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:DriverFinalizerRole`.

    Makes: Role and RoleBinding `driver-finalizer` in a job namespace, for the controller's service account.
    Outputs: `job_namespace`, known only once drivers there are let go.

    They must go with the namespace and not before it: Kubernetes deletes its pods first, and only then the
    Role by which their finalizers are removed. `opts` has to name it in `deleted_with`.
    """

    job_namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: DriverFinalizerRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:DriverFinalizerRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self, deleted_with=opts.deleted_with if opts else None)
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=SERVICE_ACCOUNT,
            namespace=args.job_namespace,
            labels={"app.kubernetes.io/name": SERVICE_ACCOUNT},
        )
        role = k8s.rbac.v1.Role(
            f"{name}-driver-finalizer",
            metadata=metadata,
            rules=_rules(RIGHTS),
            opts=child,
        )
        binding = _binding(f"{name}-driver-finalizer", metadata, role, args.namespace, child)
        made = pulumi.Output.all(args.job_namespace, binding.id)
        self.job_namespace = made.apply(lambda known: str(known[0]))
        self.register_outputs({"job_namespace": self.job_namespace})


def _rules(rights: Sequence[tuple[str, str, Sequence[str]]]) -> list[k8s.rbac.v1.PolicyRuleArgs]:
    return [
        k8s.rbac.v1.PolicyRuleArgs(api_groups=[group], resources=[resource], verbs=list(verbs))
        for group, resource, verbs in rights
    ]


def _binding(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    role: k8s.rbac.v1.Role,
    of: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> k8s.rbac.v1.RoleBinding:
    """The role for the controller's service account in the namespace `of`."""
    return k8s.rbac.v1.RoleBinding(
        name,
        metadata=metadata,
        role_ref=k8s.rbac.v1.RoleRefArgs(
            api_group="rbac.authorization.k8s.io",
            kind="Role",
            name=role.id.apply(lambda _: SERVICE_ACCOUNT),
        ),
        subjects=[k8s.rbac.v1.SubjectArgs(kind="ServiceAccount", name=SERVICE_ACCOUNT, namespace=of)],
        opts=opts,
    )


def _pod(image: str) -> k8s.core.v1.PodSpecArgs:
    healthy = k8s.core.v1.HTTPGetActionArgs(path="/healthz", port="http")
    return k8s.core.v1.PodSpecArgs(
        service_account_name=SERVICE_ACCOUNT,
        node_selector=node_selector("system"),
        tolerations=tolerations("system"),
        priority_class_name=PLATFORM_PRIORITY,
        security_context=k8s.core.v1.PodSecurityContextArgs(
            run_as_user=UID,
            run_as_group=UID,
            run_as_non_root=True,
            seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
        ),
        containers=[
            k8s.core.v1.ContainerArgs(
                name=SERVICE_ACCOUNT,
                image=image,
                args=[f"--listen=0.0.0.0:{PORT}"],
                ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=PORT)],
                readiness_probe=k8s.core.v1.ProbeArgs(http_get=healthy, period_seconds=5),
                liveness_probe=k8s.core.v1.ProbeArgs(
                    http_get=healthy, initial_delay_seconds=30, period_seconds=30, timeout_seconds=10
                ),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": "50m", "memory": "128Mi"}, limits={"memory": "512Mi"}
                ),
                security_context=k8s.core.v1.SecurityContextArgs(
                    allow_privilege_escalation=False,
                    read_only_root_filesystem=True,
                    capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
                ),
            )
        ],
    )
