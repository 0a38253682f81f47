"""Why something is not reached: codes, in the words of who stands in the way."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_rules.rule import Authority

ANALYZER = "https://docs.aws.amazon.com/vpc/latest/reachability/explanation-codes.html"
EKS_ENDPOINT = "https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html"
ENDPOINT_POLICY = "https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html"
NETWORK_POLICY = "https://kubernetes.io/docs/concepts/services-networking/network-policies/"
METADATA_OPTIONS = (
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceMetadataOptionsRequest.html"
)


@dataclass(frozen=True)
class Explanation:
    """What a code means.

    words: of its source. authority: who stands in the way.
    """

    words: str
    source: str = ANALYZER
    authority: Authority = "AWS"


EXPLANATIONS: Mapping[str, Explanation] = {
    "BAD_STATE": Explanation("This component is not in a functional state"),
    "BAD_STATE_ROUTE": Explanation("This route is not in a functional state"),
    "DISCONNECTED_VPCS": Explanation(
        "The source and destination are in separate VPCs that are not connected by a supported resource"
    ),
    "ENI_SG_RULES_MISMATCH": Explanation("This security group has no inbound or outbound rules that apply"),
    "IGW_DESTINATION_ADDRESS_NOT_IN_RFC1918_EGRESS": Explanation(
        "Internet gateways reject outbound traffic with destination addresses in the private IP address range"
    ),
    "IGW_PRIVATE_IP_ASSOCIATION_FOR_INGRESS": Explanation(
        "Internet gateways reject inbound traffic with a destination address that is not the public IP "
        "address of a network interface in the VPC with an available attachment"
    ),
    "IGW_PUBLIC_IP_ASSOCIATION_FOR_EGRESS": Explanation(
        "Traffic can't reach the internet through the internet gateway if the source address is not paired "
        "with a public IP address"
    ),
    "NO_ROUTE_TO_DESTINATION": Explanation(
        "The route table does not have an applicable route to the destination resource"
    ),
    "SUBNET_ACL_RESTRICTION": Explanation(
        "Inbound or outbound traffic for a subnet must be admitted by the network ACL for the subnet"
    ),
    "TGW_ROUTE_AZ_RESTRICTION": Explanation(
        "This transit gateway is not registered in the Availability Zone where the traffic originates. The "
        "VPC attachment must have a subnet association in the Availability Zone"
    ),
    "UNKNOWN_RESOURCE": Explanation(
        "Reachability Analyzer can't analyze this resource because it can't describe the resource"
    ),
    # Below: what the analyzer does not look at.
    "VPC_ENDPOINT_POLICY": Explanation(
        "no VPC endpoint policy allows the request",
        ENDPOINT_POLICY,
    ),
    "PRIVATE_ENDPOINT": Explanation(
        "all traffic to your cluster API server must come from within your cluster's VPC or a connected "
        "network; there is no public access to your API server from the internet",
        EKS_ENDPOINT,
        "EKS",
    ),
    "PUBLIC_ACCESS_CIDRS": Explanation(
        "the CIDR blocks that can access the public endpoint do not include the address", EKS_ENDPOINT, "EKS"
    ),
    "VPC_DNS": Explanation(
        "to use private endpoint access, your VPC must have enableDnsHostnames and enableDnsSupport set to "
        "true",
        EKS_ENDPOINT,
        "EKS",
    ),
    "NETWORK_POLICY": Explanation(
        "the pod is isolated, and no network policy that selects it allows the connection",
        NETWORK_POLICY,
        "Kubernetes",
    ),
    "METADATA_HOP_LIMIT": Explanation(
        "the response of the instance metadata service travels as many hops as the hop limit, and a pod is "
        "one hop further than its node",
        METADATA_OPTIONS,
    ),
}
