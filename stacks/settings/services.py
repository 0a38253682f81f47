"""Settings of the services: programs of ours that run on the platform."""

from pydantic import Field

from moka.documents import Section
from moka.images import OwnImage


class Service(Section):
    """A service; all of them have the same settings."""

    image: OwnImage = Field(description="Its image, as `make images` has pushed it.")


class Services(Section):
    """Services of the platform, named as their folders in `services/`; those left out are not deployed."""

    driver_finalizer: Service | None = Field(
        default=None,
        description="Keeps finished drivers until the Spark Operator has read how they ended; without it, "
        "they are not kept.",
    )
    ui_gateway: Service | None = Field(
        default=None,
        description="Leads to live UIs of drivers by host name, and from there to the history; without it, "
        "they are not reached.",
    )

    @property
    def images(self) -> list[str]:
        """Images of the services that are deployed."""
        return [service.image for _, service in self if service]
