"""How many series a cluster makes: what is stated, and whether its stores bear it."""

import re

from localcloud.cloud import REPOSITORY
from moka.observability.limits import store_series
from moka.observability.series import (
    PARTS,
    as_table,
    in_memory,
    of,
    of_applications,
    of_cluster,
)
from moka.sizes.collectors import NODE_SERIES
from stacks.settings.metrics import Store

PAGE = (REPOSITORY / "docs" / "operations" / "metrics.md").read_text()


def test_the_page_has_the_table_as_it_is():
    assert as_table() in PAGE


def test_the_page_says_what_a_thousand_applications_make():
    [stated] = re.findall(r"a thousand applications of twenty executors are ([\d,]+) series", PAGE)

    assert int(stated.replace(",", "")) == of_applications(1000, 20)


def test_series_grow_by_the_executor_with_what_the_kubelet_has_of_its_pod_only():
    assert of_applications(1, 21) - of_applications(1, 20) == of("executor") == 4


def test_a_store_of_the_default_size_bears_a_cluster_of_a_thousand_nodes():
    active = of_cluster(nodes=1000, queues=100, applications=1000, executors=20, workers=50)

    kept = in_memory(active, applications_an_hour=10_000 // 24, executors=20)

    assert kept < store_series(Store().memory_gib)


def test_a_managed_workspace_takes_twenty_clusters_with_two_hundred_thousand_jobs_a_day():
    active = of_cluster(nodes=500, queues=100, applications=1000, executors=20, workers=50)

    ended = of_applications(200_000 // 24 * 2, 20)

    assert f"{(20 * active + ended) / 1e6:.1f} million" in PAGE
    assert 20 * active + ended < 10_000_000


def test_agents_have_room_in_their_queue_for_what_they_read_of_a_node():
    of_host = sum(part.series for part in PARTS if part.what in ("its kubelet", "its host"))

    assert of_host <= NODE_SERIES
