"""EKS: clusters, node groups, add-ons, access entries, pod identity associations."""

from itertools import chain
from typing import Any

from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")

TAGS = Tagging(
    create="tags",
    pairs=None,
    put=Call("tag_resource", {"resourceArn": P("arn"), "tags": P("=tags")}),
    remove=Call("untag_resource", {"resourceArn": P("arn"), "tagKeys": P("=keys")}),
    at="tags",
)


# --- clusters ---


def logging(subject: Subject) -> dict[str, Any]:
    """Logging as EKS takes it: types that are not enabled are listed too."""
    types = set(subject.inputs.get("enabledClusterLogTypes") or ())
    setups = [{"types": [t for t in LOG_TYPES if (t in types) == on], "enabled": on} for on in (True, False)]
    return {"clusterLogging": [setup for setup in setups if setup["types"]]}


def make_cluster(subject: Subject) -> str:
    """Make a cluster."""
    eks_backend.refuse_namesake(subject)
    tags = subject.properties.get("tagsAll") or {}
    more = {"logging": logging(subject), **({"tags": tags} if tags else {})}
    subject.call(Call("create_cluster", rest=True), more)
    subject.sent.add("enabledClusterLogTypes")
    return str(subject.properties["name"])


def read_cluster(subject: Subject) -> dict[str, Any] | None:
    """A cluster."""
    cluster = subject.request("describe_cluster", name=subject.id)["cluster"]
    issuer = ((cluster.get("identity") or {}).get("oidc") or {}).get("issuer")
    enabled = (setup["types"] for setup in cluster["logging"]["clusterLogging"] if setup["enabled"])
    return {
        **subject.extract("describe_cluster", {"cluster": cluster}, "cluster"),
        "enabledClusterLogTypes": list(chain.from_iterable(enabled)),
        "identities": [{"oidcs": [{"issuer": issuer}]}] if issuer else [],
    }


def config(*names: str) -> Change:
    """A change of settings of a cluster."""
    return Change(names, Call("update_cluster_config", {"name": ID, **{name: P(name) for name in names}}))


def change_vpc_config(subject: Subject) -> None:
    """Change settings of a cluster's network; EKS accepts only those that differ."""
    new, old = subject.inputs["vpcConfig"], subject.old.get("vpcConfig") or {}
    different = {name: value for name, value in new.items() if old.get(name) != value}
    subject.request("update_cluster_config", name=subject.id, resourcesVpcConfig=different)


CLUSTER = Kind(
    service="eks",
    schema="AWS::EKS::Cluster",
    inputs="name roleArn! vpcConfig! version accessConfig bootstrapSelfManagedAddons deletionProtection "
    "enabledClusterLogTypes encryptionConfig kubernetesNetworkConfig upgradePolicy zonalShiftConfig "
    "forceUpdateVersion defaultAddonsToRemoves",
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
        config("upgradePolicy"),
        config("deletionProtection"),
        config("zonalShiftConfig"),
        config("kubernetesNetworkConfig"),
        Change(("version",), Call("update_cluster_version", {"name": ID, "version": P("version")})),
    ),
    final_steps=(eks_backend.start_cluster,),
    delete=(Call("delete_cluster", {"name": ID}), eks_backend.remove_cluster),
    tags=TAGS,
    schema_names={
        "vpcConfig": "ResourcesVpcConfig",
        "enabledClusterLogTypes": "Logging",
        "forceUpdateVersion": "Force",
    },
)


# --- node groups ---


def change_nodes(subject: Subject) -> None:
    """Change labels, taints, bounds and other settings of a node group."""
    old, new = subject.old, subject.inputs
    change: dict[str, Any] = {}
    old_labels, labels = old.get("labels") or {}, new.get("labels") or {}
    if old_labels != labels:
        put = {key: value for key, value in labels.items() if old_labels.get(key) != value}
        removed = sorted(old_labels.keys() - labels.keys())
        change["labels"] = {k: v for k, v in (("addOrUpdateLabels", put), ("removeLabels", removed)) if v}
    old_taints, taints = old.get("taints") or [], new.get("taints") or []
    if old_taints != taints:
        put_taints = [taint for taint in taints if taint not in old_taints]
        keys = {(taint["key"], taint["effect"]) for taint in taints}
        removed_taints = [taint for taint in old_taints if (taint["key"], taint["effect"]) not in keys]
        members = (("addOrUpdateTaints", put_taints), ("removeTaints", removed_taints))
        change["taints"] = {k: v for k, v in members if v}
    for name in ("scalingConfig", "updateConfig", "nodeRepairConfig"):
        if new.get(name) and old.get(name) != new[name]:
            change[name] = new[name]
    subject.request(
        "update_nodegroup_config",
        clusterName=subject.properties["clusterName"],
        nodegroupName=subject.properties["nodeGroupName"],
        **change,
    )


def change_version(subject: Subject) -> None:
    """Take a node group to another version or launch template; EKS accepts only settings that differ."""
    new, old = subject.inputs, subject.old
    change = {
        name: new[name]
        for name in ("version", "releaseVersion")
        if new.get(name) and old.get(name) != new[name]
    }
    template = new.get("launchTemplate")
    if template and template != old.get("launchTemplate"):
        change["launchTemplate"] = (
            {k: template[k] for k in ("id", "version") if k in template} if "id" in template else template
        )
    subject.request(
        "update_nodegroup_version",
        clusterName=subject.properties["clusterName"],
        nodegroupName=subject.properties["nodeGroupName"],
        **change,
    )


def read_group(subject: Subject) -> dict[str, Any]:
    """A node group."""
    properties = subject.properties
    answer = subject.request(
        "describe_nodegroup", clusterName=properties["clusterName"], nodegroupName=properties["nodeGroupName"]
    )
    resources = answer["nodegroup"].get("resources") or {}
    groups = [{"name": group["name"]} for group in resources.get("autoScalingGroups", ())]
    return {
        **subject.extract("describe_nodegroup", answer, "nodegroup"),
        "resources": [
            {
                "autoscalingGroups": groups,
                "remoteAccessSecurityGroupId": resources.get("remoteAccessSecurityGroup", ""),
            }
        ],
    }


GROUP = {"clusterName": P("clusterName"), "nodegroupName": P("nodeGroupName")}

NODE_GROUP = Kind(
    service="eks",
    schema="AWS::EKS::Nodegroup",
    inputs="clusterName! nodeRoleArn! scalingConfig! subnetIds! nodeGroupName nodeGroupNamePrefix amiType "
    "capacityType diskSize forceUpdateVersion instanceTypes labels launchTemplate nodeRepairConfig "
    "releaseVersion remoteAccess taints updateConfig version",
    outputs="arn resources status",
    create=Call("create_nodegroup", rest=True),
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
        Change(("labels", "taints", "scalingConfig", "updateConfig", "nodeRepairConfig"), change_nodes),
        Change(("version", "releaseVersion", "launchTemplate"), change_version),
    ),
    final_steps=(eks_backend.set_machines,),
    delete=(Call("delete_nodegroup", GROUP), eks_backend.remove_machines),
    tags=TAGS,
    schema_names={
        "nodeRoleArn": "NodeRole",
        "subnetIds": "Subnets",
        "nodeGroupName": "NodegroupName",
        "forceUpdateVersion": "ForceUpdateEnabled",
    },
)


# --- add-ons ---

ADDON_KEY = {"clusterName": P("clusterName"), "addonName": P("addonName")}
ADDON_SETTINGS = {
    "addonVersion": P("addonVersion"),
    "configurationValues": P("configurationValues"),
    "serviceAccountRoleArn": P("serviceAccountRoleArn"),
}

ADDON = Kind(
    service="eks",
    schema="AWS::EKS::Addon",
    inputs="clusterName! addonName! addonVersion configurationValues preserve resolveConflictsOnCreate "
    "resolveConflictsOnUpdate serviceAccountRoleArn",
    outputs="arn createdAt modifiedAt",
    create=Call(
        "create_addon", {**ADDON_KEY, **ADDON_SETTINGS, "resolveConflicts": P("resolveConflictsOnCreate")}
    ),
    id="{clusterName}:{addonName}",
    identity=("clusterName", "addonName"),
    names={"arn": "addonArn"},
    arguments=words("preserve resolveConflictsOnCreate resolveConflictsOnUpdate"),
    computed=words("addonVersion"),
    volatile=words("modifiedAt"),
    documents=words("configurationValues"),
    reads=(Read(Call("describe_addon", ADDON_KEY), at="addon"),),
    changes=(
        Change(
            ("addonVersion", "configurationValues", "serviceAccountRoleArn"),
            Call(
                "update_addon",
                {**ADDON_KEY, **ADDON_SETTINGS, "resolveConflicts": P("resolveConflictsOnUpdate")},
            ),
        ),
    ),
    delete=(Call("delete_addon", {**ADDON_KEY, "preserve": P("preserve")}),),
    tags=TAGS,
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
    create=Call("create_access_entry", rest=True),
    id="{clusterName}:{principalArn}",
    identity=("clusterName", "principalArn"),
    names={"userName": "username"},
    defaults={"type": "STANDARD"},
    computed=words("kubernetesGroups userName"),
    unordered=words("kubernetesGroups"),
    volatile=words("modifiedAt"),
    reads=(Read(Call("describe_access_entry", ENTRY_KEY), at="accessEntry"),),
    changes=(
        Change(
            ("kubernetesGroups", "userName"),
            Call(
                "update_access_entry",
                {**ENTRY_KEY, "kubernetesGroups": P("kubernetesGroups"), "username": P("userName")},
            ),
        ),
    ),
    delete=(Call("delete_access_entry", ENTRY_KEY),),
    tags=Tagging(
        create="tags",
        pairs=None,
        put=Call("tag_resource", {"resourceArn": P("accessEntryArn"), "tags": P("=tags")}),
        remove=Call("untag_resource", {"resourceArn": P("accessEntryArn"), "tagKeys": P("=keys")}),
        at="tags",
    ),
    exclusive=True,
)


def read_policy(subject: Subject) -> dict[str, Any] | None:
    """A policy of an access entry."""
    properties = subject.properties
    answer = subject.request(
        "list_associated_access_policies",
        clusterName=properties["clusterName"],
        principalArn=properties["principalArn"],
    )
    for policy in answer["associatedAccessPolicies"]:
        if policy["policyArn"] == properties["policyArn"]:
            scope = {name: value for name, value in policy["accessScope"].items() if value}
            entry = {name: properties[name] for name in ("clusterName", "principalArn")}
            return {**policy, "accessScope": scope, **entry}
    return None


ASSOCIATE = Call(
    "associate_access_policy",
    {**ENTRY_KEY, "policyArn": P("policyArn"), "accessScope": P("accessScope")},
)

ACCESS_POLICY_ASSOCIATION = Kind(
    service="eks",
    # CloudFormation has these inside the access entry.
    schema="AWS::EKS::AccessEntry",
    inputs="clusterName! principalArn! policyArn! accessScope!",
    outputs="associatedAt modifiedAt",
    create=ASSOCIATE,
    id="{clusterName}#{principalArn}#{policyArn}",
    identity=("clusterName", "principalArn", "policyArn"),
    separator="#",
    volatile=words("modifiedAt"),
    reads=(Read(read_policy),),
    delete=(Call("disassociate_access_policy", {**ENTRY_KEY, "policyArn": P("policyArn")}),),
    schema_names={"policyArn": "AccessPolicies", "accessScope": "AccessPolicies"},
    exclusive=True,
)


# --- pod identity ---


def read_association(subject: Subject) -> dict[str, Any]:
    """A pod identity association. Its id to import is `<cluster>,<association>`."""
    if "," in subject.id:
        subject.properties["clusterName"], _, subject.id = subject.id.partition(",")
    answer = subject.request(
        "describe_pod_identity_association",
        clusterName=subject.properties["clusterName"],
        associationId=subject.id,
    )
    return subject.extract("describe_pod_identity_association", answer, "association")


ASSOCIATION_KEY = {"clusterName": P("clusterName"), "associationId": ID}

POD_IDENTITY_ASSOCIATION = Kind(
    service="eks",
    schema="AWS::EKS::PodIdentityAssociation",
    inputs="clusterName! namespace! roleArn! serviceAccount! disableSessionTags targetRoleArn policy",
    outputs="associationArn associationId externalId",
    create=Call("create_pod_identity_association", rest=True),
    id="association.associationId",
    computed=words("disableSessionTags"),
    documents=words("policy"),
    reads=(Read(read_association),),
    changes=(
        Change(
            ("roleArn", "disableSessionTags", "targetRoleArn", "policy"),
            Call(
                "update_pod_identity_association",
                {
                    **ASSOCIATION_KEY,
                    "roleArn": P("roleArn"),
                    "disableSessionTags": P("disableSessionTags"),
                    "targetRoleArn": P("targetRoleArn"),
                    "policy": P("policy"),
                },
            ),
        ),
    ),
    delete=(Call("delete_pod_identity_association", ASSOCIATION_KEY),),
    tags=Tagging(
        create="tags",
        pairs=None,
        put=Call("tag_resource", {"resourceArn": P("associationArn"), "tags": P("=tags")}),
        remove=Call("untag_resource", {"resourceArn": P("associationArn"), "tagKeys": P("=keys")}),
        at="tags",
    ),
    exclusive=True,
)

TYPES = {
    "aws:eks/cluster:Cluster": CLUSTER,
    "aws:eks/nodeGroup:NodeGroup": NODE_GROUP,
    "aws:eks/addon:Addon": ADDON,
    "aws:eks/accessEntry:AccessEntry": ACCESS_ENTRY,
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": ACCESS_POLICY_ASSOCIATION,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": POD_IDENTITY_ASSOCIATION,
}
