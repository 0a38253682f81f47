"""The roles of nodes: what runs on them, and what their kubelets are told."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "driver", "executor", "shuffle"]

LABEL = "moka.dev/role"
"""Label, and taint, that carries the role of a node."""


@dataclass(frozen=True, kw_only=True)
class NodeRoleSettings:
    """What the kubelets of a role are told.

    max_pods: pods a node; its prefixes of addresses are bounded by it.
    """

    max_pods: int


ROLES: Mapping[Role, NodeRoleSettings] = {
    "system": NodeRoleSettings(max_pods=110),
    "driver": NodeRoleSettings(max_pods=110),
    "executor": NodeRoleSettings(max_pods=58),
    # A worker, the daemons, and room for a rolling restart.
    "shuffle": NodeRoleSettings(max_pods=24),
}
