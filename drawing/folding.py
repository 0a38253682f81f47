"""Clusters that are drawn as one line, so that a picture of many shows what matters."""

from collections.abc import Callable, Collection
from dataclasses import replace

from drawing.model import Account, Cluster, Foundation, Network, Picture

MANY = 6
"""Clusters from which on those that are alike are drawn once."""


def fold_unchanged(picture: Picture, previewed: Collection[str]) -> Picture:
    """The picture without what is in clusters where nothing changes. previewed: stacks with a preview."""

    def reason(cluster: Cluster) -> str:
        if any(layer.address in picture.marks for layer in cluster.layers):
            return ""
        stacks = {layer.stack for layer in cluster.layers if not layer.elsewhere}
        return "nothing changes" if stacks <= set(previewed) else "not previewed"

    return _fold(picture, reason)


def fold_alike(picture: Picture) -> Picture:
    """The picture without what is in clusters that have the same as one before them, where there are many."""
    clusters = [cluster for foundation in picture.foundations for cluster in foundation.clusters]
    if len(clusters) < MANY:
        return picture
    first: dict[object, str] = {}
    for cluster in clusters:
        first.setdefault(_contents(cluster), cluster.name)

    def reason(cluster: Cluster) -> str:
        name = first[_contents(cluster)]
        return "" if name == cluster.name else f"the same as {name}"

    return _fold(picture, reason)


def fold_to_marks(picture: Picture) -> Picture:
    """The picture with nothing in it but what has marks, and what that is in."""
    marks = picture.marks

    def of_network(network: Network) -> Network | None:
        zones, ways = (
            tuple(part for part in parts if part.address in marks) for parts in (network.zones, network.ways)
        )
        return replace(network, zones=zones, ways=ways) if zones or ways or network.address in marks else None

    def of_cluster(cluster: Cluster) -> Cluster:
        return replace(
            cluster,
            layers=tuple(layer for layer in cluster.layers if layer.address in marks),
            node_groups=tuple(group for group in cluster.node_groups if group.address in marks),
        )

    def of_foundation(foundation: Foundation) -> Foundation:
        clusters = map(of_cluster, foundation.clusters)
        return replace(
            foundation,
            data=tuple(part for part in foundation.data if part.address in marks),
            network=foundation.network and of_network(foundation.network),
            clusters=tuple(cluster for cluster in clusters if cluster.layers),
        )

    def of_account(account: Account) -> Account:
        foundations = map(of_foundation, account.foundations)
        content = (item for item in foundations if item.clusters or item.layer.address in marks)
        return replace(account, foundations=tuple(content))

    accounts = map(of_account, picture.accounts)
    return replace(
        picture, accounts=tuple(account for account in accounts if account.foundations), readings=()
    )


def _contents(cluster: Cluster) -> object:
    """What is in a cluster, whatever the cluster is called."""
    layers = tuple(layer.name for layer in cluster.layers)
    return layers, tuple(replace(group, address="") for group in cluster.node_groups)


def _fold(picture: Picture, reason: Callable[[Cluster], str]) -> Picture:
    """The picture with those clusters folded for which there is a reason."""

    def fold(cluster: Cluster) -> Cluster:
        fold_reason = reason(cluster)
        numbers = f"{len(cluster.node_groups)} node groups, {len(cluster.layers)} layers"
        return replace(cluster, folded=f"{numbers}: {fold_reason}") if fold_reason else cluster

    def of_foundation(foundation: Foundation) -> Foundation:
        return replace(foundation, clusters=tuple(map(fold, foundation.clusters)))

    return picture.with_foundations(of_foundation)
