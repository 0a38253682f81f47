import json

import pytest

from report.cost.prices import InvalidPrices, dumps, prices
from report.node_groups import NODE_GROUP
from report.subjects.cost import cost
from tests.support.report_steps import preview, says, step

SOURCE = {"prices": "all", "date": "2026-01-01", "from": "here"}
US_EAST = {"region": "us-east-1"}
PRICE = prices().ec2["us-east-1"]["m7g.2xlarge"]


def group(minimum=2, desired=2, maximum=2, **inputs):
    scaling = {"minSize": minimum, "desiredSize": desired, "maxSize": maximum}
    return {"instanceTypes": ["m7g.2xlarge"], "scalingConfig": scaling, **US_EAST, **inputs}


def dollars(amount):
    return f"${amount:,.0f}"


def test_machines_cost_their_hours_at_the_size_they_start_with_and_between_their_bounds():
    section = cost(preview(step(NODE_GROUP, "a", None, group(1, 2, 10))))

    hour = 730 * PRICE
    assert (
        f"**+{dollars(2 * hour)} a month**; +{dollars(hour)} with every group at its minimum, "
        f"+{dollars(10 * hour)} with every group at its maximum." in says(section, "look")
    )
    assert "the oldest of 2026-07-20" in section.remark


def test_a_change_costs_the_difference():
    section = cost(preview(step(NODE_GROUP, "a", group(), group(3, 3, 3))))

    assert f"**+{dollars(730 * PRICE)} a month**." in says(section, "look")
    assert [list(row) for row in section.table.rows] == [
        ["machines", dollars(1460 * PRICE), dollars(2190 * PRICE), f"+{dollars(730 * PRICE)}"]
    ]


def test_what_may_cost_more_is_to_be_looked_at_even_if_it_starts_as_small():
    section = cost(preview(step(NODE_GROUP, "a", group(), group(2, 2, 200))))

    assert f"+{dollars(198 * 730 * PRICE)} with every group at its maximum" in says(section, "look")


@pytest.mark.parametrize(
    ("type_", "inputs", "amount"),
    [
        ("aws:eks/cluster:Cluster", {}, 73),
        ("aws:eks/cluster:Cluster", {"controlPlaneScalingConfig": {"tier": "standard"}}, 73),
        ("aws:eks/cluster:Cluster", {"controlPlaneScalingConfig": {"tier": "tier-xl"}}, 73 + 1204.5),
        ("aws:ec2/natGateway:NatGateway", {}, 32.85),
        ("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcEndpointType": "Interface", "subnetIds": ["a", "b"]}, 14.6),
        ("aws:ec2/eip:Eip", {}, 3.65),
        ("aws:kms/key:Key", {}, 1),
        ("aws:ebs/volume:Volume", {"type": "gp3", "size": 1000, "iops": 4000, "throughput": 225}, 80 + 5 + 4),
    ],
)
def test_what_has_a_price_is_counted(type_, inputs, amount):
    section = cost(preview(step(type_, "a", None, {**inputs, **US_EAST})))

    figure = f"${amount:,.0f}" if amount >= 10 else f"${amount:.2f}"
    assert f"**+{figure} a month**" in says(section)


def test_disks_of_nodes_are_those_of_the_launch_template():
    disk = {"ebs": {"volumeType": "gp3", "volumeSize": 100, "iops": 3000, "throughput": 125}}
    template = step("aws:ec2/launchTemplate:LaunchTemplate", "a", None, {"blockDeviceMappings": [disk]})
    section = cost(preview(template, step(NODE_GROUP, "a", None, group())))

    assert ["disks of nodes", "$0.00", "$16", "+$16"] in [list(row) for row in section.table.rows]


def test_volumes_of_pods_are_priced_in_the_stacks_region():
    claim = {"spec": {"resources": {"requests": {"storage": "100Gi"}}}}
    provider = step("pulumi:providers:aws", "main", US_EAST, US_EAST)
    masters = {"spec": {"replicas": 3, "volumeClaimTemplates": [claim]}}
    section = cost(preview(provider, step("kubernetes:apps/v1:StatefulSet", "m", None, masters)))

    assert "**+$24 a month**" in says(section)


def test_a_price_that_is_missing_is_said_and_the_sum_is_at_least():
    section = cost(
        preview(
            step(NODE_GROUP, "a", None, group()),
            step(NODE_GROUP, "b", None, group(instanceTypes=["m99g.large"])),
            step("aws:ec2/natGateway:NatGateway", "c", None, {"region": "mars-1"}),
        )
    )

    assert f"At least **+{dollars(1460 * PRICE)} a month**" in says(section, "look")
    assert "No price is known of `m99g.large` in us-east-1 and `nat_hour` in mars-1" in says(section, "look")
    assert "`moka prices --refresh` asks AWS for it" in says(section, "look")


def test_only_a_missing_price_is_no_green_result():
    section = cost(preview(step(NODE_GROUP, "a", None, group(instanceTypes=["m99g.large"]))))

    assert "No price is known" in says(section, "look")


def test_a_type_of_which_nobody_knows_what_it_costs_is_said():
    section = cost(preview(step("aws:msk/cluster:Cluster", "a", None, {})))

    assert "Not known whether it costs anything: `aws:msk/cluster:Cluster`" in says(section, "look")


def test_usage_is_not_counted_and_that_is_said():
    section = cost(
        preview(step("aws:s3/bucket:Bucket", "a", None, US_EAST), step("aws:kms/key:Key", "a", None, US_EAST))
    )

    assert "Not counted, as it goes by usage: S3" in section.remark


def test_nothing_that_costs_makes_no_section():
    assert not cost(preview(step("aws:iam/role:Role", "a", None, {}), step("aws:ec2/vpc:Vpc", "b", {}, {})))


def test_endpoints_in_subnets_that_are_not_known_yet_stay_as_many():
    kind = {"vpcEndpointType": "Interface", **US_EAST}
    unknown = {**kind, "subnetIds": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}
    section = cost(
        preview(step("aws:ec2/vpcEndpoint:VpcEndpoint", "a", {**kind, "subnetIds": ["a", "b"]}, unknown))
    )

    assert "as much as before" in says(section, "note")


def test_the_table_is_written_as_it_is_read(tmp_path):
    file = tmp_path / "prices.json"
    file.write_text(dumps(prices()))

    assert prices(file) == prices()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read"),
        ("[]", "is no table of prices"),
        ('{"sources": []}', "is no table of prices"),
        ('{"sources": [], "everywhere": {}, "regions": {}}', "no source"),
        (
            json.dumps({"sources": [SOURCE], "everywhere": {"eks_hour": "cheap"}, "regions": {}}),
            "is no table of prices",
        ),
        (
            json.dumps({"sources": [SOURCE], "everywhere": {"eks_hour": -1}, "regions": {}}),
            "is no table of prices",
        ),
    ],
)
def test_a_broken_table_is_refused(tmp_path, text, sentence):
    file = tmp_path / "prices.json"
    file.write_text(text)

    with pytest.raises(InvalidPrices, match=sentence):
        prices(file)


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidPrices, match="cannot be read"):
        prices(tmp_path / "prices.json")
