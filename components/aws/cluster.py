"""An EKS cluster: its control plane, who may enter it, and the add-ons that its nodes cannot do without."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.aws.addons import Addon
from components.aws.node_role import NodeRole, NodeRoleArgs

LOGS = ("api", "audit", "authenticator", "controllerManager", "scheduler")
ADMINISTRATOR = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What differs between clusters.

    name: name of the cluster, unique in its account and region; a change replaces it.
    version: Kubernetes version, for example `1.34`; it goes up one minor version at a time.
    vpc_id, subnet_ids: network, and the subnets (two zones at least) in which the API server is reached.
    secrets_key_arn: KMS key that encrypts Kubernetes secrets; it cannot be changed.
    deployer_arn: IAM role or user that deploys to the cluster, its only administrator.
    vpc_cni, kube_proxy: the two add-ons of every node.
    public_cidrs: networks from which the API server may be reached from outside the VPC; by default none.
    logs: control-plane logs to keep.
    deletion_protection: refuse to delete the cluster.
    permissions_boundary_arn: policy that bounds the node role.
    """

    name: str
    version: str
    vpc_id: pulumi.Input[str]
    subnet_ids: pulumi.Input[list[str]]
    secrets_key_arn: pulumi.Input[str]
    deployer_arn: str
    vpc_cni: Addon
    kube_proxy: Addon
    public_cidrs: tuple[str, ...] = ()
    logs: tuple[str, ...] = LOGS
    deletion_protection: bool = True
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class Cluster(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Cluster`.

    Makes: eks.Cluster of pulumi_eks (service role, control plane, VPC CNI, kube-proxy) without nodes or
    security groups of its own, NodeRole, and for the deployer eks.AccessEntry and AccessPolicyAssociation.
    Outputs: `name`, `arn`, `endpoint`, `certificate_authority` (base64), `security_group_id` (the one that
    EKS makes, shared by control plane and nodes), `node_role_arn`; `kubeconfig` (JSON, without a secret),
    known only once the deployer may enter; `eks_cluster`, for node groups.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    certificate_authority: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    node_role_arn: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    eks_cluster: eks.Cluster

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Cluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        # A cluster cannot be renamed or moved: neither can its logical name.
        self.eks_cluster = eks.Cluster(
            name,
            name=args.name,
            version=args.version,
            vpc_id=args.vpc_id,
            subnet_ids=args.subnet_ids,
            endpoint_private_access=True,
            endpoint_public_access=bool(args.public_cidrs),
            public_access_cidrs=list(args.public_cidrs) or None,
            authentication_mode=eks.AuthenticationMode.API,
            encryption_config_key_arn=args.secrets_key_arn,
            enabled_cluster_log_types=list(args.logs),
            deletion_protection=args.deletion_protection,
            skip_default_node_group=True,
            skip_default_security_groups=True,
            # Add-ons are ours from the first hour, at versions that we name.
            bootstrap_self_managed_addons=False,
            vpc_cni_options=eks.VpcCniOptionsArgs(
                addon_version=args.vpc_cni.version,
                configuration_values=args.vpc_cni.configuration or None,
            ),
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(
                version=args.kube_proxy.version,
                configuration_values=args.kube_proxy.configuration or None,
            ),
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, transforms=[_without_creator]),
        )
        cluster = self.eks_cluster.eks_cluster
        cluster_name: pulumi.Output[str] = cluster.apply(lambda made: made.name)

        # Made here and not by an argument of pulumi_eks, so that what needs the kubeconfig needs these too,
        # and on the way down is gone before they are.
        entry = aws.eks.AccessEntry(
            f"{name}-deployer",
            cluster_name=cluster_name,
            principal_arn=args.deployer_arn,
            type="STANDARD",
            tags=args.tags,
            opts=child,
        )
        administrator = aws.eks.AccessPolicyAssociation(
            f"{name}-deployer",
            cluster_name=cluster_name,
            principal_arn=entry.principal_arn,
            policy_arn=ADMINISTRATOR,
            access_scope={"type": "cluster"},
            opts=child,
        )
        node_role = NodeRole(
            f"{name}-node",
            NodeRoleArgs(permissions_boundary_arn=args.permissions_boundary_arn, tags=args.tags),
            opts=child,
        )

        self.name = cluster_name
        self.arn = cluster.apply(lambda made: made.arn)
        self.endpoint = cluster.apply(lambda made: made.endpoint)
        self.certificate_authority = cluster.apply(
            lambda made: made.certificate_authority.apply(lambda authority: authority.data or "")
        )
        self.security_group_id = self.eks_cluster.cluster_security_group_id
        self.node_role_arn = node_role.arn
        self.kubeconfig = pulumi.Output.all(self.eks_cluster.kubeconfig_json, administrator.id).apply(
            lambda made: made[0]
        )
        self.register_outputs(
            {
                "name": self.name,
                "arn": self.arn,
                "endpoint": self.endpoint,
                "certificate_authority": self.certificate_authority,
                "security_group_id": self.security_group_id,
                "node_role_arn": self.node_role_arn,
                "kubeconfig": self.kubeconfig,
            }
        )


def without_creator(inputs: Mapping[str, object]) -> dict[str, object]:
    """Inputs of an EKS cluster with which its creator gets no access unless an entry says so.

    pulumi_eks always grants it, and it could never be taken back.
    """
    access = inputs.get("accessConfig")
    access = dict(access) if isinstance(access, Mapping) else {}
    return {**inputs, "accessConfig": {**access, "bootstrapClusterCreatorAdminPermissions": False}}


def _without_creator(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    if args.type_ != "aws:eks/cluster:Cluster":
        return None
    return pulumi.ResourceTransformResult(without_creator(args.props), args.opts)
