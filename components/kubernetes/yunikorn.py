"""YuniKorn, the scheduler of jobs, and its queues."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog, Values
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import service_labels
from moka.control_plane_tiers import Tier
from moka.names import (
    INGRESS_NAMESPACE,
    MONITORING_NAMESPACE,
    UI_GATEWAY,
    USAGE_RECORDER,
    USAGE_RECORDER_NAMESPACE,
    YUNIKORN_CONFIGS,
)
from moka.queues import QueueTree, config_map, queues_yaml
from moka.sizes.yunikorn import api_requests_per_second

SERVICE = "yunikorn-service"
"""Name that the chart gives its service, whatever the release is called."""

ADMISSION_CONTROLLER = "yunikorn-admission-controller"
SCHEDULER = "yunikorn-scheduler"
"""Labels `component` that the chart gives their pods."""

API_PORT, WEB_PORT = 9080, 9889
"""Of the scheduler's pod, and of the chart's service: its web page asks the API below `/ws`."""

CONTROLLERS = (
    "^system:serviceaccount:kube-system:"
    "(cronjob|daemon-set|deployment|job|replicaset|statefulset)-controller$"
)
"""Regular expression of Kubernetes' controllers that make pods of a template, which the admission controller
has checked.
"""


@dataclass(frozen=True, kw_only=True)
class YuniKornArgs:
    """What differs between clusters.

    namespace: of the scheduler and its queues.
    queues: the queue tree; a change is read at once, without a restart. Another program may keep others in
        place of it for a time, as `moka.queues.config_map` says.
    job_namespaces: the namespaces whose pods YuniKorn schedules; all others keep Kubernetes' scheduler.
    trusted: regular expressions of the users of Kubernetes who may say for which user a pod is; a pod of any
        other user is for that user.
    nodes: that the cluster may have at most; the size of the scheduler follows from it.
    tier: of the cluster's control plane, which bounds the scheduler's requests a second.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    queues: QueueTree
    job_namespaces: Sequence[str]
    trusted: Sequence[str] = ()
    nodes: int = 1_000
    tier: Tier = "standard"


class YuniKorn(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:YuniKorn`.

    Makes: ConfigMap `yunikorn-configs` (queues and what is admitted), a Chart, NetworkPolicy
    `yunikorn-scheduler`, and a PodDisruptionBudget of the admission controller, as the chart has none.
    Outputs: `namespace` and `url` of its REST API within the cluster, known only once it schedules.
    """

    namespace: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(self, name: str, args: YuniKornArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:YuniKorn", name, {}, opts)

        configs = k8s.core.v1.ConfigMap(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=YUNIKORN_CONFIGS, namespace=args.namespace),
            data={config_map.KEY: queues_yaml(args.queues), **admission(args.job_namespaces, args.trusted)},
            opts=pulumi.ResourceOptions(parent=self),
        )
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="yunikorn",
                namespace=args.namespace,
                values={
                    "yunikornDefaults": {
                        "service.placeholderImage": args.catalog.image("pause"),
                        "kubernetes.qps": str(api_requests_per_second(args.nodes, args.tier)),
                        "kubernetes.burst": str(api_requests_per_second(args.nodes, args.tier)),
                    },
                    **scheduler_values(args.nodes),
                },
            ),
            # Without queues it would start with its own, in which any namespace gets one.
            pulumi.ResourceOptions(parent=self, depends_on=[configs]),
        )

        k8s.policy.v1.PodDisruptionBudget(
            f"{name}-admission",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=ADMISSION_CONTROLLER, namespace=args.namespace),
            spec=k8s.policy.v1.PodDisruptionBudgetSpecArgs(
                max_unavailable=1,
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels(ADMISSION_CONTROLLER)),
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        k8s.networking.v1.NetworkPolicy(
            f"{name}-scheduler",
            metadata=k8s.meta.v1.ObjectMetaArgs(name=SCHEDULER, namespace=args.namespace),
            spec=pulumi.Output.from_input(args.namespace).apply(way_in),
            opts=pulumi.ResourceOptions(parent=self),
        )

        self.namespace = chart.namespace
        self.url = chart.namespace.apply(lambda namespace: f"http://{SERVICE}.{namespace}:{API_PORT}")
        self.register_outputs({"namespace": self.namespace, "url": self.url})


def labels(component: str) -> dict[str, str]:
    """Labels that the chart gives the pods of a component."""
    return {"app": "yunikorn", "component": component}


def way_in(namespace: str) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Who reaches the scheduler, whose page and API ask nobody who it is.

    The gateway, which asks; the recorder of what was used; collectors; and the admission controller, which
    has it check a change of the queues (apache/yunikorn-k8shim, pkg/admission). The API server calls that
    one, and not the scheduler.
    """
    gateway = peer(INGRESS_NAMESPACE, service_labels(UI_GATEWAY))
    askers = [
        gateway,
        peer(USAGE_RECORDER_NAMESPACE, service_labels(USAGE_RECORDER)),
        peer(MONITORING_NAMESPACE),
        peer(namespace, labels(ADMISSION_CONTROLLER)),
    ]
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels(SCHEDULER)),
        policy_types=["Ingress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=askers,
                ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=API_PORT, protocol="TCP")],
            ),
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=[gateway],
                ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=WEB_PORT, protocol="TCP")],
            ),
        ],
    )


def admission(job_namespaces: Sequence[str], trusted: Sequence[str]) -> dict[str, str]:
    """What YuniKorn's admission controller does, which reads its configuration anew when it changes.

    As read in apache/yunikorn-k8shim v1.8.0, pkg/admission: lists are of regular expressions, and a list of
    namespaces that is empty means all of them.
    """
    return {
        # Without a job namespace, none: an empty list would be all.
        "admissionController.filtering.processNamespaces": name_patterns(job_namespaces) or NO_NAME,
        "admissionController.filtering.bypassNamespaces": "^kube-system$",
        "admissionController.accessControl.bypassAuth": "false",
        "admissionController.accessControl.trustControllers": "true",
        # By default every account of kube-system, with whatever add-on brings one.
        "admissionController.accessControl.systemUsers": CONTROLLERS,
        "admissionController.accessControl.externalUsers": ",".join(sorted(trusted)),
        "admissionController.accessControl.externalGroups": "^system:masters$",
    }


NO_NAME = "^$"
"""A regular expression that matches no name."""


def name_patterns(namespaces: Sequence[str]) -> str:
    """Regular expressions, as YuniKorn's admission filter takes them, that match only these namespaces."""
    return ",".join(f"^{namespace}$" for namespace in sorted(namespaces))


def service_account_pattern(namespace: str, name: str = "") -> str:
    """Regular expression of a service account as a user, or of all those of a namespace."""
    return f"^system:serviceaccount:{namespace}:" + (f"{name}$" if name else "")


def scheduler_values(nodes: int) -> Values:
    """Values of the scheduler's pod that the number of nodes decides.

    1,000 nodes with 10,000 pods took 1.1 GiB at the peak (`make bench`); here is room for 20 pods a node.
    """
    thousands = max(1, -(-nodes // 1_000))
    memory = 2 * (1 + thousands)
    return {
        # So that Go collects harder before the limit is met.
        "goMemoryLimit": f"{memory * 1024 * 4 // 5}MiB",
        "resources": {
            "requests": {"cpu": str(1 + (thousands + 1) // 2), "memory": f"{memory}Gi"},
            "limits": {"cpu": str(4 + thousands), "memory": f"{memory}Gi"},
        },
    }
