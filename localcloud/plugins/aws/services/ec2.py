"""EC2 as boto3's client answers it: moto's answers, and what moto drops of an endpoint, kept in files.

A transit gateway is mostly another account's, and moto knows none that it did not make: attachments to it are
kept here, and are taken as accepted, and the gateway as leading where routes to it say.
"""

import secrets
from collections.abc import Callable
from typing import Any, NoReturn

from localcloud.plugins.aws.services.base import Members, Service, now

ATTACHMENT, TRANSIT_ROUTE = "transit-gateway-attachment", "transit-route"
"""Nouns of what is kept."""


class Ec2(Service):
    """A client of EC2 in one region."""

    # --- attachments to transit gateways, and routes to them ---

    def create_transit_gateway_vpc_attachment(self, **members: Any) -> Members:
        """Attach a VPC to a transit gateway."""
        operation = "CreateTransitGatewayVpcAttachment"
        self.validate(operation, members)
        self._require_subnets(operation, members["VpcId"], members["SubnetIds"])
        tags = [tag for spec in members.get("TagSpecifications", ()) for tag in spec.get("Tags", ())]
        attachment = {
            "TransitGatewayAttachmentId": f"tgw-attach-{secrets.token_hex(9)[:17]}",
            **{name: members[name] for name in ("TransitGatewayId", "VpcId", "SubnetIds")},
            "VpcOwnerId": self.api.account,
            "State": "available",
            "CreationTime": now(),
            "Options": {
                "DnsSupport": "enable",
                "ApplianceModeSupport": "disable",
                **members.get("Options", {}),
            },
            "Tags": tags,
        }
        self.store.put(ATTACHMENT, attachment["TransitGatewayAttachmentId"], thing=attachment)
        return {"TransitGatewayVpcAttachment": attachment}

    def _require_subnets(self, operation: str, vpc: str, ids: list[str]) -> None:
        """Refuse what names a VPC, or subnets of it, that are not there."""
        of_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
        if not self.client.describe_vpcs(Filters=of_vpc)["Vpcs"]:
            self.refuse("InvalidVpcID.NotFound", f"The vpc ID '{vpc}' does not exist", operation)
        subnets = {subnet["SubnetId"] for subnet in self.client.describe_subnets(Filters=of_vpc)["Subnets"]}
        for id in ids:
            if id not in subnets:
                self.refuse("InvalidSubnetID.NotFound", f"The subnet ID '{id}' does not exist", operation)

    def describe_transit_gateway_vpc_attachments(self, **members: Any) -> Members:
        """Attachments of VPCs."""
        ids = members.get("TransitGatewayAttachmentIds") or ()
        attachments = [
            attachment
            for attachment in self.store.all(ATTACHMENT)
            if not ids or attachment["TransitGatewayAttachmentId"] in ids
        ]
        for id in ids:
            if not any(attachment["TransitGatewayAttachmentId"] == id for attachment in attachments):
                self._no_attachment(id, "DescribeTransitGatewayVpcAttachments")
        return {"TransitGatewayVpcAttachments": attachments}

    def modify_transit_gateway_vpc_attachment(
        self,
        TransitGatewayAttachmentId: str,
        AddSubnetIds: list[str] = [],  # noqa: B006
        RemoveSubnetIds: list[str] = [],  # noqa: B006
        Options: Members = {},  # noqa: B006
    ) -> Members:
        """Change subnets and options of an attachment."""
        attachment = self.store.get(ATTACHMENT, TransitGatewayAttachmentId)
        if attachment is None:
            self._no_attachment(TransitGatewayAttachmentId, "ModifyTransitGatewayVpcAttachment")
        self._require_subnets("ModifyTransitGatewayVpcAttachment", attachment["VpcId"], AddSubnetIds)
        subnets = [id for id in attachment["SubnetIds"] if id not in RemoveSubnetIds]
        changed = {"SubnetIds": [*subnets, *AddSubnetIds], "Options": {**attachment["Options"], **Options}}
        attachment = self.store.update(ATTACHMENT, TransitGatewayAttachmentId, members=changed)
        return {"TransitGatewayVpcAttachment": attachment}

    def delete_transit_gateway_vpc_attachment(self, TransitGatewayAttachmentId: str) -> Members:
        """Detach a VPC."""
        if self.store.get(ATTACHMENT, TransitGatewayAttachmentId) is None:
            self._no_attachment(TransitGatewayAttachmentId, "DeleteTransitGatewayVpcAttachment")
        self.store.remove(ATTACHMENT, TransitGatewayAttachmentId)
        return {}

    def _no_attachment(self, id: str, operation: str) -> NoReturn:
        message = f"The transitGatewayAttachment ID '{id}' does not exist"
        self.refuse("InvalidTransitGatewayAttachmentID.NotFound", message, operation)

    def describe_launch_templates(self, **members: Any) -> Members:
        """Launch templates with their tags; moto shows those that they were made with."""
        answer: Members = self.client.describe_launch_templates(**members)
        for template in answer["LaunchTemplates"]:
            own = [{"Name": "resource-id", "Values": [template["LaunchTemplateId"]]}]
            tags = self.client.describe_tags(Filters=own)["Tags"]
            template["Tags"] = [{"Key": tag["Key"], "Value": tag["Value"]} for tag in tags]
        return answer

    def create_tags(self, Resources: list[str], Tags: list[Members]) -> Members:
        """Put tags on things."""
        names = {tag["Key"] for tag in Tags}
        self._retag(Resources, lambda tags: [*(tag for tag in tags if tag["Key"] not in names), *Tags])
        others = [id for id in Resources if not id.startswith("tgw-attach-")]
        return self.client.create_tags(Resources=others, Tags=Tags) if others else {}

    def delete_tags(self, Resources: list[str], Tags: list[Members]) -> Members:
        """Take tags from things."""
        names = {tag["Key"] for tag in Tags}
        self._retag(Resources, lambda tags: [tag for tag in tags if tag["Key"] not in names])
        others = [id for id in Resources if not id.startswith("tgw-attach-")]
        return self.client.delete_tags(Resources=others, Tags=Tags) if others else {}

    def _retag(self, ids: list[str], change: Callable[[list[Members]], list[Members]]) -> None:
        for id in ids:
            attachment = self.store.get(ATTACHMENT, id) if id.startswith("tgw-attach-") else None
            if attachment is not None:
                self.store.update(ATTACHMENT, id, members={"Tags": change(attachment["Tags"])})

    def create_route(self, **members: Any) -> Members:
        """Make a route; one to a transit gateway where the VPC is attached to it."""
        return self._put_route("CreateRoute", members)

    def replace_route(self, **members: Any) -> Members:
        """Lead a route elsewhere."""
        self.store.remove(TRANSIT_ROUTE, members["RouteTableId"], members.get("DestinationCidrBlock", ""))
        return self._put_route("ReplaceRoute", members)

    def _put_route(self, operation: str, members: Members) -> Members:
        gateway = members.get("TransitGatewayId")
        if gateway:
            [table] = self.client.describe_route_tables(RouteTableIds=[members["RouteTableId"]])[
                "RouteTables"
            ]
            if not self._attached(gateway, table["VpcId"]):
                # What AWS says where the VPC is not attached, too.
                message = f"The transitGateway ID '{gateway}' does not exist"
                self.refuse("InvalidTransitGatewayID.NotFound", message, operation)
        call = self.client.create_route if operation == "CreateRoute" else self.client.replace_route
        answer: Members = call(**members)
        if gateway:
            key = (TRANSIT_ROUTE, members["RouteTableId"], members["DestinationCidrBlock"])
            self.store.put(*key, thing={"TransitGatewayId": gateway})
        return answer

    def delete_route(self, **members: Any) -> Members:
        """Remove a route."""
        self.store.remove(TRANSIT_ROUTE, members["RouteTableId"], members.get("DestinationCidrBlock", ""))
        answer: Members = self.client.delete_route(**members)
        return answer

    def describe_route_tables(self, **members: Any) -> Members:
        """Route tables."""
        answer: Members = self.client.describe_route_tables(**members)
        for table in answer["RouteTables"]:
            for route in table["Routes"]:
                kept = self.store.get(
                    TRANSIT_ROUTE, table["RouteTableId"], route.get("DestinationCidrBlock", "-")
                )
                if kept is not None:
                    attached = self._attached(kept["TransitGatewayId"], table["VpcId"])
                    route |= {**kept, "State": "active" if attached else "blackhole"}
        return answer

    def _attached(self, gateway: str, vpc: str) -> bool:
        return any(
            (one["TransitGatewayId"], one["VpcId"]) == (gateway, vpc) for one in self.store.all(ATTACHMENT)
        )

    # --- subnets ---

    def create_subnet(self, **members: Any) -> Members:
        """Make a subnet; moto's refusal of a zone that there is not names the zones of all regions."""
        zone = members.get("AvailabilityZone")
        shown = self.client.describe_availability_zones()["AvailabilityZones"] if zone else []
        zones = sorted(one["ZoneName"] for one in shown)
        if zone and zone not in zones:
            message = (
                f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can currently only be "
                f"created in the following availability zones: {', '.join(zones)}."
            )
            self.refuse("InvalidParameterValue", message, "CreateSubnet")
        answer: Members = self.client.create_subnet(**members)
        return answer

    # --- endpoints ---

    def create_vpc_endpoint(self, **members: Any) -> Members:
        """Make an endpoint; one of type interface without security groups has the default one of its VPC.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
        """
        if members.get("VpcEndpointType") == "Interface" and not members.get("SecurityGroupIds"):
            named = [
                {"Name": "vpc-id", "Values": [members["VpcId"]]},
                {"Name": "group-name", "Values": ["default"]},
            ]
            groups = self.client.describe_security_groups(Filters=named)["SecurityGroups"]
            members["SecurityGroupIds"] = [group["GroupId"] for group in groups]
        answer: Members = self.client.create_vpc_endpoint(**members)
        return answer

    def modify_vpc_endpoint(self, **members: Any) -> Members:
        """Change an endpoint; moto leaves its private names as they were."""
        answer: Members = self.client.modify_vpc_endpoint(**members)
        if "PrivateDnsEnabled" in members:
            private = {"PrivateDnsEnabled": members["PrivateDnsEnabled"]}
            self.store.put("vpc-endpoint", members["VpcEndpointId"], thing=private)
        return answer

    def describe_vpc_endpoints(self, **members: Any) -> Members:
        """Endpoints."""
        answer: Members = self.client.describe_vpc_endpoints(**members)
        endpoints = [
            {**endpoint, **(self.store.get("vpc-endpoint", endpoint["VpcEndpointId"]) or {})}
            for endpoint in answer["VpcEndpoints"]
        ]
        return {**answer, "VpcEndpoints": endpoints}

    def delete_vpc_endpoints(self, VpcEndpointIds: list[str]) -> Members:
        """Delete endpoints."""
        answer: Members = self.client.delete_vpc_endpoints(VpcEndpointIds=VpcEndpointIds)
        for endpoint in VpcEndpointIds:
            self.store.remove("vpc-endpoint", endpoint)
        return answer
