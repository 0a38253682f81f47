"""EKS as boto3's client answers it: moto's answers, and what moto lacks, kept in files.

moto has clusters and node groups, without a good part of their settings. It has no add-ons, access
entries, access policies or pod identity associations, and no update of a version.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aws_rules.access.entries import MODES
from aws_rules.access.identity import NODES, default_username
from aws_rules.nodes.templates import OWN_IMAGE
from localcloud.plugins.aws import addons
from localcloud.plugins.aws.cluster_logs import cluster_logging, enabled_logs
from localcloud.plugins.aws.refusals import access
from localcloud.plugins.aws.refusals.templates import template_data
from localcloud.plugins.aws.services.base import Members, Service, now
from localcloud.plugins.aws.tables._ec2 import tags_of
from localcloud.tools.table import KUBERNETES_MINOR

if TYPE_CHECKING:
    from localcloud.plugins.aws.services.auto_scaling import AutoScaling


@dataclass(frozen=True)
class Collection:
    """Objects of a cluster that moto does not have.

    noun: in their files and ARNs. answer: member of answers that holds an object. arn: member with its ARN.
    key: members that identify an object, the cluster first.
    listed: member of the answer to a list call, and the member of the objects that is listed; None: all.
    fill: adds to a create request what EKS fills in.
    in_use, missing: what EKS says where there is one already, or none.
    """

    noun: str
    answer: str
    key: tuple[str, ...]
    arn: str
    listed: tuple[str, str | None]
    fill: Callable[["Eks", Members], Members]
    in_use: str = "{answer} already exists: {key}"
    missing: str = "No {answer} found for: {key}"


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
    access.refuse_entry(eks.api, eks.describe_cluster(name=members["clusterName"])["cluster"], members)
    username = default_username(members["principalArn"], members.get("type", "STANDARD"))
    return {"type": "STANDARD", "kubernetesGroups": [], "username": username, **members}


def _association(eks: "Eks", members: Members) -> Members:
    account = (members["namespace"], members["serviceAccount"])
    for existing in eks.store.all("podidentityassociation", members["clusterName"]):
        if (existing["namespace"], existing["serviceAccount"]) == account:
            eks.refuse(
                "ResourceInUseException",
                f"Association already exists: {existing['associationId']}",
                "CreatePodIdentityAssociation",
            )
    return {"associationId": f"a-{secrets.token_hex(8)}", "disableSessionTags": False, **members}


COLLECTIONS = {
    collection.noun: collection
    for collection in (
        Collection(
            "addon", "addon", ("clusterName", "addonName"), "addonArn", ("addons", "addonName"), _addon
        ),
        Collection(
            "access-entry",
            "accessEntry",
            ("clusterName", "principalArn"),
            "accessEntryArn",
            ("accessEntries", "principalArn"),
            _entry,
            in_use="The specified access entry resource is already in use on this cluster",
            missing="The specified principalArn could not be found. You can view your available access "
            "entries with 'list-access-entries'",
        ),
        Collection(
            "podidentityassociation",
            "association",
            ("clusterName", "associationId"),
            "associationArn",
            ("associations", None),
            _association,
        ),
    )
}

# boto3's name of an operation -> its verb, and the collection that it works on.
OPERATIONS = {
    f"{verb}_{singular}": (verb, noun)
    for singular, noun in (
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
    "controlPlaneScalingConfig": {"tier": "standard"},
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
    "version": f"1.{KUBERNETES_MINOR}",
    "platformVersion": "eks.1",
    "encryptionConfig": [],
}


class Eks(Service):
    """A client of EKS in one region."""

    def __getattr__(self, operation: str) -> Any:
        if operation in OPERATIONS:
            verb, noun = OPERATIONS[operation]
            name = self.meta.method_to_api_mapping[operation]
            return partial(getattr(self, f"_{verb}"), name, COLLECTIONS[noun])
        return super().__getattr__(operation)

    # --- clusters ---

    def create_cluster(self, **members: Any) -> Members:
        """Make a cluster, with the security group that EKS makes with it."""
        name = members["name"]
        self.client.create_cluster(**members)
        self.store.remove("cluster", name)
        for noun in (
            *COLLECTIONS,
            "nodegroup",
            "fargateprofile",
            "machines",
            "policy",
            "addresses",
            "update",
        ):
            self.store.remove(noun, name)
        group, vpc = self._make_security_group(name, members["resourcesVpcConfig"]["subnetIds"])
        settings = _merge(CLUSTER_DEFAULTS, {k: v for k, v in members.items() if k not in ("name", "tags")})
        settings["resourcesVpcConfig"] |= {"clusterSecurityGroupId": group, "vpcId": vpc}
        settings["logging"] = _logging({}, members.get("logging") or {})
        issuer = f"https://oidc.eks.{self.region}.amazonaws.com/id/{secrets.token_hex(16).upper()}"
        settings["identity"] = {"oidc": {"issuer": issuer}}
        # EKS accepts this and never returns it.
        self_managed = settings.pop("bootstrapSelfManagedAddons", True)
        bootstrap = {"selfManagedAddons": self_managed, "creator": self._admitted_creator(settings)}
        self.store.put("bootstrap", name, thing=bootstrap)
        self.store.put("cluster", name, thing=settings)
        self._let_creator_in(name, settings["accessConfig"])
        return self.describe_cluster(name=name)

    def _let_creator_in(self, cluster: str, access_config: Mapping[str, Any]) -> None:
        """Make the access entry of who made a cluster, an administrator, unless EKS was told not to."""
        if access_config["authenticationMode"] not in MODES:
            return
        if access_config["bootstrapClusterCreatorAdminPermissions"]:
            entry = {"clusterName": cluster, "principalArn": self.api.identity or self.api.roles[-1]}
            self.create_access_entry(**entry)
            self.associate_access_policy(
                **entry,
                policyArn=f"arn:{self.api.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                accessScope={"type": "cluster"},
            )

    def _admitted_creator(self, settings: Members) -> str:
        """Who makes a cluster and is let in without an access entry, as it goes by `aws-auth` only."""
        access = settings["accessConfig"]
        if access["authenticationMode"] in MODES or not access["bootstrapClusterCreatorAdminPermissions"]:
            return ""
        return str(self.api.identity or self.api.roles[-1])

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
            members["logging"] = _logging(cluster, members["logging"])
        self.store_cluster_members(name, **members)
        return _update("ConfigUpdate")

    def update_cluster_version(self, name: str, version: str, force: bool = False) -> Members:
        """Take a cluster to the next minor version."""
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
        for noun in (
            *COLLECTIONS,
            "nodegroup",
            "fargateprofile",
            "machines",
            "policy",
            "cluster",
            "addresses",
            "bootstrap",
            "update",
        ):
            self.store.remove(noun, name)
        group = cluster["resourcesVpcConfig"].get("clusterSecurityGroupId")
        if group:
            self.api.call("ec2", "delete_security_group", {"GroupId": group}, self.region)
        return answer

    def _make_security_group(self, cluster: str, subnets: list[str]) -> tuple[str, str]:
        call = partial(self.api.call, "ec2", region=self.region)
        vpc = call("describe_subnets", {"SubnetIds": subnets[:1]})["Subnets"][0]["VpcId"]
        name = f"eks-cluster-sg-{cluster}-{secrets.randbelow(10**9):09}"
        tags = {"Name": name, f"kubernetes.io/cluster/{cluster}": "owned"}
        group = call(
            "create_security_group",
            {
                "GroupName": name,
                "Description": "EKS created security group applied to ENI that is attached to EKS "
                "Control Plane master nodes, as well as any managed workloads.",
                "VpcId": vpc,
                **tags_of("security-group").at_create(tags),
            },
        )
        # https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
        itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group["GroupId"]}]}
        call("authorize_security_group_ingress", {"GroupId": group["GroupId"], "IpPermissions": [itself]})
        return group["GroupId"], vpc

    # --- node groups ---

    def create_nodegroup(self, **members: Any) -> Members:
        """Make a node group; by default with the version of its cluster."""
        cluster, name = members["clusterName"], members["nodegroupName"]
        version = members.get("version") or self.describe_cluster(name=cluster)["cluster"]["version"]
        self.client.create_nodegroup(**members)
        scaling_group = f"eks-{name}-{uuid4()}"
        self._auto_scaling.put_group(scaling_group, cluster, name, members)
        # moto has no default bounds, and no machine image's own disk size.
        settings = {
            "updateConfig": {"maxUnavailable": 1},
            "version": version,
            "releaseVersion": release_version(version),
            **_subset(members, "updateConfig", "nodeRepairConfig", "releaseVersion"),
            **self._own_image(members.get("launchTemplate") or {}),
            "resources": {"autoScalingGroups": [{"name": scaling_group}]},
        }
        self.store.put("nodegroup", cluster, name, thing=settings)
        self._let_machines_in(cluster, members["nodeRole"])
        return self.describe_nodegroup(clusterName=cluster, nodegroupName=name)

    def describe_nodegroup(self, clusterName: str, nodegroupName: str) -> Members:
        """A node group."""
        answer = self.client.describe_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)
        settings = self.store.get("nodegroup", clusterName, nodegroupName) or {}
        group = {**answer["nodegroup"], **settings}
        for name in self._scaling_groups(clusterName, nodegroupName):
            # EKS shows what Auto Scaling has, whoever changed it: a schedule, the autoscaler.
            group["scalingConfig"] = {**group["scalingConfig"], **self._auto_scaling.sizes(name)}
        return {"nodegroup": group}

    def update_nodegroup_config(self, clusterName: str, nodegroupName: str, **members: Any) -> Members:
        """Change settings of a node group. Its desired size stays, unless another one is given."""
        members = self.keep_nodegroup_config(clusterName, nodegroupName, members)
        if members:
            self.client.update_nodegroup_config(
                clusterName=clusterName, nodegroupName=nodegroupName, **members
            )
        return _update("ConfigUpdate")

    def keep_nodegroup_config(self, cluster: str, group: str, members: Members) -> Members:
        """Keep of changed settings what moto lacks, and what Auto Scaling has; those for moto."""
        settings = _subset(members, "updateConfig", "nodeRepairConfig")
        if settings:
            self.store.update("nodegroup", cluster, group, members=settings)
        if "scalingConfig" in members:
            for name in self._scaling_groups(cluster, group):
                self._auto_scaling.put_sizes(name, members["scalingConfig"])
        return {name: value for name, value in members.items() if name not in settings}

    def keep_update(self, cluster: str, group: str) -> Members:
        """An update of a node group's settings, which DescribeUpdate knows from now on."""
        update: Members = _update("ConfigUpdate")["update"]
        thing = {**update, "createdAt": update["createdAt"].isoformat()}
        self.store.put("update", cluster, group, update["id"], thing=thing)
        return update

    def kept_update(self, cluster: str, group: str, id: str) -> Members | None:
        """An update of a node group, if there was one; here it is over at once."""
        return self.store.get("update", cluster, group, id)

    def update_nodegroup_version(self, clusterName: str, nodegroupName: str, **members: Any) -> Members:
        """Take a node group to another version, release or launch template."""
        group = self.describe_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)["nodegroup"]
        settings = _subset(members, "version", "releaseVersion")
        if "version" in settings:
            settings.setdefault("releaseVersion", release_version(settings["version"]))
        if "launchTemplate" in members:
            settings["launchTemplate"] = {**(group.get("launchTemplate") or {}), **members["launchTemplate"]}
            settings |= self._own_image(settings["launchTemplate"])
        self.store.update("nodegroup", clusterName, nodegroupName, members=settings)
        return _update("VersionUpdate")

    def _own_image(self, template: Mapping[str, Any]) -> Members:
        """What EKS shows of a group whose launch template names an image; nothing of others.

        aws-cloudformation/cloudformation-coverage-roadmap#2151 (amiType), aws-samples/eks-cluster-upgrade#123
        (releaseVersion).
        """
        image = template_data(self.api, self.region, template).get("ImageId")
        return {"amiType": OWN_IMAGE, "releaseVersion": image} if image else {}

    def delete_nodegroup(self, clusterName: str, nodegroupName: str) -> Members:
        """Delete a node group, with the Auto Scaling group behind it."""
        answer: Members = self.client.delete_nodegroup(clusterName=clusterName, nodegroupName=nodegroupName)
        self.forget_nodegroup(clusterName, nodegroupName, answer["nodegroup"]["nodeRole"])
        return answer

    def forget_nodegroup(self, cluster: str, group: str, role: str) -> None:
        """Remove what is kept of a node group that moto has deleted. role: ARN of its nodes' role."""
        for name in self._scaling_groups(cluster, group):
            self._auto_scaling.remove_group(name)
        for noun in ("nodegroup", "machines", "addresses", "update"):
            self.store.remove(noun, cluster, group)
        self._keep_machines_out(cluster, role)

    def store_health(self, cluster: str, group: str, status: str, issues: list[Members]) -> None:
        """Store how a node group is, which EKS returns from now on."""
        health = {"status": status, "health": {"issues": issues}}
        self.store.update("nodegroup", cluster, group, members=health)

    def _let_machines_in(self, cluster: str, role: str) -> None:
        """Make the access entry of a group's role, as EKS does unless there is one."""
        mode = self.describe_cluster(name=cluster)["cluster"]["accessConfig"]["authenticationMode"]
        if mode in MODES and not self.store.get("access-entry", cluster, role):
            self._put("access-entry", {"clusterName": cluster, "principalArn": role, **_MACHINES})

    def _keep_machines_out(self, cluster: str, role: str) -> None:
        """Delete the access entry of a role that no group has any more.

        Documented of `aws-auth` (eks/latest/userguide/delete-managed-node-group.html).
        """
        entry = self.store.get("access-entry", cluster, role)
        if role not in self.roles_of_machines(cluster) and entry and entry["type"] == _MACHINES["type"]:
            self.store.remove("access-entry", cluster, role)

    def roles_of_machines(self, cluster: str) -> set[str]:
        """Roles of the managed node groups of a cluster."""
        roles = set()
        for name in self.client.list_nodegroups(clusterName=cluster)["nodegroups"]:
            # One of them may go meanwhile.
            with suppress(self.client.exceptions.ResourceNotFoundException):
                group = self.client.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
                roles.add(group["nodeRole"])
        return roles

    @property
    def _auto_scaling(self) -> "AutoScaling":
        service: AutoScaling = self.api.service("autoscaling", self.region)
        return service

    def _scaling_groups(self, cluster: str, node_group: str) -> list[str]:
        resources = (self.store.get("nodegroup", cluster, node_group) or {}).get("resources") or {}
        return [group["name"] for group in resources.get("autoScalingGroups", ())]

    # --- Fargate profiles: moto's, but for changes of their tags ---

    def describe_fargate_profile(self, clusterName: str, fargateProfileName: str) -> Members:
        """A Fargate profile."""
        key = {"clusterName": clusterName, "fargateProfileName": fargateProfileName}
        profile = self.client.describe_fargate_profile(**key)["fargateProfile"]
        return {"fargateProfile": {**profile, **(self.store.get("fargateprofile", *key.values()) or {})}}

    def delete_fargate_profile(self, clusterName: str, fargateProfileName: str) -> Members:
        """Delete a Fargate profile."""
        key = {"clusterName": clusterName, "fargateProfileName": fargateProfileName}
        answer: Members = self.client.delete_fargate_profile(**key)
        self.store.remove("fargateprofile", *key.values())
        return answer

    # --- objects that moto does not have ---

    def _create(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        cluster = members["clusterName"]
        self.describe_cluster(name=cluster)
        thing = collection.fill(self, {k: v for k, v in members.items() if k != "clientRequestToken"})
        key = [thing[name] for name in collection.key]
        if self.store.get(collection.noun, *key):
            message = collection.in_use.format(answer=collection.answer, key="/".join(key))
            self.refuse("ResourceInUseException", message, operation)
        return {collection.answer: self._put(collection.noun, thing)}

    def _put(self, noun: str, thing: Members) -> Members:
        """Store a new object of a cluster; with its ARN and times."""
        collection, moment = COLLECTIONS[noun], now()
        arn = self._arn(collection, thing)
        thing = {"tags": {}, **thing, collection.arn: arn, "createdAt": moment, "modifiedAt": moment}
        self.store.put(noun, *(thing[name] for name in collection.key), thing=thing)
        return thing

    def _arn(self, collection: Collection, thing: Mapping[str, Any]) -> str:
        last = thing[collection.key[1]].rpartition("/")[2]
        return (
            f"arn:{self.api.partition}:eks:{self.region}:{self.api.account}:{collection.noun}/"
            f"{thing['clusterName']}/{last}/{secrets.token_hex(16)}"
        )

    def _describe(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        self.describe_cluster(name=members["clusterName"])
        key = [members[name] for name in collection.key]
        thing = self.store.get(collection.noun, *key)
        if thing is None:
            message = collection.missing.format(answer=collection.answer, key="/".join(key))
            self.refuse("ResourceNotFoundException", message, operation)
        return {collection.answer: thing}

    def _update(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        key = {name: members.pop(name) for name in collection.key}
        thing = self._describe(operation.replace("Update", "Describe"), collection, **key)[collection.answer]
        if collection.noun == "access-entry":
            set_members = {"kubernetesGroups": thing["kubernetesGroups"], **members}
            cluster = self.describe_cluster(name=key["clusterName"])["cluster"]
            access.refuse_entry(self.api, cluster, {**key, "type": thing["type"], **set_members})
        members.pop("resolveConflicts", None)
        thing = self.store.update(collection.noun, *key.values(), members={**members, "modifiedAt": now()})
        return {collection.answer: thing, **_update("AddonUpdate")}

    def _delete(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        key = {name: members[name] for name in collection.key}
        answer = self._describe(operation.replace("Delete", "Describe"), collection, **key)
        self.store.remove(collection.noun, *key.values())
        if collection.noun == "access-entry":
            self.store.remove("policy", *key.values())
        return answer

    def _list(self, operation: str, collection: Collection, **members: Any) -> Members:
        self.validate(operation, members)
        self.describe_cluster(name=members["clusterName"])
        answer, member = collection.listed
        things = self.store.all(collection.noun, members["clusterName"])
        return {answer: [thing[member] if member else thing for thing in things]}

    def associate_access_policy(self, **members: Any) -> Members:
        """Give a policy to an access entry."""
        self.validate("AssociateAccessPolicy", members)
        entry = _subset(members, "clusterName", "principalArn")
        access.refuse_policy(self.api, members, self.describe_access_entry(**entry)["accessEntry"])
        key, moment = ("policy", *entry.values(), members["policyArn"]), now()
        policy = {**_subset(members, "policyArn", "accessScope"), "modifiedAt": moment}
        if self.store.get(*key) is None:
            policy["associatedAt"] = moment
        return {**entry, "associatedAccessPolicy": self.store.update(*key, members=policy)}

    def disassociate_access_policy(self, clusterName: str, principalArn: str, policyArn: str) -> Members:
        """Take a policy from an access entry."""
        self.describe_access_entry(clusterName=clusterName, principalArn=principalArn)
        self.store.remove("policy", clusterName, principalArn, policyArn)
        return {}

    def list_associated_access_policies(self, clusterName: str, principalArn: str) -> Members:
        """Policies of an access entry."""
        entry = {"clusterName": clusterName, "principalArn": principalArn}
        self.describe_access_entry(**entry)
        policies = list(self.store.all("policy", *entry.values()))
        return {**entry, "associatedAccessPolicies": policies}

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
        cluster, _, name = rest.partition("/")
        if noun == "nodegroup":
            name = name.partition("/")[0]
            group = self.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
            self.store.update(noun, cluster, name, members={"tags": change(group.get("tags") or {})})
            return {}
        if noun == "fargateprofile":
            name = name.partition("/")[0]
            profile = self.describe_fargate_profile(cluster, name)["fargateProfile"]
            self.store.update(noun, cluster, name, members={"tags": change(profile.get("tags") or {})})
            return {}
        if noun not in COLLECTIONS:
            answer: Members = getattr(self.client, operation)(resourceArn=arn, **members)
            return answer
        collection = COLLECTIONS[noun]
        for thing in self.store.all(noun, cluster):
            if thing[collection.arn] == arn:
                key = (thing[name] for name in collection.key)
                self.store.update(noun, *key, members={"tags": change(thing.get("tags") or {})})
                return {}
        self.refuse("NotFoundException", f"No resource found for: {arn}", operation)


# What EKS gives the role of a managed group's machines.
_MACHINES: Members = {
    "type": "EC2_LINUX",
    "kubernetesGroups": [NODES],
    "username": default_username("", "EC2_LINUX"),
}


def release_version(version: str) -> str:
    """The release of the machine images of a version of Kubernetes."""
    return f"{version}.0-20251112"


def _subset(members: Members, *names: str) -> Members:
    return {name: members[name] for name in names if name in members}


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> Members:
    """Settings with others over them: a structure keeps the members that the other one does not have."""
    union = {**old, **new}
    for name in old.keys() & new.keys():
        if isinstance(old[name], dict) and isinstance(new[name], dict):
            union[name] = _merge(old[name], new[name])
    return union


def _logging(cluster: Mapping[str, Any], new: Mapping[str, Any]) -> Members:
    """The logs of a cluster after a change: types that it does not name stay as they are."""
    enabled = set(enabled_logs(cluster))
    for setup in new.get("clusterLogging", ()):
        types = set(setup.get("types", ()))
        enabled = enabled | types if setup.get("enabled") else enabled - types
    return cluster_logging(enabled)


def _update(type: str) -> Members:
    id, moment = secrets.token_hex(16), datetime.now(UTC)
    return {"update": {"id": id, "status": "Successful", "type": type, "createdAt": moment}}
