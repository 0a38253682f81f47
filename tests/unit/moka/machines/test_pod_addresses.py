import pytest

from moka.machines.pod_addresses import pod_addresses


@pytest.mark.parametrize(("max_pods", "addresses"), [(8, 16), (16, 16), (17, 32), (250, 256)])
def test_addresses_are_taken_in_whole_prefixes(max_pods, addresses):
    assert pod_addresses("executor", max_pods) == addresses


def test_a_node_has_as_many_pods_as_its_role_unless_told_otherwise():
    assert pod_addresses("executor") == 64
    assert pod_addresses("system") == 112
