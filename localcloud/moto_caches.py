"""What moto (5.2) works out anew again and again, kept."""

from copy import copy
from functools import cache

import moto.core.responses
import moto.eks.utils
from boto3 import Session
from moto.core.utils import method_names_from_class
from moto.iam.models import IAMBackend, ManagedPolicy
from moto.settings import load_iam_aws_managed_policies

_read = IAMBackend._init_aws_policies


@cache
def _policies(account: str, region: str) -> list[ManagedPolicy]:
    backend = object.__new__(IAMBackend)
    backend.account_id, backend.region_name = account, region
    return _read(backend)


def _own_policies(backend: IAMBackend) -> list[ManagedPolicy]:
    """AWS's policies, as an account counts what each is attached to; none where moto is told to have none."""
    if not load_iam_aws_managed_policies():
        return []
    return [copy(policy) for policy in _policies(backend.account_id, backend.region_name)]


def install() -> None:
    """Have moto in this process keep them."""
    # Endpoints of botocore, for each node group.
    moto.eks.utils.Session = cache(Session)  # type: ignore[assignment, attr-defined]
    # Operations of a service, for each call.
    moto.core.responses.method_names_from_class = cache(method_names_from_class)  # type: ignore[attr-defined]
    # Five megabytes of AWS's policies, for each account.
    IAMBackend._init_aws_policies = _own_policies  # type: ignore[method-assign, assignment]
