"""EKS: clusters, node groups, add-ons, access entries and pod identity associations."""

from typing import Any

from aws_rules.eks import duration
from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.cluster_logs import cluster_logging, enabled_logs
from localcloud.plugins.aws.refusals import fargate, nodes
from localcloud.plugins.aws.refusals.permissions import addons, associations, clusters
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, change, tags_by_arn, words

# --- clusters ---


def logging(subject: Subject) -> dict[str, Any]:
    """Logging as EKS takes it: types that are not enabled are listed too."""
    return cluster_logging(set(subject.inputs.get("enabledClusterLogTypes") or ()))


CREATE_CLUSTER = Call("create_cluster", other_inputs=True)


def make_cluster(subject: Subject) -> str:
    """Make a cluster."""
    eks_backend.refuse_namesake(subject)
    subject.create(CREATE_CLUSTER, {"logging": logging(subject)})
    subject.sent.add("enabledClusterLogTypes")
    return str(subject.properties["name"])


def read_cluster(subject: Subject) -> dict[str, Any] | None:
    """A cluster."""
    answer = subject.request("describe_cluster", name=subject.id)
    issuer = ((answer["cluster"].get("identity") or {}).get("oidc") or {}).get("issuer")
    return {
        **subject.extract("describe_cluster", answer, "cluster"),
        "enabledClusterLogTypes": enabled_logs(answer["cluster"]),
        "identities": [{"oidcs": [{"issuer": issuer}]}] if issuer else [],
    }


def change_vpc_config(subject: Subject) -> None:
    """Change settings of a cluster's network; EKS accepts only those that differ."""
    new, old = subject.inputs["vpcConfig"], subject.old.get("vpcConfig") or {}
    different = {name: value for name, value in new.items() if old.get(name) != value}
    subject.request("update_cluster_config", name=subject.id, resourcesVpcConfig=different)


def change_cluster_version(subject: Subject) -> None:
    """Take a cluster to its next version."""
    subject.call(Call("update_cluster_version", {"name": ID}, takes="version"))
    subject.minutes += duration.CLUSTER_VERSION_MINUTES


CHANGED_ONE_BY_ONE = (
    "upgradePolicy",
    "deletionProtection",
    "zonalShiftConfig",
    "kubernetesNetworkConfig",
    "controlPlaneScalingConfig",
)

CLUSTER = Kind(
    service="eks",
    schema="AWS::EKS::Cluster",
    inputs="name roleArn! vpcConfig! version accessConfig bootstrapSelfManagedAddons deletionProtection "
    "enabledClusterLogTypes encryptionConfig kubernetesNetworkConfig upgradePolicy zonalShiftConfig "
    "controlPlaneScalingConfig forceUpdateVersion defaultAddonsToRemoves",
    outputs="arn certificateAuthority createdAt endpoint identities platformVersion status",
    create=make_cluster,
    id="",
    names={"vpcConfig": "resourcesVpcConfig"},
    name=Name(prefix=None, max_length=100),
    defaults={"bootstrapSelfManagedAddons": True},
    arguments=words("forceUpdateVersion defaultAddonsToRemoves"),
    write_only=words("bootstrapSelfManagedAddons"),
    computed=words(
        "version accessConfig deletionProtection kubernetesNetworkConfig upgradePolicy zonalShiftConfig "
        "controlPlaneScalingConfig "
        "vpcConfig.clusterSecurityGroupId vpcConfig.vpcId vpcConfig.publicAccessCidrs "
        "vpcConfig.endpointPublicAccess vpcConfig.endpointPrivateAccess vpcConfig.securityGroupIds "
        "vpcConfig.controlPlaneEgressMode"
    ),
    aws_lists=words("encryptionConfig"),
    unordered=words(
        "enabledClusterLogTypes vpcConfig.subnetIds vpcConfig.securityGroupIds vpcConfig.publicAccessCidrs"
    ),
    volatile=words("status"),
    reads=(Read(read_cluster),),
    changes=(
        Change(("vpcConfig",), change_vpc_config),
        Change(
            ("enabledClusterLogTypes",),
            lambda subject: subject.request(
                "update_cluster_config", name=subject.id, logging=logging(subject)
            ),
        ),
        Change(
            ("accessConfig",),
            Call(
                "update_cluster_config",
                {"name": ID, "accessConfig": {"authenticationMode": P("accessConfig.authenticationMode")}},
            ),
        ),
        *(change(setting, "update_cluster_config", {"name": ID}) for setting in CHANGED_ONE_BY_ONE),
        Change(("version",), change_cluster_version),
    ),
    refusals=(clusters.cluster_role,),
    final_steps=(eks_backend.start_cluster,),
    delete=(Call("delete_cluster", {"name": ID}), eks_backend.remove_cluster),
    tags=tags_by_arn("arn"),
    schema_names={
        "vpcConfig": "ResourcesVpcConfig",
        "enabledClusterLogTypes": "Logging",
        "forceUpdateVersion": "Force",
    },
    calls=lambda subject: [("create_cluster", subject.members(CREATE_CLUSTER))],
)


# --- node groups ---


GROUP = {"clusterName": P("clusterName"), "nodegroupName": P("nodeGroupName")}


def change_settings(subject: Subject) -> None:
    """Change labels, taints, bounds and other settings of a node group."""
    old, new = subject.old, subject.inputs
    settings: dict[str, Any] = {}
    old_labels, labels = old.get("labels") or {}, new.get("labels") or {}
    if old_labels != labels:
        changes = {key: value for key, value in labels.items() if old_labels.get(key) != value}
        removals = sorted(old_labels.keys() - labels.keys())
        settings["labels"] = _without_empty({"addOrUpdateLabels": changes, "removeLabels": removals})
    old_taints, taints = old.get("taints") or [], new.get("taints") or []
    if old_taints != taints:
        put = [taint for taint in taints if taint not in old_taints]
        keys = {(taint["key"], taint["effect"]) for taint in taints}
        taint_removals = [taint for taint in old_taints if (taint["key"], taint["effect"]) not in keys]
        settings["taints"] = _without_empty({"addOrUpdateTaints": put, "removeTaints": taint_removals})
    settings |= _changes(subject, "scalingConfig", "updateConfig", "nodeRepairConfig")
    subject.call(Call("update_nodegroup_config", GROUP), settings)
    subject.minutes += duration.CONFIG_MINUTES


def change_version(subject: Subject) -> None:
    """Take a node group to another version or launch template; EKS accepts only settings that differ."""
    settings = _changes(subject, "version", "releaseVersion", "launchTemplate")
    template = settings.get("launchTemplate")
    if template and "id" in template:
        settings["launchTemplate"] = {name: template[name] for name in ("id", "version") if name in template}
    subject.call(Call("update_nodegroup_version", GROUP), settings)


def _changes(subject: Subject, *names: str) -> dict[str, Any]:
    """Inputs that are set and not what they were."""
    new, old = subject.inputs, subject.old
    return {name: new[name] for name in names if new.get(name) and old.get(name) != new[name]}


def _without_empty(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def read_group(subject: Subject) -> dict[str, Any]:
    """A node group."""
    answer = subject.call(Call("describe_nodegroup", GROUP))
    resources = answer["nodegroup"].get("resources") or {}
    scaling_groups = [{"name": group["name"]} for group in resources.get("autoScalingGroups", ())]
    security_group = resources.get("remoteAccessSecurityGroup", "")
    return {
        **subject.extract("describe_nodegroup", answer, "nodegroup"),
        "resources": [{"autoscalingGroups": scaling_groups, "remoteAccessSecurityGroupId": security_group}],
    }


NODE_GROUP = Kind(
    service="eks",
    schema="AWS::EKS::Nodegroup",
    inputs="clusterName! nodeRoleArn! scalingConfig! subnetIds! nodeGroupName nodeGroupNamePrefix amiType "
    "capacityType diskSize forceUpdateVersion instanceTypes labels launchTemplate nodeRepairConfig "
    "releaseVersion remoteAccess taints updateConfig version",
    outputs="arn resources status",
    create=Call("create_nodegroup", other_inputs=True),
    id="{clusterName}:{nodeGroupName}",
    identity=("clusterName", "nodeGroupName"),
    names={
        "arn": "nodegroupArn",
        "nodeGroupName": "nodegroupName",
        "nodeRoleArn": "nodeRole",
        "subnetIds": "subnets",
        "remoteAccess.sourceSecurityGroupIds": "sourceSecurityGroups",
    },
    name=Name("nodeGroupName", prefix="nodeGroupNamePrefix", max_length=63),
    arguments=words("forceUpdateVersion nodeGroupNamePrefix"),
    computed=words(
        "amiType capacityType diskSize instanceTypes releaseVersion updateConfig version "
        "launchTemplate.id launchTemplate.name nodeRepairConfig remoteAccess"
    ),
    unordered=words("subnetIds taints"),
    volatile=words("releaseVersion"),
    reads=(Read(read_group),),
    changes=(
        Change(("labels", "taints", "scalingConfig", "updateConfig", "nodeRepairConfig"), change_settings),
        Change(("version", "releaseVersion", "launchTemplate"), change_version),
    ),
    refusals=(nodes.template, nodes.misfit),
    final_steps=(eks_backend.set_machines,),
    delete=(Call("delete_nodegroup", GROUP), eks_backend.remove_machines),
    tags=tags_by_arn("arn"),
    schema_names={
        "nodeRoleArn": "NodeRole",
        "subnetIds": "Subnets",
        "nodeGroupName": "NodegroupName",
        "forceUpdateVersion": "ForceUpdateEnabled",
    },
)


# --- Fargate profiles ---

PROFILE = {"clusterName": P("clusterName"), "fargateProfileName": P("fargateProfileName")}

FARGATE_PROFILE = Kind(
    service="eks",
    schema="AWS::EKS::FargateProfile",
    inputs="clusterName! podExecutionRoleArn! selectors! fargateProfileName subnetIds",
    outputs="arn status",
    create=Call("create_fargate_profile", other_inputs=True),
    id="{clusterName}:{fargateProfileName}",
    identity=("clusterName", "fargateProfileName"),
    names={"arn": "fargateProfileArn", "subnetIds": "subnets"},
    name=Name("fargateProfileName", prefix=None, max_length=100),
    unordered=words("subnetIds selectors"),
    reads=(Read(Call("describe_fargate_profile", PROFILE), at="fargateProfile"),),
    refusals=(fargate.subnets,),
    delete=(Call("delete_fargate_profile", PROFILE),),
    tags=tags_by_arn("arn"),
    schema_names={"subnetIds": "Subnets"},
)


# --- add-ons ---

ADDON_KEY = "clusterName addonName"
ADDON_SETTINGS = "addonVersion configurationValues serviceAccountRoleArn"


def put_addon(operation: str) -> Call:
    """Gives an add-on its version and settings; `operation` is create or update."""
    conflicts = {"resolveConflicts": P(f"resolveConflictsOn{operation.capitalize()}")}
    return Call(f"{operation}_addon", conflicts, takes=f"{ADDON_KEY} {ADDON_SETTINGS}")


ADDON = Kind(
    service="eks",
    schema="AWS::EKS::Addon",
    inputs="clusterName! addonName! addonVersion configurationValues preserve resolveConflictsOnCreate "
    "resolveConflictsOnUpdate serviceAccountRoleArn",
    outputs="arn createdAt modifiedAt",
    create=put_addon("create"),
    id="{clusterName}:{addonName}",
    identity=("clusterName", "addonName"),
    names={"arn": "addonArn"},
    arguments=words("preserve resolveConflictsOnCreate resolveConflictsOnUpdate"),
    computed=words("addonVersion"),
    volatile=words("modifiedAt"),
    documents=words("configurationValues"),
    reads=(Read(Call("describe_addon", takes=ADDON_KEY), at="addon"),),
    changes=(Change(tuple(ADDON_SETTINGS.split()), put_addon("update")),),
    final_steps=(addons.addon_permissions, eks_backend.add_volume_driver),
    delete=(Call("delete_addon", takes=f"{ADDON_KEY} preserve"), eks_backend.remove_volume_driver),
    tags=tags_by_arn("arn"),
    schema_names={
        "preserve": "PreserveOnDelete",
        "resolveConflictsOnCreate": "ResolveConflicts",
        "resolveConflictsOnUpdate": "ResolveConflicts",
    },
    exclusive=True,
)


# --- access ---

ENTRY_KEY = {"clusterName": P("clusterName"), "principalArn": P("principalArn")}

ACCESS_ENTRY = Kind(
    service="eks",
    schema="AWS::EKS::AccessEntry",
    inputs="clusterName! principalArn! kubernetesGroups type userName",
    outputs="accessEntryArn createdAt modifiedAt",
    create=Call("create_access_entry", other_inputs=True),
    id="{clusterName}:{principalArn}",
    identity=("clusterName", "principalArn"),
    names={"userName": "username"},
    defaults={"type": "STANDARD"},
    computed=words("kubernetesGroups userName"),
    unordered=words("kubernetesGroups"),
    volatile=words("modifiedAt"),
    reads=(Read(Call("describe_access_entry", ENTRY_KEY), at="accessEntry"),),
    changes=(change("kubernetesGroups userName", "update_access_entry", ENTRY_KEY),),
    delete=(Call("delete_access_entry", ENTRY_KEY),),
    tags=tags_by_arn("accessEntryArn"),
    exclusive=True,
)


def read_policy(subject: Subject) -> dict[str, Any] | None:
    """A policy of an access entry."""
    properties = subject.properties
    answer = subject.call(Call("list_associated_access_policies", ENTRY_KEY))
    for policy in answer["associatedAccessPolicies"]:
        if policy["policyArn"] == properties["policyArn"]:
            entry = {name: properties[name] for name in ENTRY_KEY}
            return {**policy, "accessScope": _without_empty(policy["accessScope"]), **entry}
    return None


ACCESS_POLICY_ASSOCIATION = Kind(
    service="eks",
    # CloudFormation has these inside the access entry.
    schema="AWS::EKS::AccessEntry",
    inputs="clusterName! principalArn! policyArn! accessScope!",
    outputs="associatedAt modifiedAt",
    create=Call("associate_access_policy", ENTRY_KEY, takes="policyArn accessScope"),
    id="{clusterName}#{principalArn}#{policyArn}",
    identity=("clusterName", "principalArn", "policyArn"),
    separator="#",
    volatile=words("modifiedAt"),
    reads=(Read(read_policy),),
    delete=(Call("disassociate_access_policy", ENTRY_KEY, takes="policyArn"),),
    schema_names={"policyArn": "AccessPolicies", "accessScope": "AccessPolicies"},
    exclusive=True,
)


# --- pod identity ---

ASSOCIATION_KEY = {"clusterName": P("clusterName"), "associationId": ID}


def read_association(subject: Subject) -> dict[str, Any]:
    """A pod identity association. Its id to import is `<cluster>,<association>`."""
    if "," in subject.id:
        subject.properties["clusterName"], _, subject.id = subject.id.partition(",")
    answer = subject.call(Call("describe_pod_identity_association", ASSOCIATION_KEY))
    return subject.extract("describe_pod_identity_association", answer, "association")


POD_IDENTITY_ASSOCIATION = Kind(
    service="eks",
    schema="AWS::EKS::PodIdentityAssociation",
    inputs="clusterName! namespace! roleArn! serviceAccount! disableSessionTags targetRoleArn policy",
    outputs="associationArn associationId externalId",
    create=Call("create_pod_identity_association", other_inputs=True),
    id="association.associationId",
    computed=words("disableSessionTags"),
    documents=words("policy"),
    refusals=(associations.association_permissions,),
    reads=(Read(read_association),),
    changes=(
        change(
            "roleArn disableSessionTags targetRoleArn policy",
            "update_pod_identity_association",
            ASSOCIATION_KEY,
        ),
    ),
    delete=(Call("delete_pod_identity_association", ASSOCIATION_KEY),),
    tags=tags_by_arn("associationArn"),
    exclusive=True,
)

TYPES = {
    "aws:eks/cluster:Cluster": CLUSTER,
    "aws:eks/nodeGroup:NodeGroup": NODE_GROUP,
    "aws:eks/fargateProfile:FargateProfile": FARGATE_PROFILE,
    "aws:eks/addon:Addon": ADDON,
    "aws:eks/accessEntry:AccessEntry": ACCESS_ENTRY,
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": ACCESS_POLICY_ASSOCIATION,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": POD_IDENTITY_ASSOCIATION,
}
