import pytest

from tests.support.wrong_settings import Changes

GROUPS = "clusters.spark-a.node_groups"
SHUFFLE = "clusters.spark-a.shuffle"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "shuffle nodes without disks": (
        {f"{GROUPS}.shuffle.instance_types": ["r6g.4xlarge"]},
        "r6g.4xlarge without instance storage cannot hold shuffle data",
    ),
    "shuffle data on instance storage, and once": (
        {f"{SHUFFLE}.replicate": False},
        f"{SHUFFLE}.replicate: is false, but data on instance storage is lost with its machine; set "
        "it to true, or use storage.volumes.",
    ),
    "more shuffle data than a node's instance storage holds": (
        {f"{SHUFFLE}.storage": {"instance": {"gib": 900}}},
        f"{SHUFFLE}.storage.instance.gib: is 900, but r6gd.4xlarge has 884 GiB, of which a fifth is "
        "for images and logs and stays free; lower it to 707.",
    ),
    "shuffle data in two kinds of places": (
        {f"{SHUFFLE}.storage.volumes": {"count": 2}},
        f"{SHUFFLE}.storage: needs either `instance` or `volumes`; set one of the two.",
    ),
    "shuffle data nowhere": (
        {f"{SHUFFLE}.storage": {}},
        f"{SHUFFLE}.storage: needs either `instance` or `volumes`; set one of the two.",
    ),
    "shuffle nodes too small for a worker": (
        {f"{GROUPS}.shuffle.instance_types": ["r6gd.medium"]},
        f"{SHUFFLE}.sizes.worker: is needed, because r6gd.medium is too small: a worker needs at "
        "least 2 vCPUs and 8 GiB, not 1 and 8; set it, or use other instance types.",
    ),
    "shuffle nodes whose name does not say how large they are": (
        {f"{GROUPS}.shuffle.instance_types": ["c6gd.metal"]},
        f"{SHUFFLE}.sizes.worker: is needed, because the name of c6gd.metal does not say how many "
        "cores and how much memory it has; set it, or use other instance types.",
    ),
    "shuffle workers larger than their nodes": (
        {f"{SHUFFLE}.sizes": {"worker": {"cpus": 26, "heap_gib": 31, "off_heap_gib": 169}}},
        f"{SHUFFLE}.sizes.worker: needs 26 cores and 220 GiB, but r6gd.4xlarge has 13 and 110 for a "
        "worker; lower it, or use larger machines.",
    ),
    "shuffle nodes for nothing": (
        {SHUFFLE: None},
        f"{GROUPS}.shuffle: has role shuffle, but clusters.spark-a has no Celeborn; add `shuffle` "
        "there, or remove the group.",
    ),
    "an even number of masters": (
        {f"{SHUFFLE}.masters": 2},
        f"{SHUFFLE}.masters: is 2; input should be 1, 3 or 5",
    ),
    "a zone without a shuffle worker": (
        {f"{SHUFFLE}.workers": 2},
        f"{SHUFFLE}.workers: is 2, but its nodes are in us-east-1a, us-east-1b, us-east-1c; have at "
        "least one worker in each zone, or use fewer zones for the groups with role shuffle.",
    ),
    "a quota of nobody": (
        {f"{SHUFFLE}.quotas": {"analytic": {"gib": 100}}},
        f"{SHUFFLE}.quotas.analytic: is no organization of queues, so no job counts towards it",
    ),
    "a quota of nothing": (
        {f"{SHUFFLE}.quotas": {"analytics": {}}},
        f"{SHUFFLE}.quotas.analytics: sets no limit; set gib, files or both, or remove the tenant.",
    ),
    "too few system nodes for Celeborn's masters": (
        {f"{GROUPS}.system": {"minimum": 1, "desired": 2, "maximum": 2}},
        f"{GROUPS}: have at most 2 nodes with role system, but Celeborn's 3 masters need one each; "
        "raise their maximum.",
    ),
    "more shuffle workers than nodes": (
        {"clusters.spark-a.shuffle.workers": 9},
        f"{SHUFFLE}.workers: is 9, one a node, but groups with role shuffle have at most 6 nodes; "
        "raise their maximum.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
