"""What EKS has and moto lacks, for clients other than the plugins: add-ons, access entries, Pod Identity.

The plugin `aws` keeps them in files (plugins/aws/services/eks.py); here they are listed and described.
"""

from datetime import datetime

from botocore import xform_name
from moto.eks.exceptions import ResourceNotFoundException
from moto.eks.models import eks_backends
from moto.iam.models import get_account_id_from

from localcloud.authorization import wire
from localcloud.authorization.gate import Application
from localcloud.cloud import Cloud
from localcloud.plugins.aws.services.base import Members
from localcloud.plugins.aws.services.eks import COLLECTIONS, OPERATIONS
from localcloud.store import Store, store_folder

TIMES = ("createdAt", "modifiedAt")

NOT_FOUND = ("ResourceNotFoundException", 404)
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddon.html"""


class EksAnswers:
    """A WSGI application that answers these calls, and leaves others to another."""

    def __init__(self, application: Application, cloud: Cloud) -> None:
        self.application, self.cloud = application, cloud

    def __call__(self, environ: wire.Environ, start: wire.StartResponse) -> wire.Body:
        """Answer a request that is signed for EKS."""
        signed, request = wire.signed(environ), wire.message(environ, "eks")
        verb, noun = OPERATIONS.get(xform_name(request.model.name), ("", "")) if request else ("", "")
        if signed is None or request is None or verb not in ("list", "describe"):
            return self.application(environ, start)
        account, collection = get_account_id_from(signed.key), COLLECTIONS[noun]
        store = Store(store_folder(self.cloud) / account / signed.region / "eks")
        try:
            eks_backends[account][signed.region].describe_cluster(request.members["clusterName"])
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
            listed = [thing[member] if member else _with_times(thing) for thing in things]
            return wire.answer(request, {name: listed}, start)
        key = [request.members[name] for name in collection.key]
        thing = store.get(noun, *key)
        if thing is None:
            message = collection.missing.format(answer=collection.answer, key="/".join(key))
            return wire.refusal(request, *NOT_FOUND, message, start)
        return wire.answer(request, {collection.answer: _with_times(thing)}, start)


def _with_times(thing: Members) -> Members:
    return {**thing, **{name: datetime.fromisoformat(thing[name]) for name in TIMES if name in thing}}
