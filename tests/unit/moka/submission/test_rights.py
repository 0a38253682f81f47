import pytest

from moka.submission.rights import Policy, Principal, Right

ANN, OLGA = Principal("ann", frozenset({"data"})), Principal("olga", frozenset({"operators"}))
DATA = Right(
    who="group:data",
    may=frozenset({"submit", "see"}),
    organization="acme",
    project="etl",
    tiers=frozenset({2, 3}),
)
SEES_ALL = Right(who="user:ol*", may=frozenset({"see"}))
POLICY = Policy.of([DATA, SEES_ALL])


@pytest.mark.parametrize(
    ("principal", "action", "queue", "tier", "allowed"),
    [
        (ANN, "submit", "acme.etl", 2, True),
        (ANN, "submit", "acme.etl", 1, False),
        (ANN, "see", "acme.etl", 1, True),
        (ANN, "stop", "acme.etl", 2, False),
        (ANN, "submit", "acme.ml", 2, False),
        (ANN, "submit", "other.etl", 2, False),
        (ANN, "operate", "*.*", None, False),
        (OLGA, "see", "acme.ml", 1, True),
        (OLGA, "submit", "acme.etl", 3, False),
        (Principal("data"), "submit", "acme.etl", 2, False),
    ],
)
def test_a_right_is_for_what_it_says_and_nothing_more(principal, action, queue, tier, allowed):
    assert POLICY.allows(principal, action, queue, tier) is allowed


def test_without_rights_one_may_see_and_stop_ones_own_jobs_only():
    nothing = Policy()

    assert nothing.allows(ANN, "see", "acme.etl", 1, owner="ann")
    assert nothing.allows(ANN, "stop", "acme.etl", 1, owner="ann")
    assert not nothing.allows(ANN, "submit", "acme.etl", 1, owner="ann")
    assert not nothing.allows(ANN, "see", "acme.etl", 1, owner="bob")
    assert not nothing.may_see_all(ANN)
    assert POLICY.may_see_all(OLGA)
    assert not POLICY.may_see_all(ANN)
