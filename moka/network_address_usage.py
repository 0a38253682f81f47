"""Network Address Usage: units of what is in a VPC, of which a quota allows so many.

Source: https://docs.aws.amazon.com/vpc/latest/userguide/network-address-usage.html. Past the quota,
RunInstances, AttachNetworkInterface and AssignPrivateIpAddresses fail (`NetworkAddressUsageLimitExceeded`):
no node comes, and no pod gets an address.
"""

from dataclasses import dataclass

MOST_UNITS = 256_000
"""That AWS raises the quota to, from 64,000: the same page."""

ADDRESS = INTERFACE = PREFIX = 1
"""Units of an address of an instance, of a further interface besides its address, and of a prefix."""

CONNECTION = 6
"""Units of a load balancer or endpoint in a zone, of a NAT gateway, of an attachment to a transit gateway."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a VPC has at most.

    nodes: machines. interfaces: of them, besides their first ones. prefixes: of 16 addresses.
    load_balancers, endpoints: each counted once a zone. nat_gateways. attachments: to transit gateways.
    """

    nodes: int
    interfaces: int
    prefixes: int
    load_balancers: int = 0
    endpoints: int = 0
    nat_gateways: int = 0
    attachments: int = 0

    @property
    def units(self) -> int:
        """Units of all of it."""
        connections = self.load_balancers + self.endpoints + self.nat_gateways + self.attachments
        return (
            self.nodes * ADDRESS
            + self.interfaces * (INTERFACE + ADDRESS)
            + self.prefixes * PREFIX
            + connections * CONNECTION
        )
