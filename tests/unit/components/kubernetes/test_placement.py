import pytest

from moka.components.kubernetes.placement import node_selector, tolerations


@pytest.mark.parametrize("role", ["driver", "executor", "shuffle"])
def test_a_pod_is_let_onto_the_nodes_of_its_role_alone(role):
    [toleration] = tolerations(role)

    assert node_selector(role) == {"moka.dev/role": role}
    assert (toleration.key, toleration.operator) == ("moka.dev/role", "Equal")
    assert (toleration.value, toleration.effect) == (role, "NoSchedule")


def test_system_nodes_need_no_toleration():
    assert tolerations("system") == []
