"""Node groups: what keeps their machines from joining, as far as permissions do."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.iam import nodes
from aws_rules.iam.evaluation import Role
from aws_rules.iam.permissions import Place, verdicts
from aws_rules.iam.programs import ENCRYPTED_VOLUMES
from aws_rules.rule import Unknown, Verdict
from localcloud.plugins.aws.refusals.identities import Absent, Identities
from localcloud.plugins.aws.refusals.permissions.addons import addon_role
from localcloud.plugins.aws.refusals.permissions.common import not_judged


def group_verdicts(iam: Identities, group: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Verdict]:
    """What keeps the machines of a node group, as EKS describes it, from joining; data: of its template."""
    cluster, name = group["clusterName"], f"node group {group['nodegroupName']} of {group['clusterName']}"
    eks = iam.api.service("eks", iam.region)
    vpc = eks.describe_cluster(name=cluster)["cluster"]["resourcesVpcConfig"].get("vpcId")
    place, around = iam.cluster_place(cluster, vpc=vpc or ""), iam.surroundings(vpc)
    addons = {addon["addonName"]: addon for addon in eks.store.all("addon", cluster)}
    try:
        cni = addon_role(iam, cluster, "vpc-cni", addons.get("vpc-cni"))
        yield from nodes.may_join(
            name,
            iam.role(group["nodeRole"]),
            iam.trust(group["nodeRole"]),
            place,
            around,
            names_by_instance_id=_names_by_instance_id(data),
            pod_identity="eks-pod-identity-agent" in addons,
            cni_identity=cni is not None or "vpc-cni" not in addons,
        )
        if cni is not None:
            yield from nodes.cni_may(name, cni, place, around)
    except Absent as absent:
        yield Unknown(rule=nodes.NODE_PERMISSIONS, resource=name, lacks=str(absent))
    yield from _volumes(iam, name, data)
    yield from not_judged(iam, nodes.NODE_PERMISSIONS, name)


def _volumes(iam: Identities, name: str, data: Mapping[str, Any]) -> Iterator[Verdict]:
    """Whether Auto Scaling may use the keys of a launch template's volumes."""
    disks = [device.get("Ebs") or {} for device in data.get("BlockDeviceMappings") or ()]
    for key in sorted({iam.key_arn(disk["KmsKeyId"]) for disk in disks if disk.get("KmsKeyId")}):
        service = "aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
        role = Role(
            arn=f"arn:{iam.api.partition}:iam::{iam.api.account}:role/{service}", session="AutoScaling"
        )
        place = Place(iam.region, iam.api.account, iam.api.partition, more={"key": key})
        yield from verdicts(
            nodes.NODE_PERMISSIONS,
            name,
            ENCRYPTED_VOLUMES,
            role,
            place,
            iam.surroundings(),
            code="AsgInstanceLaunchFailures",
            opening="Could not launch instances. Client.InternalError: Client error on launch; ",
        )


def _names_by_instance_id(data: Mapping[str, Any]) -> bool:
    from localcloud.control_plane.nodeadm import settings_of_user_data

    return bool(data.get("UserData")) and settings_of_user_data(data["UserData"]).names_by_instance_id
