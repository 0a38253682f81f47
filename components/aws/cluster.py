"""An EKS cluster: its control plane, who may enter it, and what its nodes cannot do without."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from moka.components.aws.access_entry import AccessEntry, AccessEntryArgs, ClusterAccess
from moka.components.aws.addons import Addon, Addons, AddonsArgs
from moka.components.aws.node_role import NodeRole, NodeRoleArgs
from moka.components.aws.policy import Statement, trust
from moka.components.ordering import known_after
from moka.components.transforms import transform_of
from moka.control_plane_logs import LOG_CLASSES, LOG_TYPES, LogClass, LogType
from moka.control_plane_tiers import Tier
from moka.names import PREVIEWS_GROUP, cluster_log_group
from moka.partition import managed_policy

HTTPS_PORT = 443

Support = Literal["standard", "extended"]


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What differs between clusters.

    name: name of the cluster, unique in its account and region; a change replaces it.
    region: AWS region.
    version: Kubernetes version, for example `1.35`; it goes up one minor version at a time.
    vpc_id, subnet_ids: network, and the subnets (two zones at least) in which the API server is reached.
        Others later change nothing, as EKS takes none of another zone.
    service_cidr: addresses of Services, none of a network that pods have to reach; by default EKS chooses. A
        change replaces the cluster.
    key_arn: KMS key that encrypts Kubernetes secrets, which cannot be changed, and control-plane logs; its
        policy must let CloudWatch Logs use it.
    deployer_arn: IAM role or user that deploys to the cluster, an administrator.
    vpc_cni, kube_proxy, pod_identity_agent: the add-ons of every node, there before any node.
    profile: of the AWS configuration, with which the kubeconfig signs in; by default with the credentials at
        hand.
    access: who else may enter, each with a name; other principals than the deployer.
    previewer_arn: IAM role that previews, in the group `PREVIEWS_GROUP`; by default none.
    public_cidrs: networks from which the API server may be reached over the internet; by default none.
    api_cidrs, api_groups: connected networks, and security groups of the VPC, from which its private endpoint
        may be reached; EKS itself lets in only what has the cluster's own security group. With `public_cidrs`
        its name means the public endpoint everywhere but in the VPC.
    support: what happens when standard support of the Kubernetes version ends: EKS upgrades the cluster, or
        supports it for longer, at a price.
    zonal_shift: let AWS move traffic away from a zone in trouble.
    tier: what the control plane carries; a change is no interruption.
    log_types: of the control plane's logs, those that it writes; EKS takes them to CloudWatch Logs only.
    log_days: days that they are kept, one of the numbers that CloudWatch Logs knows.
    log_class: of their log group; a change replaces it.
    node_statements: what nodes may do besides joining the cluster and pulling images.
    path, permissions_boundary_arn: of every role that is made here.
    retain: refuse to delete or replace the cluster, and keep it and its logs when they are removed from the
        stack.
    tags: of every AWS resource that is made here.
    """

    name: str
    region: str
    version: str
    vpc_id: pulumi.Input[str]
    subnet_ids: pulumi.Input[list[str]]
    key_arn: pulumi.Input[str]
    deployer_arn: str
    vpc_cni: Addon
    kube_proxy: Addon
    pod_identity_agent: Addon
    service_cidr: str | None = None
    profile: str | None = None
    access: Mapping[str, ClusterAccess] = field(default_factory=dict)
    previewer_arn: str | None = None
    public_cidrs: tuple[str, ...] = ()
    api_cidrs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    support: Support = "standard"
    zonal_shift: bool = True
    tier: Tier = "standard"
    log_types: tuple[LogType, ...] = LOG_TYPES
    log_days: int = 90
    log_class: LogClass = "standard"
    node_statements: Sequence[Statement] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Cluster(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Cluster`.

    Makes: cloudwatch.LogGroup and the cluster's iam.Role, before the cluster and gone after it; eks.Cluster
    of pulumi_eks (control plane) without nodes, add-ons or security groups of its own; a
    vpc.SecurityGroupIngressRule of the cluster's security group for each of `api_cidrs` and `api_groups`;
    AccessEntry for the deployer, the previewer and each of `access`; Addons of every node; NodeRole.
    Outputs: `name`, `arn`, `endpoint`, `certificate_authority` (base64), `security_group_id` (the one that
    EKS makes, shared by control plane and nodes); `node_role_arn`, known only once nodes may come: what has
    it comes after the add-ons of every node and goes before them; `kubeconfig` (JSON, without a secret),
    known only once the deployer may enter and has a way in; `eks_cluster`, for node groups; `deployer`, the
    deployer's entry, for what asks the API server as it goes.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    certificate_authority: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    node_role_arn: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    eks_cluster: eks.Cluster
    deployer: AccessEntry

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Cluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        # EKS would make it when the first log is written, without an expiry and without the key.
        logs = aws.cloudwatch.LogGroup(
            name,
            name=cluster_log_group(args.name),
            retention_in_days=args.log_days,
            log_group_class=LOG_CLASSES[args.log_class],
            kms_key_id=args.key_arn,
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
        )
        role = aws.iam.Role(
            f"{name}-cluster",
            path=args.path,
            assume_role_policy=trust("eks.amazonaws.com", tags=True),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        permissions = aws.iam.RolePolicyAttachment(
            f"{name}-cluster",
            role=role.name,
            policy_arn=managed_policy("AmazonEKSClusterPolicy", args.region),
            opts=child,
        )

        # A cluster cannot be renamed or moved: neither can its logical name.
        self.eks_cluster = eks.Cluster(
            name,
            name=args.name,
            version=args.version,
            # Known only once logs have a place to go, and the role may do what it is for: it must outlive the
            # cluster, or EKS cannot clear away what it made in the VPC.
            service_role=pulumi.Output.all(role, permissions.role, logs.name).apply(itemgetter(0)),
            vpc_id=args.vpc_id,
            subnet_ids=args.subnet_ids,
            kubernetes_service_ip_address_range=args.service_cidr,
            endpoint_private_access=True,
            endpoint_public_access=bool(args.public_cidrs),
            public_access_cidrs=list(args.public_cidrs) or None,
            authentication_mode=eks.AuthenticationMode.API,
            encryption_config_key_arn=args.key_arn,
            enabled_cluster_log_types=list(args.log_types),
            deletion_protection=args.retain,
            upgrade_policy={"support_type": args.support.upper()},
            skip_default_node_group=True,
            skip_default_security_groups=True,
            # All add-ons are managed from the start, in one way and at pinned versions.
            bootstrap_self_managed_addons=False,
            use_default_vpc_cni=True,
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            tags=args.tags,
            opts=pulumi.ResourceOptions(
                parent=self,
                transforms=[
                    transform_of(
                        "aws:eks/cluster:Cluster",
                        lambda inputs: with_missing_arguments(
                            inputs, zonal_shift=args.zonal_shift, tier=args.tier
                        ),
                        pulumi.ResourceOptions(
                            protect=args.retain,
                            retain_on_delete=args.retain,
                            # EKS keeps a control plane to the zones in which it was made
                            # (aws/containers-roadmap#2330); nodes may be in others
                            # (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html).
                            ignore_changes=["vpcConfig.subnetIds"],
                        ),
                    )
                ],
            ),
        )
        cluster = self.eks_cluster.eks_cluster
        cluster_name: pulumi.Output[str] = cluster.name

        security_group_id: pulumi.Output[str] = self.eks_cluster.cluster_security_group_id
        # Before anybody has the kubeconfig, and after all that needs it is gone.
        ways_in = [
            aws.vpc.SecurityGroupIngressRule(
                # Carries the network or group: one more leaves the others as they are.
                f"{name}-api-{(cidr or group or '').replace('/', '-')}",
                security_group_id=security_group_id,
                ip_protocol="tcp",
                from_port=HTTPS_PORT,
                to_port=HTTPS_PORT,
                cidr_ipv4=cidr,
                referenced_security_group_id=group,
                description="API server",
                tags=args.tags,
                opts=child,
            )
            for cidr, group in (
                *((cidr, None) for cidr in args.api_cidrs),
                *((None, group) for group in args.api_groups),
            )
        ]

        def access_entry(suffix: str, access: ClusterAccess) -> AccessEntry:
            entry = AccessEntryArgs(
                cluster_name=cluster_name, region=args.region, access=access, tags=args.tags
            )
            return AccessEntry(f"{name}-{suffix}", entry, child)

        # Made here and not by an argument of pulumi_eks, so that what needs the kubeconfig needs it too, and
        # on the way down is gone before it is.
        self.deployer = access_entry(
            "deployer", ClusterAccess(principal_arn=args.deployer_arn, level="admin")
        )
        if args.previewer_arn:
            access_entry(
                "previewer", ClusterAccess(principal_arn=args.previewer_arn, groups=(PREVIEWS_GROUP,))
            )
        for entry, access in args.access.items():
            access_entry(f"access-{entry}", access)
        addons = Addons(
            name,
            AddonsArgs(
                cluster_name=cluster_name,
                region=args.region,
                addons={
                    "vpc-cni": args.vpc_cni,
                    "kube-proxy": args.kube_proxy,
                    "eks-pod-identity-agent": args.pod_identity_agent,
                },
                path=args.path,
                permissions_boundary_arn=args.permissions_boundary_arn,
                tags=args.tags,
            ),
            child,
        )
        node_role = NodeRole(
            f"{name}-node",
            NodeRoleArgs(
                region=args.region,
                statements=args.node_statements,
                path=args.path,
                permissions_boundary_arn=args.permissions_boundary_arn,
                tags=args.tags,
            ),
            child,
        )

        self.name = cluster_name
        self.arn = cluster.arn
        self.endpoint = cluster.endpoint
        self.certificate_authority = cluster.certificate_authority.apply(
            lambda authority: authority.data or ""
        )
        self.security_group_id = security_group_id
        self.node_role_arn = known_after(node_role.arn, addons.names)
        self.kubeconfig = known_after(
            self.eks_cluster.kubeconfig_json.apply(lambda text: with_profile(text, args.profile)),
            self.deployer.principal_arn,
            *[rule.id for rule in ways_in],
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


def with_profile(kubeconfig: str, profile: str | None) -> str:
    """A kubeconfig (JSON) whose users get their token with a profile of the AWS configuration.

    By an argument: credentials in the environment go before the profile that `AWS_PROFILE` names there, as
    `providerCredentialOpts` of pulumi_eks has it, and not before one that is an argument (boto/botocore:
    botocore/credentials.py, create_credential_resolver).
    """
    if profile is None:
        return kubeconfig
    config = json.loads(kubeconfig)
    for user in config.get("users", ()):
        if program := user["user"].get("exec"):
            program["args"] = [*program["args"], "--profile", profile]
    return json.dumps(config)


def with_missing_arguments(
    inputs: Mapping[str, object], *, zonal_shift: bool, tier: Tier
) -> dict[str, object]:
    """Inputs of an EKS cluster, with what the arguments of pulumi_eks cannot say.

    Zonal shift and the control plane's tier have no argument there, and the tier is said also where it is
    EKS's default: left out, the AWS provider leaves it as it is (hashicorp/terraform-provider-aws,
    internal/service/eks/cluster.go: optional and computed). The cluster's creator gets no access unless an
    entry says so: pulumi_eks always grants it, and it could never be taken back.
    """
    access = inputs.get("accessConfig")
    access = dict(access) if isinstance(access, Mapping) else {}
    return {
        **inputs,
        "accessConfig": {**access, "bootstrapClusterCreatorAdminPermissions": False},
        "zonalShiftConfig": {"enabled": zonal_shift},
        "controlPlaneScalingConfig": {"tier": tier},
    }
