"""What a picture has of the settings."""

import pytest

from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.folding import fold_alike
from drawing.from_settings import picture
from stacks.settings import InvalidDocument
from stacks.slices import slices, stack_of_units, units_read
from tests.support import pictures
from tests.support.pictures import cluster_of, environment


@pytest.mark.parametrize("name", pictures.ENVIRONMENTS)
def test_every_unit_is_drawn_with_its_stack_and_all_that_it_reads(name):
    settings = environment(name)
    stacks = stack_of_units(slices(settings).values())

    drawn = picture(settings)

    assert {layer.address: layer.stack for layer in drawn.layers} == {
        str(unit): stack for unit, stack in stacks.items()
    }
    assert {(reading.reader, reading.read, reading.across) for reading in drawn.readings} == {
        (str(unit), str(read), stacks[unit] != stacks[read])
        for unit in stacks
        for read in units_read(settings, unit)
    }


def test_accounts_hold_the_foundations_that_are_in_them_and_these_their_clusters():
    drawn = picture(environment("two-accounts"))

    assert [
        (account.name, foundation.layer.place, foundation.region, [c.name for c in foundation.clusters])
        for account in drawn.accounts
        for foundation in account.foundations
    ] == [
        ("account 111122223333", "us", "us-east-1", ["spark-us"]),
        ("account 444455556666", "eu", "eu-west-1", ["spark-eu"]),
    ]


def test_two_foundations_of_one_account_are_in_one_box():
    def change(document):
        document["foundations"]["eu"].update(
            account="111122223333", deployer="arn:aws:iam::111122223333:role/moka-deployer", assume=False
        )

    [account] = picture(environment("two-accounts", change)).accounts

    assert [foundation.layer.place for foundation in account.foundations] == ["us", "eu"]


def test_a_network_has_its_zones_with_their_subnets_and_the_ways_out():
    [foundation] = picture(environment("local")).foundations

    assert foundation.network.facts == "VPC 10.0.0.0/16, pods 100.64.0.0/16"
    assert [(zone.name, zone.lines) for zone in foundation.network.zones][:2] == [
        ("us-east-1a", ("public 10.0.192.0/20, NAT gateway", "nodes 10.0.0.0/18", "pods 100.64.0.0/18")),
        ("us-east-1b", ("public 10.0.208.0/20", "nodes 10.0.64.0/18", "pods 100.64.64.0/18")),
    ]
    assert [way.name for way in foundation.network.ways] == [
        "internet gateway",
        "transit gateway",
        "endpoints",
    ]


def test_data_is_drawn_with_the_days_that_it_is_kept_and_event_logs_only_at_home():
    us, eu = picture(environment("two-accounts")).foundations

    assert [(part.name, part.lines) for part in us.data][:2] == [
        ("KMS key", ()),
        ("event-logs", ("30 days",)),
    ]
    assert {part.name for part in us.data} - {part.name for part in eu.data} == {
        "event-logs",
        "resource-usage",
    }


def test_a_node_group_is_drawn_with_role_machines_sizes_purchase_and_zones():
    groups = {group.name: group for group in cluster_of(picture(environment("prod")), "batch-a").node_groups}

    reserved, scheduled = groups["executor-reserved"], groups["executor-arm64"]
    assert (reserved.role, reserved.architecture, reserved.nodes) == ("executor", "arm64", "120")
    assert (reserved.purchase, reserved.zones) == ("reserved", ("us-east-1a",))
    assert scheduled.nodes == "20–200, scheduled"
    assert scheduled.remarks[0] == "night: at least 180 from 0 21 * * * America/New_York"


def test_sizes_of_a_group_in_several_zones_are_those_of_all_zones_together():
    groups = {group.name: group for group in cluster_of(picture(environment("prod")), "adhoc-a").node_groups}

    assert groups["executor-arm64"].nodes == "0–300, 9 at first"
    assert groups["executor-arm64"].purchase == "spot"
    assert groups["executor-arm64"].zones == ("us-east-1a", "us-east-1b", "us-east-1c")


def test_one_stack_is_drawn_with_what_it_reads_and_without_the_rest():
    drawn = picture(environment("prod"), "prod.adhoc-a")

    [foundation] = drawn.foundations
    assert foundation.layer.elsewhere and foundation.network is None and foundation.data == ()
    assert [cluster.name for cluster in foundation.clusters] == ["adhoc-a"]
    assert drawn.title == "Stack prod.adhoc-a"


def test_a_stack_without_clusters_is_drawn_too():
    [foundation] = picture(environment("prod"), "prod.shared").foundations

    assert foundation.clusters == () and foundation.network is not None


def test_a_stack_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(
        InvalidDocument, match=r"prod has no stack prod\.x; it has prod\.adhoc-a, prod\.batch-a"
    ):
        picture(environment("prod"), "prod.x")


def test_of_many_clusters_those_that_have_the_same_are_folded():
    def change(document):
        cluster = document["clusters"]["spark-a"]
        other = {**cluster, "node_groups": {**cluster["node_groups"]}}
        del other["node_groups"]["driver-amd64"]
        names = [f"spark-{letter}" for letter in "bcdef"]
        document["clusters"].update(dict.fromkeys(names, cluster), **{"spark-g": other})
        document["charts"] = {"mirror": "registry.example/mirror"}

    drawn = fold_alike(picture(environment("local", change)))

    [foundation] = drawn.foundations
    # The first has the History Server, too.
    assert [cluster.folded for cluster in foundation.clusters] == [
        "",
        "",
        *["6 node groups, 7 layers: the same as spark-b"] * 4,
        "",
    ]


@pytest.mark.parametrize("name", ["prod", "two-accounts"])
def test_few_clusters_are_all_drawn(name):
    drawn = picture(environment(name))

    assert fold_alike(drawn) == drawn


@pytest.mark.parametrize("write", [as_svg, as_text])
def test_the_same_settings_are_drawn_the_same(write):
    assert write(picture(environment("prod"))) == write(picture(environment("prod")))
