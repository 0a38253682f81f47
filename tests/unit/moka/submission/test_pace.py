from hypothesis import given
from hypothesis import strategies as st

from moka.submission.breaker import FAILURES, LONGEST_PAUSE_SECONDS, Breaker
from moka.submission.token_bucket import TokenBucket


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(0, 50)), max_size=50))
def test_a_bucket_never_gives_more_than_its_size_and_its_rate_allow(asks):
    bucket, now, given_out = TokenBucket(rate=2.0, size=10.0, tokens=10.0, at=0.0), 0.0, 0
    for pause, wanted in asks:
        now += pause
        taken, bucket = bucket.take(wanted, now)
        given_out += taken
        assert taken <= min(wanted, 10)
    assert given_out <= 10 + 2.0 * now + 1e-6


def test_a_clock_that_goes_back_fills_no_bucket():
    _, bucket = TokenBucket(rate=1.0, size=5.0, tokens=5.0, at=1000.0).take(5, 1000.0)

    assert bucket.take(1, 10.0)[0] == 0
    assert bucket.take(1, 1000.5)[0] == 0
    assert bucket.take(1, 1001.0)[0] == 1
    assert bucket.seconds_until_one(1000.25) == 0.75


def test_a_breaker_opens_after_failures_in_a_row_and_tries_with_one():
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker = breaker.after_failure(100.0)
    assert breaker.permits(50, 100.0) == 50

    breaker = breaker.after_failure(100.0)

    assert breaker.is_open(100.0)
    assert breaker.permits(50, breaker.open_until) == 1
    assert breaker.after_failure(200.0).open_until - 200.0 > breaker.open_until - 100.0
    assert breaker.after_answer().permits(50, 100.0) == 50


def test_a_breaker_never_leaves_a_cluster_in_peace_for_longer_than_a_minute():
    breaker = Breaker()
    for _ in range(100):
        breaker = breaker.after_failure(0.0)

    assert breaker.open_until == LONGEST_PAUSE_SECONDS
