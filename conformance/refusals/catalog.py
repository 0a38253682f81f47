"""All probes."""

from conformance.refusals import clusters, data, identity, network
from conformance.refusals.probe import Probe

PROBES: tuple[Probe, ...] = (*network.PROBES, *identity.PROBES, *data.PROBES, *clusters.PROBES)
