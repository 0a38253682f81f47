"""EKS: an example of every type, and how it is changed by hand."""

from typing import Any

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    ROLE_ARN,
    TAGS,
    Bases,
    Change,
    Changes,
    Console,
    Example,
)

BASES: Bases = {
    "cluster": lambda w: (
        "aws:eks/cluster:Cluster",
        {
            "name": "base-cluster",
            "roleArn": ROLE_ARN,
            "version": "1.34",
            "vpcConfig": {"subnetIds": [w.subnet, w.other_subnet]},
            "accessConfig": {"authenticationMode": "API"},
            "bootstrapSelfManagedAddons": False,
        },
    ),
    "node_group": lambda w: (
        "aws:eks/nodeGroup:NodeGroup",
        {
            "clusterName": w.cluster,
            "nodeGroupName": "base",
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": [w.subnet],
            "scalingConfig": {"minSize": 0, "maxSize": 9, "desiredSize": 0},
            "instanceTypes": ["m8g.large"],
        },
    ),
    "entry": lambda w: (
        "aws:eks/accessEntry:AccessEntry",
        {"clusterName": w.cluster, "principalArn": ROLE_ARN + "-base"},
    ),
}


def second_version(w):
    """The launch template that the examples stand on, with a second version."""
    w.change("template", {"name": "base-template", "ebsOptimized": "true", "description": "second"})
    return w.template


EXAMPLES = [
    Example(
        "aws:eks/fargateProfile:FargateProfile",
        lambda w: {
            "clusterName": w.cluster,
            "podExecutionRoleArn": ROLE_ARN,
            "selectors": [{"namespace": "default", "labels": {"on": "fargate"}}, {"namespace": "other"}],
            "subnetIds": [w.other_subnet],
            "tags": TAGS,
        },
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"selectors": [{"namespace": "another"}]},
    ),
    Example(
        "aws:eks/cluster:Cluster",
        lambda w: {
            "name": "spark-a",
            "roleArn": ROLE_ARN,
            "version": "1.33",
            "vpcConfig": {
                "subnetIds": [w.subnet, w.other_subnet],
                "endpointPrivateAccess": True,
                "endpointPublicAccess": False,
            },
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
            "encryptionConfig": {"resources": ["secrets"], "provider": {"keyArn": w.output("key", "arn")}},
            "enabledClusterLogTypes": ["audit", "api"],
            "upgradePolicy": {"supportType": "STANDARD"},
            "zonalShiftConfig": {"enabled": False},
            "controlPlaneScalingConfig": {"tier": "tier-xl"},
            "bootstrapSelfManagedAddons": False,
            "tags": TAGS,
        },
        lambda w: {
            "version": "1.34",
            "vpcConfig": {
                "subnetIds": [w.subnet, w.other_subnet],
                "endpointPrivateAccess": True,
                "endpointPublicAccess": True,
                "publicAccessCidrs": ["54.240.0.0/24"],
            },
            "enabledClusterLogTypes": ["api"],
            "upgradePolicy": {"supportType": "EXTENDED"},
            "zonalShiftConfig": {"enabled": True},
            "controlPlaneScalingConfig": {"tier": "standard"},
            "tags": OTHER_TAGS,
        },
        lambda w: {"roleArn": ROLE_ARN + "-else"},
    ),
    Example(
        "aws:eks/nodeGroup:NodeGroup",
        lambda w: {
            "clusterName": w.cluster,
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": [w.subnet],
            "scalingConfig": {"minSize": 0, "maxSize": 9, "desiredSize": 2},
            "amiType": "AL2023_ARM_64_STANDARD",
            "capacityType": "SPOT",
            "instanceTypes": ["r8g.4xlarge", "r7g.4xlarge"],
            "labels": {"moka.dev/role": "executor"},
            "taints": [{"key": "moka.dev/role", "value": "executor", "effect": "NO_SCHEDULE"}],
            "launchTemplate": {"id": w.template, "version": "1"},
            "version": "1.33",
            "releaseVersion": "1.33.4-20251112",
            "nodeRepairConfig": {"enabled": True},
            "forceUpdateVersion": False,
            "tags": TAGS,
        },
        lambda w: {
            "scalingConfig": {"minSize": 1, "maxSize": 12, "desiredSize": 3},
            "labels": {"other": "label"},
            "taints": [],
            "launchTemplate": {"id": second_version(w), "version": "2"},
            "version": "1.34",
            "releaseVersion": "1.34.1-20251201",
            "nodeRepairConfig": {"enabled": False},
            "forceUpdateVersion": True,
            "updateConfig": {"maxUnavailablePercentage": 20},
            "tags": OTHER_TAGS,
        },
        lambda w: {"instanceTypes": ["r8g.8xlarge"]},
    ),
    Example(
        "aws:eks/addon:Addon",
        lambda w: {
            "clusterName": w.cluster,
            "addonName": "coredns",
            "addonVersion": "v1.11.4-eksbuild.2",
            "configurationValues": '{"replicaCount": 2}',
            "resolveConflictsOnCreate": "OVERWRITE",
            "resolveConflictsOnUpdate": "OVERWRITE",
            "preserve": True,
            "tags": TAGS,
        },
        lambda w: {
            "addonVersion": "v1.12.4-eksbuild.1",
            "configurationValues": '{"replicaCount": 3}',
            "preserve": None,
            "tags": OTHER_TAGS,
        },
        lambda w: {"addonName": "kube-proxy"},
    ),
    Example(
        "aws:eks/accessEntry:AccessEntry",
        lambda w: {"clusterName": w.cluster, "principalArn": ROLE_ARN + "-person", "tags": TAGS},
        lambda w: {"kubernetesGroups": ["readers"], "userName": "somebody", "tags": OTHER_TAGS},
        lambda w: {"principalArn": ROLE_ARN + "-else"},
    ),
    Example(
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        lambda w: {
            "clusterName": w.cluster,
            "principalArn": w.output("entry", "principalArn"),
            "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
            "accessScope": {"type": "cluster"},
        },
        replace=lambda w: {"accessScope": {"type": "namespace", "namespaces": ["spark"]}},
    ),
    Example(
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        lambda w: {
            "clusterName": w.cluster,
            "namespace": "spark",
            "serviceAccount": "spark",
            "roleArn": ROLE_ARN,
            "tags": TAGS,
        },
        lambda w: {"roleArn": ROLE_ARN + "-else", "tags": OTHER_TAGS},
        lambda w: {"namespace": "other"},
        imported=lambda resource: f"{resource.inputs['clusterName']},{resource.id}",
    ),
]


def make_profile_anew(console: Console, resource: Resource) -> None:
    """A profile cannot be changed, but be made anew under its name."""
    eks, profile = console.client("eks"), resource.outputs
    key = {name: profile[name] for name in ("clusterName", "fargateProfileName")}
    eks.delete_fargate_profile(**key)
    eks.create_fargate_profile(
        **key,
        podExecutionRoleArn=profile["podExecutionRoleArn"],
        selectors=[{"namespace": "by-hand"}],
        subnets=profile["subnetIds"],
        tags=TAGS,
    )


def change_labels(console: Console, resource: Resource) -> None:
    console.client("eks").update_nodegroup_config(
        clusterName=resource.inputs["clusterName"],
        nodegroupName=resource.outputs["nodeGroupName"],
        labels={"addOrUpdateLabels": {"by-hand": "yes"}},
    )


def change_cluster(console: Console, resource: Resource) -> None:
    support = (resource.outputs.get("upgradePolicy") or {}).get("supportType")
    support_type = "STANDARD" if support == "EXTENDED" else "EXTENDED"
    console.edit("eks", "cluster", resource.id, upgradePolicy={"supportType": support_type})


def edit_in_cluster(noun: str, *names: str, **members: Any) -> Change:
    """Edit what is kept of a thing of a cluster."""

    def change(console: Console, resource: Resource) -> None:
        values = (resource.outputs.get(name) or resource.inputs.get(name) for name in names)
        console.edit("eks", noun, *(str(value) for value in values), **members)

    return change


CHANGES_BY_HAND: Changes = {
    "aws:eks/accessEntry:AccessEntry": edit_in_cluster(
        "access-entry", "clusterName", "principalArn", tags={"by-hand": "yes"}
    ),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": edit_in_cluster(
        "policy",
        "clusterName",
        "principalArn",
        "policyArn",
        accessScope={"type": "namespace", "namespaces": ["default"]},
    ),
    "aws:eks/addon:Addon": edit_in_cluster(
        "addon", "clusterName", "addonName", addonVersion="v0.0.1-eksbuild.1"
    ),
    "aws:eks/cluster:Cluster": change_cluster,
    "aws:eks/fargateProfile:FargateProfile": make_profile_anew,
    "aws:eks/nodeGroup:NodeGroup": change_labels,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": edit_in_cluster(
        "podidentityassociation",
        "clusterName",
        "associationId",
        roleArn="arn:aws:iam::123456789012:role/by-hand",
    ),
}
