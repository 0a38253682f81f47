"""The picture of an environment, or of one of its stacks, as its settings have it."""

from collections.abc import Iterator
from itertools import groupby
from typing import get_args

from drawing.model import (
    Account,
    Cluster,
    Foundation,
    Layer,
    Network,
    NodeGroup,
    Part,
    Picture,
    Reading,
)
from moka.names import ACCESS_LOGS, HOME_DATA, Data
from moka.subnet_plan import subnet_plans
from stacks.settings import Environment, InvalidDocument
from stacks.settings.cluster import NodeGroup as NodeGroupSettings
from stacks.settings.cluster import Schedule
from stacks.settings.foundation import ExistingNetwork
from stacks.settings.foundation import Foundation as FoundationSettings
from stacks.settings.foundation import Network as NetworkSettings
from stacks.settings.node_group_plan import NodeGroupPlan, node_group_plans
from stacks.slices import Unit, slices, stack_of_units, units, units_read


def picture(environment: Environment, stack: str | None = None) -> Picture:
    """What an environment has, from its settings.

    stack: only what this stack deploys, and the units that it reads.
    Raises InvalidDocument where the environment has no such stack, or its slices do not fit together.
    """
    stacks = stack_of_units(slices(environment).values())
    _check_stack(environment, stack, sorted(set(stacks.values())))
    own = {unit for unit in units(environment) if stack in (None, stacks[unit])}
    readings = {
        Reading(str(unit), str(read), across=stacks[unit] != stacks[read])
        for unit in own
        for read in units_read(environment, unit)
    }
    drawn_units = own | {unit for unit in stacks if str(unit) in {reading.read for reading in readings}}
    # The foundation below what is drawn is drawn around it.
    drawn_units |= {Unit("foundation", place) for place in _foundations(environment, drawn_units)}
    layers = {
        unit: Layer(str(unit), stacks[unit], elsewhere=unit not in own)
        for unit in units(environment)
        if unit in drawn_units
    }
    foundations = [
        (environment.foundations[unit.place].account, _foundation(environment, unit, layers, own))
        for unit in layers
        if unit.layer == "foundation"
    ]
    foundations.sort(key=lambda pair: environment.accounts.index(pair[0]))
    return Picture(
        title=f"Environment {environment.environment}" if stack is None else f"Stack {stack}",
        accounts=tuple(
            Account(f"account {account}", tuple(foundation for _, foundation in group))
            for account, group in groupby(foundations, key=lambda pair: pair[0])
        ),
        readings=tuple(sorted(readings)),
    )


def _check_stack(environment: Environment, stack: str | None, stacks: list[str]) -> None:
    if stack is not None and stack not in stacks:
        raise InvalidDocument(f"{environment.environment} has no stack {stack}; it has {', '.join(stacks)}.")


def _foundations(environment: Environment, drawn_units: set[Unit]) -> Iterator[str]:
    for unit in drawn_units:
        yield unit.place if unit.row.scope == "foundation" else environment.clusters[unit.place].foundation


def _foundation(
    environment: Environment, unit: Unit, layers: dict[Unit, Layer], own: set[Unit]
) -> Foundation:
    foundation, layer = environment.foundations[unit.place], layers[unit]
    clusters = []
    for name in environment.clusters_of(unit.place):
        on_cluster = tuple(
            layer
            for layer_unit, layer in layers.items()
            if layer_unit.row.scope != "foundation" and layer_unit.place == name
        )
        if on_cluster:
            clusters.append(_cluster(environment, name, on_cluster, whole=Unit("cluster", name) in own))
    return Foundation(
        region=foundation.region,
        layer=layer,
        zones=tuple(foundation.zones),
        data=tuple(_data(environment, unit.place, layer.address)) if unit in own else (),
        network=_network(foundation, layer.address) if unit in own else None,
        clusters=tuple(clusters),
    )


def _data(environment: Environment, foundation: str, address: str) -> Iterator[Part]:
    """The key, the buckets and the registry of a foundation."""
    yield Part(f"{address}#key", "KMS key")
    days = {field.replace("_", "-"): days for field, days in environment.retention}
    home = foundation == environment.home_foundation
    for data in (*get_args(Data), ACCESS_LOGS):
        if home or data not in HOME_DATA:
            yield Part(f"{address}#{data}", data, (f"{days[data]} days" if data in days else "kept",))
    registry = environment.registry
    if registry and registry.foundation == foundation:
        caches = [f"caches {len(registry.pull_through)} registries"] if registry.pull_through else []
        lines = (f"{len(registry.repositories)} repositories and charts", *caches)
        yield Part(f"{address}#registry", "ECR", lines)


def _network(foundation: FoundationSettings, address: str) -> Network:
    at = f"{address}#network"
    if foundation.network is not None:
        return _own_network(foundation.network, address, at)
    assert foundation.existing_network is not None, "the settings were checked"
    return _existing_network(foundation.existing_network, address, at)


def _own_network(network: NetworkSettings, address: str, at: str) -> Network:
    zones = tuple(network.zones)
    pod_cidrs = tuple(map(str, network.pod_cidrs))
    gateways = zones if network.nat == "zonal" else zones[:1]
    subnets = tuple(
        Part(
            f"{address}#{plan.zone}",
            plan.zone,
            (
                f"public {plan.public}{', NAT gateway' if plan.zone in gateways else ''}",
                f"nodes {plan.private}" if plan.pods else f"nodes and pods {plan.private}",
                *([f"pods {plan.pods}"] if plan.pods else []),
            ),
        )
        for plan in subnet_plans(str(network.cidr), zones, pod_cidrs)
    )
    gateway = network.transit_gateway
    transit = (f"to {', '.join(map(str, gateway.cidrs))}", gateway.id) if gateway else ()
    interfaces = "interface endpoints of AWS" if network.interface_endpoints else "others through NAT"
    ways = (
        Part(f"{address}#internet", "internet gateway"),
        *([Part(f"{address}#transit-gateway", "transit gateway", transit)] if transit else []),
        Part(f"{address}#endpoints", "endpoints", ("S3", interfaces)),
    )
    pods = f", pods {', '.join(pod_cidrs)}" if pod_cidrs else ""
    return Network(at, f"VPC {network.cidr}{pods}", subnets, ways)


def _existing_network(network: ExistingNetwork, address: str, at: str) -> Network:
    zones = tuple(
        Part(
            f"{address}#{zone}",
            zone,
            tuple(
                f"{kind} {subnets[zone]}"
                for kind, subnets in (
                    ("public", network.public_subnets),
                    ("nodes", network.private_subnets),
                    ("pods", network.pod_subnets),
                )
                if zone in subnets
            ),
        )
        for zone in network.private_subnets
    )
    return Network(at, f"{network.vpc}, which exists already", zones, ())


def _cluster(environment: Environment, name: str, layers: tuple[Layer, ...], *, whole: bool) -> Cluster:
    """whole: with its node groups."""
    cluster = environment.clusters[name]
    facts = [environment.eks_name(name), f"Kubernetes {cluster.version}", cluster.profile]
    if name == environment.home:
        facts.append("home")
    zones = environment.zones_of(name)
    groups = (
        _node_group(f"cluster/{name}", group, list(plans))
        for key, group in cluster.node_groups.items()
        for _, plans in groupby(node_group_plans(key, group, zones), key=lambda plan: plan.generation)
    )
    return Cluster(
        name=name,
        facts=", ".join(facts),
        layers=layers,
        node_groups=tuple(groups) if whole else (),
    )


def _node_group(cluster: str, group: NodeGroupSettings, plans: list[NodeGroupPlan]) -> NodeGroup:
    """One generation of a group: its managed groups in all zones together.

    cluster: address of the cluster's unit.
    """
    first = plans[0]
    name = group_name(first.name, first.zones)
    minimum, maximum, initial = (
        sum(sizes) for sizes in zip(*((p.minimum, p.maximum, p.initial) for p in plans), strict=True)
    )
    reserved = any(plan.capacity_reservation for plan in plans)
    return NodeGroup(
        address=f"{cluster}#{name}",
        name=name,
        role=group.role,
        architecture=group.architecture,
        instance_types=first.instance_types,
        nodes="retiring" if first.retiring else _nodes(minimum, maximum, initial, bool(group.schedule)),
        purchase="spot" if group.spot else "reserved" if reserved else "on-demand",
        zones=tuple(zone for plan in plans for zone in plan.zones),
        remarks=tuple(
            f"{key}: {_scheduled(change)} from {change.cron} {group.time_zone}"
            for key, change in group.schedule.items()
            if not first.retiring
        ),
    )


def group_name(plan: str, zones: tuple[str, ...] | list[str]) -> str:
    """What the managed node groups of all zones are called together: the name of one without its zone."""
    for zone in zones:
        plan = plan.replace(f"-{zone}", "")
    return plan


def _scheduled(change: Schedule) -> str:
    return f"at least {change.minimum}" + (
        f", at most {change.maximum}" if change.maximum is not None else ""
    )


def _nodes(minimum: int, maximum: int, initial: int, scheduled: bool) -> str:
    bounds = str(maximum) if minimum == maximum else f"{minimum}–{maximum}"
    start = "" if initial == minimum else f", {initial} at first"
    return f"{bounds}{start}{', scheduled' if scheduled else ''}"
