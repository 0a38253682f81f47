import pytest

from aws_rules.eks.sizes import sizes

LIVE = {"minSize": 3, "maxSize": 3, "desiredSize": 3}


@pytest.mark.parametrize(
    ("request_sizes", "live", "message"),
    [
        ({"minSize": 5, "maxSize": 5}, LIVE, "Minimum capacity 5 can't be greater than desired size 3"),
        (
            {"minSize": 5, "maxSize": 5, "desiredSize": 3},
            LIVE,
            "Minimum capacity 5 can't be greater than desired size 3",
        ),
        ({"minSize": 2, "maxSize": 2}, LIVE, "desired capacity 3 can't be greater than max size 2"),
        (
            {"minSize": 2, "maxSize": 4, "desiredSize": 1},
            None,
            "minSize can't be greater than desiredSize",
        ),
        (
            {"minSize": 1, "maxSize": 4, "desiredSize": 5},
            None,
            "desiredSize can't be greater than maxSize",
        ),
    ],
)
def test_a_desired_size_outside_its_bounds_is_refused(request_sizes, live, message):
    violations = list(sizes("node group system of main", request_sizes, live))

    assert [violation.message for violation in violations] == [message]
    assert violations[0].code == "InvalidParameterException"
    assert "desired size" in violations[0].remedy


@pytest.mark.parametrize(
    ("request_sizes", "live"),
    [
        ({"minSize": 5, "maxSize": 5, "desiredSize": 5}, LIVE),
        ({"maxSize": 9}, LIVE),
        ({"minSize": 0, "maxSize": 1, "desiredSize": 0}, None),
    ],
)
def test_a_desired_size_within_its_bounds_is_not_refused(request_sizes, live):
    assert list(sizes("node group system of main", request_sizes, live)) == []
