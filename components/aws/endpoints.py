"""Ways to AWS's own services that stay inside the network."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import document
from moka.endpoint_services import SERVICES, Service, service_name


@dataclass(frozen=True, kw_only=True)
class InterfaceEndpointsArgs:
    """What differs between networks.

    region: of the network.
    vpc_id: VPC that gets the endpoints.
    subnets: zone -> subnet in which each endpoint has an address.
    cidrs: ranges of the VPC, from which the endpoints are reached.
    accounts: AWS account ids whose identities may use them.
    more: services beside `SERVICES` of moka.endpoint_services.
    tags: of every AWS resource that is made here.
    """

    region: str
    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[dict[str, str]]
    cidrs: tuple[str, ...]
    accounts: tuple[str, ...]
    more: tuple[Service, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)


class InterfaceEndpoints(pulumi.ComponentResource):
    """Pulumi type `moka:aws:InterfaceEndpoints`.

    Makes: ec2.SecurityGroup that lets HTTPS in from the VPC and nothing out, and a VpcEndpoint for each of
    `SERVICES` and of `more`, with the service's own names inside the VPC.
    Outputs: `security_group_id`.
    """

    security_group_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: InterfaceEndpointsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:aws:InterfaceEndpoints", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        subnets = pulumi.Output.from_input(args.subnets).apply(
            lambda zones: [zones[zone] for zone in sorted(zones)]
        )

        group = aws.ec2.SecurityGroup(
            f"{name}-endpoints",
            vpc_id=args.vpc_id,
            description="HTTPS from the VPC to AWS services",
            ingress=[
                {"protocol": "tcp", "from_port": 443, "to_port": 443, "cidr_blocks": sorted(args.cidrs)}
            ],
            tags=args.tags | {"Name": f"{name}-endpoints"},
            opts=child,
        )
        for service in (*SERVICES, *args.more):
            logical = f"{name}-{service.name.replace('.', '-')}"
            aws.ec2.VpcEndpoint(
                logical,
                vpc_id=args.vpc_id,
                service_name=service_name(args.region, service.name),
                vpc_endpoint_type="Interface",
                subnet_ids=subnets,
                security_group_ids=[group.id],
                private_dns_enabled=True,
                policy=own_accounts_policy(args.accounts) if service.own_accounts else None,
                tags=args.tags | {"Name": logical},
                opts=child,
            )
        self.security_group_id = group.id
        self.register_outputs({"security_group_id": self.security_group_id})


def own_accounts_policy(accounts: tuple[str, ...]) -> str:
    """Endpoint policy (JSON): only identities of these accounts pass; what they may do, IAM decides."""
    return document(
        [
            {
                "Sid": "OurAccounts",
                "Effect": "Allow",
                "Principal": "*",
                "Action": "*",
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:PrincipalAccount": sorted(accounts)}},
            }
        ]
    )
