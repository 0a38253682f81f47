import pytest

from moka.sizes.daemon_sets import strategy_seconds
from moka.sizes.rollouts import LEAST_SECONDS, rollout_seconds


def test_a_tenth_at_a_time_is_ten_waves():
    assert strategy_seconds({"rollingUpdate": {"maxUnavailable": "10%"}}) == 10 * 180


def test_larger_shares_take_less_time_but_never_less_than_a_release_without_a_daemon_set():
    tenth, quarter, half, all_at_once = (
        strategy_seconds({"rollingUpdate": {"maxUnavailable": share}})
        for share in ("10%", "25%", "50%", "100%")
    )

    assert tenth > quarter > half == all_at_once == LEAST_SECONDS


@pytest.mark.parametrize(
    "strategy",
    [
        {},
        None,
        "RollingUpdate",
        {"type": "RollingUpdate"},
        {"rollingUpdate": None},
        *(
            {"rollingUpdate": {"maxUnavailable": share}}
            for share in (1, "5", "0%", "101%", "-5%", "1.5%", "²%")
        ),
    ],
    ids=str,
)
def test_a_fixed_number_of_pods_at_a_time_and_what_is_no_share_is_refused(strategy):
    with pytest.raises(ValueError, match="set it from 1% to 100%, such as 10%"):
        strategy_seconds(strategy)


def test_pods_that_are_replaced_only_when_somebody_deletes_them_are_refused():
    with pytest.raises(ValueError, match="has type 'OnDelete', with which no update reaches the nodes"):
        strategy_seconds({"type": "OnDelete"})


def test_pods_that_may_take_long_to_start_take_it_in_every_wave():
    assert rollout_seconds(10, grace_seconds=30, start_seconds=600) == 10 * (30 + 120 + 600)
