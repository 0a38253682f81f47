"""EKS as boto3's client answers it: moto's answers, and what moto lacks, kept in files.

moto has clusters and node groups, without many of their settings. It has no add-ons, access entries, access
policies and pod identity associations, and no change of a version.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from localcloud.plugins.aws import addons
from localcloud.plugins.aws.services.base import Members, Service, now

if TYPE_CHECKING:
    from localcloud.plugins.aws.services.auto_scaling import AutoScaling


@dataclass(frozen=True)
class Collection:
    """Things of a cluster that moto does not have.

    noun: in their files and ARNs. answer: member of answers that holds one. key: members that identify it,
    the cluster first. arn: member with its ARN. list_member: of the answer to a list call; list_item: member
    of a thing that it lists, None for all of the thing. complete: fills in what EKS sets.
    """

    noun: str
    answer: str
    key: tuple[str, ...]
    arn: str
    list_member: str
    list_item: str | None
    complete: Callable[["Eks", Members], Members]


def _addon(eks: "Eks", members: Members) -> Members:
    settings = {name: value for name, value in members.items() if name != "resolveConflicts"}
    version = eks.describe_cluster(name=members["clusterName"])["cluster"]["version"]
    return {
        "addonVersion": addons.latest(members["addonName"], version),
        "status": "ACTIVE",
        "health": {"issues": []},
        **settings,
    }


def _entry(eks: "Eks", members: Members) -> Members:
    return {"type": "STANDARD", "kubernetesGroups": [], "username": members["principalArn"], **members}


def _association(eks: "Eks", members: Members) -> Members:
    account = ("namespace", "serviceAccount")
    for association in eks.store.all("podidentityassociation", members["clusterName"]):
        if all(association[name] == members[name] for name in account):
            message = f"Association already exists: {association['associationId']}"
            eks.refuse("ResourceInUseException", message, "CreatePodIdentityAssociation")
    return {"associationId": f"a-{secrets.token_hex(8)}", "disableSessionTags": False, **members}


COLLECTIONS = {
    collection.noun: collection
    for collection in (
        Collection("addon", "addon", ("clusterName", "addonName"), "addonArn", "addons", "addonName", _addon),
        Collection(
            "access-entry",
            "accessEntry",
            ("clusterName", "principalArn"),
            "accessEntryArn",
            "accessEntries",
            "principalArn",
            _entry,
        ),
        Collection(
            "podidentityassociation",
            "association",
            ("clusterName", "associationId"),
            "associationArn",
            "associations",
            None,
            _association,
        ),
    )
}

# boto3's name of an operation -> verb, and noun of its collection.
OPERATIONS = {
    f"{verb}_{noun}": (verb, collection)
    for noun, collection in (
        ("addon", "addon"),
        ("access_entry", "access-entry"),
        ("pod_identity_association", "podidentityassociation"),
    )
    for verb in ("create", "describe", "update", "delete")
} | {
    "list_addons": ("list", "addon"),
    "list_access_entries": ("list", "access-entry"),
    "list_pod_identity_associations": ("list", "podidentityassociation"),
}

# Settings of a cluster that moto accepts and drops, or answers differently from EKS.
CLUSTER_DEFAULTS: Members = {
    "accessConfig": {"bootstrapClusterCreatorAdminPermissions": True, "authenticationMode": "CONFIG_MAP"},
    "upgradePolicy": {"supportType": "EXTENDED"},
    "deletionProtection": False,
    "zonalShiftConfig": {"enabled": False},
    "kubernetesNetworkConfig": {
        "serviceIpv4Cidr": "10.100.0.0/16",
        "ipFamily": "ipv4",
        "elasticLoadBalancing": {"enabled": False},
    },
    "resourcesVpcConfig": {
        "securityGroupIds": [],
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        "publicAccessCidrs": ["0.0.0.0/0"],
    },
    "version": "1.34",
    "platformVersion": "eks.1",
    "encryptionConfig": [],
}
LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


class Eks(Service):
    """A client of EKS in one region."""

    def __getattr__(self, operation: str) -> Any:
        if operation in OPERATIONS:
            verb, noun = OPERATIONS[operation]
            return partial(getattr(self, f"_{verb}"), operation, COLLECTIONS[noun])
        return super().__getattr__(operation)

    # --- clusters ---

    def create_cluster(self, **members: Any) -> Members:
        """Make a cluster, with the security group that EKS makes with it."""
        name = members["name"]
        self.client.create_cluster(**members)
        self.store.remove("cluster", name)
        for noun in (*COLLECTIONS, "nodegroup", "policy"):
            self.store.remove(noun, name)
        group, vpc = self._make_security_group(name, members["resourcesVpcConfig"]["subnetIds"])
        settings = _merge(CLUSTER_DEFAULTS, {k: v for k, v in members.items() if k not in ("name", "tags")})
        settings["resourcesVpcConfig"] |= {"clusterSecurityGroupId": group, "vpcId": vpc}
        settings["logging"] = _logging({}, members.get("logging") or {})
        settings["identity"] = {
            "oidc": {
                "issuer": f"https://oidc.eks.{self.region}.amazonaws.com/id/{secrets.token_hex(16).upper()}"
            }
        }
        # EKS accepts this and never returns it.
        settings.pop("bootstrapSelfManagedAddons", None)
        self.store.put("cluster", name, thing=settings)
        return self.describe_cluster(name=name)

    def describe_cluster(self, name: str) -> Members:
        """A cluster."""
        cluster = self.client.describe_cluster(name=name)["cluster"]
        return {"cluster": {**cluster, **(self.store.get("cluster", name) or {})}}

    def store_cluster_members(self, name: str, **members: Any) -> None:
        """Store members of a cluster, which EKS returns from now on."""
        self.store.put("cluster", name, thing=_merge(self.store.get("cluster", name) or {}, members))

    def update_cluster_config(self, name: str, **members: Any) -> Members:
        """Change settings of a cluster."""
        cluster = self.describe_cluster(name=name)["cluster"]
        if "logging" in members:
            members["logging"] = _logging(cluster.get("logging") or {}, members["logging"])
        self.store_cluster_members(name, **members)
        return _update("ConfigUpdate")

    def update_cluster_version(self, name: str, version: str, force: bool = False) -> Members:
        """Take a cluster to the next minor version."""
        old = self.describe_cluster(name=name)["cluster"]["version"]
        if _minor(version) not in (_minor(old), _minor(old) + 1):
            self.refuse(
                "InvalidParameterException",
                f"Unsupported Kubernetes minor version update from {old} to {version}",
                "UpdateClusterVersion",
            )
        self.store_cluster_members(name, version=version)
        return _update("VersionUpdate")

    def delete_cluster(self, name: str) -> Members:
        """Delete a cluster, with all things of it."""
        cluster = self.describe_cluster(name=name)["cluster"]
        if cluster.get("deletionProtection"):
            self.refuse(
                "InvalidRequestException", "The cluster has deletion protection enabled", "DeleteCluster"
            )
        answer: Members = self.client.delete_cluster(name=name)
        for noun in (*COLLECTIONS, "nodegroup", "policy", "cluster"):
            self.store.remove(noun, name)
        group = cluster["resourcesVpcConfig"].get("clusterSecurityGroupId")
        if group:
            self.api.call("ec2", "delete_security_group", {"GroupId": group}, self.region)
        return answer

    def _make_security_group(self, cluster: str, subnets: list[str]) -> tuple[str, str]:
        call = partial(self.api.call, "ec2", region=self.region)
        vpc = call("describe_subnets", {"SubnetIds": subnets[:1]})["Subnets"][0]["VpcId"]
        name = f"eks-cluster-sg-{cluster}-{secrets.randbelow(10**9):09}"
        answer = call(
            "create_security_group",
            {
                "GroupName": name,
                "Description": "EKS created security group applied to ENI that is attached to EKS "
                "Control Plane master nodes, as well as any managed workloads.",
                "VpcId": vpc,
                "TagSpecifications": [
                    {
                        "ResourceType": "security-group",
                        "Tags": [
                            {"Key": "Name", "Value": name},
                            {"Key": f"kubernetes.io/cluster/{cluster}", "Value": "owned"},
                        ],
                    }
                ],
            },
        )
        return answer["GroupId"], vpc

    # --- node groups ---

    def create_nodegroup(self, **members: Any) -> Members:
        """Make a node group; by default with the version of its cluster."""
        cluster = self.describe_cluster(name=members["clusterName"])["cluster"]
        self.client.create_nodegroup(**members)
        settings: Members = {
            "updateConfig": {"maxUnavailable": 1},
            "version": cluster["version"],
            **{
                name: members[name]
                for name in ("updateConfig", "nodeRepairConfig", "version")
                if name in members
            },
        }
        settings["releaseVersion"] = members.get("releaseVersion", f"{settings['version']}.0-20251112")
        scaling_group = f"eks-{members['nodegroupName']}-{uuid4()}"
        settings["resources"] = {"autoScalingGroups": [{"name": scaling_group}]}
        self._auto_scaling.put_group(scaling_group, members["clusterName"], members["nodegroupName"], members)
        # moto has no default bounds, and no machine image's own disk size.
        self.store.put("nodegroup", members["clusterName"], members["nodegroupName"], thing=settings)
        return self.describe_nodegroup(
            clusterName=members["clusterName"], nodegroupName=members["nodegroupName"]
        )

    def describe_nodegroup(self, clusterName: str, nodegroupName: str) -> Members:
        """A node group."""
        group = self.client.describe_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)[
            "nodegroup"
        ]
        return {"nodegroup": {**group, **(self.store.get("nodegroup", clusterName, nodegroupName) or {})}}

    def update_nodegroup_config(self, clusterName: str, nodegroupName: str, **members: Any) -> Members:
        """Change settings of a node group."""
        key = ("nodegroup", clusterName, nodegroupName)
        settings: Members = {
            name: members.pop(name) for name in ("updateConfig", "nodeRepairConfig") if name in members
        }
        if settings:
            self.store.put(*key, thing={**(self.store.get(*key) or {}), **settings})
        if "scalingConfig" in members:
            for name in self._scaling_groups(clusterName, nodegroupName):
                self._auto_scaling.put_sizes(name, members["scalingConfig"])
        if members:
            self.client.update_nodegroup_config(
                clusterName=clusterName, nodegroupName=nodegroupName, **members
            )
        return _update("ConfigUpdate")

    def update_nodegroup_version(self, clusterName: str, nodegroupName: str, **members: Any) -> Members:
        """Take a node group to another version, release or launch template."""
        key = ("nodegroup", clusterName, nodegroupName)
        group = self.describe_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)["nodegroup"]
        settings: Members = {name: members[name] for name in ("version", "releaseVersion") if name in members}
        if "version" in settings and "releaseVersion" not in settings:
            settings["releaseVersion"] = f"{settings['version']}.0-20251112"
        if "launchTemplate" in members:
            settings["launchTemplate"] = {**(group.get("launchTemplate") or {}), **members["launchTemplate"]}
        self.store.put(*key, thing={**(self.store.get(*key) or {}), **settings})
        return _update("VersionUpdate")

    def delete_nodegroup(self, clusterName: str, nodegroupName: str) -> Members:
        """Delete a node group, with the Auto Scaling group behind it."""
        for name in self._scaling_groups(clusterName, nodegroupName):
            self._auto_scaling.remove_group(name)
        answer: Members = self.client.delete_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)
        self.store.remove("nodegroup", clusterName, nodegroupName)
        return answer

    @property
    def _auto_scaling(self) -> "AutoScaling":
        service: AutoScaling = self.api.service("autoscaling", self.region)
        return service

    def _scaling_groups(self, cluster: str, node_group: str) -> list[str]:
        resources = (self.store.get("nodegroup", cluster, node_group) or {}).get("resources") or {}
        return [group["name"] for group in resources.get("autoScalingGroups", ())]

    # --- what moto does not have ---

    def _create(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        cluster = members["clusterName"]
        self.describe_cluster(name=cluster)
        thing = collection.complete(self, {k: v for k, v in members.items() if k != "clientRequestToken"})
        key = (collection.noun, *(thing[name] for name in collection.key))
        if self.store.get(*key):
            self.refuse(
                "ResourceInUseException",
                f"{collection.answer} already exists: {'/'.join(key[1:])}",
                operation,
            )
        time = now()
        thing |= {collection.arn: self._arn(collection, thing), "createdAt": time, "modifiedAt": time}
        thing.setdefault("tags", {})
        self.store.put(*key, thing=thing)
        return {collection.answer: thing}

    def _arn(self, collection: Collection, thing: Mapping[str, Any]) -> str:
        last = thing[collection.key[1]].rpartition("/")[2]
        return (
            f"arn:{self.api.partition}:eks:{self.region}:{self.api.account}:{collection.noun}/"
            f"{thing['clusterName']}/{last}/{secrets.token_hex(16)}"
        )

    def _describe(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        self.describe_cluster(name=members["clusterName"])
        thing = self.store.get(collection.noun, *(members[name] for name in collection.key))
        if thing is None:
            key = "/".join(members[name] for name in collection.key)
            self.refuse("ResourceNotFoundException", f"No {collection.answer} found for: {key}", operation)
        return {collection.answer: thing}

    def _update(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        key = {name: members.pop(name) for name in collection.key}
        answer = self._describe(operation.replace("update", "describe"), collection, **key)
        members.pop("resolveConflicts", None)
        thing = {**answer[collection.answer], **members, "modifiedAt": now()}
        self.store.put(collection.noun, *key.values(), thing=thing)
        return {collection.answer: thing, "update": _update("AddonUpdate")["update"]}

    def _delete(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        key = {name: members[name] for name in collection.key}
        answer = self._describe(operation.replace("delete", "describe"), collection, **key)
        self.store.remove(collection.noun, *key.values())
        if collection.noun == "access-entry":
            self.store.remove("policy", *key.values())
        return answer

    def _list(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        self.describe_cluster(name=members["clusterName"])
        things = self.store.all(collection.noun, members["clusterName"])
        item = collection.list_item
        return {collection.list_member: [thing[item] if item else thing for thing in things]}

    def associate_access_policy(self, **members: Any) -> Members:
        """Give a policy to an access entry."""
        self.validate("associate_access_policy", members)
        entry = {name: members[name] for name in ("clusterName", "principalArn")}
        self.describe_access_entry(**entry)
        key = ("policy", *entry.values(), members["policyArn"])
        time = now()
        old = self.store.get(*key) or {"associatedAt": time}
        policy = {name: members[name] for name in ("policyArn", "accessScope")}
        policy = {**old, **policy, "modifiedAt": time}
        self.store.put(*key, thing=policy)
        return {**entry, "associatedAccessPolicy": policy}

    def disassociate_access_policy(self, clusterName: str, principalArn: str, policyArn: str) -> Members:
        """Take a policy from an access entry."""
        self.describe_access_entry(clusterName=clusterName, principalArn=principalArn)
        self.store.remove("policy", clusterName, principalArn, policyArn)
        return {}

    def list_associated_access_policies(self, clusterName: str, principalArn: str) -> Members:
        """Policies of an access entry."""
        self.describe_access_entry(clusterName=clusterName, principalArn=principalArn)
        policies = list(self.store.all("policy", clusterName, principalArn))
        return {
            "clusterName": clusterName,
            "principalArn": principalArn,
            "associatedAccessPolicies": policies,
        }

    def tag_resource(self, resourceArn: str, tags: Mapping[str, str]) -> Members:
        """Put tags on a thing."""
        return self._retag(resourceArn, lambda old: {**old, **tags}, "tag_resource", tags=tags)

    def untag_resource(self, resourceArn: str, tagKeys: list[str]) -> Members:
        """Take tags from a thing."""
        return self._retag(
            resourceArn,
            lambda old: {key: value for key, value in old.items() if key not in tagKeys},
            "untag_resource",
            tagKeys=tagKeys,
        )

    def _retag(
        self, arn: str, change: Callable[[dict[str, str]], dict[str, str]], operation: str, **members: Any
    ) -> Members:
        noun, _, rest = arn.split(":", 5)[5].partition("/")
        if noun == "nodegroup":
            cluster, name, _ = rest.split("/")
            group = self.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
            settings = self.store.get("nodegroup", cluster, name) or {}
            settings["tags"] = change(group.get("tags") or {})
            self.store.put("nodegroup", cluster, name, thing=settings)
            return {}
        if noun not in COLLECTIONS:
            answer: Members = getattr(self.client, operation)(resourceArn=arn, **members)
            return answer
        collection = COLLECTIONS[noun]
        for thing in self.store.all(noun, rest.partition("/")[0]):
            if thing[collection.arn] == arn:
                key = (thing[name] for name in collection.key)
                self.store.put(noun, *key, thing={**thing, "tags": change(thing.get("tags") or {})})
                return {}
        self.refuse("NotFoundException", f"No resource found for: {arn}", operation)


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> Members:
    """Settings with new ones over them: a structure keeps the members that the new one does not have."""
    merged = {**old, **new}
    for name in old.keys() & new.keys():
        if isinstance(old[name], dict) and isinstance(new[name], dict):
            merged[name] = _merge(old[name], new[name])
    return merged


def _logging(old: Mapping[str, Any], new: Mapping[str, Any]) -> Members:
    enabled: set[str] = set()
    for setup in (*old.get("clusterLogging", ()), *new.get("clusterLogging", ())):
        types = set(setup.get("types", ()))
        enabled = enabled | types if setup.get("enabled") else enabled - types
    setups = [
        {"types": [kind for kind in LOG_TYPES if (kind in enabled) == state], "enabled": state}
        for state in (True, False)
    ]
    return {"clusterLogging": [setup for setup in setups if setup["types"]]}


def _minor(version: str) -> int:
    return int(version.split(".")[1])


def _update(kind: str) -> Members:
    time = datetime.now(UTC)
    return {"update": {"id": secrets.token_hex(16), "status": "Successful", "type": kind, "createdAt": time}}
