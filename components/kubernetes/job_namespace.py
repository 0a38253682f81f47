"""A namespace in which Spark applications run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.job_network import Egress, JobNetwork, JobNetworkArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs, PodSecurity
from moka.components.kubernetes.rbac import Right, grant
from moka.components.ordering import known_after
from moka.names import SPARK_ACCOUNT
from moka.quantities import canonical

DRIVER_VERBS: Mapping[str, tuple[str, ...]] = {
    # It makes its executors, watches them, marks those that are to go, and removes what is left in the end.
    "pods": ("get", "list", "watch", "create", "patch", "delete", "deletecollection"),
    "configmaps": ("get", "list", "create", "delete", "deletecollection"),
    "persistentvolumeclaims": ("get", "list", "create", "delete", "deletecollection"),
    # Its own was made by spark-submit.
    "services": ("get", "list", "delete", "deletecollection"),
}
"""What Spark 4.1 asks of the API server (its KubernetesClusterSchedulerBackend, ExecutorPodsAllocator and
ExecutorPodsLifecycleManager). Not secrets; but who may make pods can mount those of their namespace, so a job
namespace should hold none that its jobs must not see."""


@dataclass(frozen=True, kw_only=True)
class Quota:
    """What a namespace may hold at a time.

    pods: that have not finished; the placeholders of gang scheduling are pods, too.
    cpu, memory: that those pods ask for in all, as Kubernetes writes it. A gang's placeholders and the pods
        that take their places count twice for a moment.

    None where only the queues bound it.
    """

    pods: int | None = None
    cpu: str | None = None
    memory: str | None = None


@dataclass(frozen=True, kw_only=True)
class ContainerSize:
    """What a container may have, as Kubernetes writes it.

    cpu: such as 500m.
    memory: such as 2Gi.
    """

    cpu: str
    memory: str


@dataclass(frozen=True, kw_only=True)
class JobNamespaceArgs:
    """What differs between job namespaces.

    name: a change replaces the namespace and all in it.
    quota: what all of it may hold at a time.
    largest: what one container may have at most.
    pod_security: `restricted` keeps out the placeholders of YuniKorn's gang scheduling.
    isolated: network policies allow only what Spark needs, and `egress`.
    pod_networks: in which all pods of the cluster have their addresses, where its drivers and executors need
        no other ports of each other than Spark's own.
    egress: where else drivers and executors may connect to, each with a name.
    labels: of the namespace, besides those of pod security.
    """

    name: str
    quota: Quota = Quota()
    largest: ContainerSize = ContainerSize(cpu="128", memory="1Ti")
    pod_security: PodSecurity = "baseline"
    isolated: bool = True
    pod_networks: Sequence[str] = ()
    egress: Mapping[str, Egress] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


class JobNamespace(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobNamespace`.

    Makes: a Namespace; in it ServiceAccount `spark`, a Role with what a driver needs, and its RoleBinding;
    ResourceQuota `jobs`, LimitRange `containers`; a JobNetwork where it is isolated.
    Outputs: `name` and `service_account`, known only once a driver has its permissions and all bounds are
    there.
    """

    name: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(self, name: str, args: JobNamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobNamespace", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        namespace = Namespace(
            name, NamespaceArgs(name=args.name, pod_security=args.pod_security, labels=args.labels), child
        )
        metadata = k8s.meta.v1.ObjectMetaArgs(name=SPARK_ACCOUNT, namespace=namespace.name)
        account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
        binding = grant(
            name,
            metadata,
            [Right("", resource, verbs) for resource, verbs in DRIVER_VERBS.items()],
            child,
            account=known_after(SPARK_ACCOUNT, account.id),
            account_namespace=namespace.name,
        )
        bounds = [
            k8s.core.v1.ResourceQuota(
                name,
                metadata=k8s.meta.v1.ObjectMetaArgs(name="jobs", namespace=namespace.name),
                spec=k8s.core.v1.ResourceQuotaSpecArgs(hard=quota_limits(args.quota)),
                opts=child,
            ),
            k8s.core.v1.LimitRange(
                name,
                metadata=k8s.meta.v1.ObjectMetaArgs(name="containers", namespace=namespace.name),
                spec=k8s.core.v1.LimitRangeSpecArgs(limits=[container_limits(args.largest)]),
                opts=child,
            ),
        ]
        ready = [binding.id, *[bound.id for bound in bounds]]
        if args.isolated:
            network = JobNetwork(
                name,
                JobNetworkArgs(namespace=namespace.name, pod_networks=args.pod_networks, egress=args.egress),
                child,
            )
            ready.append(network.namespace)

        self.name = known_after(namespace.name, *ready)
        self.service_account = known_after(SPARK_ACCOUNT, self.name)
        self.register_outputs({"name": self.name, "service_account": self.service_account})


def quota_limits(quota: Quota) -> dict[str, str]:
    """A quota, as Kubernetes names its parts. No service opens a way in from outside."""
    return {
        "services.loadbalancers": "0",
        "services.nodeports": "0",
        **({"pods": canonical(str(quota.pods))} if quota.pods else {}),
        **({"requests.cpu": canonical(quota.cpu)} if quota.cpu else {}),
        **({"requests.memory": canonical(quota.memory)} if quota.memory else {}),
    }


def container_limits(largest: ContainerSize) -> k8s.core.v1.LimitRangeItemArgs:
    """Bounds of every container, and what one gets by default.

    A container without a limit for CPU, as Spark's are, gets the largest: more than its node has, so it is
    never throttled. Placeholders ask for what the pods do that take their places, and so fit where these do.
    """
    return k8s.core.v1.LimitRangeItemArgs(
        type="Container",
        default_request={"cpu": "100m", "memory": "256Mi"},
        default={"cpu": canonical(largest.cpu), "memory": "1Gi"},
        max={"cpu": canonical(largest.cpu), "memory": canonical(largest.memory)},
    )
