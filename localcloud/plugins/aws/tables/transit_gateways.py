"""Transit gateways, their route tables, and the VPCs attached to them."""

from dataclasses import dataclass
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, row, tags_of

# --- gateways ---

SWITCHES = {
    "autoAcceptSharedAttachments": "AutoAcceptSharedAttachments",
    "defaultRouteTableAssociation": "DefaultRouteTableAssociation",
    "defaultRouteTablePropagation": "DefaultRouteTablePropagation",
    "dnsSupport": "DnsSupport",
    "multicastSupport": "MulticastSupport",
    "securityGroupReferencingSupport": "SecurityGroupReferencingSupport",
    "vpnEcmpSupport": "VpnEcmpSupport",
}
"""Options of a gateway that are `enable` or `disable`: property -> member."""

OFF = words("autoAcceptSharedAttachments multicastSupport securityGroupReferencingSupport")

DEFAULT_TABLES = {
    "associationDefaultRouteTableId": "AssociationDefaultRouteTableId",
    "propagationDefaultRouteTableId": "PropagationDefaultRouteTableId",
}


def make_gateway(subject: Subject) -> str:
    """Make a gateway; its id."""
    switches = {member: subject.properties[name] for name, member in SWITCHES.items()}
    number = {"AmazonSideAsn": int(subject.properties["amazonSideAsn"])}
    subject.sent |= SWITCHES.keys() | {"amazonSideAsn"}
    call = Call("create_transit_gateway", takes="description")
    answer = subject.create(call, {"Options": {**number, **switches}})
    return str(answer["TransitGateway"]["TransitGatewayId"])


def change_gateway(subject: Subject) -> None:
    """Change a gateway's description and options."""
    changes = {
        member: subject.inputs[name]
        for name, member in SWITCHES.items()
        if subject.inputs.get(name) != subject.old.get(name)
    }
    options = {"Options": changes} if changes else {}
    description = {"Description": subject.inputs.get("description") or ""}
    subject.request("modify_transit_gateway", TransitGatewayId=subject.id, **description, **options)


GATEWAY = row(
    "TransitGateway",
    "transit-gateway",
    {
        "amazonSideAsn": "Options.AmazonSideAsn",
        **{name: f"Options.{member}" for name, member in (SWITCHES | DEFAULT_TABLES).items()},
    },
    inputs=f"description amazonSideAsn {' '.join(SWITCHES)}",
    outputs=f"arn ownerId {' '.join(DEFAULT_TABLES)}",
    create=make_gateway,
    id="",
    defaults={
        "amazonSideAsn": 64512,
        **{name: "disable" if name in OFF else "enable" for name in SWITCHES},
    },
    names={"arn": "TransitGatewayArn"},
    changes=(Change(("description", *SWITCHES), change_gateway),),
    derived={},
)

ROUTE_TABLE = row(
    "TransitGatewayRouteTable",
    "transit-gateway-route-table",
    inputs="transitGatewayId!",
    outputs="arn defaultAssociationRouteTable defaultPropagationRouteTable",
)

# --- attachments ---

OPTIONS = {"dnsSupport": "DnsSupport", "applianceModeSupport": "ApplianceModeSupport"}


@dataclass(frozen=True)
class Use:
    """What an attachment uses a route table for.

    default: option of a gateway with the table that attachments have by themselves. show, at: call that shows
    attachments of a table, and where in its answer. begin, end: calls.
    """

    default: str
    show: str
    at: str
    begin: str
    end: str

    def attachments(self, subject: Subject, table: str, attachment: str) -> list[dict[str, Any]]:
        """What a table shows of an attachment: one entry where it is in use, otherwise none."""
        selection = [{"Name": "transit-gateway-attachment-id", "Values": [attachment]}]
        answer = subject.request(self.show, TransitGatewayRouteTableId=table, Filters=selection)
        return list(answer[self.at])


ASSOCIATION = Use(
    default="AssociationDefaultRouteTableId",
    show="get_transit_gateway_route_table_associations",
    at="Associations",
    begin="associate_transit_gateway_route_table",
    end="disassociate_transit_gateway_route_table",
)

PROPAGATION = Use(
    default="PropagationDefaultRouteTableId",
    show="get_transit_gateway_route_table_propagations",
    at="TransitGatewayRouteTablePropagations",
    begin="enable_transit_gateway_route_table_propagation",
    end="disable_transit_gateway_route_table_propagation",
)

USES = {
    "transitGatewayDefaultRouteTableAssociation": ASSOCIATION,
    "transitGatewayDefaultRouteTablePropagation": PROPAGATION,
}
"""Property of an attachment -> use of the gateway's default route table; the provider makes the calls:
internal/service/ec2/transitgateway_vpc_attachment.go of github.com/hashicorp/terraform-provider-aws.
"""


def options(subject: Subject) -> dict[str, Any]:
    """Options of an attachment, which the program has as properties of their own."""
    members = {member: subject.inputs[name] for name, member in OPTIONS.items() if subject.inputs.get(name)}
    return {"Options": members} if members else {}


def attach(subject: Subject) -> str:
    """Attach a VPC; the attachment's id."""
    call = Call("create_transit_gateway_vpc_attachment", takes="transitGatewayId vpcId subnetIds")
    answer = subject.create(call, options(subject))
    subject.sent |= OPTIONS.keys()
    return str(answer["TransitGatewayVpcAttachment"]["TransitGatewayAttachmentId"])


def change(subject: Subject) -> None:
    """Change subnets and options."""
    old, new = set(subject.old.get("subnetIds") or ()), set(subject.inputs.get("subnetIds") or ())
    subnets = {"AddSubnetIds": sorted(new - old), "RemoveSubnetIds": sorted(old - new)}
    subject.request(
        "modify_transit_gateway_vpc_attachment",
        TransitGatewayAttachmentId=subject.id,
        **{name: ids for name, ids in subnets.items() if ids},
        **options(subject),
    )


def _default_tables(subject: Subject) -> dict[str, str]:
    """The default route table of each use of an own gateway; a shared one shows none."""
    selection = [{"Name": "transit-gateway-id", "Values": [subject.properties["transitGatewayId"]]}]
    gateways = subject.request("describe_transit_gateways", Filters=selection)["TransitGateways"]
    options = gateways[0]["Options"] if gateways else {}
    return {name: options[use.default] for name, use in USES.items() if use.default in options}


def change_uses(subject: Subject) -> None:
    """Have the attachment use the default route table, or not."""
    for name, table in _default_tables(subject).items():
        use, target = USES[name], subject.inputs.get(name)
        if target is not None and target != bool(use.attachments(subject, table, subject.id)):
            key = {"TransitGatewayRouteTableId": table, "TransitGatewayAttachmentId": subject.id}
            subject.request(use.begin if target else use.end, **key)


def read_uses(subject: Subject) -> dict[str, Any]:
    """Whether the attachment uses the default route table; of a shared gateway, what the program says."""
    tables = _default_tables(subject)
    return {
        name: bool(use.attachments(subject, tables[name], subject.id))
        if name in tables
        else subject.inputs.get(name, False)
        for name, use in USES.items()
    }


VPC_ATTACHMENT = Kind(
    service="ec2",
    schema="AWS::EC2::TransitGatewayVpcAttachment",
    inputs=f"transitGatewayId! vpcId! subnetIds! {' '.join(OPTIONS)} {' '.join(USES)}",
    outputs="arn vpcOwnerId",
    create=attach,
    id="",
    computed=words(" ".join((*OPTIONS, *USES))),
    unordered=words("subnetIds"),
    reads=(
        Read(
            Call("describe_transit_gateway_vpc_attachments", {"TransitGatewayAttachmentIds": [ID]}),
            at="TransitGatewayVpcAttachments[0]",
            properties={name: f"Options.{member}" for name, member in OPTIONS.items()},
        ),
        Read(read_uses),
    ),
    changes=(Change(("subnetIds", *OPTIONS), change), Change(tuple(USES), change_uses)),
    delete=(Call("delete_transit_gateway_vpc_attachment", {"TransitGatewayAttachmentId": ID}),),
    tags=tags_of("transit-gateway-attachment"),
    derived=arn("transit-gateway-attachment"),
    schema_names=dict.fromkeys(OPTIONS, "Options"),
)


# --- what uses route tables of gateways ---

KEY = {
    "TransitGatewayRouteTableId": P("transitGatewayRouteTableId"),
    "TransitGatewayAttachmentId": P("transitGatewayAttachmentId"),
}


def replace_association(subject: Subject) -> None:
    """Take from an attachment the table that it has, where the program wants that."""
    if not subject.inputs.get("replaceExistingAssociation"):
        return
    attachment = subject.properties["transitGatewayAttachmentId"]
    tables = subject.request("describe_transit_gateway_route_tables")["TransitGatewayRouteTables"]
    for table in (description["TransitGatewayRouteTableId"] for description in tables):
        if ASSOCIATION.attachments(subject, table, attachment):
            key = {"TransitGatewayRouteTableId": table, "TransitGatewayAttachmentId": attachment}
            subject.request(ASSOCIATION.end, **key)


def relation(noun: str, use: Use, **others: Any) -> Kind:
    """Row of an attachment's use of a route table, which is known by the two."""

    def make(subject: Subject) -> str:
        replace_association(subject)
        subject.call(Call(use.begin, KEY))
        table = subject.properties["transitGatewayRouteTableId"]
        return f"{table}_{subject.properties['transitGatewayAttachmentId']}"

    def read(subject: Subject) -> dict[str, Any] | None:
        table, _, attachment = subject.id.partition("_")
        attachments = use.attachments(subject, table, attachment)
        if not attachments:
            return None
        return {
            "transitGatewayRouteTableId": table,
            "transitGatewayAttachmentId": attachment,
            "resourceId": attachments[0]["ResourceId"],
            "resourceType": attachments[0]["ResourceType"],
        }

    return Kind(
        service="ec2",
        schema=f"AWS::EC2::TransitGatewayRouteTable{noun}",
        outputs="resourceId resourceType",
        create=make,
        id="",
        reads=(Read(read),),
        delete=(Call(use.end, KEY),),
        exclusive=True,
        **others,
    )


ROUTE_TABLE_ASSOCIATION = relation(
    "Association",
    ASSOCIATION,
    inputs="transitGatewayRouteTableId! transitGatewayAttachmentId! replaceExistingAssociation",
    arguments=words("replaceExistingAssociation"),
)

ROUTE_TABLE_PROPAGATION = relation(
    "Propagation", PROPAGATION, inputs="transitGatewayRouteTableId! transitGatewayAttachmentId!"
)


def make_route(subject: Subject) -> str:
    """Make a static route; its id is its table and where it leads."""
    call = "transitGatewayRouteTableId destinationCidrBlock transitGatewayAttachmentId blackhole"
    subject.call(Call("create_transit_gateway_route", takes=call))
    properties = subject.properties
    return f"{properties['transitGatewayRouteTableId']}_{properties['destinationCidrBlock']}"


def read_route(subject: Subject) -> dict[str, Any] | None:
    """A static route."""
    table, _, cidr = subject.id.partition("_")
    exact = [{"Name": "route-search.exact-match", "Values": [cidr]}]
    search = {"TransitGatewayRouteTableId": table, "Filters": exact}
    routes = subject.request("search_transit_gateway_routes", **search)["Routes"]
    if not routes:
        return None
    ends = [end["TransitGatewayAttachmentId"] for end in routes[0].get("TransitGatewayAttachments", ())]
    return {
        "transitGatewayRouteTableId": table,
        "destinationCidrBlock": cidr,
        "transitGatewayAttachmentId": ends[0] if ends else None,
        "blackhole": routes[0]["State"] == "blackhole",
    }


ROUTE = Kind(
    service="ec2",
    schema="AWS::EC2::TransitGatewayRoute",
    inputs="destinationCidrBlock! transitGatewayRouteTableId! transitGatewayAttachmentId blackhole",
    create=make_route,
    id="",
    defaults={"blackhole": False},
    reads=(Read(read_route),),
    delete=(
        Call(
            "delete_transit_gateway_route",
            {"TransitGatewayRouteTableId": P("transitGatewayRouteTableId")},
            takes="destinationCidrBlock",
        ),
    ),
    exclusive=True,
)

TYPES = {
    "aws:ec2transitgateway/route:Route": ROUTE,
    "aws:ec2transitgateway/routeTable:RouteTable": ROUTE_TABLE,
    "aws:ec2transitgateway/routeTableAssociation:RouteTableAssociation": ROUTE_TABLE_ASSOCIATION,
    "aws:ec2transitgateway/routeTablePropagation:RouteTablePropagation": ROUTE_TABLE_PROPAGATION,
    "aws:ec2transitgateway/transitGateway:TransitGateway": GATEWAY,
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": VPC_ATTACHMENT,
}
