"""Settings of a foundation: what an environment has once in an account and region."""

from ipaddress import IPv4Network
from typing import Literal

from pydantic import Field

from moka.documents import Section
from stacks.settings.fields import Account, Principal, Region


class Network(Section):
    """A VPC that the foundation creates."""

    cidr: IPv4Network = Field(
        description="Address range of the VPC, /16 to /20, for nodes and load balancers."
    )
    pod_cidrs: list[IPv4Network] = Field(
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
    interface_endpoints: bool = Field(
        default=True,
        description="Reach ECR, STS, EKS, CloudWatch and others inside the VPC; endpoints cost by the hour.",
    )


class ExistingNetwork(Section):
    """An existing VPC, by its ids; nothing in it is changed."""

    vpc: str = Field(pattern=r"^vpc-[0-9a-f]{8,17}$", description="Id of the VPC.")
    private_subnets: dict[str, str] = Field(min_length=2, description="Zone -> subnet of nodes.")
    public_subnets: dict[str, str] = Field(
        default_factory=dict, description="Zone -> subnet of public load balancers."
    )
    pod_subnets: dict[str, str] = Field(
        default_factory=dict, description="Zone -> subnet of pods; without, pods are in the nodes' subnets."
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
        description="Assume the role `deployer` with the credentials at hand; every other account needs it.",
    )
    permissions_boundary: str | None = Field(
        default=None,
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:policy/.+$",
        description="Policy that bounds every role created in the account.",
    )
    network: Network | None = Field(default=None, description="VPC to create; or set existing_network.")
    existing_network: ExistingNetwork | None = Field(default=None, description="Existing VPC to use.")

    @property
    def zones(self) -> list[str]:
        """Availability zones of the nodes."""
        if self.network:
            return list(self.network.zones)
        return list(self.existing_network.private_subnets) if self.existing_network else []
