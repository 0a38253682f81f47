"""Hosted zones of Route 53, and their records."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.record_names import absolute
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, Read, words


def make_zone(subject: Subject) -> str:
    """Make a public zone; its id, without its kind."""
    from uuid import uuid4

    answer = subject.call(
        Call(
            "create_hosted_zone",
            {"CallerReference": str(uuid4()), "HostedZoneConfig": {"Comment": "{comment}"}},
            takes="name",
        )
    )
    return _bare(answer["HostedZone"]["Id"])


def read_zone(subject: Subject) -> dict[str, Any]:
    """A zone."""
    answer = subject.request("get_hosted_zone", Id=subject.id)
    zone, servers = answer["HostedZone"], sorted(answer["DelegationSet"]["NameServers"])
    return {
        "name": zone["Name"].rstrip("."),
        "comment": zone["Config"].get("Comment"),
        "zoneId": subject.id,
        "nameServers": servers,
        "primaryNameServer": servers[0],
    }


ZONE = Kind(
    service="route53",
    schema="AWS::Route53::HostedZone",
    inputs="name comment",
    name=Name(prefix=None),
    schema_names={"comment": "HostedZoneConfig"},
    outputs="arn zoneId nameServers primaryNameServer",
    create=make_zone,
    id="",
    reads=(Read(read_zone),),
    changes=(Change(("comment",), Call("update_hosted_zone_comment", {"Id": ID}, takes="comment")),),
    delete=(Call("delete_hosted_zone", {"Id": ID}),),
    derived={"arn": "arn:{partition}:route53:::hostedzone/{id}"},
    defaults={"comment": "Managed by Pulumi"},
    regional=False,
)


def make_record(subject: Subject) -> str:
    """Make a record, or take over the one that is there, where the program says so; the provider's id."""
    if not subject.properties.get("records") or subject.properties.get("ttl") is None:
        raise Refusal(f"{subject.type} is simulated with ttl and records only: name both.")
    _change(subject, "UPSERT" if subject.properties.get("allowOverwrite") else "CREATE", subject.properties)
    subject.sent |= {"type", "ttl", "records"}
    return "_".join((subject.properties["zoneId"], _name(subject.properties), subject.properties["type"]))


def update_record(subject: Subject) -> None:
    """Change it; one of another type takes its place."""
    if subject.old["type"] != subject.properties["type"]:
        _change(subject, "DELETE", subject.old)
    _change(subject, "UPSERT", subject.properties)


def delete_record(subject: Subject) -> None:
    """Delete it."""
    if live := read_record(subject):
        _change(subject, "DELETE", live)


def read_record(subject: Subject) -> dict[str, Any] | None:
    """A record; None where there is none."""
    properties = subject.properties
    if not properties.get("zoneId"):
        # To import: the zone, the name and the type, as in the id.
        properties["zoneId"], _, rest = subject.id.partition("_")
        properties["name"], _, properties["type"] = rest.rpartition("_")
    key = {"StartRecordName": properties["name"], "StartRecordType": properties["type"], "MaxItems": "1"}
    answer = subject.request("list_resource_record_sets", HostedZoneId=properties["zoneId"], **key)
    for record in answer["ResourceRecordSets"]:
        if (absolute(record["Name"]), record["Type"]) == (absolute(properties["name"]), properties["type"]):
            return {
                "zoneId": properties["zoneId"],
                "name": properties["name"],
                "type": record["Type"],
                "ttl": record["TTL"],
                "records": [value["Value"] for value in record["ResourceRecords"]],
                "fqdn": _name(properties),
            }
    return None


def _change(subject: Subject, action: str, record: Any) -> None:
    change = {
        "Action": action,
        "ResourceRecordSet": {
            "Name": _name(record),
            "Type": record["type"],
            "TTL": record["ttl"],
            "ResourceRecords": [{"Value": value} for value in record["records"]],
        },
    }
    zone = record.get("zoneId") or subject.properties["zoneId"]
    subject.request("change_resource_record_sets", HostedZoneId=zone, ChangeBatch={"Changes": [change]})


def _name(record: Any) -> str:
    return str(record["name"]).rstrip(".").lower()


def _bare(id: str) -> str:
    return id.rpartition("/")[2]


RECORD = Kind(
    service="route53",
    schema="AWS::Route53::RecordSet",
    inputs="zoneId! name! type! ttl records allowOverwrite",
    outputs="fqdn",
    create=make_record,
    id="",
    reads=(Read(read_record),),
    changes=(Change(("type", "ttl", "records"), update_record),),
    delete=(delete_record,),
    schema_names={"records": "ResourceRecords", "ttl": "TTL", "zoneId": "HostedZoneId"},
    arguments=words("allowOverwrite"),
    unordered=words("records"),
    regional=False,
)
"""With values; aliases and weights are not simulated."""

TYPES = {"aws:route53/record:Record": RECORD, "aws:route53/zone:Zone": ZONE}
