"""Where layers are deployed, without the rest of an environment."""

from typing import Any

import pulumi

from moka import catalog
from stacks import settings
from stacks.settings import Environment
from stacks.site import ClusterSite


def make_site(name: str, environment: Environment | None = None, **changes: Any) -> ClusterSite:
    """Where a layer of `local`, or of another environment, is deployed, without providers."""
    environment = environment or settings.load("local")
    return ClusterSite(
        **{
            "name": name,
            "settings": environment,
            "foundation": environment.foundations["main"],
            "catalog": catalog.read(),
            "opts": pulumi.ResourceOptions(),
            "read": lambda layer, kind: None,
            "eks_name": f"moka-local-{name}",
            **changes,
        }
    )
