"""Which queues a claim is for."""

import pytest

from moka.queues.claims import Claim, matching_queues

PATHS = [
    f"root.{organization}.{project}.tier{tier}"
    for organization in ("sales", "sales-eu")
    for project in ("web", "web-shop")
    for tier in (1, 2, 3)
]


@pytest.mark.parametrize(
    ("claim", "paths"),
    [
        (Claim(organization="sales"), [path for path in PATHS if path.startswith("root.sales.")]),
        (Claim(organization="sales", project="web", tiers=(2,)), ["root.sales.web.tier2"]),
        (
            Claim(organization="sales-eu", tiers=(3, 1)),
            [f"root.sales-eu.{project}.tier{tier}" for project in ("web", "web-shop") for tier in (1, 3)],
        ),
        (Claim(organization="nobody"), []),
    ],
)
def test_a_claim_is_for_the_queues_that_it_names_and_no_others(claim, paths):
    assert matching_queues(PATHS, [claim.pattern]) == paths


def test_the_queues_of_all_claims_are_a_namespace_s():
    patterns = [Claim(organization=name, project="web", tiers=(1,)).pattern for name in ("sales", "sales-eu")]
    assert matching_queues(PATHS, patterns) == ["root.sales.web.tier1", "root.sales-eu.web.tier1"]
