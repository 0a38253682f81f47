"""All probes."""

from conformance.refusals import clusters, data, identity, network, on_cluster
from conformance.refusals.probe import Probe

PROBES: tuple[Probe, ...] = (*network.PROBES, *identity.PROBES, *data.PROBES, *clusters.PROBES)
"""Those that `make conformance` puts to AWS."""

ON_CLUSTER: tuple[Probe, ...] = on_cluster.PROBES
"""Those that need a cluster: `make conformance-environment` has one."""
