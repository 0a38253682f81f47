"""What layer shuffle is given, of the settings."""

from components.kubernetes.celeborn import Quota
from stacks.layers.shuffle import OnInstances, OnVolumes, ShuffleInputs
from stacks.settings import Environment, shuffle_plan


def inputs_of(settings: Environment, cluster_name: str) -> ShuffleInputs:
    """Celeborn on a cluster that has it, with what follows from the cluster's nodes."""
    cluster = settings.clusters[cluster_name]
    chosen = cluster.shuffle
    assert chosen is not None, "asked of a cluster without Celeborn"
    zones = settings.foundation_of(cluster_name).zones
    storage: OnInstances | OnVolumes
    if chosen.storage.instance is not None:
        storage = OnInstances(gib=chosen.storage.instance.gib)
    else:
        assert chosen.storage.volumes is not None
        storage = OnVolumes(**chosen.storage.volumes.model_dump())
    return ShuffleInputs(
        workers=chosen.workers,
        storage=storage,
        zones=shuffle_plan.zones(cluster, "shuffle", zones),
        worker=shuffle_plan.worker(cluster, chosen),
        master=shuffle_plan.master(chosen),
        masters=chosen.masters,
        master_zones=len(shuffle_plan.zones(cluster, "system", zones)),
        replicate=chosen.replicate,
        drain_hours=chosen.drain_hours,
        quotas={tenant: Quota(**quota.model_dump()) for tenant, quota in chosen.quotas.items()},
    )
