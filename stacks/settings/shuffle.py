"""Settings of Celeborn, which keeps shuffle data apart from executors."""

from pydantic import Field

from stacks.settings.section import Section


class Shuffle(Section):
    """Celeborn on a cluster."""

    workers: int = Field(ge=2, description="Workers, one a node with role shuffle; data is kept twice.")
    gib: int = Field(ge=10, description="Instance storage of a node that a worker may take, GiB.")
