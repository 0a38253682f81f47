"""All that is asked, by subject. A check is a function from a place to findings; it changes nothing."""

from collections.abc import Mapping

from doctor.checks import (
    capacity,
    endpoints,
    images,
    instance_types,
    names,
    network,
    permissions,
    quotas,
    ranges,
    references,
    versions,
    zones,
)
from doctor.question import Question

CHECKS: Mapping[str, tuple[Question, ...]] = {
    "zones": (Question("Zones", zones.zones),),
    "network": (
        Question("Address ranges", ranges.free),
        Question("The VPC that is there already", network.existing),
    ),
    "instance-types": (Question("Instance types", instance_types.offered),),
    "quotas": quotas.QUESTIONS,
    "capacity": (Question("Capacity reservations", capacity.reservations),),
    "versions": (
        Question("Kubernetes versions", versions.kubernetes),
        Question("Versions of add-ons", versions.addons),
        Question("Machine images", versions.node_images),
    ),
    "names": (
        Question("Names of clusters", names.clusters),
        Question("Names of buckets", names.buckets),
        Question("Buckets of other environments", names.others_buckets),
    ),
    "references": (
        Question("Permissions boundary", references.boundary),
        Question("Secrets of registries", references.secrets),
        Question("Principals of access", references.principals),
    ),
    "permissions": (Question("Permissions of the deployer", permissions.simulated),),
    "images": (Question("Images", images.pullable),),
    "endpoints": (Question("API servers", endpoints.reachable),),
}
"""Subject, as `--only` names it -> what is asked."""
