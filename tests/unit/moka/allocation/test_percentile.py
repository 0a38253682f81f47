from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.curve import Curve, Step
from moka.allocation.percentile import Limit, Need, allocate
from moka.allocation.rules import Rules
from moka.queues.resources import RESOURCES, Resources
from tests.unit.moka.allocation.worked import (
    HOUR,
    NAME,
    QUEUES,
    TIER_1,
    TIER_2,
    TIER_3,
    cluster,
    worked_curves,
)

NEW = "root.acme.new.tier3"


def worked(instances=10, queues=QUEUES, **inputs):
    return allocate(cluster(instances), queues, worked_curves(), **inputs)


def by_queue(allocation):
    return {share.queue: share for share in allocation.shares}


def test_the_worked_cluster_is_allocated_as_it_was_worked_out():
    allocation = worked()

    shares = by_queue(allocation)
    assert {queue: share.machines for queue, share in shares.items()} == {
        TIER_1: 5000,
        TIER_2: 3000,
        TIER_3: 1000,
    }
    # 5 machines' cores, and in the 45 hours bound by memory, 2 machines' memory, which is less than 5 halves.
    assert shares[TIER_1].guaranteed == Resources.of(cpu="20", memory="40Gi")
    assert shares[TIER_2].guaranteed == Resources.of(cpu="12", memory="24Gi")
    assert shares[TIER_3].guaranteed == Resources.of(cpu="4", memory="8Gi")
    # 9 ran at a time, and a quarter more.
    assert shares[TIER_1].max_applications == 12
    assert shares[TIER_1].reasons == (
        "5 machines cover 99% of the 100.0 h in which it had something in use: at most 20 cores and 40 GiB.",
        "At most 9 applications ran at a time; with 25% more, 12 may.",
    )
    assert [
        (tier.percent, tier.machines, round(float(tier.usage), 3)) for tier in allocation.tiers.values()
    ] == [
        (99, 5000, 0.047),
        (90, 3000, 0.481),
        (60, 1000, 0.639),
    ]
    assert allocation.says == ()


def test_hours_are_those_of_machines_cores_and_memory():
    machines, cores, memory = by_queue(worked())[TIER_1].used_hours

    assert machines == 169
    assert cores == 50 * 4 + 45 * 2 + 4 * 20 + 36
    assert memory == 50 * 8 + 45 * 32 + 4 * 40 + 72


def test_a_workflow_that_would_miss_its_slo_gets_what_it_needs():
    need = Need(queue=TIER_3, workflow="daily", machine_millis=10_400 * HOUR, slo_hours=4)

    share = by_queue(worked(needs=[need, replace(need, workflow="small", machine_millis=1)]))[TIER_3]

    assert share.machines == 2600
    assert share.guaranteed == Resources(cpu=10_400, memory=42_598 * 2**20)
    assert share.reasons[1] == (
        "daily needs 2.6 machines to be done in 4 h: a run takes 10.4 instance-hours."
    )


def test_a_workflow_that_is_served_already_changes_nothing():
    need = Need(queue=TIER_1, workflow="daily", machine_millis=4 * HOUR * 1000, slo_hours=4)

    assert by_queue(worked(needs=[need])) == by_queue(worked())


def test_a_workflow_that_will_miss_its_slo_all_the_same_is_told():
    need = Need(queue=TIER_3, workflow="daily", machine_millis=10_400 * HOUR, slo_hours=4)

    allocation = worked(4, needs=[need])

    assert allocation.says[-1] == (
        f"daily will not be done in 4 h: {TIER_3} gets 0 machines of the 2.6 machines that a run needs."
    )


def test_gpus_that_no_machine_has_are_not_promised_and_that_is_told():
    curves = [replace(curve, steps=(Step(100, 1000, 4000, 1024, 2),)) for curve in worked_curves()]

    [share] = allocate(cluster(10), [TIER_1], curves).shares

    assert share.guaranteed.gpu is None
    assert share.reasons[:2] == (
        "1 machine covers 99% of the 100.0 h in which it had something in use: at most 4 cores and 1 GiB.",
        "It had 2 GPUs in use, which do not count: a machine of batch-a has none.",
    )
    with_gpus = replace(cluster(10), instance=Resources.of(cpu="4", memory="16Gi", gpu=2))
    assert allocate(with_gpus, [TIER_1], curves).shares[0].guaranteed.gpu == 2


def test_an_slo_of_nothing_is_refused():
    with pytest.raises(ValueError, match="daily has an SLO of 0 hours: it is more than zero"):
        worked(needs=[Need(queue=TIER_1, workflow="daily", machine_millis=1, slo_hours=0)])


def test_a_queue_without_history_gets_what_the_rules_say_and_that_is_told():
    allocation = worked(20, queues=[*QUEUES, NEW], rules=Rules(new_machines=2, new_applications=3))

    new = by_queue(allocation)[NEW]
    assert (new.machines, new.max_applications) == (2000, 3)
    assert new.guaranteed == Resources.of(cpu="8", memory="32Gi")
    assert new.reasons == (
        "It used nothing in 30 days, so it gets 2 machines.",
        "Without history it runs at most 3 applications at a time.",
    )


@pytest.mark.parametrize(
    ("instances", "machines", "gives_way"),
    [
        # The least are 2, 2 and 1.
        (4, [2000, 2000, 0], ["for tier 3: 1 queue keeps 0% of what 50%"]),
        (
            3,
            [2000, 1000, 0],
            ["for tier 3: 1 queue keeps 0%", "for tier 2: 1 queue keeps 50%"],
        ),
        (1, [1000, 0, 0], ["for tier 3", "for tier 2", "for tier 1: 1 queue keeps 50% of what 90%"]),
    ],
)
def test_where_there_is_too_little_the_lowest_tier_gives_way_first(instances, machines, gives_way):
    allocation = worked(instances)

    assert [share.machines for share in allocation.shares] == machines
    assert len(allocation.says) == len(gives_way)
    for sentence, expected in zip(allocation.says, gives_way, strict=True):
        assert sentence.startswith(f"batch-a has too little {expected}"), sentence
    for share in allocation.shares:
        if not share.machines:
            assert share.guaranteed == Resources()
            assert any("batch-a has too little for tier" in reason for reason in share.reasons)


def test_all_queues_of_a_tier_give_way_by_the_same_part():
    others = [f"root.acme.p{number}.tier3" for number in range(3)]

    allocation = worked(6, queues=[*QUEUES, *others])

    # 4 for tiers 1 and 2 leave 2 for the 4 of tier 3.
    assert [by_queue(allocation)[queue].machines for queue in (TIER_3, *others)] == [500] * 4


def test_a_maximum_of_a_queue_is_kept_and_its_lower_tiers_give_way():
    limits = [Limit(source="root.acme.etl", maximum=Resources.of(cpu="30"))]

    allocation = worked(limits=limits)

    # 20, 12 and 4 cores; tier 3 gives all of its 4, and tier 2 gives 2.
    assert [share.guaranteed.cpu for share in allocation.shares] == [20_000, 10_000, None]
    assert allocation.says == (
        "root.acme.etl has too little for tier 3: 1 queue keeps 0% of what 60% of the time in use takes.",
        "root.acme.etl has too little for tier 2: 1 queue keeps 83% of what 90% of the time in use takes.",
    )


def test_what_a_maximum_takes_is_guaranteed_to_no_other_queue():
    without = by_queue(worked())

    limited = by_queue(worked(limits=[Limit(source=TIER_2, maximum=Resources.of(cpu="4"))]))

    assert limited[TIER_2].guaranteed.cpu == 4000 < without[TIER_2].guaranteed.cpu
    assert (limited[TIER_1], limited[TIER_3]) == (without[TIER_1], without[TIER_3])


def test_what_others_used_is_told():
    allocation = worked(queues=[TIER_1])

    assert allocation.says == (
        f"{TIER_2} used 1040.0 instance-hours of batch-a, but is not among its queues.",
        f"{TIER_3} used 460.0 instance-hours of batch-a, but is not among its queues.",
    )


def test_curves_of_other_clusters_do_not_count():
    elsewhere = [replace(curve, cluster="batch-b") for curve in worked_curves()]

    assert by_queue(allocate(cluster(10), [TIER_1], elsewhere))[TIER_1].curve is None


def test_a_queue_that_is_no_tier_is_refused():
    with pytest.raises(
        ValueError, match=r"root\.default is no queue of a tier, as root\.acme\.etl\.tier1 is"
    ):
        worked(queues=["root.default"])


def steps_of(amounts):
    """Steps that rise to 100% in ten parts."""
    total = 0
    steps = []
    for index, amount in enumerate(amounts):
        total += amount
        steps.append(Step(10 * (index + 1), total, total * 4, total * 16, 0))
    return tuple(steps)


Histories = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.lists(st.integers(1, 3000), min_size=10, max_size=10),
        st.integers(0, 30),
        st.none() | st.integers(1, 20_000),
    ),
    min_size=1,
    max_size=8,
)


@given(Histories, st.integers(1, 60), st.randoms())
def test_what_is_given_fits_covers_and_does_not_depend_on_order(histories, instances, random):
    queues, curves, needs = [], [], []
    for number, (tier, amounts, applications, need) in enumerate(histories):
        queue = f"root.acme.p{number}.tier{tier}"
        queues.append(queue)
        steps = steps_of(amounts)
        curves.append(
            Curve(
                cluster=NAME,
                queue=queue,
                steps=steps,
                busy=HOUR,
                machines=steps[0].machines * HOUR,
                cpu=0,
                memory=0,
                gpu=0,
                applications=applications,
            )
        )
        if need:
            needs.append(Need(queue=queue, workflow=f"w{number}", machine_millis=need * HOUR, slo_hours=1))

    allocation = allocate(cluster(instances), queues, curves, needs)

    capacity = cluster(instances).capacity
    for resource in RESOURCES:
        given_away = sum(share.guaranteed.get(resource) or 0 for share in allocation.shares)
        assert given_away <= (capacity.get(resource) or 0) + len(queues) * 2**20
    assert sum(share.machines for share in allocation.shares) <= instances * 1000
    percents = [share.percent for share in allocation.tiers.values()]
    assert percents == sorted(percents, reverse=True)
    if not any("too little" in sentence for sentence in allocation.says):
        for share, curve in ((share, share.curve) for share in allocation.shares):
            assert share.machines >= curve.covering(allocation.tiers[share.tier].percent).machines
            assert all(need.machines <= share.machines for need in needs if need.queue == share.queue)
            assert share.max_applications > curve.applications or not curve.applications
    for shuffled in (queues, curves, needs):
        random.shuffle(shuffled)
    assert allocate(cluster(instances), queues, curves, needs) == allocation


@given(Histories, st.integers(1, 60))
def test_a_larger_cluster_gives_tier_1_no_less(histories, instances):
    queues = [f"root.acme.p{number}.tier{tier}" for number, (tier, *_) in enumerate(histories)]
    curves = [
        Curve(
            cluster=NAME,
            queue=queue,
            steps=steps_of(amounts),
            busy=HOUR,
            machines=HOUR,
            cpu=0,
            memory=0,
            gpu=0,
            applications=1,
        )
        for queue, (_, amounts, _, _) in zip(queues, histories, strict=True)
    ]

    small, large = (allocate(cluster(size), queues, curves) for size in (instances, instances + 7))

    assert small.tiers[1].machines <= large.tiers[1].machines
