from hypothesis import given
from hypothesis import strategies as st

from moka.submission.fairness import next_turn

WAITING = st.dictionaries(
    st.tuples(st.sampled_from(["a.a", "b.b", "c.c"]), st.sampled_from([1, 2, 3])), st.integers(0, 50)
)


@given(WAITING, st.integers(0, 100))
def test_as_many_are_next_as_are_wanted_and_wait_and_no_more_of_any(waiting, wanted):
    turn = next_turn(waiting, {}, {}, wanted)

    assert sum(turn.jobs.values()) == min(wanted, sum(waiting.values()))
    assert all(count <= waiting[key] for key, count in turn.jobs.items())


@given(WAITING, st.integers(0, 100))
def test_no_job_of_a_queue_is_next_while_one_of_a_more_critical_tier_of_it_waits(waiting, wanted):
    turn = next_turn(waiting, {}, {}, wanted)

    for queue, tier in turn.jobs:
        for above in range(1, tier):
            assert turn.jobs.get((queue, above), 0) == waiting.get((queue, above), 0)


def _shares(weights, turns, size=10):
    """Jobs of each queue, all of which always wait, after many turns."""
    clocks, got = {}, {}
    for _ in range(turns):
        turn = next_turn({(queue, 2): 1000 for queue in weights}, clocks, weights, size)
        clocks = turn.clocks
        for (queue, _), count in turn.jobs.items():
            got[queue] = got.get(queue, 0) + count
    return got


def test_queues_get_shares_by_their_weights_also_in_turns_of_one():
    assert _shares({"a.a": 3.0, "b.b": 1.0}, 100) == {"a.a": 750, "b.b": 250}
    shares = _shares({"a.a": 3.0, "b.b": 1.0}, 1000, size=1)
    assert abs(shares["a.a"] - 750) <= 1


def test_a_queue_that_comes_back_does_not_get_what_it_did_not_ask_for():
    clocks = next_turn({("a.a", 1): 1000}, {}, {}, 1000).clocks

    turn = next_turn({("a.a", 1): 1000, ("b.b", 1): 1000}, clocks, {}, 100)

    assert turn.jobs == {("a.a", 1): 50, ("b.b", 1): 50}


def test_a_queue_that_was_away_after_it_had_much_is_not_punished_for_it():
    clocks = {"a.a": 1000.0, "b.b": 10.0}
    alone = next_turn({("b.b", 1): 5}, clocks, {}, 5)

    turn = next_turn({("a.a", 1): 10, ("b.b", 1): 10}, alone.clocks, {}, 10)

    # It waits until the other has had as much, and no longer.
    assert turn.jobs[("b.b", 1)] == 10


def test_a_turn_ends_where_it_is_not_known_whether_more_of_a_queue_wait():
    waiting = {("a.a", 1): 2, ("a.a", 2): 9, ("b.b", 1): 9}

    turn = next_turn(waiting, {}, {}, 10, more={("a.a", 1)})

    assert turn.jobs in ({("a.a", 1): 2, ("b.b", 1): 1}, {("a.a", 1): 2, ("b.b", 1): 2})
