import pytest

from moka.usage.report.pictures import number, ticks


@pytest.mark.parametrize(
    ("most", "named"),
    [
        (134.4, ["0", "50", "100"]),
        (8.73, ["0", "2", "4", "6", "8"]),
        (1075.2, ["0", "500", "1,000"]),
        (0.0525, ["0", "0.02", "0.04"]),
        (1.0, ["0", "0.5", "1"]),
        (20, ["0", "10", "20"]),
    ],
)
def test_an_axis_names_round_amounts_of_which_the_last_is_on_it(most, named):
    assert [number(tick) for tick in ticks(most)] == named
