"""Fluent Bit: the logs of every node and its pods, to S3, those of jobs apart from all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml

from moka.catalog import FOLDER, Catalog
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.names import FLUENT_BIT_ACCOUNT
from moka.sizes.fluent_bit import FluentBitSize

SOURCES = FOLDER / "fluent-bit"
"""What Fluent Bit reads, beside the values of its chart."""

KUBELET_ROLE = "fluent-bit-kubelet"
"""ClusterRole; of another name than the one that the chart would make, and earlier versions did."""


@dataclass(frozen=True, kw_only=True)
class FluentBitArgs:
    """What differs between clusters.

    namespace: it must allow privileged pods, for the nodes' folders.
    cluster: name, first part of every object's key.
    job_namespaces: the namespaces whose pods are jobs, drivers and executors.
    job_logs_bucket: where their logs go, under the keys of moka/log_keys.py.
    system_logs_bucket: where logs of all other pods, and of nodes, go.
    region: of both buckets.
    usage_bucket, usage_region: where YuniKorn's summaries of applications go.
    size: how long uploads wait, and what a node keeps while S3 is away.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    job_namespaces: Sequence[str]
    job_logs_bucket: pulumi.Input[str]
    system_logs_bucket: pulumi.Input[str]
    region: str
    usage_bucket: pulumi.Input[str]
    usage_region: pulumi.Input[str]
    size: FluentBitSize


class FluentBit(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:FluentBit`.

    Makes: a Chart, a DaemonSet on every node, with service account `fluent-bit`; a ClusterRole and its
    binding, with which it asks the kubelet of its node for labels of pods.
    Outputs: `namespace`, known only once logs are read on every node.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: FluentBitArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:FluentBit", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        right = _kubelet_right(name, args.namespace, child)
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="fluent-bit",
                namespace=args.namespace,
                values={
                    "serviceAccount": {"name": FLUENT_BIT_ACCOUNT},
                    "env": environment(args),
                    "config": {"extraFiles": {"fluent-bit.yaml": pipeline()}},
                    "luaScripts": {path.name: path.read_text() for path in sorted(SOURCES.glob("*.lua"))},
                },
            ),
            # Pods that may not ask would put logs of jobs under `none/unknown`.
            pulumi.ResourceOptions(parent=self, depends_on=[right]),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def environment(args: FluentBitArgs) -> list[dict[str, Any]]:
    """What the pipeline names as `${...}`, as the environment of a container."""
    values: dict[str, pulumi.Input[str]] = {
        "CLUSTER": args.cluster,
        "JOB_LOGS": log_patterns(args.job_namespaces),
        "JOB_LOGS_BUCKET": args.job_logs_bucket,
        "SYSTEM_LOGS_BUCKET": args.system_logs_bucket,
        "REGION": args.region,
        "USAGE_BUCKET": args.usage_bucket,
        "USAGE_REGION": args.usage_region,
        "DRIVERS_UPLOAD": str(args.size.drivers_upload),
        "OTHERS_UPLOAD": str(args.size.others_upload),
    }
    for output, buffer in args.size.buffers.items():
        values[f"{output.upper()}_STORE"] = str(buffer.store)
        values[f"{output.upper()}_QUEUE"] = str(buffer.queue)
    of_the_pod = {"NODE": "spec.nodeName", "NODE_IP": "status.hostIP"}
    return [
        *({"name": key, "value": value} for key, value in values.items()),
        *({"name": key, "valueFrom": {"fieldRef": {"fieldPath": path}}} for key, path in of_the_pod.items()),
    ]


def pipeline(folder: Path = SOURCES) -> str:
    """Fluent Bit's configuration in YAML, without what its reader does not know: anchors, and null."""
    sections: dict[str, Any] = yaml.safe_load((folder / "pipeline.yaml").read_text())
    return yaml.dump(_without_null(sections), Dumper=_Plain, sort_keys=False, width=10_000)


def log_patterns(namespaces: Sequence[str]) -> str:
    """Patterns, for Fluent Bit, of the log files on a node of the pods in these namespaces.

    They are `/var/log/pods/<namespace>_<pod>_<uid>/<container>/<restarts>.log`, with more at the
    end of what was rotated, and none of the names has an underscore.
    """
    return ",".join(f"/var/log/pods/{namespace}_*/*/*.log*" for namespace in sorted(namespaces))


class _Plain(yaml.SafeDumper):
    """Writes what comes twice twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value


def _kubelet_right(
    name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> k8s.rbac.v1.ClusterRoleBinding:
    """The right to ask kubelets for their pods, and for nothing else.

    From Kubernetes 1.33 on this takes `nodes/pods`, which is less than `nodes/proxy`, with which commands can
    be run in pods (https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/).
    """
    metadata = k8s.meta.v1.ObjectMetaArgs(name=KUBELET_ROLE)
    role = k8s.rbac.v1.ClusterRole(
        name,
        metadata=metadata,
        rules=[k8s.rbac.v1.PolicyRuleArgs(api_groups=[""], resources=["nodes/pods"], verbs=["get"])],
        opts=opts,
    )
    return k8s.rbac.v1.ClusterRoleBinding(
        name,
        metadata=metadata,
        role_ref=k8s.rbac.v1.RoleRefArgs(
            api_group="rbac.authorization.k8s.io",
            kind="ClusterRole",
            name=role.id.apply(lambda _: KUBELET_ROLE),
        ),
        subjects=[
            k8s.rbac.v1.SubjectArgs(kind="ServiceAccount", name=FLUENT_BIT_ACCOUNT, namespace=namespace)
        ],
        opts=opts,
    )
