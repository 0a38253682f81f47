"""Five kills over `up` and `destroy`, of engine, plugins and servers; tests/soak has fifty."""

import pytest

from tests.support.cut_off import CLUSTER, network_stack
from tests.support.kills import CLUSTER_ONCE, existing_with_cluster, survive

pytestmark = pytest.mark.usefixtures("checkpoints")

ON_THE_WAY_UP = ("plugin of AWS", "engine and plugins", "API server")
ON_THE_WAY_DOWN = ("etcd", "engine")


def test_after_kills_there_is_all_of_it_once_and_then_nothing(tmp_path):
    with network_stack(tmp_path, CLUSTER) as stack:
        assert survive(stack, "up", ON_THE_WAY_UP) == [*ON_THE_WAY_UP]
        assert existing_with_cluster(stack) == CLUSTER_ONCE
        stack.expect_no_changes()

        assert survive(stack, "destroy", ON_THE_WAY_DOWN) == [*ON_THE_WAY_DOWN]
        assert set(existing_with_cluster(stack).values()) == {0}
