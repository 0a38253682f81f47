"""Services of AWS that nodes and pods reach by endpoints inside the network."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service that nodes and pods call.

    name: of the service in the region: `ecr.api`.
    own_accounts: only identities of the network's own accounts may use the endpoint, so that nobody inside
        takes data out with the credentials of another account.
    """

    name: str
    own_accounts: bool = True


# https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html
SERVICES = (
    Service(name="ecr.api"),
    Service(name="ecr.dkr"),
    # A web identity has no account yet.
    Service(name="sts", own_accounts=False),
    Service(name="logs"),
    Service(name="monitoring"),
    Service(name="ec2"),
    Service(name="eks"),
    Service(name="eks-auth"),
    Service(name="autoscaling"),
    Service(name="elasticloadbalancing"),
    # A job that assumes a role in the account with its data decrypts as that role.
    Service(name="kms", own_accounts=False),
)

PROMETHEUS = Service(name="aps-workspaces")
"""Amazon Managed Prometheus' remote write and queries:
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-and-interface-VPC.html"""


def service_name(region: str, name: str) -> str:
    """Name of a service among all regions, as an endpoint has it: `com.amazonaws.us-east-1.ecr.api`."""
    return f"com.amazonaws.{region}.{name}"
