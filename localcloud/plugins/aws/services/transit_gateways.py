"""Transit gateways as boto3's client answers for them: moto's gateways and route tables, and what stands on
them kept in files, as moto knows one association and one propagation of an attachment only.

A gateway that moto did not make is another account's, shared with this one: attachments to it are taken as
accepted, and it as leading where routes to it say.
"""

import secrets
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from localcloud.plugins.aws.services.base import Members, Service, now

ATTACHMENT, ROUTE, TABLE_ROUTE = "transit-gateway-attachment", "transit-route", "transit-gateway-route"
"""Nouns of what is kept: attachments, routes of VPCs to gateways, routes of gateways' own tables."""

DEFAULTS = ("Association", "Propagation")
"""What a gateway's default route table is for."""


class TransitGateways(Service):
    """What a client of EC2 answers for transit gateways in one region."""

    # --- gateways and their route tables ---

    def create_transit_gateway(self, **members: Any) -> Members:
        """Make a gateway, with a default route table unless nothing is for one."""
        answer: Members = self.client.create_transit_gateway(**members)
        gateway = answer["TransitGateway"]
        options = gateway["Options"]
        if not any(options[f"DefaultRouteTable{use}"] == "enable" for use in DEFAULTS):
            self.client.delete_transit_gateway_route_table(
                TransitGatewayRouteTableId=options["AssociationDefaultRouteTableId"]
            )
        return {"TransitGateway": _description(gateway)}

    def describe_transit_gateways(self, **members: Any) -> Members:
        """Gateways, with the default route table that they use."""
        answer: Members = self.client.describe_transit_gateways(**members)
        ids = {gateway["TransitGatewayId"] for gateway in answer["TransitGateways"]}
        for id in members.get("TransitGatewayIds") or ():
            if id not in ids:
                self._no_gateway(id, "DescribeTransitGateways")
        return {"TransitGateways": [_description(gateway) for gateway in answer["TransitGateways"]]}

    def delete_transit_gateway(self, TransitGatewayId: str) -> Members:
        """Delete a gateway that nothing is attached to, with its default route table.

        Its refusal: https://github.com/gruntwork-io/cloud-nuke/issues/744
        """
        operation = "DeleteTransitGateway"
        if self._gateway(TransitGatewayId) is None:
            self._no_gateway(TransitGatewayId, operation)
        attachment_ids = [
            id for id, attachment in self._attachments() if attachment["TransitGatewayId"] == TransitGatewayId
        ]
        if attachment_ids:
            message = f"{TransitGatewayId} has non-deleted VPC Attachments: {', '.join(attachment_ids)}."
            self.refuse("IncorrectState", message, operation)
        for table in self._tables(TransitGatewayId):
            if not table["DefaultAssociationRouteTable"]:
                message = (
                    f"{TransitGatewayId} has non-deleted Transit Gateway Route Tables: "
                    f"{table['TransitGatewayRouteTableId']}."
                )
                self.refuse("IncorrectState", message, operation)
            self.client.delete_transit_gateway_route_table(
                TransitGatewayRouteTableId=table["TransitGatewayRouteTableId"]
            )
        return dict(self.client.delete_transit_gateway(TransitGatewayId=TransitGatewayId))

    def create_transit_gateway_route_table(self, **members: Any) -> Members:
        """Make a route table of a gateway."""
        if self._gateway(members["TransitGatewayId"]) is None:
            self._no_gateway(members["TransitGatewayId"], "CreateTransitGatewayRouteTable")
        answer: Members = self.client.create_transit_gateway_route_table(**members)
        return answer

    def describe_transit_gateway_route_tables(self, **members: Any) -> Members:
        """Route tables; moto shows deleted ones for ever."""
        answer: Members = self.client.describe_transit_gateway_route_tables(**members)
        tables = [table for table in answer["TransitGatewayRouteTables"] if table["State"] != "deleted"]
        return {"TransitGatewayRouteTables": tables}

    def delete_transit_gateway_route_table(self, TransitGatewayRouteTableId: str) -> Members:
        """Delete a route table that no attachment is associated with.

        https://docs.aws.amazon.com/vpc/latest/tgw/tgw-route-tables.html; the words are not AWS's.
        """
        operation = "DeleteTransitGatewayRouteTable"
        self._require_table(TransitGatewayRouteTableId, operation)
        association_ids = [
            id for id, attachment in self._attachments() if attachment["Table"] == TransitGatewayRouteTableId
        ]
        if association_ids:
            message = f"{TransitGatewayRouteTableId} has associations: {', '.join(association_ids)}."
            self.refuse("IncorrectState", message, operation)
        self.store.remove(TABLE_ROUTE, TransitGatewayRouteTableId)
        answer: Members = self.client.delete_transit_gateway_route_table(
            TransitGatewayRouteTableId=TransitGatewayRouteTableId
        )
        return answer

    def _gateway(self, id: str) -> Members | None:
        """A gateway of this account; None for one that another account shares."""
        gateways = self.client.describe_transit_gateways(TransitGatewayIds=[id])["TransitGateways"]
        return gateways[0] if gateways else None

    def _tables(self, gateway: str) -> list[Members]:
        own = [{"Name": "transit-gateway-id", "Values": [gateway]}]
        tables: list[Members] = self.describe_transit_gateway_route_tables(Filters=own)[
            "TransitGatewayRouteTables"
        ]
        return tables

    def _require_table(self, id: str, operation: str) -> None:
        ids = {"TransitGatewayRouteTableIds": [id]}
        if not self.describe_transit_gateway_route_tables(**ids)["TransitGatewayRouteTables"]:
            message = f"Transit Gateway Route Table {id} was deleted or does not exist."
            self.refuse("InvalidRouteTableID.NotFound", message, operation)

    def _no_gateway(self, id: str, operation: str) -> NoReturn:
        message = f"Transit Gateway {id} was deleted or does not exist."
        self.refuse("InvalidTransitGatewayID.NotFound", message, operation)

    # --- attachments of VPCs ---

    def create_transit_gateway_vpc_attachment(self, **members: Any) -> Members:
        """Attach a VPC to a gateway; it has the gateway's default route table, where there is one.

        Its refusals: https://github.com/hashicorp/terraform-provider-aws/issues/10852 and
        https://github.com/zoitech/terraform-aws-network/issues/46
        """
        operation = "CreateTransitGatewayVpcAttachment"
        self.validate(operation, members)
        self._require_subnets(operation, members["VpcId"], members["SubnetIds"])
        gateway = members["TransitGatewayId"]
        if self._is_attached(gateway, members["VpcId"]):
            message = f"{gateway} has non-deleted Transit Gateway Attachments with same VPC ID."
            self.refuse("DuplicateTransitGatewayAttachment", message, operation)
        tags = [tag for spec in members.get("TagSpecifications", ()) for tag in spec.get("Tags", ())]
        tables = _default_tables(self._gateway(gateway))
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
            "Table": tables["Association"],
            "Propagations": [tables["Propagation"]] if tables["Propagation"] else [],
        }
        self.store.put(ATTACHMENT, attachment["TransitGatewayAttachmentId"], thing=attachment)
        return {"TransitGatewayVpcAttachment": _without_tables(attachment)}

    def _require_subnets(self, operation: str, vpc: str, ids: list[str]) -> None:
        """Refuse what names a VPC, or subnets of it, that are not there, or two in one zone."""
        of_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
        if not self.client.describe_vpcs(Filters=of_vpc)["Vpcs"]:
            self.refuse("InvalidVpcID.NotFound", f"The vpc ID '{vpc}' does not exist", operation)
        subnets = self.client.describe_subnets(Filters=of_vpc)["Subnets"]
        zones = {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in subnets}
        for id in ids:
            if id not in zones:
                self.refuse("InvalidSubnetID.NotFound", f"The subnet ID '{id}' does not exist", operation)
        if len({zones[id] for id in ids}) < len(ids):
            self.refuse("DuplicateSubnetsInSameZone", "Duplicate Subnets for same AZ", operation)

    def describe_transit_gateway_vpc_attachments(self, **members: Any) -> Members:
        """Attachments of VPCs."""
        ids = members.get("TransitGatewayAttachmentIds") or ()
        attachments = dict(self._attachments())
        for id in ids:
            if id not in attachments:
                self._no_attachment(id, "DescribeTransitGatewayVpcAttachments")
        descriptions = [
            _without_tables(attachment) for id, attachment in attachments.items() if not ids or id in ids
        ]
        return {"TransitGatewayVpcAttachments": descriptions}

    def modify_transit_gateway_vpc_attachment(
        self,
        TransitGatewayAttachmentId: str,
        AddSubnetIds: list[str] = [],  # noqa: B006
        RemoveSubnetIds: list[str] = [],  # noqa: B006
        Options: Members = {},  # noqa: B006
    ) -> Members:
        """Change subnets and options of an attachment."""
        operation = "ModifyTransitGatewayVpcAttachment"
        attachment = self._attachment(TransitGatewayAttachmentId, operation)
        subnets = [id for id in attachment["SubnetIds"] if id not in RemoveSubnetIds]
        self._require_subnets(operation, attachment["VpcId"], [*subnets, *AddSubnetIds])
        changes = {"SubnetIds": [*subnets, *AddSubnetIds], "Options": {**attachment["Options"], **Options}}
        attachment = self.store.update(ATTACHMENT, TransitGatewayAttachmentId, members=changes)
        return {"TransitGatewayVpcAttachment": _without_tables(attachment)}

    def delete_transit_gateway_vpc_attachment(self, TransitGatewayAttachmentId: str) -> Members:
        """Detach a VPC; its associations and propagations go with it."""
        self._attachment(TransitGatewayAttachmentId, "DeleteTransitGatewayVpcAttachment")
        self.store.remove(ATTACHMENT, TransitGatewayAttachmentId)
        return {}

    def delete_subnet(self, SubnetId: str) -> Members:
        """Delete a subnet; one that an attachment has an interface in cannot be.

        https://docs.aws.amazon.com/vpc/latest/userguide/vpc-deleting.html
        """
        if any(SubnetId in attachment["SubnetIds"] for _, attachment in self._attachments()):
            message = f"The subnet '{SubnetId}' has dependencies and cannot be deleted."
            self.refuse("DependencyViolation", message, "DeleteSubnet")
        answer: Members = self.client.delete_subnet(SubnetId=SubnetId)
        return answer

    def _attachments(self) -> Iterator[tuple[str, Members]]:
        for attachment in self.store.all(ATTACHMENT):
            yield attachment["TransitGatewayAttachmentId"], attachment

    def _attachment(self, id: str, operation: str) -> Members:
        attachment = self.store.get(ATTACHMENT, id)
        if attachment is None:
            self._no_attachment(id, operation)
        return attachment

    def _no_attachment(self, id: str, operation: str) -> NoReturn:
        message = f"The transitGatewayAttachment ID '{id}' does not exist"
        self.refuse("InvalidTransitGatewayAttachmentID.NotFound", message, operation)

    def _is_attached(self, gateway: str, vpc: str) -> bool:
        return any(
            (attachment["TransitGatewayId"], attachment["VpcId"]) == (gateway, vpc)
            for _, attachment in self._attachments()
        )

    # --- associations and propagations: which table an attachment uses, and which tables know its VPC ---

    def associate_transit_gateway_route_table(
        self, TransitGatewayRouteTableId: str, TransitGatewayAttachmentId: str
    ) -> Members:
        """Associate an attachment, which has no more than one table, with one.

        Its refusal: https://github.com/awsdocs/aws-transit-gateway-guide/issues/13 with the code of
        https://github.com/hashicorp/terraform-provider-aws/issues/16452
        """
        operation = "AssociateTransitGatewayRouteTable"
        self._require_table(TransitGatewayRouteTableId, operation)
        attachment = self._attachment(TransitGatewayAttachmentId, operation)
        if attachment["Table"]:
            message = (
                f"Transit Gateway Attachment {TransitGatewayAttachmentId} is already associated to a route "
                "table."
            )
            self.refuse("Resource.AlreadyAssociated", message, operation)
        self._use(TransitGatewayAttachmentId, Table=TransitGatewayRouteTableId)
        return {"Association": _relation(attachment, TransitGatewayRouteTableId, "associated")}

    def disassociate_transit_gateway_route_table(
        self, TransitGatewayRouteTableId: str, TransitGatewayAttachmentId: str
    ) -> Members:
        """Take a table from an attachment."""
        operation = "DisassociateTransitGatewayRouteTable"
        attachment = self._attachment(TransitGatewayAttachmentId, operation)
        if attachment["Table"] != TransitGatewayRouteTableId:
            message = (
                f"Transit Gateway Attachment {TransitGatewayAttachmentId} is not associated to "
                f"{TransitGatewayRouteTableId}."
            )
            self.refuse("InvalidAssociation.NotFound", message, operation)
        self._use(TransitGatewayAttachmentId, Table=None)
        return {"Association": _relation(attachment, TransitGatewayRouteTableId, "disassociated")}

    def get_transit_gateway_route_table_associations(
        self,
        TransitGatewayRouteTableId: str,
        Filters: list[Members] = [],  # noqa: B006
    ) -> Members:
        """Attachments that use a table."""
        self._require_table(TransitGatewayRouteTableId, "GetTransitGatewayRouteTableAssociations")
        return {
            "Associations": [
                _relation(attachment, TransitGatewayRouteTableId, "associated")
                for id, attachment in self._attachments()
                if attachment["Table"] == TransitGatewayRouteTableId and id in _filter_ids(Filters, id)
            ]
        }

    def enable_transit_gateway_route_table_propagation(
        self, TransitGatewayRouteTableId: str, TransitGatewayAttachmentId: str
    ) -> Members:
        """Have a table know the way to an attachment.

        The code of its refusal, not its words:
        https://github.com/aws-solutions-library-samples/network-orchestration-for-aws-transit-gateway
        """
        operation = "EnableTransitGatewayRouteTablePropagation"
        self._require_table(TransitGatewayRouteTableId, operation)
        attachment = self._attachment(TransitGatewayAttachmentId, operation)
        if TransitGatewayRouteTableId in attachment["Propagations"]:
            message = f"{TransitGatewayAttachmentId} propagates to {TransitGatewayRouteTableId} already."
            self.refuse("TransitGatewayRouteTablePropagation.Duplicate", message, operation)
        tables = [*attachment["Propagations"], TransitGatewayRouteTableId]
        self._use(TransitGatewayAttachmentId, Propagations=tables)
        return {"Propagation": _relation(attachment, TransitGatewayRouteTableId, "enabled")}

    def disable_transit_gateway_route_table_propagation(
        self, TransitGatewayRouteTableId: str, TransitGatewayAttachmentId: str
    ) -> Members:
        """Have a table forget the way to an attachment."""
        operation = "DisableTransitGatewayRouteTablePropagation"
        attachment = self._attachment(TransitGatewayAttachmentId, operation)
        if TransitGatewayRouteTableId not in attachment["Propagations"]:
            message = f"{TransitGatewayAttachmentId} does not propagate to {TransitGatewayRouteTableId}."
            self.refuse("TransitGatewayRouteTablePropagation.NotFound", message, operation)
        tables = [id for id in attachment["Propagations"] if id != TransitGatewayRouteTableId]
        self._use(TransitGatewayAttachmentId, Propagations=tables)
        return {"Propagation": _relation(attachment, TransitGatewayRouteTableId, "disabled")}

    def get_transit_gateway_route_table_propagations(
        self,
        TransitGatewayRouteTableId: str,
        Filters: list[Members] = [],  # noqa: B006
    ) -> Members:
        """Attachments that a table knows the way to."""
        self._require_table(TransitGatewayRouteTableId, "GetTransitGatewayRouteTablePropagations")
        return {
            "TransitGatewayRouteTablePropagations": [
                _relation(attachment, TransitGatewayRouteTableId, "enabled")
                for id, attachment in self._attachments()
                if TransitGatewayRouteTableId in attachment["Propagations"] and id in _filter_ids(Filters, id)
            ]
        }

    def _use(self, attachment: str, **members: Any) -> None:
        self.store.update(ATTACHMENT, attachment, members=members)

    # --- static routes of gateways' tables ---

    def create_transit_gateway_route(self, **members: Any) -> Members:
        """Make a static route, to an attachment or nowhere."""
        operation = "CreateTransitGatewayRoute"
        self.validate(operation, members)
        table, cidr = members["TransitGatewayRouteTableId"], members["DestinationCidrBlock"]
        self._require_table(table, operation)
        if self.store.get(TABLE_ROUTE, table, cidr) is not None:
            message = f"Route {cidr} already exists in Transit Gateway Route Table {table}."
            self.refuse("RouteAlreadyExists", message, operation)
        blackhole = members.get("Blackhole", False)
        attachments = []
        if not blackhole:
            id = members.get("TransitGatewayAttachmentId", "")
            attachments = [_resource(self._attachment(id, operation))]
        route = {
            "DestinationCidrBlock": cidr,
            "TransitGatewayAttachments": attachments,
            "Type": "static",
            "State": "blackhole" if blackhole else "active",
        }
        self.store.put(TABLE_ROUTE, table, cidr, thing=route)
        return {"Route": route}

    def delete_transit_gateway_route(
        self, TransitGatewayRouteTableId: str, DestinationCidrBlock: str
    ) -> Members:
        """Remove a static route."""
        route = self.store.get(TABLE_ROUTE, TransitGatewayRouteTableId, DestinationCidrBlock)
        if route is None:
            message = (
                f"Route {DestinationCidrBlock} does not exist in Transit Gateway Route Table "
                f"{TransitGatewayRouteTableId}."
            )
            self.refuse("InvalidRoute.NotFound", message, "DeleteTransitGatewayRoute")
        self.store.remove(TABLE_ROUTE, TransitGatewayRouteTableId, DestinationCidrBlock)
        return {"Route": {**route, "State": "deleted"}}

    def search_transit_gateway_routes(
        self, TransitGatewayRouteTableId: str, Filters: list[Members]
    ) -> Members:
        """Static routes, by what they lead to exactly; one to an attachment that has gone leads nowhere."""
        self._require_table(TransitGatewayRouteTableId, "SearchTransitGatewayRoutes")
        exact = [
            condition["Values"] for condition in Filters if condition["Name"] == "route-search.exact-match"
        ]
        attachment_ids = {id for id, _ in self._attachments()}
        routes = []
        for route in self.store.all(TABLE_ROUTE, TransitGatewayRouteTableId):
            ends = [
                attachment["TransitGatewayAttachmentId"] for attachment in route["TransitGatewayAttachments"]
            ]
            dead = not ends or not set(ends) <= attachment_ids
            if all(route["DestinationCidrBlock"] in values for values in exact):
                routes.append({**route, "State": "blackhole" if dead else "active"})
        return {"Routes": routes, "AdditionalRoutesAvailable": False}

    # --- tags ---

    def create_tags(self, Resources: list[str], Tags: list[Members]) -> Members:
        """Put tags on things."""
        names = {tag["Key"] for tag in Tags}
        self._retag(Resources, lambda tags: [*(tag for tag in tags if tag["Key"] not in names), *Tags])
        other_ids = [id for id in Resources if not id.startswith("tgw-attach-")]
        return self.client.create_tags(Resources=other_ids, Tags=Tags) if other_ids else {}

    def delete_tags(self, Resources: list[str], Tags: list[Members]) -> Members:
        """Take tags from things."""
        names = {tag["Key"] for tag in Tags}
        self._retag(Resources, lambda tags: [tag for tag in tags if tag["Key"] not in names])
        other_ids = [id for id in Resources if not id.startswith("tgw-attach-")]
        return self.client.delete_tags(Resources=other_ids, Tags=Tags) if other_ids else {}

    def _retag(self, ids: list[str], change: Callable[[list[Members]], list[Members]]) -> None:
        for id in ids:
            attachment = self.store.get(ATTACHMENT, id) if id.startswith("tgw-attach-") else None
            if attachment is not None:
                self.store.update(ATTACHMENT, id, members={"Tags": change(attachment["Tags"])})

    # --- routes of VPCs to gateways ---

    def create_route(self, **members: Any) -> Members:
        """Make a route; one to a transit gateway where the VPC is attached to it."""
        return self._put_route("CreateRoute", members)

    def replace_route(self, **members: Any) -> Members:
        """Lead a route elsewhere."""
        self.store.remove(ROUTE, members["RouteTableId"], members.get("DestinationCidrBlock", ""))
        return self._put_route("ReplaceRoute", members)

    def _put_route(self, operation: str, members: Members) -> Members:
        gateway = members.get("TransitGatewayId")
        if gateway:
            [table] = self.client.describe_route_tables(RouteTableIds=[members["RouteTableId"]])[
                "RouteTables"
            ]
            if not self._is_attached(gateway, table["VpcId"]):
                # What AWS says where the VPC is not attached, too.
                message = f"The transitGateway ID '{gateway}' does not exist"
                self.refuse("InvalidTransitGatewayID.NotFound", message, operation)
        call = self.client.create_route if operation == "CreateRoute" else self.client.replace_route
        answer: Members = call(**members)
        if gateway:
            key = (ROUTE, members["RouteTableId"], members["DestinationCidrBlock"])
            self.store.put(*key, thing={"TransitGatewayId": gateway})
        return answer

    def delete_route(self, **members: Any) -> Members:
        """Remove a route."""
        self.store.remove(ROUTE, members["RouteTableId"], members.get("DestinationCidrBlock", ""))
        answer: Members = self.client.delete_route(**members)
        return answer

    def describe_route_tables(self, **members: Any) -> Members:
        """Route tables."""
        answer: Members = self.client.describe_route_tables(**members)
        for table in answer["RouteTables"]:
            for route in table["Routes"]:
                stored_route = self.store.get(
                    ROUTE, table["RouteTableId"], route.get("DestinationCidrBlock", "-")
                )
                if stored_route is not None:
                    attached = self._is_attached(stored_route["TransitGatewayId"], table["VpcId"])
                    route |= {**stored_route, "State": "active" if attached else "blackhole"}
        return answer


def _description(gateway: Members) -> Members:
    """A gateway without the default route tables that it does not use; moto shows them all the same."""
    options = {
        name: value
        for name, value in gateway["Options"].items()
        if not any(
            name == f"{use}DefaultRouteTableId" and gateway["Options"][f"DefaultRouteTable{use}"] == "disable"
            for use in DEFAULTS
        )
    }
    return {**gateway, "Options": options}


def _default_tables(gateway: Members | None) -> dict[str, str | None]:
    """The route tables that attachments to a gateway have by themselves, by their use."""
    options = _description(gateway)["Options"] if gateway else {}
    return {use: options.get(f"{use}DefaultRouteTableId") for use in DEFAULTS}


def _without_tables(attachment: Members) -> Members:
    return {name: value for name, value in attachment.items() if name not in ("Table", "Propagations")}


def _resource(attachment: Members) -> Members:
    return {
        "TransitGatewayAttachmentId": attachment["TransitGatewayAttachmentId"],
        "ResourceId": attachment["VpcId"],
        "ResourceType": "vpc",
    }


def _relation(attachment: Members, table: str, state: str) -> Members:
    return {**_resource(attachment), "TransitGatewayRouteTableId": table, "State": state}


def _filter_ids(filters: list[Members], id: str) -> list[str]:
    """Attachments that filters ask for; one itself where they ask for none."""
    for condition in filters:
        if condition["Name"] == "transit-gateway-attachment-id":
            return list(condition["Values"])
    return [id]
