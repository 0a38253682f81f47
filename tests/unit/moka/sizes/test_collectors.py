import pytest

from moka.sizes.collectors import agent_outage_hours, gateways, scraper_outage_hours, scrapers


@pytest.mark.parametrize(("nodes", "count"), [(3, 2), (2000, 2), (2001, 3), (10_000, 10)])
def test_no_scraper_carries_thousands_of_nodes(nodes, count):
    assert scrapers(nodes) == count


@pytest.mark.parametrize(("nodes", "count"), [(3, 2), (1000, 2), (1001, 3)])
def test_gateways_grow_with_the_nodes(nodes, count):
    assert gateways(nodes) == count


def test_an_agent_of_a_full_node_loses_nothing_of_half_a_day():
    assert agent_outage_hours(pods=220) > 12


def test_a_scraper_of_a_hundred_thousand_series_loses_nothing_of_four_hours():
    assert scraper_outage_hours(series=100_000) > 4
