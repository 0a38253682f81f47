"""What EKS refuses of access entries, and of access policies for them."""

from collections.abc import Mapping
from typing import Any

from aws_rules.access.entries import refused_by_mode, refused_entry, refused_policy
from localcloud.plugins.aws.api import Api
from localcloud.unknowns import refuse


def refuse_entry(api: Api, cluster: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    """Raise Refusal where EKS would not have this access entry on a cluster, as it describes that."""
    refuse(api.cloud, refused_by_mode(cluster))
    refuse(api.cloud, refused_entry(entry, api.account, api.partition))


def refuse_policy(api: Api, association: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    """Raise Refusal where EKS would not associate this policy with this access entry."""
    refuse(api.cloud, refused_policy(association, entry, api.partition))
