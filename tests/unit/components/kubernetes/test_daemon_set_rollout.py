import pytest

from components.kubernetes.daemon_set_rollout import rollout_seconds


def test_a_tenth_at_a_time_is_ten_waves():
    assert rollout_seconds({"rollingUpdate": {"maxUnavailable": "10%"}}) == 10 * 180


def test_larger_shares_take_less_time_but_never_less_than_a_release_without_a_daemon_set():
    assert rollout_seconds({"rollingUpdate": {"maxUnavailable": "100%"}}) == 600


@pytest.mark.parametrize(
    "strategy", [{}, {"rollingUpdate": {"maxUnavailable": 1}}, {"type": "RollingUpdate"}]
)
def test_one_pod_at_a_time_is_refused(strategy):
    with pytest.raises(ValueError, match="set its maxUnavailable to a share, such as 10%"):
        rollout_seconds(strategy)
