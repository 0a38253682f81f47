"""What traffic, logs and control planes of an environment cost a month: an estimate from its settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from moka.prices import Prices
from moka.zone_traffic import SIDES, Workers, crossings, share_between
from stacks.job_target import executor_zones
from stacks.settings import Environment
from stacks.settings.cluster import Cluster, NodeGroup
from stacks.settings.network_use import interface_endpoints

HOURS, DAYS = 730, 365 / 12
"""Of a month, as AWS's calculator has it."""

SECONDS_A_DAY = 86_400
GB = 10**9

RECORDS_A_DAY = 144
"""Times a day that a flow log sums up: every 10 minutes."""

PRICED_REGION = "us-east-1"
"""Whose prices stand in where the table has none of a region; other regions may differ by a third or more."""


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """What no settings file says. meaning: of the value, with its unit."""

    value: float
    meaning: str


ASSUMPTIONS: Mapping[str, Assumption] = {
    "node_share": Assumption(
        value=0.5, meaning="of the nodes between a group's minimum and maximum, those that run on average"
    ),
    "pods_a_node": Assumption(value=12, meaning="pods of a node on average"),
    "nat_gb_a_node_day": Assumption(
        value=0.5,
        meaning="GB a node and day by NAT: what is no AWS service, and S3 and ECR's layers not at all",
    ),
    "image_gb_a_node_day": Assumption(
        value=3.0, meaning="GB a node and day of images from public registries by NAT, where no mirror is set"
    ),
    "endpoint_gb_a_node_day": Assumption(
        value=0.3,
        meaning="GB a node and day to AWS's services by interface endpoints, or by NAT without them",
    ),
    "flows_a_pod": Assumption(value=60, meaning="flows of a pod in 10 minutes, a record each"),
    "flow_record_bytes": Assumption(value=120, meaning="bytes of a record of a flow log, before Parquet"),
    "audit_requests_a_second": Assumption(
        value=20, meaning="requests a second to an API server, at the least"
    ),
    "audit_requests_a_node_second": Assumption(value=0.1, meaning="requests a second for each node"),
    "audit_bytes": Assumption(value=2_000, meaning="bytes of an audit record of a request"),
    "other_logs_share": Assumption(
        value=0.05, meaning="of audit's bytes, each other type of control-plane log"
    ),
    "stored_share": Assumption(
        value=0.15, meaning="of what CloudWatch Logs takes in, what it stores compressed"
    ),
    "shuffle_gb_a_node_day": Assumption(value=500, meaning="GB that an executor node shuffles a day"),
    "one_zone_share": Assumption(
        value=0.9,
        meaning="of shuffled bytes, those of jobs with executors in one zone, where that is so: a guess, as "
        "jobs that are too large for a zone are few and shuffle the most",
    ),
    "celeborn_share": Assumption(
        value=0.5, meaning="of shuffled bytes, those of jobs with Celeborn where it is"
    ),
}
"""Name -> what the estimate takes for granted, none of it measured on AWS; arguments override it."""

Kind = Literal["control planes", "control-plane logs", "NAT", "endpoints", "flow logs", "between zones"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """So much of something a month.

    where: foundation, or foundation/cluster. unit: of the amount. price: USD a unit; None where none is
        known. elsewhere: the price is that of `PRICED_REGION`.
    """

    where: str
    kind: Kind
    what: str
    amount: float
    unit: str
    price: float | None
    elsewhere: bool = False

    @property
    def cost(self) -> float:
        """USD a month, as far as a price is known."""
        return self.amount * (self.price or 0.0)


class InvalidAssumption(Exception):
    """Why an assumption cannot be: a sentence."""


def assumptions(overrides: Mapping[str, float]) -> dict[str, float]:
    """All assumptions, those that are given in place of their own values. Raises InvalidAssumption."""
    for name, value in overrides.items():
        if name not in ASSUMPTIONS:
            raise InvalidAssumption(f"There is no assumption {name}: write one of {', '.join(ASSUMPTIONS)}.")
        if not 0 <= value < float("inf"):
            raise InvalidAssumption(f"{name} is {value:g}: write 0 or more.")
    return {name: assumption.value for name, assumption in ASSUMPTIONS.items()} | dict(overrides)


def estimate(settings: Environment, prices: Prices, assumptions: Mapping[str, float]) -> list[Line]:
    """What an environment is charged for, foundation by foundation."""
    return [
        line
        for name in settings.foundations
        for line in _Foundation(settings, name, prices, assumptions).lines()
    ]


@dataclass(frozen=True)
class _Foundation:
    """The estimate of one foundation and its clusters."""

    settings: Environment
    name: str
    prices: Prices
    assumed: Mapping[str, float]

    def lines(self) -> Iterator[Line]:
        clusters = self.settings.clusters_of(self.name)
        for name, cluster in clusters.items():
            yield from self._control_plane(f"{self.name}/{name}", cluster)
        nodes = sum(self._nodes(cluster) for cluster in clusters.values())
        yield from self._network(nodes)
        for name, cluster in clusters.items():
            yield from self._between_zones(f"{self.name}/{name}", name, cluster)

    def _line(self, where: str, kind: Kind, what: str, amount: float, unit: str, key: str) -> Line:
        region = self.settings.foundations[self.name].region
        price = self.prices.price(key, region)
        elsewhere = price is None and region != PRICED_REGION
        if elsewhere:
            price = self.prices.price(key, PRICED_REGION)
        return Line(
            where=where, kind=kind, what=what, amount=amount, unit=unit, price=price, elsewhere=elsewhere
        )

    def _nodes(self, cluster: Cluster, *roles: str) -> float:
        """Nodes that run on average."""
        groups = cluster.node_groups.values()
        return sum(self._average(group) for group in groups if not roles or group.role in roles)

    def _average(self, group: NodeGroup) -> float:
        return group.minimum + self.assumed["node_share"] * (group.maximum - group.minimum)

    def _nodes_away(self, zones: Sequence[str]) -> float:
        """Nodes that run on average in another zone than the first, where the only NAT gateway is."""
        return sum(
            self._average(group) * share_between(group.effective_zones(zones), zones[:1])
            for cluster in self.settings.clusters_of(self.name).values()
            for group in cluster.node_groups.values()
        )

    def _control_plane(self, where: str, cluster: Cluster) -> Iterator[Line]:
        yield self._line(where, "control planes", "hours", HOURS, "h", "eks_hour")
        tier = cluster.control_plane_tier
        if tier != "standard":
            key = f"eks_{tier.replace('-', '_')}_hour"
            yield self._line(where, "control planes", f"{tier}, besides", HOURS, "h", key)
        logs, assumptions = cluster.control_plane_logs, self.assumed
        requests = assumptions["audit_requests_a_second"]
        requests += assumptions["audit_requests_a_node_second"] * self._nodes(cluster)
        audit = requests * assumptions["audit_bytes"] * SECONDS_A_DAY / GB
        other_logs = len(set(logs.types) - {"audit"}) * assumptions["other_logs_share"]
        a_day = audit * (("audit" in logs.types) + other_logs)
        if not a_day:
            return
        key = "logs_gb" if logs.log_class == "standard" else "logs_infrequent_gb"
        types = ", ".join(logs.types)
        yield self._line(where, "control-plane logs", f"{types}: {logs.log_class}", a_day * DAYS, "GB", key)
        days = logs.days or self.settings.retention.control_plane_logs
        gb = a_day * days * assumptions["stored_share"]
        yield self._line(where, "control-plane logs", f"kept {days} days", gb, "GB", "logs_gb_month")

    def _network(self, nodes: float) -> Iterator[Line]:
        assumptions, name = self.assumed, self.name
        network = self.settings.foundations[name].network
        by_nat = assumptions["nat_gb_a_node_day"]
        if not self.settings.charts.mirror:
            by_nat += assumptions["image_gb_a_node_day"]
        if network is None:
            # Its NAT, endpoints and flow logs are another's.
            return
        gateways = 1 if network.nat == "single" else len(network.zones)
        if endpoints := len(interface_endpoints(self.settings, name)):
            what = f"{endpoints} in {len(network.zones)} zones"
            hours = endpoints * len(network.zones) * HOURS
            yield self._line(name, "endpoints", what, hours, "h", "endpoint_hour")
            gb = assumptions["endpoint_gb_a_node_day"] * nodes * DAYS
            yield self._line(name, "endpoints", "what they pass on", gb, "GB", "endpoint_gb")
        else:
            by_nat += assumptions["endpoint_gb_a_node_day"]
        yield self._line(name, "NAT", f"{network.nat}: {gateways}", gateways * HOURS, "h", "nat_hour")
        yield self._line(name, "NAT", "its addresses", gateways * HOURS, "h", "public_ipv4_hour")
        yield self._line(name, "NAT", "what it passes on", by_nat * nodes * DAYS, "GB", "nat_gb")
        if network.nat == "single":
            gb = by_nat * self._nodes_away(network.zones) * DAYS * SIDES
            yield self._line(name, "NAT", "to its zone from others", gb, "GB", "zone_gb")
        records = nodes * assumptions["pods_a_node"] * assumptions["flows_a_pod"] * RECORDS_A_DAY
        gb = records * assumptions["flow_record_bytes"] * DAYS / GB
        yield self._line(name, "flow logs", "delivered to S3", gb, "GB", "flow_log_s3_gb")
        yield self._line(name, "flow logs", "made Parquet", gb, "GB", "flow_log_parquet_gb")

    def _between_zones(self, where: str, name: str, cluster: Cluster) -> Iterator[Line]:
        shuffle_gb = self._nodes(cluster, "executor") * self.assumed["shuffle_gb_a_node_day"] * DAYS
        zones = self.settings.role_zones(name, "executor")
        choices = {
            capacity.zone for capacity in executor_zones(cluster.node_groups, self.settings.zones_of(name))
        }
        together = self.assumed["one_zone_share"] if cluster.executor_zone == "one" and choices else 0.0
        share = self.assumed["celeborn_share"] if cluster.shuffle else 0.0
        parts: list[tuple[str, float, Workers | None]] = [("of executors", 1 - share, None)]
        if cluster.shuffle:
            celeborn = Workers(
                zones=self.settings.role_zones(name, "shuffle"), replicate=cluster.shuffle.replicate
            )
            parts.append(("with Celeborn", share, celeborn))
        for what, part, workers in parts:
            near = choices & set(workers.zones) if workers else choices
            # Away from its workers no zone is chosen.
            in_one = crossings([min(near)], workers) if near else crossings(zones, workers)
            times = together * in_one + (1 - together) * crossings(zones, workers)
            text = f"shuffle {what}, {times:.2f} times a byte"
            amount = shuffle_gb * part * times * SIDES
            yield self._line(where, "between zones", text, amount, "GB", "zone_gb")
