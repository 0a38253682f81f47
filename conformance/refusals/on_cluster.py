"""What EKS refuses to put on a cluster; what it takes nevertheless is deleted with the rest."""

from typing import Any

from pulumi_aws import eks

from conformance.refusals.probe import Base, Cluster, Probe

CODE = "InvalidParameterException"


def group(cluster: Cluster, name: str, **more: Any) -> dict[str, Any]:
    """Inputs of a node group without machines that is right but for `more`."""
    return {
        "cluster_name": cluster.name,
        "node_group_name": f"moka-conformance-{name}",
        "node_role_arn": cluster.node_role_arn,
        "subnet_ids": list(cluster.subnet_ids),
        "scaling_config": {"min_size": 0, "desired_size": 0, "max_size": 1},
        "instance_types": ["m7g.large"],
        "ami_type": "AL2023_ARM_64_STANDARD",
        **more,
    }


def addon(cluster: Cluster, **more: Any) -> dict[str, Any]:
    """Inputs of an add-on that every cluster has, with what EKS looks at before it sees that."""
    return {"cluster_name": cluster.name, "addon_name": "coredns", **more}


def _next_minor(version: str) -> str:
    return f"1.{int(version.partition('.')[2]) + 1}"


def _association(base: Base, cluster: Cluster) -> dict[str, Any]:
    account = {"namespace": "default", "service_account": "moka-conformance"}
    return {"cluster_name": cluster.name, "role_arn": base.role_arn, **account}


PROBES = (
    Probe(
        rule="access-entries",
        name="access-entry-with-a-group-of-kubernetes",
        code=CODE,
        type=eks.AccessEntry,
        on_cluster=lambda base, cluster: {
            "cluster_name": cluster.name,
            "principal_arn": base.role_arn,
            "kubernetes_groups": ["system:masters"],
        },
    ),
    Probe(
        rule="add-on-configurations",
        name="add-on-with-a-setting-of-another-type",
        code=CODE,
        type=eks.Addon,
        on_cluster=lambda _, cluster: addon(cluster, configuration_values='{"replicaCount": "two"}'),
    ),
    Probe(
        rule="addon-configuration",
        name="add-on-with-a-configuration-that-is-cut-short",
        code=CODE,
        type=eks.Addon,
        on_cluster=lambda _, cluster: addon(cluster, configuration_values='{"replicaCount": '),
    ),
    Probe(
        rule="addon-version",
        name="add-on-of-a-version-that-is-none",
        code=CODE,
        type=eks.Addon,
        on_cluster=lambda _, cluster: addon(cluster, addon_version="1.13.2"),
    ),
    Probe(
        rule="fargate-subnets",
        name="fargate-profile-in-a-public-subnet",
        code=CODE,
        type=eks.FargateProfile,
        on_cluster=lambda base, cluster: {
            "cluster_name": cluster.name,
            "fargate_profile_name": "moka-conformance",
            "pod_execution_role_arn": base.role_arn,
            "subnet_ids": [cluster.public_subnet_id],
            "selectors": [{"namespace": "moka-conformance"}],
        },
    ),
    Probe(
        rule="machine-image",
        name="group-with-an-image-of-another-architecture",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda _, cluster: group(cluster, "image", ami_type="AL2023_x86_64_STANDARD"),
    ),
    Probe(
        rule="node-group-settings",
        name="group-with-a-label-of-kubernetes",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda _, cluster: group(cluster, "label", labels={"kubernetes.io/moka": "probe"}),
    ),
    Probe(
        rule="node-group-sizes",
        name="group-that-wants-more-than-its-maximum",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda _, cluster: group(
            cluster, "sizes", scaling_config={"min_size": 0, "desired_size": 2, "max_size": 1}
        ),
    ),
    Probe(
        rule="node-group-subnets",
        name="group-in-the-subnets-of-another-network",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda base, cluster: group(
            cluster,
            "subnets",
            subnet_ids=list(base.subnet_ids),
            scaling_config={"min_size": 0, "desired_size": 1, "max_size": 1},
        ),
    ),
    Probe(
        rule="node-group-template",
        name="group-with-a-disk-beside-its-template",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda _, cluster: group(
            cluster, "template", launch_template=dict(cluster.template), disk_size=100
        ),
    ),
    Probe(
        rule="node-group-version",
        name="group-that-is-newer-than-its-cluster",
        code=CODE,
        type=eks.NodeGroup,
        on_cluster=lambda _, cluster: group(cluster, "version", version=_next_minor(cluster.version)),
    ),
    Probe(
        rule="pod-identity",
        name="association-of-a-role-that-pods-may-not-take",
        code="AccessDeniedException",
        type=eks.PodIdentityAssociation,
        on_cluster=_association,
    ),
)
