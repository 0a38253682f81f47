"""All questions, by subject. A check is a function from a place to findings; it changes nothing."""

from collections.abc import Mapping

from doctor.checks import (
    capacity,
    control_planes,
    database,
    disks,
    endpoints,
    health,
    images,
    instance_types,
    names,
    network,
    node_group_sizes,
    pages,
    permissions,
    quotas,
    ranges,
    references,
    room,
    shuffle,
    versions,
    zones,
)
from doctor.question import Question

CHECKS: Mapping[str, tuple[Question, ...]] = {
    "zones": (Question("Zones", zones.zones),),
    "network": (
        Question("Address ranges", ranges.free_ranges),
        Question("The existing VPC", network.existing_vpc),
        Question("Endpoints of services", network.endpoint_services),
        Question("Nodes and pods that the ranges hold", room.room),
    ),
    "instance-types": (Question("Instance types", instance_types.offerings),),
    "quotas": quotas.QUESTIONS,
    "sizes": (Question("Bounds of node groups", node_group_sizes.bounds),),
    "capacity": (Question("Capacity reservations", capacity.reservations),),
    "versions": (
        Question("Kubernetes versions", versions.kubernetes),
        Question("Versions of add-ons", versions.addons),
        Question("Machine images", versions.node_images),
        Question("Machine images of your own", versions.own_images),
    ),
    "disks": (Question("The key of new disks", disks.default_key),),
    "database": (
        Question("Versions of the database", database.offer),
        Question("The role of RDS", database.service_role),
    ),
    "health": (Question("What EKS could not create", health.health),),
    "shuffle": (
        Question("Bytes between zones", shuffle.between_zones),
        Question("Celeborn's client", shuffle.clients),
    ),
    "control-planes": (Question("Tiers of control planes", control_planes.tiers),),
    "names": (
        Question("Names of clusters", names.clusters),
        Question("Log groups of control planes", names.log_groups),
        Question("Names of buckets", names.buckets),
        Question("Buckets of other environments", names.used_buckets),
    ),
    "references": (
        Question("Permissions boundary", references.boundary),
        Question("Secrets of registries", references.secrets),
        Question("Principals of access", references.principals),
    ),
    "pages": (
        Question("Certificates of pages", pages.certificates),
        Question("The zone that proves names of pages", pages.public_zone),
        Question("The zone of records for pages", pages.dns_zone),
    ),
    "permissions": (Question("Permissions of the deployer", permissions.simulation),),
    "images": (Question("Images", images.pulled_images),),
    "endpoints": (Question("API servers", endpoints.connections),),
}
"""Subject, as `--only` names it -> what is asked."""
