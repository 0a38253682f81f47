"""Settings of the way in to UIs and pages."""

from pydantic import Field

from moka.documents import Section
from stacks.settings.login import Login


class Ingress(Section):
    """How pages are reached."""

    login: Login | None = Field(
        default=None,
        description="Login before all pages; without it, whoever reaches them sees them, which a policy "
        "refuses in staging and prod.",
    )
