"""AWS's Price List, asked for what the table of prices has.

https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html: `GetProducts`
answers products as JSON texts, with their attributes and on-demand terms.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moka.prices import InvalidPrices, Prices, Source

ENDPOINT_REGION = "us-east-1"
"""The API is in a few regions only, and has the prices of all."""

FAMILIES = re.compile(r"(c|m|r|i|im|is|x|t|g|gr|p)\d+[a-z-]*\.(?!metal)\S+")
"""Instance types that node groups may have."""


@dataclass(frozen=True)
class Question:
    """What is asked of a service's prices.

    usage: pattern of the usage type, which has the region's prefix before it, except in us-east-1. divisor:
    of the price, where AWS's unit is a larger one. region: attribute that has the region.
    """

    key: str
    service: str
    filters: Mapping[str, str]
    usage: str
    divisor: float = 1.0
    region: str = "regionCode"


QUESTIONS = (
    Question(
        "gp3_gib_month",
        "AmazonEC2",
        {"volumeApiName": "gp3", "productFamily": "Storage"},
        r"EBS:VolumeUsage\.gp3",
    ),
    Question(
        "gp3_iops_month", "AmazonEC2", {"volumeApiName": "gp3", "group": "EBS IOPS"}, r"EBS:VolumeP-IOPS\.gp3"
    ),
    Question(
        "gp3_mibps_month",
        "AmazonEC2",
        {"volumeApiName": "gp3", "group": "EBS Throughput"},
        r"EBS:VolumeP-Throughput\.gp3",
        divisor=1024,
    ),
    Question("nat_hour", "AmazonEC2", {"productFamily": "NAT Gateway"}, r"NatGateway-Hours"),
    Question("endpoint_hour", "AmazonVPC", {"productFamily": "VpcEndpoint"}, r"VpcEndpoint-Hours"),
    Question("nlb_hour", "AWSELB", {"productFamily": "Load Balancer-Network"}, r"LoadBalancerUsage"),
    Question("nat_gb", "AmazonEC2", {"productFamily": "NAT Gateway"}, r"NatGateway-Bytes"),
    Question("endpoint_gb", "AmazonVPC", {"productFamily": "VpcEndpoint"}, r"VpcEndpoint-Bytes"),
    Question(
        "zone_gb",
        "AWSDataTransfer",
        {"transferType": "IntraRegion"},
        r"DataTransfer-Regional-Bytes",
        region="fromRegionCode",
    ),
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_billing.html
    Question("flow_log_s3_gb", "AmazonCloudWatch", {}, r"S3-Egress-Bytes"),
    Question("flow_log_parquet_gb", "AmazonCloudWatch", {}, r"S3-Egress-InputBytes"),
    Question("logs_gb", "AmazonCloudWatch", {}, r"DataProcessing-Bytes"),
    Question("logs_infrequent_gb", "AmazonCloudWatch", {}, r"DataProcessingIA-Bytes"),
    Question("logs_gb_month", "AmazonCloudWatch", {}, r"TimedStorage-ByteHrs"),
    Question("transit_attachment_hour", "AmazonVPC", {"group": "AWSTransitGateway"}, r"TransitGateway-Hours"),
)
MACHINES = {
    "productFamily": "Compute Instance",
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "licenseModel": "No License required",
}


def client() -> Any:
    """The client of the Price List."""
    import boto3

    return boto3.client("pricing", region_name=ENDPOINT_REGION)


def ask(pricing: Any, regions: Sequence[str], before: Prices) -> Prices:
    """A table with the prices of today; what costs the same everywhere stays.

    Raises InvalidPrices where AWS refuses, or has no machine's price for a region.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    today = f"{datetime.now(UTC):%Y-%m-%d}"
    try:
        ec2 = {region: _machines(pricing, region) for region in regions}
        other_prices = {region: _other_prices(pricing, region) for region in regions}
    except (BotoCoreError, ClientError) as error:
        raise InvalidPrices(
            f"AWS gives no prices ({error}): see the credentials, then run this again."
        ) from None
    if empty := [region for region, types in ec2.items() if not types]:
        raise InvalidPrices(f"AWS has no prices of {', '.join(empty)}: correct the region's name.")
    price_list = Source(
        "ec2 (Linux, on demand, shared) and what regions have", today, "AWS Price List API, GetProducts"
    )
    kept_sources = [
        source for source in before.sources if set(before.everywhere) & set(re.findall(r"\w+", source.prices))
    ]
    return Prices(
        sources=[price_list, *kept_sources], everywhere=before.everywhere, regions=other_prices, ec2=ec2
    )


def _machines(pricing: Any, region: str) -> Mapping[str, float]:
    prices = {}
    for product in _products(pricing, "AmazonEC2", {**MACHINES, "regionCode": region}):
        name = product["product"]["attributes"].get("instanceType", "")
        price = _price(product)
        if FAMILIES.fullmatch(name) and price:
            prices[name] = price
    return dict(sorted(prices.items()))


def _other_prices(pricing: Any, region: str) -> Mapping[str, float]:
    prices = {}
    for question in QUESTIONS:
        for product in _products(pricing, question.service, {**question.filters, question.region: region}):
            usage = product["product"]["attributes"].get("usagetype", "")
            price = _price(product)
            if re.fullmatch(rf"([A-Z0-9]+-)?{question.usage}", usage) and price:
                prices[question.key] = round(price / question.divisor, 6)
    return prices


def _products(pricing: Any, service: str, filters: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    pages = pricing.get_paginator("get_products").paginate(
        ServiceCode=service,
        Filters=[{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()],
    )
    for page in pages:
        for text in page["PriceList"]:
            product: Mapping[str, Any] = json.loads(text)
            yield product


def _price(product: Mapping[str, Any]) -> float | None:
    """Dollars a unit, on demand, of its first tier, the dearest; None for what has no price, or is free."""
    prices = [
        float(dimension["pricePerUnit"].get("USD", 0))
        for term in product.get("terms", {}).get("OnDemand", {}).values()
        for dimension in term["priceDimensions"].values()
    ]
    return max(prices, default=0.0) or None
