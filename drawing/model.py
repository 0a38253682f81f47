"""What a picture of an environment shows: plain data, without settings, previews or coordinates.

Whatever a preview may mark has an address: a unit's is `<layer>/<place>`, a part's that of its unit, `#` and
a name: `cluster/spark-a#executor-arm64`, `foundation/main#event-logs`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Operation = Literal["create", "update", "replace", "delete"]


@dataclass(frozen=True)
class OperationName:
    """How an operation is written."""

    symbol: str
    done: str


# In an order in which each is worse than those before it.
OPERATIONS: Mapping[Operation, OperationName] = {
    "create": OperationName("+", "created"),
    "update": OperationName("~", "changed"),
    "replace": OperationName("±", "replaced"),
    "delete": OperationName("−", "deleted"),
}


@dataclass(frozen=True, order=True)
class Change:
    """What a preview would do with one resource; `resource` is its type and logical name."""

    operation: Operation
    resource: str


@dataclass(frozen=True)
class Part:
    """A part of a unit: a bucket, a zone, a way out of a network; `lines` say what it is.

    removed, here and below: it is no more in the settings, and a preview deletes it.
    """

    address: str
    name: str
    lines: tuple[str, ...] = ()
    removed: bool = False


@dataclass(frozen=True)
class Layer:
    """A layer at one place.

    address: `<layer>/<place>`. stack: which deploys it.
    elsewhere: it is of another stack than the one that is drawn. new: no stack has it yet.
    """

    address: str
    stack: str = ""
    elsewhere: bool = False
    new: bool = False
    removed: bool = False

    @property
    def name(self) -> str:
        """The layer's."""
        return self.address.partition("/")[0]

    @property
    def place(self) -> str:
        """The foundation's name, or the cluster's."""
        return self.address.partition("/")[2]


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """A node group, or an earlier generation of one that is retiring.

    nodes: their number, as `3–9, 4 at first`. purchase: spot, on-demand, reserved. zones: where they are.
    remarks: what else there is to know, a line each.
    """

    address: str
    name: str
    role: str = ""
    architecture: str = ""
    instance_types: tuple[str, ...] = ()
    nodes: str = ""
    purchase: str = ""
    zones: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    removed: bool = False


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster with what is on it.

    facts: its name in EKS, version, profile. layers: in order, the cluster's own first.
    folded: in place of all that is in it, what there is to say of it.
    """

    name: str
    facts: str = ""
    layers: tuple[Layer, ...] = ()
    node_groups: tuple[NodeGroup, ...] = ()
    folded: str = ""
    removed: bool = False


@dataclass(frozen=True)
class Network:
    """A VPC: `facts` are its ranges; parts are its zones with their subnets, and the ways out of it."""

    address: str
    facts: str
    zones: tuple[Part, ...]
    ways: tuple[Part, ...]


@dataclass(frozen=True, kw_only=True)
class Foundation:
    """What an environment has once in an account and region; `network` is None where its layer is not drawn.

    zones: of its nodes, in order. data: key, buckets, registry.
    """

    region: str
    layer: Layer
    zones: tuple[str, ...] = ()
    data: tuple[Part, ...] = ()
    network: Network | None = None
    clusters: tuple[Cluster, ...] = ()


@dataclass(frozen=True)
class Account:
    """An AWS account; its id, or what is said where none is known."""

    name: str
    foundations: tuple[Foundation, ...]


@dataclass(frozen=True, order=True)
class Reading:
    """A unit that is given the outputs of another, by address; `across`: of one in another stack."""

    reader: str
    read: str
    across: bool


@dataclass(frozen=True, kw_only=True)
class Picture:
    """All that is drawn.

    marks: address -> what a preview would do there; a change of a part is its unit's, too.
    previewed: whether it shows previews; remarks: what is known of these, a line each.
    """

    title: str
    accounts: tuple[Account, ...]
    readings: tuple[Reading, ...] = ()
    marks: Mapping[str, tuple[Change, ...]] = field(default_factory=dict)
    previewed: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def foundations(self) -> Iterator[Foundation]:
        """Of all accounts."""
        return (foundation for account in self.accounts for foundation in account.foundations)

    @property
    def layers(self) -> Iterator[Layer]:
        """Every unit, the foundations' before those of the clusters on them."""
        for foundation in self.foundations:
            yield foundation.layer
            for cluster in foundation.clusters:
                yield from cluster.layers

    def with_foundations(self, change: Callable[[Foundation], Foundation]) -> "Picture":
        """The picture with each foundation changed."""
        accounts = (replace(a, foundations=tuple(map(change, a.foundations))) for a in self.accounts)
        return replace(self, accounts=tuple(accounts))


def count(changes: Iterable[Change]) -> dict[Operation, int]:
    """Operation -> number of changes, in the order of OPERATIONS."""
    numbers = Counter(change.operation for change in changes)
    return {operation: numbers[operation] for operation in OPERATIONS if numbers[operation]}


def summary(changes: Iterable[Change]) -> str:
    """Changes in words: `3 created, 1 replaced`, or that nothing changes."""
    numbers = count(changes)
    return ", ".join(f"{n} {OPERATIONS[name].done}" for name, n in numbers.items()) or "nothing changes"
