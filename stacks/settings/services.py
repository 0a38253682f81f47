"""Settings of the services: programs of ours that run on the platform."""

from pydantic import Field

from moka.documents import Section
from moka.images import OwnImage

SIDECARS = frozenset({"event_log_uploader"})
"""Services that run in the pods of drivers, not in a Deployment of their own."""


class Service(Section):
    """A service; all of them have the same settings."""

    image: OwnImage = Field(description="Its image, as `make images` has pushed it.")


class Services(Section):
    """Services of the platform, named as their folders in `services/`; those left out are not deployed."""

    allocator: Service | None = Field(
        default=None,
        description="Makes a plan of queues and routes every night, and the report of the day: "
        "`allocation.night` says when and how.",
    )
    archer: Service | None = Field(
        default=None, description="Takes jobs and has them run: section `archer` says for whom."
    )
    driver_finalizer: Service | None = Field(
        default=None,
        description="Keeps finished drivers until the Spark Operator has read how they ended; without it, "
        "they are not kept.",
    )
    event_log_uploader: Service = Field(
        description="Uploads the event log of a driver while it runs, as a sidecar in its pod.",
    )
    history_gate: Service = Field(
        description="The way to the History Server: says where a job's log is, and joins logs of drivers "
        "that were killed.",
    )
    queue_keeper: Service | None = Field(
        default=None,
        description="Keeps queues to what schedules leave of a cluster's nodes; needed where they are shares "
        "of what a schedule lowers.",
    )
    ui_gateway: Service | None = Field(
        default=None,
        description="Leads to live UIs of drivers by host name, and from there to the history; without it, "
        "they are not reached.",
    )
    usage_recorder: Service | None = Field(
        default=None,
        description="Records what was used on each cluster, for allocation and reports; without it there is "
        "no history.",
    )

    @property
    def images(self) -> list[str]:
        """Images of the services that are deployed, but for sidecars of drivers."""
        return [service.image for name, service in self if service and name not in SIDECARS]

    @property
    def sidecar_images(self) -> list[str]:
        """Images of services that run in the pods of drivers."""
        return [service.image for name, service in self if service and name in SIDECARS]
