"""Fleets small enough for every placement to be tried, by hand or by chance."""

from dataclasses import replace

from hypothesis import strategies as st

from moka.allocation.cluster import Cluster
from moka.allocation.fleet import HOURS, Fleet, FleetCluster, FleetQueue, FleetWorkflow
from moka.queues.resources import Resources

MACHINE = Resources.of(cpu="4", memory="16Gi")
NAMES = ("batch-a", "batch-b", "batch-c")
PATHS = tuple(f"root.acme.etl.tier{tier}" for tier in (1, 2, 3))


def machines(number, memory=None):
    """What so many machines have, or so many by cores and so many by memory."""
    memory = number if memory is None else memory
    return Resources(cpu=int(number * 4000), memory=int(memory * 16 * 2**30))


def cluster(name, instances=10, **given):
    return FleetCluster(cluster=Cluster(name=name, instance=MACHINE, instances=instances), **given)


def workflow(name, tier, home, hours, **given):
    """hours: machines by hour of the day, nothing in others."""
    return FleetWorkflow(
        name=name,
        queue=PATHS[tier - 1],
        home=home,
        demand=tuple(machines(hours.get(hour, 0)) for hour in range(HOURS)),
        applications=tuple(1 if hour in hours else 0 for hour in range(HOURS)),
        **given,
    )


def fleet(workflows, clusters=2, instances=10, queues=None, **given):
    return Fleet(
        clusters=tuple(cluster(name, instances) for name in NAMES[:clusters]),
        queues=tuple(queues or (FleetQueue(path=path) for path in PATHS)),
        workflows=tuple(workflows),
        **{"max_moves": len(workflows), **given},
    )


@st.composite
def fleets(draw):
    """Up to five workflows on two or three clusters, with floors, ceilings and machines that come and go.

    Some ask more of another cluster than of their home.
    """
    names = NAMES[: draw(st.integers(2, 3))]
    clusters = tuple(
        FleetCluster(
            cluster=Cluster(name=name, instance=MACHINE, instances=10),
            machines=draw(st.sampled_from([(), (10,) * 12 + (6,) * 12])),
            architectures=draw(st.sampled_from([("arm64",), ("arm64", "amd64")])),
        )
        for name in names
    )
    amounts = st.builds(machines, st.sampled_from([0.5, 1, 1.5]))
    queues = []
    for path in PATHS:
        floors = draw(st.dictionaries(st.sampled_from(names), amounts, max_size=1))
        ceilings = draw(
            st.dictionaries(st.sampled_from(names), st.builds(machines, st.sampled_from([2, 4])), max_size=1)
        )
        queues.append(FleetQueue(path=path, floors=floors, ceilings=ceilings))
    workflows = []
    for number in range(draw(st.integers(1, 5))):
        hours = draw(st.dictionaries(st.sampled_from([2, 3, 14]), st.integers(1, 7), min_size=1, max_size=3))
        one = workflow(f"w{number}", draw(st.integers(1, 3)), draw(st.sampled_from(names)), hours)
        more = draw(st.sampled_from([0, 0, 2]))
        elsewhere = tuple(machines(hours[hour] + more if hour in hours else 0) for hour in range(HOURS))
        workflows.append(replace(one, elsewhere=elsewhere) if more else one)
    return Fleet(
        clusters=clusters,
        queues=tuple(queues),
        workflows=tuple(workflows),
        max_moves=draw(st.integers(0, len(workflows))),
    )
