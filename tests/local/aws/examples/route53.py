"""Route 53: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import Bases, Changes, Console, Example

BASES: Bases = {
    "zone": lambda w: ("aws:route53/zone:Zone", {"name": "acme.example"}),
    "other_zone": lambda w: ("aws:route53/zone:Zone", {"name": "pages.acme.example"}),
}

EXAMPLES = [
    Example(
        "aws:route53/zone:Zone",
        lambda w: {"name": "moka.example"},
        lambda w: {"comment": "of pages"},
        lambda w: {"name": "moka-2.example"},
    ),
    Example(
        "aws:route53/record:Record",
        lambda w: {
            "zoneId": w.zone,
            "name": "*.pages.acme.example",
            "type": "CNAME",
            "ttl": 60,
            "records": ["a.elb.example"],
        },
        lambda w: {"ttl": 300, "records": ["b.elb.example"]},
        lambda w: {"zoneId": w.other_zone},
    ),
]


def change_comment(console: Console, resource: Resource) -> None:
    console.client("route53").update_hosted_zone_comment(Id=resource.id, Comment="by hand")


def change_values(console: Console, resource: Resource) -> None:
    record = {
        "Name": resource.outputs["name"],
        "Type": "CNAME",
        "TTL": 60,
        "ResourceRecords": [{"Value": "by.hand.example"}],
    }
    change = {"Action": "UPSERT", "ResourceRecordSet": record}
    console.client("route53").change_resource_record_sets(
        HostedZoneId=resource.outputs["zoneId"], ChangeBatch={"Changes": [change]}
    )


CHANGES_BY_HAND: Changes = {
    "aws:route53/zone:Zone": change_comment,
    "aws:route53/record:Record": change_values,
}
