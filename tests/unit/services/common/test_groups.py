import pytest

from services.common.groups import groups


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"groups": ["a", "b"]}, ["a", "b"]),
        ({"groups": "a"}, ["a"]),
        ({}, []),
    ],
)
def test_groups_are_what_the_claim_lists(claims, expected, caplog):
    assert groups(claims, "groups") == expected
    assert caplog.messages == []


@pytest.mark.parametrize("mark", [{"_claim_names": {"groups": "src1"}}, {"hasgroups": True}])
def test_of_somebody_whose_groups_were_left_out_the_log_says_so(mark, caplog):
    assert groups({"sub": "ada", **mark}, "groups") == []

    [record] = caplog.records
    assert record.message == "the issuer left groups out, as they are too many"
    assert record.fields == {"sub": "ada"}
