"""Route 53 as boto3's client answers it: moto's zones, with what AWS refuses of records.

Any other id that AWS could have given is taken for that of a public zone: zones are made apart from what has
records in them. Those records are in files, and the zone's name is not known.

Source of the words: https://repost.aws/knowledge-center/troubleshoot-route53-resource-record, and
aws/aws-sdk-java#1996.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.record_names import absolute
from localcloud.plugins.aws.services.base import Members, Service

OPERATION = "ChangeResourceRecordSets"


class Route53(Service):
    """A client of Route 53, the same in all regions."""

    def __init__(self, api: Api, service: str, region: str, client: Any) -> None:
        super().__init__(api, service, client.meta.region_name, client)

    def change_resource_record_sets(self, HostedZoneId: str, ChangeBatch: Mapping[str, Any]) -> Members:
        """Change records of a zone, all or none."""
        zone = self._name(HostedZoneId)
        present = {(absolute(record["Name"]), record["Type"]) for record in self.records(HostedZoneId)}
        for change in ChangeBatch["Changes"]:
            record = change["ResourceRecordSet"]
            key = (absolute(record["Name"]), record["Type"])
            if change["Action"] == "DELETE":
                present.discard(key)
            elif message := _refusal(key, zone, present, new=change["Action"] == "CREATE"):
                self.refuse("InvalidChangeBatch", f"[{message}]", OPERATION)
            else:
                present.add(key)
        if zone is None:
            return self._keep(HostedZoneId, ChangeBatch["Changes"])
        # moto takes a record that was deleted, and is made again, for one that is there.
        changes = [
            {**change, "Action": change["Action"].replace("CREATE", "UPSERT")}
            for change in ChangeBatch["Changes"]
        ]
        answer: Members = self.client.change_resource_record_sets(
            HostedZoneId=HostedZoneId, ChangeBatch={"Changes": changes}
        )
        return answer

    def list_resource_record_sets(self, HostedZoneId: str, **members: Any) -> Members:
        """Records of a zone from a name and type on; of a zone apart, all."""
        if self._name(HostedZoneId) is None:
            return {"ResourceRecordSets": self.records(HostedZoneId)}
        answer: Members = self.client.list_resource_record_sets(HostedZoneId=HostedZoneId, **members)
        return answer

    def records(self, zone_id: str) -> list[Members]:
        """All records of a zone."""
        if self._name(zone_id) is None:
            return list(self.store.all("records", zone_id))
        pages = self.client.get_paginator("list_resource_record_sets").paginate(HostedZoneId=zone_id)
        return [record for page in pages for record in page["ResourceRecordSets"]]

    def public_records(self) -> dict[tuple[str, str], list[str]]:
        """Name, as DNS has it, and type -> values, in all public zones of the account."""
        pages = self.client.get_paginator("list_hosted_zones").paginate()
        zones = [
            zone["Id"].removeprefix("/hostedzone/")
            for page in pages
            for zone in page["HostedZones"]
            if not zone["Config"]["PrivateZone"]
        ]
        records = [*self.store.all("records"), *(record for zone in zones for record in self.records(zone))]
        values: dict[tuple[str, str], list[str]] = {}
        for record in records:
            key = absolute(record["Name"]), record["Type"]
            values.setdefault(key, []).extend(value["Value"] for value in record.get("ResourceRecords", ()))
        return values

    def _name(self, zone_id: str) -> str | None:
        """Name of a zone; None of one that is taken to be there."""
        try:
            return str(self.client.get_hosted_zone(Id=zone_id)["HostedZone"]["Name"])
        except self.client.exceptions.NoSuchHostedZone:
            if zone_id.startswith("Z"):
                return None
            raise

    def _keep(self, zone_id: str, changes: Iterable[Mapping[str, Any]]) -> Members:
        for change in changes:
            record = change["ResourceRecordSet"]
            key = ("records", zone_id, absolute(record["Name"]), record["Type"])
            if change["Action"] == "DELETE":
                self.store.remove(*key)
            else:
                self.store.put(*key, thing=record)
        return {"ChangeInfo": {"Id": f"/change/{zone_id}", "Status": "INSYNC"}}


def _refusal(
    key: tuple[str, str], zone: str | None, present: set[tuple[str, str]], *, new: bool
) -> str | None:
    """Why a record cannot be; None where it can."""
    name, type = key
    other_types = sorted(other_type for at, other_type in present - {key} if at == name)
    of_type = f"RRSet of type {type} with DNS name {name} is not permitted"
    if zone and name != zone and not name.endswith(f".{zone}"):
        return f"RRSet with DNS name {name} is not permitted in zone {zone}"
    if type == "CNAME" and name == zone:
        return f"{of_type} at apex in zone {zone}"
    if new and key in present:
        return f"Tried to create resource record set [name='{name}', type='{type}'] but it already exists"
    if type == "CNAME" and other_types:
        return f"{of_type} as it conflicts with other records with the same DNS name in zone {zone}"
    if "CNAME" in other_types:
        return (
            f"{of_type} because a conflicting RRSet of type CNAME with the same DNS name already exists "
            f"in zone {zone}"
        )
    return None
