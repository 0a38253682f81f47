"""Settings of a foundation: what an environment has once in an account and region."""

from typing import Literal

from pydantic import Field

from moka.documents import Section
from stacks.settings.fields import (
    Account,
    CertificateArn,
    Cidr,
    HostedZone,
    Policy,
    Principal,
    Region,
    SecurityGroup,
    Subnet,
    TransitGatewayId,
    Vpc,
)


class TransitGateway(Section):
    """The way to other networks of the company: the VPC is attached to it, and routes there."""

    id: TransitGatewayId = Field(
        description="Id of a transit gateway that the account may use and that accepts its attachments.",
    )
    cidrs: list[Cidr] = Field(
        min_length=1, description="Networks behind it that are reached and answered, not those of VPCs here."
    )


class ApiAccess(Section):
    """Who reaches private API servers, besides nodes and `deployer_network`."""

    cidrs: list[Cidr] = Field(
        default_factory=list, description="Networks that are connected to the VPC, as small as they can be."
    )
    security_groups: list[SecurityGroup] = Field(
        default_factory=list,
        description="Security groups of machines in the VPC, such as runners or bastions.",
    )


class Network(Section):
    """A VPC that the foundation creates."""

    cidr: Cidr = Field(description="Address range of the VPC, /16 to /20, for nodes and load balancers.")
    pod_cidrs: list[Cidr] = Field(
        default_factory=list,
        max_length=4,
        description="Secondary ranges of the VPC for pods, /16 to /20: one for all zones, or one for "
        "each. Without, pods have addresses in the nodes' subnets.",
    )
    zones: list[str] = Field(
        min_length=2,
        max_length=3,
        description="Availability zones; their order decides addresses, so only append.",
    )
    nat: Literal["single", "zonal"] = Field(
        default="zonal", description="NAT gateways: one for all zones (cheaper), or one in each zone."
    )
    transit_gateway: TransitGateway | None = Field(
        default=None, description="Connects the VPC to other networks; without, it is connected to none."
    )
    interface_endpoints: bool = Field(
        default=True,
        description="Reach ECR, STS, EKS, CloudWatch and others inside the VPC; endpoints cost by the hour.",
    )


class ExistingNetwork(Section):
    """An existing VPC, by its ids; nothing in it is changed."""

    vpc: Vpc = Field(description="Id of the VPC.")
    private_subnets: dict[str, Subnet] = Field(min_length=2, description="Zone -> subnet of nodes.")
    public_subnets: dict[str, Subnet] = Field(
        default_factory=dict, description="Zone -> subnet of public load balancers."
    )
    pod_subnets: dict[str, Subnet] = Field(
        default_factory=dict, description="Zone -> subnet of pods; without, pods are in the nodes' subnets."
    )


class Certificates(Section):
    """Certificates of AWS Certificate Manager for pages."""

    public_zone: HostedZone | None = Field(
        default=None,
        description="Public hosted zone, in the account, of `domain` or above: certificates are requested, "
        "and proved by records there.",
    )
    arns: list[CertificateArn] = Field(
        default_factory=list,
        description="Certificates of your own instead, the default first, in the account and region; for "
        "each cluster they need `*.<cluster>.<domain>` and `*.<job namespace>.<cluster>.<domain>`, at home "
        "`history.<domain>`, and `archer.<domain>` where there is Archer.",
    )


class Foundation(Section):
    """What an environment has once for each account and region: network, key, buckets."""

    account: Account
    region: Region
    deployer: Principal = Field(
        description="IAM role or user that runs `pulumi up` and administers the clusters."
    )
    assume: bool = Field(
        default=False,
        description="Enter the account by the profile `<organization>-<environment>-<account>` of the AWS "
        "configuration, which takes the role `deployer` (`moka profiles`); every other account needs it.",
    )
    permissions_boundary: Policy | None = Field(
        default=None, description="Policy that bounds every role created in the account."
    )
    network: Network | None = Field(default=None, description="VPC to create; or set existing_network.")
    existing_network: ExistingNetwork | None = Field(default=None, description="Existing VPC to use.")
    api_access: ApiAccess = ApiAccess()
    certificates: Certificates | None = Field(
        default=None, description="For TLS of pages; without, they are plain HTTP."
    )
    dns_zone: HostedZone | None = Field(
        default=None,
        description="Hosted zone, public or private, in the account, of `domain` or above, for records of "
        "pages; without, lead the names of `arns` to output `host` of layer ingress yourself.",
    )

    @property
    def zones(self) -> list[str]:
        """Availability zones of the nodes."""
        if self.network:
            return list(self.network.zones)
        return list(self.existing_network.private_subnets) if self.existing_network else []
