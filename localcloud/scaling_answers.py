"""Auto Scaling for clients other than the plugins: groups behind node groups, their machines, how one ends.

The plugin `aws` keeps the groups in files (services/auto_scaling.py), and their machines are nodes.
"""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError
from moto.iam.models import get_account_id_from

from localcloud.authorization import wire
from localcloud.authorization.gate import Application
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Object
from localcloud.control_plane.nodes import GROUP, ZONE, remove_node
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.eks_backend import have_machines
from localcloud.plugins.aws.services.auto_scaling import AutoScaling
from localcloud.plugins.aws.services.base import Members

REFUSED_STATUS = 400


class ScalingAnswers:
    """A WSGI application that answers these calls, and leaves others to another."""

    def __init__(self, application: Application, cloud: Cloud) -> None:
        self.application, self.cloud = application, cloud

    def __call__(self, environ: wire.Environ, start: wire.StartResponse) -> wire.Body:
        """Answer a request that is signed for Auto Scaling."""
        signature, request = wire.signed(environ), wire.message(environ, "autoscaling")
        perform = OPERATIONS.get(request.model.name) if request else None
        if signature is None or request is None or perform is None:
            return self.application(environ, start)
        account = get_account_id_from(signature.key)
        api = account_api(self.cloud, AwsServer(self.cloud).url, account, signature.region)
        try:
            members = perform(api.service("autoscaling", signature.region), request.members)
        except ClientError as error:
            refusal = error.response["Error"]
            return wire.refusal(request, refusal["Code"], REFUSED_STATUS, refusal["Message"], start)
        return wire.answer(request, members, start)


def _describe(scaling: AutoScaling, members: Members) -> Members:
    selection = {name: members[name] for name in ("AutoScalingGroupNames", "Filters") if members.get(name)}
    groups = scaling.describe_auto_scaling_groups(**selection)["AutoScalingGroups"]
    return {
        "AutoScalingGroups": [
            {**group, "Instances": [_instance(node) for node in _nodes(scaling, group)]} for group in groups
        ]
    }


def _terminate(scaling: AutoScaling, members: Members) -> Members:
    """End a machine.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
    """
    instance, operation = members["InstanceId"], "TerminateInstanceInAutoScalingGroup"
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        for node in _nodes(scaling, group):
            if _instance(node)["InstanceId"] == instance:
                scaling.lose_instance(
                    group["AutoScalingGroupName"], decrement=bool(members["ShouldDecrementDesiredCapacity"])
                )
                _end(scaling, group, node["metadata"]["name"])
                return {"Activity": _activity(group["AutoScalingGroupName"], instance)}
    # As kubernetes-sigs/instance-manager and others have met it.
    scaling.refuse(
        "ValidationError",
        f"Instance Id not found - No managed instance found for instance ID: {instance}",
        operation,
    )


OPERATIONS: dict[str, Callable[[AutoScaling, Members], Members]] = {
    "DescribeAutoScalingGroups": _describe,
    "TerminateInstanceInAutoScalingGroup": _terminate,
}


def _place(group: Members) -> tuple[str, str] | None:
    """Cluster and managed node group of a group; None of one of one's own."""
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    if "eks:nodegroup-name" not in tags:
        return None
    return tags["eks:cluster-name"], tags["eks:nodegroup-name"]


def _nodes(scaling: AutoScaling, group: Members) -> list[Object]:
    place = _place(group)
    plane = ControlPlane(scaling.api.cloud, place[0]) if place else None
    if place is None or plane is None or not plane.alive():
        return []
    return plane.api().list("/api/v1/nodes", labelSelector=f"{GROUP}={place[1]}")


def _instance(node: Object) -> Members:
    """A machine, as Auto Scaling describes it."""
    return {
        "InstanceId": node["spec"]["providerID"].rpartition("/")[2],
        "AvailabilityZone": node["metadata"]["labels"][ZONE],
        "LifecycleState": "InService",
        "HealthStatus": "Healthy",
        "ProtectedFromScaleIn": False,
    }


def _end(scaling: AutoScaling, group: Members, node: str) -> None:
    """Remove a node; its group then has the machines that it is to have, zones even."""
    place = _place(group)
    assert place is not None, "only a managed group has nodes here"
    cluster, name = place
    eks = scaling.api.service("eks", scaling.region)
    plane = ControlPlane(scaling.api.cloud, cluster)
    remove_node(plane, node)
    group_data = eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
    have_machines(scaling.api, scaling.region, group_data)


def _activity(group: str, instance: str) -> dict[str, Any]:
    return {
        "ActivityId": f"{group}-{instance}",
        "AutoScalingGroupName": group,
        "Description": f"Terminating EC2 instance: {instance}",
        "StatusCode": "InProgress",
        "Progress": 0,
    }
