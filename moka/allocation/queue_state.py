"""What is to be in force in a scheduler: the queues of the settings, with a plan where they leave it room."""

from collections.abc import Sequence
from dataclasses import dataclass

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.queue_amounts import AmountsOfHour
from moka.allocation.queues_in_force import in_force
from moka.mistakes import InvalidDocument, Mistake
from moka.queues.calendar import Nodes
from moka.queues.problems import problems
from moka.queues.tree import QueueTree


@dataclass(frozen=True)
class QueueState:
    """Queues, and what became of a plan.

    lowered: what of a plan is not as it has it. refused: why nothing of it is in force.
    """

    tree: QueueTree
    lowered: Sequence[Mistake] = ()
    refused: Sequence[Mistake] = ()

    @property
    def left_out(self) -> Sequence[Mistake]:
        """All that is to be told."""
        return [*self.lowered, *self.refused]


def state_of(settings: ClusterSettings, amounts: AmountsOfHour, nodes: Nodes) -> QueueState:
    """The queues with so many nodes. Raises InvalidDocument where a scheduler would not start with them.

    One that runs keeps what it had, and one that starts ends at once (apache/yunikorn-k8shim v1.8.0:
    pkg/shim/scheduler.go, Run). Settings and plans are refused before; this is for those of another version,
    and for a plan after a change of the settings: these are then in force without it.
    """
    state = in_force(settings, amounts, nodes)
    wrong = [*state.unresolved, *problems(state.tree)]
    if not wrong:
        return QueueState(state.tree, state.says)
    if not amounts.queues:
        raise InvalidDocument(f"With {sum(nodes.values())} nodes, {wrong[0]}")
    without = state_of(settings, AmountsOfHour(), nodes)
    return QueueState(
        without.tree,
        state.says,
        [Mistake("plan", f"is not in force at all, as with it {problem}") for problem in wrong],
    )
