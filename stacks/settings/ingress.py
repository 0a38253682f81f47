"""Settings of the way in to UIs and pages."""

from typing import Literal

from pydantic import Field

from moka.documents import Section
from stacks.settings.fields import Cidr
from stacks.settings.login import Login


class Ingress(Section):
    """How pages are reached."""

    login: Login | None = Field(
        default=None,
        description="Login before all pages; without it, whoever reaches them sees them, which a policy "
        "refuses in staging and prod.",
    )
    controller: Literal["traefik", "ingress-nginx"] = Field(
        default="traefik",
        description="Ingress controller. ingress-nginx has had no fixes since March 2026: it is for those "
        "who move over, `docs/operations/ingress.md`.",
    )
    # A rule for each and ports 80 and 443 in the load balancer's group, which takes 60.
    networks: list[Cidr] = Field(
        default_factory=list,
        max_length=30,
        description="Networks that may connect to the load balancers, which are internal; without, all that "
        "reach them.",
    )
