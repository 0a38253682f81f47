"""What EKS has and moto lacks, for clients other than the plugins.

The plugin `aws` keeps add-ons, access entries and associations of Pod Identity in files
(plugins/aws/services/eks.py); here they are listed and described. A change of a node group is as there: it
is refused as EKS refuses it, and reaches Auto Scaling and the nodes; so does its deletion.
"""

from datetime import datetime

from botocore import xform_name
from moto.eks.exceptions import ResourceNotFoundException
from moto.eks.models import eks_backends
from moto.iam.models import get_account_id_from

from aws_rules.eks.sizes import sizes
from localcloud.authorization import wire
from localcloud.authorization.gate import Application
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.aws.eks_backend import end_machines, have_machines
from localcloud.plugins.aws.services.base import Members
from localcloud.plugins.aws.services.eks import COLLECTIONS, OPERATIONS, Eks
from localcloud.store import Store, store_folder

TIMES = ("createdAt", "modifiedAt")

NOT_FOUND = ("ResourceNotFoundException", 404)
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddon.html"""

REFUSED = ("InvalidParameterException", 400)
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html"""


class EksAnswers:
    """A WSGI application that answers these calls, and leaves others to another."""

    def __init__(self, application: Application, cloud: Cloud) -> None:
        self.application, self.cloud = application, cloud

    def __call__(self, environ: wire.Environ, start: wire.StartResponse) -> wire.Body:
        """Answer a request that is signed for EKS."""
        signature, request = wire.signed(environ), wire.message(environ, "eks")
        verb, noun = OPERATIONS.get(xform_name(request.model.name), ("", "")) if request else ("", "")
        if signature is not None and request is not None:
            match request.model.name:
                case "UpdateNodegroupConfig":
                    return self._update_node_group(signature, request, start)
                case "DeleteNodegroup":
                    return self._delete_node_group(environ, signature, request, start)
                case "DescribeUpdate":
                    return self._describe_update(signature, request, start)
        if signature is None or request is None or verb not in ("list", "describe"):
            return self.application(environ, start)
        account, collection = get_account_id_from(signature.key), COLLECTIONS[noun]
        store = Store(store_folder(self.cloud) / account / signature.region / "eks")
        try:
            eks_backends[account][signature.region].describe_cluster(request.members["clusterName"])
        except ResourceNotFoundException as missing:
            return wire.refusal(request, *NOT_FOUND, missing.description, start)
        if verb == "list":
            name, member = collection.listed
            things = [
                thing
                for thing in store.all(noun, request.members["clusterName"])
                # Filters have the names of what they are about.
                if all(thing.get(key, value) == value for key, value in request.members.items())
            ]
            items = [thing[member] if member else _with_times(thing) for thing in things]
            return wire.answer(request, {name: items}, start)
        key = [request.members[name] for name in collection.key]
        thing = store.get(noun, *key)
        if thing is None:
            message = collection.missing.format(answer=collection.answer, key="/".join(key))
            return wire.refusal(request, *NOT_FOUND, message, start)
        return wire.answer(request, {collection.answer: _with_times(thing)}, start)

    def _update_node_group(
        self, signature: wire.Signed, request: wire.Message, start: wire.StartResponse
    ) -> wire.Body:
        """Change a node group, as the plugin does."""
        account, members = get_account_id_from(signature.key), dict(request.members)
        cluster, name = members.pop("clusterName"), members.pop("nodegroupName")
        backend = eks_backends[account][signature.region]
        try:
            backend.describe_nodegroup(cluster, name)
        except ResourceNotFoundException as missing:
            return wire.refusal(request, *NOT_FOUND, missing.description, start)
        eks = self._eks(signature)
        before = _sizes(eks, cluster, name)
        for violation in sizes(name, members.get("scalingConfig") or {}, before):
            return wire.refusal(request, *REFUSED, violation.message, start)
        for_moto = eks.keep_nodegroup_config(cluster, name, members)
        backend.update_nodegroup_config(
            cluster, name, **{xform_name(member): value for member, value in for_moto.items()}
        )
        if _sizes(eks, cluster, name)["desiredSize"] != before["desiredSize"]:
            group = eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
            have_machines(eks.api, signature.region, group)
        return wire.answer(request, {"update": eks.keep_update(cluster, name)}, start)

    def _delete_node_group(
        self, environ: wire.Environ, signature: wire.Signed, request: wire.Message, start: wire.StartResponse
    ) -> wire.Body:
        """Delete a node group, with its machines."""
        eks, account = self._eks(signature), get_account_id_from(signature.key)
        cluster, name = request.members["clusterName"], request.members["nodegroupName"]
        try:
            group = eks_backends[account][signature.region].describe_nodegroup(cluster, name)
        except ResourceNotFoundException as missing:
            return wire.refusal(request, *NOT_FOUND, missing.description, start)
        body = self.application(environ, start)
        eks.forget_nodegroup(cluster, name, group.node_role)
        end_machines(eks.api, signature.region, cluster, name, group.node_role)
        return body

    def _describe_update(
        self, signature: wire.Signed, request: wire.Message, start: wire.StartResponse
    ) -> wire.Body:
        members = request.members
        update = self._eks(signature).kept_update(
            members["name"], members.get("nodegroupName", ""), members["updateId"]
        )
        if update is None:
            return wire.refusal(request, *NOT_FOUND, f"No update found for ID: {members['updateId']}", start)
        return wire.answer(request, {"update": _with_times(update)}, start)

    def _eks(self, signature: wire.Signed) -> Eks:
        account = get_account_id_from(signature.key)
        api = account_api(self.cloud, AwsServer(self.cloud).url, account, signature.region)
        eks: Eks = api.service("eks", signature.region)
        return eks


def _sizes(eks: Eks, cluster: str, group: str) -> Members:
    group_data = eks.describe_nodegroup(clusterName=cluster, nodegroupName=group)["nodegroup"]
    sizes: Members = group_data["scalingConfig"]
    return sizes


def _with_times(thing: Members) -> Members:
    return {**thing, **{name: datetime.fromisoformat(thing[name]) for name in TIMES if name in thing}}
