"""Policies of the leaf queues of each tier in YuniKorn.

As read in apache/yunikorn-core v1.8.0:

- `preemption.policy` (pkg/scheduler/objects/queue.go: findEligiblePreemptionVictims and
  findPreemptionFenceRoot). `disabled` on a leaf: nothing that runs there is ever a victim, whoever asks; it
  may still take from others what it is guaranteed. `fence` on a leaf: it takes from nobody, and others may
  take from it. `default`: both.
- `preemption.delay` is read only at leaves (UpdateQueueProperties), those that ask: how long a pod waits
  before others are preempted for it (preemption.go: CheckPreconditions; tried every 15 s at most). It has
  to be more than zero.
- A queue takes by preemption up to what it is guaranteed, and only from queues above what they are
  (checkPreemptionQueueGuarantees, findEligiblePreemptionVictims): without a guarantee it takes nothing.
- It takes from queues whose `priority.offset` is not above its own (queue.go: findEligiblePreemptionVictims).
- `priority.policy: fence` with `priority.offset`: all pods of the queue count outside of it with that
  priority, whatever their own class says (findPreemptionFenceRoot, priorityValueByPolicy). So a job does
  not get ahead of other queues by the class of its pods.
- `application.sort.policy`: `fifo` or `fair`; a leaf that is not fifo refuses jobs with task groups, which
  all gangs have (queue.go: SupportTaskGroup; partition.go: AddApplication).
- A property that is removed is not reset (UpdateQueueProperties goes over the present ones), and a change
  does not inherit from the parent as a new queue does (partition.go: updateQueues): so every leaf always has
  all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

TierNumber = Literal[1, 2, 3]
Preemption = Literal["default", "fence", "disabled"]
Sort = Literal["fifo", "fair"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How jobs of a leaf queue wait, and what they may take from others.

    preemption: `default`, `fence` (takes from nobody) or `disabled` (nobody takes from it).
    delay_seconds: how long a pod waits before others are preempted for it.
    sort: which job goes first, among those of one priority.
    priority: of all its pods, as others see them.
    """

    preemption: Preemption
    delay_seconds: int
    sort: Sort
    priority: int

    def properties(self) -> dict[str, str]:
        """As YuniKorn reads them."""
        return {
            "application.sort.policy": self.sort,
            "preemption.delay": f"{self.delay_seconds}s",
            "preemption.policy": self.preemption,
            "priority.offset": str(self.priority),
            "priority.policy": "fence",
        }


POLICIES: Mapping[TierNumber, Policy] = {
    # The priorities are those of the tiers' priority classes.
    1: Policy(preemption="disabled", delay_seconds=5, sort="fifo", priority=3_000),
    2: Policy(preemption="default", delay_seconds=30, sort="fifo", priority=2_000),
    3: Policy(preemption="default", delay_seconds=60, sort="fifo", priority=1_000),
}
"""Tier 1 is never preempted and waits least; 30 s is what YuniKorn waits by itself."""
