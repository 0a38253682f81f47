import pytest

from moka.zone_traffic import Workers, crossings

A, B, C = "a", "b", "c"


@pytest.mark.parametrize(
    ("executors", "workers", "replicate", "times"),
    [
        ([A], None, False, 0),
        ([A, B], None, False, 1 / 2),
        ([A, B, C], None, False, 2 / 3),
        # Pushed, fetched.
        ([A], [A], False, 0),
        ([A], [A], True, 0),
        ([B], [A], True, 2),
        ([A, B, C], [A], True, 4 / 3),
        # Pushed, copied to another zone, fetched.
        ([A], [A, B, C], True, 2 / 3 + 1 + 2 / 3),
        ([A, B, C], [A, B, C], True, 7 / 3),
        ([A, B, C], [A, B, C], False, 4 / 3),
    ],
)
def test_a_shuffled_byte_crosses_zones_as_often_as_its_ways_do(executors, workers, replicate, times):
    kept = Workers(zones=workers, replicate=replicate) if workers else None

    assert crossings(executors, kept) == pytest.approx(times)
