"""A small cluster whose answers were worked out by hand.

A machine has 4 cores and 16 GiB. Three queues, of which hours with so many machines in use are:

    tier 1:   50 h 1,  45 h 2 (by its memory),   4 h 5,   1 h 9     100 h in use, 169 machine-hours
    tier 2:  320 h 2,  40 h 3,                  20 h 6,  20 h 8     400 h in use, 1040 machine-hours
    tier 3:  120 h 1,  50 h 2,                  10 h 4,  20 h 10    200 h in use, 460 machine-hours

so that shares of the time in use are covered by

    tier 1:   50%: 1    95%: 2    99%: 5    100%: 9
    tier 2:   80%: 2    90%: 3    95%: 6    100%: 8
    tier 3:   60%: 1    85%: 2    90%: 4    100%: 10
"""

from moka.allocation.cluster import Cluster
from moka.allocation.curve import curves
from moka.queues.resources import Resources
from moka.usage.records import Interval

HOUR = 3_600_000
BEGAN = 1_761_955_200_000
WINDOW = 30 * 24 * HOUR
NAME = "batch-a"
MACHINE = Resources.of(cpu="4", memory="16Gi")
QUEUES = TIER_1, TIER_2, TIER_3 = [f"root.acme.etl.tier{tier}" for tier in (1, 2, 3)]
CORE_BOUND, MEMORY_BOUND = (4000, 8 * 1024), (1000, 16 * 1024)
"""Of a machine: what a unit takes of cores and MiB."""

HOURS = {
    TIER_1: [(50, 1, CORE_BOUND), (45, 2, MEMORY_BOUND), (4, 5, CORE_BOUND), (1, 9, CORE_BOUND)],
    TIER_2: [(320, 2, CORE_BOUND), (40, 3, CORE_BOUND), (20, 6, CORE_BOUND), (20, 8, CORE_BOUND)],
    TIER_3: [(120, 1, CORE_BOUND), (50, 2, CORE_BOUND), (10, 4, CORE_BOUND), (20, 10, CORE_BOUND)],
}


def cluster(instances):
    return Cluster(name=NAME, instance=MACHINE, instances=instances)


def intervals():
    """What was in use, with an hour of nothing after each amount."""
    made = []
    for queue, units in HOURS.items():
        at = BEGAN
        for hours, machines, (cpu, memory) in units:
            made.append(
                Interval(
                    cluster=NAME,
                    queue=queue,
                    workflow="",
                    began=at,
                    ended=at + hours * HOUR,
                    cpu=cpu * machines,
                    memory=memory * machines,
                    gpu=0,
                    applications=machines,
                    allocations=machines,
                )
            )
            at += (hours + 1) * HOUR
    return made


def worked_curves(instances=10):
    return curves(intervals(), [cluster(instances)], BEGAN, BEGAN + WINDOW)
