"""A change of queues, taken by the real scheduler and read back from it."""

from dataclasses import replace

import pytest

from commands.yunikorn_api import SchedulerUnreachable, queue_differences
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.queues import Leaf, Limit, QueueTree, Resources, grow, queues_yaml


def leaf(project: str, tier: int, cpu: str = "1", **fields: object) -> Leaf:
    return Leaf(
        organization="acme",
        project=project,
        tier=tier,
        guaranteed=Resources.of(cpu=cpu, memory="1Gi"),
        maximum=Resources.of(cpu="4", memory="2Ti"),
        **fields,
    )


def with_policy(tree: QueueTree, **changes: object) -> QueueTree:
    """The tree, with other policies at all leaves of its only project."""
    [organization] = tree.organizations
    [project] = organization.queues
    tiers = tuple(replace(tier, policy=replace(tier.policy, **changes)) for tier in project.queues)
    return QueueTree(
        organizations=(replace(organization, max_applications=9, queues=(replace(project, queues=tiers),)),)
    )


NIGHT = Limit(users=("ann",), groups=("night",), max_applications=2, maximum=Resources.of(cpu="2"))
BEFORE = with_policy(grow([leaf("etl", 1), leaf("etl", 3, limits=(NIGHT,))]))
AFTER = with_policy(
    grow([leaf("etl", 2, max_applications=5), leaf("etl", 3, cpu="1500m")]),
    preemption="fence",
    delay_seconds=90,
    sort="fair",
    priority=7,
)


@pytest.fixture
def write_queues(plane, yunikorn, other_queues):
    """Give the scheduler a tree; what its process is called is the same afterwards."""
    process = plane.process(yunikorn.key).pid_file

    def tell(text: str) -> str:
        other_queues(text)
        return process.read_text()

    return tell


def differences(tree, url):
    try:
        return [str(difference) for difference in queue_differences(tree, url)]
    except SchedulerUnreachable:
        return ["about to start"]


def test_a_change_of_queues_is_in_force_without_a_restart_and_what_is_not_taken_says_why(
    plane, write_queues, eventually
):
    process = write_queues(queues_yaml(BEFORE))
    eventually(lambda: differences(BEFORE, yunikorn_url(plane)) == [])

    differing = differences(AFTER, yunikorn_url(plane))
    assert "root.acme.etl.tier2 is missing." in differing
    assert "root.acme.etl.tier1 should not exist, but does (Active, with 0 running jobs)." in differing
    assert "root.acme.etl.tier3 has guaranteed cpu 1, but should have 1500m." in differing
    assert "root.acme.etl.tier3 has a delay of 60 s, but should have 90 s." in differing
    assert "root.acme.etl.tier3 has jobs sorted fifo, but should have fair." in differing
    assert "root.acme.etl.tier3 has limits of users and groups other than it should have." in differing

    assert write_queues(queues_yaml(AFTER)) == process
    eventually(lambda: differences(AFTER, yunikorn_url(plane)) == [])

    # Everything that was changed goes back, too.
    write_queues(queues_yaml(BEFORE))
    eventually(lambda: differences(BEFORE, yunikorn_url(plane)) == [])

    too_much = grow([leaf("etl", 1, cpu="64")])
    write_queues(queues_yaml(too_much))
    refused = differences(too_much, yunikorn_url(plane))
    assert "root.acme.etl.tier1 has guaranteed cpu 1, but should have 64." in refused
    assert "refused by the scheduler: guaranteed resource" in refused[-1]
