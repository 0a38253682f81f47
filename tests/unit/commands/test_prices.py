"""The Price List is simulated: products as GetProducts has them, by a stub in place of AWS."""

import json

import pytest

from commands import price_list_api
from moka.prices import FILE, InvalidPrices, prices


def product(price, **attributes):
    """A product as text, at a price in USD."""
    dimensions = {
        str(one): {"unit": "Hrs", "pricePerUnit": {"USD": str(one)}}
        for one in (price if isinstance(price, list) else [price])
    }
    terms = {"OnDemand": {"t": {"priceDimensions": dimensions}}}
    return json.dumps({"product": {"attributes": attributes}, "terms": terms})


PRODUCTS = {
    ("AmazonEC2", "Compute Instance"): [
        product(0.4, instanceType="m7g.2xlarge"),
        product(0, instanceType="m8g.2xlarge"),
        product(9, instanceType="m7g.metal"),
        product(7, instanceType="mac2.metal"),
    ],
    ("AmazonEC2", "Storage"): [product(0.09, usagetype="EU-EBS:VolumeUsage.gp3")],
    ("AmazonEC2", "EBS Throughput"): [product(45.056, usagetype="EU-EBS:VolumeP-Throughput.gp3")],
    ("AmazonEC2", "NAT Gateway"): [
        product(0.05, usagetype="EU-NatGateway-Hours"),
        product(0.9, usagetype="EU-NatGateway-Bytes"),
    ],
    ("AmazonVPC", "VpcEndpoint"): [product(0.011, usagetype="VpcEndpoint-Hours")],
    ("AWSDataTransfer", ""): [product(0.01, usagetype="EU-DataTransfer-Regional-Bytes")],
    ("AmazonCloudWatch", ""): [
        product(0.57, usagetype="EU-DataProcessing-Bytes"),
        product([0.05, 0.285, 0.15], usagetype="EU-S3-Egress-Bytes"),
    ],
}


class PriceList:
    """Answers by the service, and by the product family or group that it is asked for; a page each."""

    def __init__(self, products):
        self.products, self.asked = products, []

    def get_paginator(self, operation):
        assert operation == "get_products"
        return self

    def paginate(self, ServiceCode, Filters):
        filters = {condition["Field"]: condition["Value"] for condition in Filters}
        self.asked.append((ServiceCode, filters))
        kind = filters.get("group") or filters.get("productFamily", "")
        return [{"PriceList": [text]} for text in self.products.get((ServiceCode, kind), [])]


def test_prices_are_asked_of_every_region_and_service():
    table = price_list_api.ask(PriceList(PRODUCTS), ["eu-west-1"], prices())

    assert table.ec2 == {"eu-west-1": {"m7g.2xlarge": 0.4}}
    assert table.regions["eu-west-1"] == {
        "gp3_gib_month": 0.09,
        "gp3_mibps_month": 0.044,
        "nat_hour": 0.05,
        "endpoint_hour": 0.011,
        "nat_gb": 0.9,
        "zone_gb": 0.01,
        "logs_gb": 0.57,
        "flow_log_s3_gb": 0.285,
    }
    assert table.everywhere == prices().everywhere


def test_only_linux_on_demand_without_licences_is_asked_for():
    pricing = PriceList(PRODUCTS)
    price_list_api.ask(pricing, ["eu-west-1"], prices())

    [machines] = [
        filters for _, filters in pricing.asked if filters.get("productFamily") == "Compute Instance"
    ]
    assert machines["regionCode"] == "eu-west-1"
    assert (machines["operatingSystem"], machines["preInstalledSw"], machines["tenancy"]) == (
        "Linux",
        "NA",
        "Shared",
    )


def test_a_region_without_prices_is_refused():
    with pytest.raises(InvalidPrices, match="AWS has no prices of eu-wets-1"):
        price_list_api.ask(PriceList({}), ["eu-wets-1"], prices())


def test_the_prices_that_stay_keep_their_source():
    table = price_list_api.ask(PriceList(PRODUCTS), ["eu-west-1"], prices())

    assert "GetProducts" in table.sources[0].origin
    assert any("eks_hour" in source.prices for source in table.sources[1:])


def test_the_sources_and_their_days_are_shown(moka):
    result = moka("prices")

    assert result.status == 0
    assert "2026-07-20  ec2" in result.out
    assert "us-east-1: " in result.out


def test_a_refresh_writes_the_table(moka, monkeypatch, tmp_path):
    file = tmp_path / "prices.json"
    file.write_text(FILE.read_text())
    monkeypatch.setattr("moka.prices.FILE", file)
    monkeypatch.setattr(price_list_api, "client", lambda: PriceList(PRODUCTS))

    result = moka("prices", "--refresh", "--region", "eu-west-3")

    assert result.status == 0
    assert prices(file).ec2["eu-west-3"] == {"m7g.2xlarge": 0.4}


def test_without_credentials_nothing_is_written(moka, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    before = FILE.read_text()

    result = moka("prices", "--refresh")

    assert (result.status, result.out) == (2, "")
    assert "AWS gives no prices" in result.err
    assert FILE.read_text() == before


def test_a_region_without_a_refresh_is_refused(moka):
    assert moka("prices", "--region", "eu-west-3").status == 2
