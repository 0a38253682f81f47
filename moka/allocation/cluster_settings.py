"""What the settings say of a cluster's queues, as programs are given it in ConfigMap `queue-calendar`."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import ValidationError

from moka.allocation.plan_bounds import PlanBounds
from moka.documents import DocumentKind
from moka.mistakes import InvalidDocument, Mistake
from moka.queues import QueueTree, keeper_input, queue_file
from moka.queues.calendar import Calendar, Nodes
from moka.queues.definitions import Queues

BOUNDS = "plan-bounds.json"
"""Key of the ConfigMap, beside those of `moka.queues.keeper_input`."""

BOUNDS_FILE = DocumentKind(model=PlanBounds, example="docs/operations/plans.md", noun="bounds")


@dataclass(frozen=True)
class ClusterSettings:
    """What the settings have for the queues of a cluster.

    queues: of every cluster. calendar: what they are shares of here, and when. bounds: of plans.
    """

    queues: Queues
    calendar: Calendar
    bounds: PlanBounds = field(default_factory=PlanBounds)

    @property
    def digest(self) -> str:
        """Of the queues: a plan says for which ones it was made."""
        return digest(self.queues)

    def tree(self, nodes: Nodes) -> tuple[QueueTree, Sequence[Mistake]]:
        """The queues while there are so many nodes, and what of them does not come to amounts."""
        return self._whole if nodes == self.calendar.all_nodes else self.calendar.tree(self.queues, nodes)

    @cached_property
    def _whole(self) -> tuple[QueueTree, Sequence[Mistake]]:
        """With all nodes: asked for each hour of a plan."""
        return self.calendar.tree(self.queues, self.calendar.all_nodes)

    def as_data(self) -> dict[str, str]:
        """The data of the ConfigMap."""
        bounds = self.bounds.model_dump(mode="json", exclude_defaults=True)
        return {**keeper_input.data(self.queues, self.calendar), BOUNDS: json.dumps(bounds, sort_keys=True)}

    @classmethod
    def of_data(cls, data: Mapping[str, str]) -> "ClusterSettings":
        """From the data of a ConfigMap; of a program before there were plans, it has no bounds.

        Raises InvalidDocument.
        """
        return cls(*keeper_input.read(data), _bounds(data.get(BOUNDS, "{}")))


def digest(queues: Queues) -> str:
    """Of queues as the settings have them: equal for equal ones."""
    return "sha256:" + hashlib.sha256(queue_file.dumps(queues).encode()).hexdigest()


def _bounds(text: str) -> PlanBounds:
    try:
        return BOUNDS_FILE.validate(BOUNDS_FILE.read(text, BOUNDS), BOUNDS)
    except ValidationError as error:
        mistakes = BOUNDS_FILE.mistakes(error)
        raise InvalidDocument("\n".join(f"{BOUNDS}: {mistake}" for mistake in mistakes)) from None
