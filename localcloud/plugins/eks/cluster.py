"""`eks.Cluster`: a control plane its role, the add-ons of every node, a Kubernetes provider."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from localcloud.errors import Refusal
from localcloud.plugins.components.component import Component
from localcloud.plugins.eks import access, kubeconfig, security_groups
from localcloud.plugins.eks.arguments import CLUSTER, DEFAULT_NODES
from localcloud.plugins.eks.configuration import OVERWRITE, configuration_json
from localcloud.plugins.eks.fargate import fargate_profile
from localcloud.plugins.eks.node_group import NodeGroup
from localcloud.plugins.eks.service_role import ServiceRole
from localcloud.plugins.eks.storage_class import storage_classes
from localcloud.plugins.eks.vpc_cni_addon import VpcCniAddon, latest

SUBNETS = ("subnetIds", "publicSubnetIds", "privateSubnetIds")
"""Arguments that name subnets."""


class Cluster(Component):
    """Pulumi type `eks:index:Cluster`.

    Makes: ServiceRole, eks.Cluster, add-ons kube-proxy, vpc-cni and (if enabled) coredns, access
    entries, the ConfigMap aws-auth where the cluster goes by it, StorageClasses, security groups and nodes
    with their role unless skipped, a Fargate profile if asked for, and the Kubernetes provider.
    """

    TYPE: ClassVar[str] = "eks:index:Cluster"
    ARGUMENTS = CLUSTER

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        _check(name, inputs)
        tags, mode = inputs.get("tags"), inputs.get("authenticationMode")

        partition = aws.get_partition_output(opts=pulumi.InvokeOutputOptions(parent=self)).partition
        role, role_resources = self._service_role(name, inputs, partition)
        vpc_id, subnet_ids = self._network(inputs)
        group = self._security_group(name, inputs, vpc_id)
        encryption = inputs.get("encryptionConfigKeyArn")
        encryption_config: Any = encryption and {"provider": {"keyArn": encryption}, "resources": ["secrets"]}
        # Like the real one, it reads these two only when the cluster is made.
        ignored = ["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"]
        cluster = aws.eks.Cluster(
            f"{name}-eksCluster",
            role_arn=role.arn,
            encryption_config=encryption_config,
            **_control_plane(name, inputs, subnet_ids, group),
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=ignored, depends_on=role_resources),
        )
        self._simple_addon(name, "kube-proxy", cluster, inputs.get("kubeProxyAddonOptions", {}), tags)

        config, config_json = _kubeconfig(cluster, inputs)
        provider = kubernetes.Provider(
            f"{name}-eks-k8s",
            kubeconfig=config_json,
            opts=self.child,
            **_without_none(enable_config_map_mutable=inputs.get("enableConfigMapMutable")),
        )
        instance_roles, machine_role, profile = self._instance_roles(name, inputs, partition)
        on_cluster = pulumi.ResourceOptions(parent=self, provider=provider)
        let_in: list[pulumi.Resource] = [*self._access_entries(name, cluster, _entries(inputs, machine_role))]
        node_access = None
        if access.by_config_map(mode):
            node_access = access.node_access(name, instance_roles, inputs, on_cluster)
            let_in.append(node_access)
        classes = storage_classes(
            name,
            inputs.get("storageClasses", {}),
            pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(depends_on=let_in)),
        )
        vpc_cni = self._vpc_cni(name, cluster, inputs, let_in)
        profile_of_pods = None
        if inputs.get("fargate"):
            network, after = (vpc_id, subnet_ids), [node_access] if node_access else []
            profile_of_pods = fargate_profile(
                name, inputs["fargate"], cluster, network, partition, tags, self, after
            )
        self._coredns(name, cluster, inputs, profile_of_pods)

        nodes, to_control_plane = None, None
        if group and not inputs.get("skipDefaultSecurityGroups"):
            nodes, to_control_plane = security_groups.node_group(
                name,
                vpc_id,
                cluster.name,
                group.id,
                tags,
                inputs.get("nodeSecurityGroupTags"),
                self.child,
            )
        core = _without_none(
            cluster=cluster,
            vpcId=vpc_id,
            subnetIds=subnet_ids,
            publicSubnetIds=inputs.get("publicSubnetIds"),
            privateSubnetIds=inputs.get("privateSubnetIds"),
            clusterSecurityGroup=group,
            endpoint=cluster.endpoint,
            nodeGroupOptions=_without_none(
                **_node_options(inputs),
                nodeSecurityGroup=nodes,
                clusterIngressRule=to_control_plane,
                instanceProfile=profile,
            ),
            kubeconfig=config,
            provider=provider,
            vpcCni=vpc_cni,
            instanceRoles=instance_roles,
            fargateProfile=profile_of_pods,
            eksNodeAccess=node_access,
            tags=tags,
            nodeSecurityGroupTags=inputs.get("nodeSecurityGroupTags"),
            storageClasses=classes,
            encryptionConfig=encryption_config,
            clusterIamRole=role,
            accessEntries=list(_entries(inputs, machine_role).values()),
        )
        default_nodes, scaling_group = None, None
        if not inputs.get("skipDefaultNodeGroup") and not inputs.get("fargate"):
            whole = pulumi.Output.from_input("").apply(lambda _: core)
            default_nodes = NodeGroup(name, core["nodeGroupOptions"], whole, self).outputs()
            scaling_group = default_nodes["autoScalingGroup"].name
        own_group = cluster.vpc_config.apply(lambda vpc: vpc.cluster_security_group_id)
        issuer = cluster.identities.apply(_issuer)
        self.outputs = _without_none(
            kubeconfig=config,
            kubeconfigJson=config_json,
            clusterSecurityGroup=group,
            instanceRoles=instance_roles,
            nodeSecurityGroup=nodes,
            eksClusterIngressRule=to_control_plane,
            eksCluster=cluster,
            core=core,
            clusterSecurityGroupId=group.id if group else own_group,
            nodeSecurityGroupId=nodes.id if nodes else own_group,
            clusterIngressRuleId=to_control_plane.security_group_rule_id if to_control_plane else "",
            defaultNodeGroup=default_nodes,
            defaultNodeGroupAsgName=scaling_group or "",
            fargateProfileId=profile_of_pods.id if profile_of_pods else "",
            fargateProfileStatus=profile_of_pods.status if profile_of_pods else "",
            oidcProviderArn="",
            oidcProviderUrl=issuer,
            oidcIssuer=issuer.apply(lambda url: url.replace("https://", "")),
            autoModeNodeRoleName="",
        )
        self.register_outputs(self.outputs)

    def _service_role(
        self, name: str, inputs: Mapping[str, Any], partition: pulumi.Output[str]
    ) -> tuple[aws.iam.Role | pulumi.Output[aws.iam.Role], list[pulumi.Resource]]:
        """The control plane's role, and what has to be there before it may do its work."""
        if "serviceRole" in inputs:
            return pulumi.Output.from_input(inputs["serviceRole"]), []
        component = ServiceRole(
            f"{name}-eksRole",
            service="eks.amazonaws.com",
            description="Allows EKS to manage clusters on your behalf.",
            actions=["sts:AssumeRole", "sts:TagSession"],
            policies=["AmazonEKSClusterPolicy"],
            partition=partition,
            tags=inputs.get("tags"),
            opts=self.child,
        )
        return component.role, [component.role, *component.attachments]

    def _network(self, inputs: Mapping[str, Any]) -> tuple[pulumi.Input[str], pulumi.Input[list[str]]]:
        """VPC and subnets: those of the account's default VPC, unless the program names others."""
        if inputs.get("vpcId"):
            return inputs["vpcId"], _subnets(inputs)
        options = pulumi.InvokeOutputOptions(parent=self)
        vpc_id: pulumi.Output[str] = aws.ec2.get_vpc_output(default=True, opts=options).id
        if any(inputs.get(name) for name in SUBNETS):
            return vpc_id, _subnets(inputs)
        of_vpc = vpc_id.apply(lambda id: [aws.ec2.GetSubnetsFilterArgs(name="vpc-id", values=[id])])
        return vpc_id, aws.ec2.get_subnets_output(filters=of_vpc, opts=options).ids

    def _instance_roles(
        self, name: str, inputs: Mapping[str, Any], partition: pulumi.Output[str]
    ) -> tuple[Any, Any, aws.iam.InstanceProfile | None]:
        """Roles of machines, that of the default ones, and the instance profile with it.

        The component makes a role where it makes nodes and is given none.
        """
        if "instanceRoles" in inputs:
            return inputs["instanceRoles"], None, None
        default_nodes = not inputs.get("skipDefaultNodeGroup")
        attachments: list[pulumi.Output[Any]] = []
        if "instanceRole" in inputs:
            role = inputs["instanceRole"]
            if not default_nodes:
                return [role], role, None
        elif inputs.get("createInstanceRole", default_nodes):
            component = ServiceRole(
                f"{name}-instanceRole",
                service="ec2.amazonaws.com",
                description=None,
                actions=["sts:AssumeRole"],
                policies=[
                    "AmazonEKSWorkerNodePolicy",
                    "AmazonEKS_CNI_Policy",
                    "AmazonEC2ContainerRegistryReadOnly",
                ],
                partition=partition,
                tags=inputs.get("tags"),
                opts=self.child,
            )
            role, attachments = component.role, [attachment.id for attachment in component.attachments]
        else:
            return [], None, None
        role_output: pulumi.Output[Any] = pulumi.Output.from_input(role)
        role_name = pulumi.Output.all(role_output.apply(lambda role: role.name), *attachments).apply(
            lambda all: all[0]
        )
        profile = aws.iam.InstanceProfile(f"{name}-instanceProfile", role=role_name, opts=self.child)
        return [role], role, profile

    def _security_group(self, name: str, inputs: Mapping[str, Any], vpc_id: pulumi.Input[str]) -> Any:
        if "clusterSecurityGroup" in inputs:
            return inputs["clusterSecurityGroup"]
        if inputs.get("skipDefaultSecurityGroups"):
            return None
        return security_groups.cluster_group(
            name, vpc_id, inputs.get("tags"), inputs.get("clusterSecurityGroupTags"), self.child
        )

    def _simple_addon(
        self,
        name: str,
        addon: str,
        cluster: aws.eks.Cluster,
        options: Mapping[str, Any],
        tags: Any,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        if options.get("enabled") is False:
            return
        aws.eks.Addon(
            f"{name}-{addon}",
            cluster_name=cluster.name,
            addon_name=addon,
            preserve=True,
            tags=tags,
            resolve_conflicts_on_create=options.get("resolveConflictsOnCreate", OVERWRITE),
            resolve_conflicts_on_update=options.get("resolveConflictsOnUpdate", OVERWRITE),
            addon_version=options.get("version") or latest(addon, cluster.version, self),
            configuration_values=configuration_json(options.get("configurationValues")),
            opts=opts or self.child,
        )

    def _coredns(
        self,
        name: str,
        cluster: aws.eks.Cluster,
        inputs: Mapping[str, Any],
        profile: aws.eks.FargateProfile | None,
    ) -> None:
        """CoreDNS, unless the program has no place for its pods. profile: of Fargate, where they run."""
        options, opts = inputs.get("corednsAddonOptions", {}), self.child
        if profile is not None:
            on_fargate = {"computeType": "Fargate", **(options.get("configurationValues") or {})}
            options = {**options, "configurationValues": on_fargate}
            opts = pulumi.ResourceOptions(parent=self, depends_on=[profile])
        has_place = profile is not None or not inputs.get("skipDefaultNodeGroup")
        if options.get("enabled", has_place or "configurationValues" in options):
            self._simple_addon(name, "coredns", cluster, options, inputs.get("tags"), opts)

    def _access_entries(
        self, name: str, cluster: aws.eks.Cluster, entries: Mapping[str, Mapping[str, Any]]
    ) -> list[aws.eks.AccessEntry]:
        resources = []
        for key, entry in entries.items():
            access = aws.eks.AccessEntry(
                f"{name}-{key}",
                cluster_name=cluster.name,
                principal_arn=entry["principalArn"],
                kubernetes_groups=entry.get("kubernetesGroups"),
                type=entry.get("type"),
                user_name=entry.get("username"),
                tags=entry.get("tags"),
                opts=pulumi.ResourceOptions(parent=self, depends_on=[cluster]),
            )
            for policy, association in entry.get("accessPolicies", {}).items():
                values = pulumi.Output.from_input(association)
                aws.eks.AccessPolicyAssociation(
                    f"{name}-{key}-{policy}",
                    cluster_name=cluster.name,
                    principal_arn=entry["principalArn"],
                    policy_arn=values["policyArn"],
                    access_scope=values["accessScope"],
                    opts=pulumi.ResourceOptions(parent=access, depends_on=[access]),
                )
            resources.append(access)
        return resources

    def _vpc_cni(
        self,
        name: str,
        cluster: aws.eks.Cluster,
        inputs: Mapping[str, Any],
        let_in: list[pulumi.Resource],
    ) -> VpcCniAddon | None:
        if inputs.get("useDefaultVpcCni"):
            return None
        settings = {
            **inputs.get("vpcCniOptions", {}),
            "clusterName": cluster.name,
            "clusterVersion": cluster.version,
            **_without_none(tags=inputs.get("tags")),
        }
        return VpcCniAddon(
            f"{name}-vpc-cni", settings, pulumi.ResourceOptions(parent=self, depends_on=let_in)
        )


def _check(name: str, inputs: Mapping[str, Any]) -> None:
    access.check(name, inputs)
    if "instanceRole" in inputs and "instanceRoles" in inputs:
        raise Refusal(f"eks.Cluster {name}: instanceRole and instanceRoles are mutually exclusive: keep one.")
    singular = [argument for argument in DEFAULT_NODES if inputs.get(argument) and argument != "version"]
    if inputs.get("nodeGroupOptions") and singular:
        raise Refusal(
            f"eks.Cluster {name}: Setting nodeGroupOptions, and any set of singular node group option(s) on "
            f"the cluster, is mutually exclusive: set {', '.join(singular)} in nodeGroupOptions."
        )
    if "subnetIds" in inputs and ("publicSubnetIds" in inputs or "privateSubnetIds" in inputs):
        raise Refusal(
            f"eks.Cluster {name}: subnetIds excludes publicSubnetIds and privateSubnetIds: keep one way."
        )
    if inputs.get("publicAccessCidrs") and inputs.get("endpointPublicAccess") is False:
        raise Refusal(
            f"eks.Cluster {name}: publicAccessCidrs has no effect with endpointPublicAccess false: "
            "leave one out."
        )


def _control_plane(
    name: str, inputs: Mapping[str, Any], subnet_ids: pulumi.Input[list[str]], group: Any
) -> dict[str, Any]:
    """Arguments of the EKS cluster that are the program's own."""
    mode = inputs.get("authenticationMode")
    return {
        "name": inputs.get("name"),
        "kubernetes_network_config": _addresses(inputs),
        "bootstrap_self_managed_addons": inputs.get("bootstrapSelfManagedAddons", True),
        "vpc_config": _without_none(
            securityGroupIds=[group.id] if group else None,
            subnetIds=subnet_ids,
            endpointPrivateAccess=inputs.get("endpointPrivateAccess"),
            endpointPublicAccess=inputs.get("endpointPublicAccess"),
            publicAccessCidrs=inputs.get("publicAccessCidrs"),
        ),
        "version": inputs.get("version"),
        "enabled_cluster_log_types": inputs.get("enabledClusterLogTypes"),
        "tags": security_groups.merge_tags(
            {"Name": f"{name}-eksCluster"}, inputs.get("clusterTags"), inputs.get("tags")
        ),
        "access_config": {
            "authenticationMode": mode,
            "bootstrapClusterCreatorAdminPermissions": True,
        }
        if mode
        else None,
        "upgrade_policy": inputs.get("upgradePolicy"),
        "deletion_protection": inputs.get("deletionProtection"),
    }


def _kubeconfig(
    cluster: aws.eks.Cluster, inputs: Mapping[str, Any]
) -> tuple[pulumi.Output[Any], pulumi.Output[str]]:
    """The kubeconfig of the cluster, and its JSON."""
    authority = cluster.certificate_authority.apply(lambda authority: authority.data or "")
    options = inputs.get("providerCredentialOpts", {})
    config = pulumi.Output.all(cluster.endpoint, authority, cluster.arn, options).apply(
        lambda values: kubeconfig.for_cluster(*values)
    )
    return config, config.apply(lambda value: json.dumps(value, separators=(",", ":")))


def _node_options(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of the default nodes."""
    options: Mapping[str, Any] | None = inputs.get("nodeGroupOptions")
    if options is not None:
        return options
    return {of_nodes: inputs[name] for name, of_nodes in DEFAULT_NODES.items() if name in inputs}


def _entries(inputs: Mapping[str, Any], machine_role: Any) -> dict[str, Any]:
    """Access entries, with that of the default nodes where there are entries."""
    entries = dict(inputs.get("accessEntries", {}))
    if machine_role is None or not access.by_entries(inputs.get("authenticationMode")):
        return entries
    role: pulumi.Output[Any] = pulumi.Output.from_input(machine_role)
    machines = {"principalArn": role.apply(lambda role: role.arn), "type": "EC2_LINUX"}
    return {"defaultNodeGroupInstanceRole": machines, **entries}


def _subnets(inputs: Mapping[str, Any]) -> pulumi.Input[list[str]]:
    if "subnetIds" in inputs:
        return inputs["subnetIds"]  # type: ignore[no-any-return]
    lists = pulumi.Output.all(inputs.get("publicSubnetIds", []), inputs.get("privateSubnetIds", []))
    return lists.apply(lambda ids: [*ids[0], *ids[1]])


def _addresses(inputs: Mapping[str, Any]) -> pulumi.Output[Any] | None:
    services, family = inputs.get("kubernetesServiceIpAddressRange"), inputs.get("ipFamily")
    if not services and not family:
        return None
    return pulumi.Output.all(services, family or "ipv4").apply(
        lambda values: _without_none(
            serviceIpv4Cidr=values[0] if values[1] == "ipv4" else None, ipFamily=values[1]
        )
    )


def _issuer(identities: Any) -> str:
    for identity in identities or []:
        for oidc in identity.oidcs or []:
            return str(oidc.issuer)
    return ""


def _without_none(**values: Any) -> dict[str, Any]:
    """The values that are set."""
    return {name: value for name, value in values.items() if value is not None}
