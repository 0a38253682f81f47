"""The machines that pull, and the ways that they have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aws_rules.iam.evaluation import Role


@dataclass(frozen=True, kw_only=True)
class Machines:
    """The machines of a node group, as far as a pull goes.

    name: as an engineer names them: `node group driver-arm64 of spark-a`.
    role: of the machines.
    region: where they are.
    architectures: as Kubernetes names them: arm64, amd64.
    subnets: in which they are.
    maximum: machines that the group may have.
    addresses: subnet -> what its machines have as their address on the internet, such as the id of a NAT
        gateway; without an entry where they share none.
    """

    name: str
    role: Role
    region: str
    architectures: tuple[str, ...]
    subnets: tuple[str, ...]
    maximum: int = 1
    addresses: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request that a machine sends over HTTPS.

    caller, action, resource: of a call to AWS, as the policy of an endpoint sees it; else None and empty.
    """

    host: str
    caller: Role | None = None
    action: str = ""
    resource: str = ""


Way = Callable[[str, Request], str | None]
"""Subnet and request -> why it does not arrive, such as `dial tcp: i/o timeout`; None where it does."""
