"""Whether who deploys reaches the API server of a cluster, from where `up` runs."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from aws_rules.network.addresses import control_plane_interfaces
from aws_rules.network.answers import Network
from aws_rules.network.explanations import EKS_ENDPOINT
from aws_rules.network.path import Reason
from aws_rules.network.places import ApiServer, Host
from aws_rules.network.reachability import reach
from aws_rules.rule import Rule, Unknown, Verdict, Violation

DEPLOYER_REACHES_API_SERVER = Rule(
    name="deployer-reaches-api-server",
    authority="EKS",
    decides="whether the API server of a cluster is reached from where `up` runs",
    source=EKS_ENDPOINT,
)

RULES: tuple[Rule, ...] = (DEPLOYER_REACHES_API_SERVER,)

ANYWHERE = IPv4Network("0.0.0.0/0")

TIMEOUT = 'Get "{endpoint}/openapi/v2?timeout=32s": dial tcp {address}:443: i/o timeout'
"""As the Kubernetes provider reports it: "configured Kubernetes cluster is unreachable: unable to load schema
information from the API server: ..."; pulumi/pulumi-kubernetes: provider/pkg/provider/provider.go."""


def unreached(
    network: Network, cluster: str, deployer: IPv4Network | None, endpoint: str
) -> Iterator[Verdict]:
    """What keeps who deploys from the API server of a cluster.

    deployer: where `up` runs. ANYWHERE: its place is not named, and only a server that nobody reaches is
        refused; None: nobody says anything of that, and nothing is.
    endpoint: URL of the API server, for the client's own words.
    """
    resource = f"API server of {cluster}"
    if deployer is None or deployer == ANYWHERE:
        if deployer == ANYWHERE and _nobody_enters(network, cluster):
            yield _violation(resource, endpoint, _nobody(network, cluster), "its private address")
        else:
            lacks = "where `up` runs (deployer_network of localcloud.yaml)"
            yield Unknown(rule=DEPLOYER_REACHES_API_SERVER, resource=resource, lacks=lacks)
        return
    path = reach(network, Host(name="where `up` runs", address=str(deployer)), ApiServer(cluster=cluster))
    address = path.addresses[0] if path.addresses else "its public address"
    for reason in path.reasons:
        yield _violation(resource, endpoint, reason, address)


def _violation(resource: str, endpoint: str, reason: Reason, address: str) -> Violation:
    timeout = TIMEOUT.format(endpoint=endpoint, address=address)
    return Violation(
        rule=DEPLOYER_REACHES_API_SERVER,
        resource=resource,
        code=reason.code,
        message="configured Kubernetes cluster is unreachable: unable to load schema information from the "
        f"API server: {timeout}: {reason.component}: {reason.words}: {reason.detail}",
        remedy=reason.remedy,
    )


def _nobody_enters(network: Network, cluster: str) -> bool:
    """Whether a private API server admits nothing but the cluster itself."""
    config = network.clusters[cluster]["resourcesVpcConfig"]
    if config.get("endpointPublicAccess"):
        return False
    [first, *_] = control_plane_interfaces(network, cluster)
    sources = [
        source
        for group in (network.find("SecurityGroups", id) or {} for id in first.groups)
        for permission in group.get("IpPermissions", ())
        for source in (
            *permission.get("IpRanges", ()),
            *permission.get("PrefixListIds", ()),
            *(pair for pair in permission.get("UserIdGroupPairs", ()) if pair["GroupId"] not in first.groups),
        )
    ]
    return not sources


def _nobody(network: Network, cluster: str) -> Reason:
    groups = ", ".join(control_plane_interfaces(network, cluster)[0].groups)
    return Reason(
        component=f"security group {groups} of control plane of {cluster}",
        code="ENI_SG_RULES_MISMATCH",
        detail="it lets in itself only, and the endpoint is private",
        remedy="add an inbound rule for tcp 443 from where `up` runs, and a way from there",
    )
