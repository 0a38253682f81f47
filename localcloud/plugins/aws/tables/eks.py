"""EKS: clusters, node groups, add-ons, and who may do what on them."""

from typing import Any

from localcloud.plugins.aws import machine_room
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, Name, P, Tagging, words

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
    """Which logs are kept, as EKS takes it: all that are not wanted are named too."""
    wanted = set(subject.inputs.get("enabledClusterLogTypes") or ())
    listed = [{"types": [t for t in LOG_TYPES if (t in wanted) == on], "enabled": on} for on in (True, False)]
    return {"clusterLogging": [each for each in listed if each["types"]]}


def make_cluster(subject: Subject) -> str:
    """Make a cluster."""
    machine_room.refuse_namesake(subject)
    tags = subject.properties.get("tagsAll") or {}
    more = {"logging": logging(subject), **({"tags": tags} if tags else {})}
    subject.call(Call("create_cluster", rest=True), more)
    subject.taken.add("enabledClusterLogTypes")
    return str(subject.properties["name"])


def shown_cluster(subject: Subject) -> dict[str, Any] | None:
    """A cluster."""
    cluster = subject.ask("describe_cluster", name=subject.id)["cluster"]
    issuer = ((cluster.get("identity") or {}).get("oidc") or {}).get("issuer")
    on = [kind for each in cluster["logging"]["clusterLogging"] if each["enabled"] for kind in each["types"]]
    shown = subject.shown("describe_cluster", {"cluster": cluster}, "cluster")
    return {
        **shown,
        "enabledClusterLogTypes": on,
        "identities": [{"oidcs": [{"issuer": issuer}]}] if issuer else [],
    }


def config(*names: str) -> Change:
    """Settings of a cluster that are changed one by one."""
    return Change(names, Call("update_cluster_config", {"name": ID, **{name: P(name) for name in names}}))


def change_vpc_config(subject: Subject) -> None:
    """Give a cluster's network other settings; only what differs may be named."""
    new, old = subject.inputs["vpcConfig"], subject.old.get("vpcConfig") or {}
    different = {name: value for name, value in new.items() if old.get(name) != value}
    subject.ask("update_cluster_config", name=subject.id, resourcesVpcConfig=different)


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
    name=Name(prefix=None, longest=100),
    defaults={"bootstrapSelfManagedAddons": True},
    arguments=words("forceUpdateVersion defaultAddonsToRemoves"),
    unanswered=words("bootstrapSelfManagedAddons"),
    chosen=words(
        "version accessConfig deletionProtection kubernetesNetworkConfig upgradePolicy zonalShiftConfig "
        "vpcConfig.clusterSecurityGroupId vpcConfig.vpcId vpcConfig.publicAccessCidrs "
        "vpcConfig.endpointPublicAccess vpcConfig.endpointPrivateAccess vpcConfig.securityGroupIds "
        "vpcConfig.controlPlaneEgressMode"
    ),
    one=words("encryptionConfig"),
    unordered=words(
        "enabledClusterLogTypes vpcConfig.subnetIds vpcConfig.securityGroupIds vpcConfig.publicAccessCidrs"
    ),
    volatile=words("status"),
    looks=(Look(shown_cluster),),
    changes=(
        Change(("vpcConfig",), change_vpc_config),
        Change(
            ("enabledClusterLogTypes",),
            lambda subject: subject.ask("update_cluster_config", name=subject.id, logging=logging(subject)),
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
    after=(machine_room.open_cluster,),
    delete=(Call("delete_cluster", {"name": ID}), machine_room.close_cluster),
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
        gone = sorted(old_labels.keys() - labels.keys())
        change["labels"] = {k: v for k, v in (("addOrUpdateLabels", put), ("removeLabels", gone)) if v}
    old_taints, taints = old.get("taints") or [], new.get("taints") or []
    if old_taints != taints:
        put_taints = [each for each in taints if each not in old_taints]
        kept = {(each["key"], each["effect"]) for each in taints}
        gone_taints = [each for each in old_taints if (each["key"], each["effect"]) not in kept]
        listed = (("addOrUpdateTaints", put_taints), ("removeTaints", gone_taints))
        change["taints"] = {k: v for k, v in listed if v}
    for name in ("scalingConfig", "updateConfig", "nodeRepairConfig"):
        if new.get(name) and old.get(name) != new[name]:
            change[name] = new[name]
    subject.ask(
        "update_nodegroup_config",
        clusterName=subject.properties["clusterName"],
        nodegroupName=subject.properties["nodeGroupName"],
        **change,
    )


def change_version(subject: Subject) -> None:
    """Take a node group to another version or launch template; only what differs may be named."""
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
    subject.ask(
        "update_nodegroup_version",
        clusterName=subject.properties["clusterName"],
        nodegroupName=subject.properties["nodeGroupName"],
        **change,
    )


def shown_group(subject: Subject) -> dict[str, Any]:
    """A node group."""
    known = subject.properties
    answer = subject.ask(
        "describe_nodegroup", clusterName=known["clusterName"], nodegroupName=known["nodeGroupName"]
    )
    resources = answer["nodegroup"].get("resources") or {}
    shown = subject.shown("describe_nodegroup", answer, "nodegroup")
    return {
        **shown,
        "resources": [
            {
                "autoscalingGroups": [
                    {"name": each["name"]} for each in resources.get("autoScalingGroups", ())
                ],
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
    name=Name("nodeGroupName", prefix="nodeGroupNamePrefix", longest=63),
    arguments=words("forceUpdateVersion nodeGroupNamePrefix"),
    chosen=words(
        "amiType capacityType diskSize instanceTypes releaseVersion updateConfig version "
        "launchTemplate.id launchTemplate.name nodeRepairConfig remoteAccess"
    ),
    unordered=words("subnetIds taints"),
    volatile=words("releaseVersion"),
    looks=(Look(shown_group),),
    changes=(
        Change(("labels", "taints", "scalingConfig", "updateConfig", "nodeRepairConfig"), change_nodes),
        Change(("version", "releaseVersion", "launchTemplate"), change_version),
    ),
    after=(machine_room.set_machines,),
    delete=(Call("delete_nodegroup", GROUP), machine_room.remove_machines),
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
    chosen=words("addonVersion"),
    volatile=words("modifiedAt"),
    documents=words("configurationValues"),
    looks=(Look(Call("describe_addon", ADDON_KEY), at="addon"),),
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
    alone=True,
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
    chosen=words("kubernetesGroups userName"),
    unordered=words("kubernetesGroups"),
    volatile=words("modifiedAt"),
    looks=(Look(Call("describe_access_entry", ENTRY_KEY), at="accessEntry"),),
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
    alone=True,
)


def shown_policy(subject: Subject) -> dict[str, Any] | None:
    """A policy of an access entry."""
    known = subject.properties
    answer = subject.ask(
        "list_associated_access_policies",
        clusterName=known["clusterName"],
        principalArn=known["principalArn"],
    )
    for policy in answer["associatedAccessPolicies"]:
        if policy["policyArn"] == known["policyArn"]:
            scope = {name: value for name, value in policy["accessScope"].items() if value}
            return {**policy, "accessScope": scope, **{n: known[n] for n in ("clusterName", "principalArn")}}
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
    split="#",
    volatile=words("modifiedAt"),
    looks=(Look(shown_policy),),
    delete=(Call("disassociate_access_policy", {**ENTRY_KEY, "policyArn": P("policyArn")}),),
    schema_names={"policyArn": "AccessPolicies", "accessScope": "AccessPolicies"},
    alone=True,
)


# --- pod identity ---


def shown_association(subject: Subject) -> dict[str, Any]:
    """A pod identity association. To import it: `<cluster>,<association>`."""
    if "," in subject.id:
        subject.properties["clusterName"], _, subject.id = subject.id.partition(",")
    answer = subject.ask(
        "describe_pod_identity_association",
        clusterName=subject.properties["clusterName"],
        associationId=subject.id,
    )
    return subject.shown("describe_pod_identity_association", answer, "association")


ASSOCIATION_KEY = {"clusterName": P("clusterName"), "associationId": ID}

POD_IDENTITY_ASSOCIATION = Kind(
    service="eks",
    schema="AWS::EKS::PodIdentityAssociation",
    inputs="clusterName! namespace! roleArn! serviceAccount! disableSessionTags targetRoleArn policy",
    outputs="associationArn associationId externalId",
    create=Call("create_pod_identity_association", rest=True),
    id="association.associationId",
    chosen=words("disableSessionTags"),
    documents=words("policy"),
    looks=(Look(shown_association),),
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
    alone=True,
)

TYPES = {
    "aws:eks/cluster:Cluster": CLUSTER,
    "aws:eks/nodeGroup:NodeGroup": NODE_GROUP,
    "aws:eks/addon:Addon": ADDON,
    "aws:eks/accessEntry:AccessEntry": ACCESS_ENTRY,
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": ACCESS_POLICY_ASSOCIATION,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": POD_IDENTITY_ASSOCIATION,
}
