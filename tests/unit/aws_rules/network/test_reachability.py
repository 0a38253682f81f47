"""Who reaches whom in the network of `local`, and what one change of what AWS describes does to that."""

import copy
import json
from dataclasses import replace
from ipaddress import IPv4Network, ip_network

import pytest

from aws_rules.network import (
    INTERNET,
    ApiServer,
    Host,
    Interface,
    Metadata,
    Pod,
    Request,
    Service,
    control_plane_interfaces,
    reach,
)
from aws_rules.network.deployer import ANYWHERE, unreached
from aws_rules.nodes.dns import cluster_dns
from aws_rules.rule import Unknown, Violation
from localcloud.plugins.aws.refusals import network as laptop

CLUSTER = "moka-local-spark-a"
SERVER = ApiServer(cluster=CLUSTER)
DEPLOYER = Host(name="where `up` runs", address="10.250.16.0/24")
ELSEWHERE = Host(name="another VPC", address="10.99.0.0/16")
ROLE = "arn:aws:iam::123456789012:role/node"
DESCRIBE = Request(principal=ROLE, action="ec2:DescribeInstances")


@pytest.fixture(scope="module")
def described(up):
    """The network of `local`, and a node of it in each zone, as AWS describes them."""
    account = up("local", layers=("foundation", "cluster"))
    return laptop.load(account.api()), laptop.nodes(account.api(), CLUSTER, "executor-arm64")


@pytest.fixture
def network(described):
    """The network, to be changed."""
    return copy.deepcopy(described[0])


@pytest.fixture
def node(described):
    """A node in the first zone."""
    return described[1][0]


@pytest.fixture
def pod(network, node):
    """A driver, with an address of the pod subnet of its node's zone."""
    zone = network.find("Subnets", node.subnet)["AvailabilityZone"]
    subnet = named(network, "Subnets", f"main-pods-{zone}")["SubnetId"]
    interface = replace(node, name="pod", subnet=subnet)
    return Pod(
        name="driver", namespace="jobs", labels={"spark-role": "driver"}, interface=interface, node=node
    )


def named(network, answer, name):
    """What has a Name tag."""
    [member] = [
        member
        for member in network.all(answer)
        if {"Key": "Name", "Value": name} in [dict(tag) for tag in member.get("Tags", ())]
    ]
    return member


def own_group(network):
    return network.find(
        "SecurityGroups", network.clusters[CLUSTER]["resourcesVpcConfig"]["clusterSecurityGroupId"]
    )


def codes(path):
    return {reason.code for reason in path.reasons}


# --- as it is ---


@pytest.mark.parametrize(
    "service", ["ec2", "ecr.api", "ecr.dkr", "sts", "eks", "eks-auth", "logs", "s3", "secretsmanager"]
)
def test_nodes_and_pods_reach_services_of_aws(network, node, pod, service):
    assert reach(network, node, Service(name=service)).reasons == []
    assert reach(network, pod, Service(name=service)).reasons == []


def test_a_service_is_reached_by_its_endpoint_and_without_one_through_the_nat_gateway(network, node):
    by_endpoint = reach(network, node, Service(name="ecr.api"))
    by_gateway_endpoint = reach(network, node, Service(name="s3"))
    over_the_internet = reach(network, node, Service(name="secretsmanager"))

    assert "main-ecr-api" in by_endpoint.hops[0]
    assert "main-s3" in by_gateway_endpoint.hops[0]
    assert any("NAT gateway" in hop for hop in over_the_internet.hops)
    assert "internet gateway" in over_the_internet.hops[-1]


def test_nodes_pods_and_who_deploys_reach_the_api_server_and_it_reaches_the_kubelet(network, node, pod):
    [control_plane, *_] = control_plane_interfaces(network, CLUSTER)

    for source in (node, pod, DEPLOYER):
        assert reach(network, source, SERVER).reasons == []
    assert reach(network, control_plane, node, 10250).reasons == []


@pytest.mark.parametrize(
    ("source", "code"), [(INTERNET, "PRIVATE_ENDPOINT"), (ELSEWHERE, "ENI_SG_RULES_MISMATCH")], ids=str
)
def test_nobody_else_reaches_a_private_api_server(network, source, code):
    assert code in codes(reach(network, source, SERVER))


def test_nobody_reaches_nodes_from_outside(network, node):
    assert "IGW_PRIVATE_IP_ASSOCIATION_FOR_INGRESS" in codes(reach(network, INTERNET, node, 22))
    assert "ENI_SG_RULES_MISMATCH" in codes(reach(network, DEPLOYER, node, 22))


def test_a_pod_reaches_the_kubelet_of_its_own_node_without_passing_a_security_group(network, node, pod):
    without_own_rule(network)
    another = replace(node, name="another node", address="10.0.0.9")

    assert reach(network, pod, node, 10250).reasons == []
    assert codes(reach(network, pod, another, 10250)) == {"ENI_SG_RULES_MISMATCH"}


def test_a_pod_leaves_the_vpc_with_the_address_of_its_node(network, pod):
    alone = named(network, "Subnets", "main-pods-us-east-1a")
    table = network.route_table(alone)
    table["Associations"] = [
        association
        for association in table["Associations"]
        if association.get("SubnetId") != alone["SubnetId"]
    ]
    snat, own_address = pod, replace(pod, external_snat=True)

    assert reach(network, snat, INTERNET).reasons == []
    assert codes(reach(network, own_address, INTERNET)) == {"NO_ROUTE_TO_DESTINATION"}


def test_metadata_of_a_node_is_for_pods_only_with_two_hops(network, pod, node):
    assert codes(reach(network, pod, Metadata(hop_limit=1), 80)) == {"METADATA_HOP_LIMIT"}
    assert reach(network, pod, Metadata(hop_limit=2), 80).reasons == []
    assert reach(network, node, Metadata(hop_limit=1), 80).reasons == []


# --- one change of what AWS describes ---


def without_rules(network):
    own_group(network)["IpPermissions"] = []


def without_deployers_rule(network):
    group = own_group(network)
    group["IpPermissions"] = [
        permission for permission in group["IpPermissions"] if not permission.get("IpRanges")
    ]


def without_own_rule(network):
    group = own_group(network)
    group["IpPermissions"] = [
        permission for permission in group["IpPermissions"] if not permission.get("UserIdGroupPairs")
    ]


def rule_on_another_port(network):
    for permission in own_group(network)["IpPermissions"]:
        if permission.get("IpRanges"):
            permission |= {"FromPort": 6443, "ToPort": 6443}


def rule_for_half_of_the_network(network):
    for permission in own_group(network)["IpPermissions"]:
        for block in permission.get("IpRanges", ()):
            block["CidrIp"] = "10.250.16.0/25"


def without_egress(network):
    own_group(network)["IpPermissionsEgress"] = []


def without_route(target, zone="us-east-1a"):
    def change(network):
        table = named(network, "RouteTables", f"main-private-{zone}")
        table["Routes"] = [route for route in table["Routes"] if not route.get(target)]

    return change


def black_hole(network):
    for route in named(network, "RouteTables", "main-private-us-east-1a")["Routes"]:
        if route.get("NatGatewayId"):
            route["State"] = "blackhole"


def without_nat_gateway(network):
    for gateway in network.all("NatGateways"):
        gateway["State"] = "deleted"


def nat_gateway_in_a_private_subnet(network):
    [gateway] = network.all("NatGateways")
    gateway["SubnetId"] = named(network, "Subnets", "main-private-us-east-1b")["SubnetId"]


def detached_internet_gateway(network):
    for gateway in network.all("InternetGateways"):
        gateway["Attachments"] = []


def attachment(state="available", zones=None):
    def change(network):
        for one in network.all("TransitGatewayVpcAttachments"):
            one["State"] = state
            if zones is not None:
                one["SubnetIds"] = one["SubnetIds"][:zones]

    return change


def acl_without(egress, first, last):
    """Ports that an ACL denies before it allows everything."""

    def change(network):
        for acl in network.all("NetworkAcls"):
            acl["Entries"].append(
                {
                    "RuleNumber": 1,
                    "Protocol": "6",
                    "RuleAction": "deny",
                    "Egress": egress,
                    "CidrBlock": "0.0.0.0/0",
                    "PortRange": {"From": first, "To": last},
                }
            )

    return change


def endpoint_without(**members):
    def change(network):
        named(network, "VpcEndpoints", "main-ec2").update(members)

    return change


def endpoint_group_without_rules(network):
    named(network, "SecurityGroups", "main-endpoints")["IpPermissions"] = []


def endpoint_policy_of(account):
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "*",
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:PrincipalAccount": account}},
    }
    return endpoint_without(PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))


def without_nat_and_private_dns(network):
    endpoint_without(PrivateDnsEnabled=False)(network)
    without_route("NatGatewayId")(network)


def without_dns_and_nat(network):
    for vpc in network.dns:
        network.dns[vpc] = False
    without_route("NatGatewayId")(network)


def gateway_endpoint_of_other_tables(network):
    named(network, "VpcEndpoints", "main-s3")["RouteTableIds"] = []
    without_route("NatGatewayId")(network)


def public(*cidrs):
    def change(network):
        network.clusters[CLUSTER]["resourcesVpcConfig"].update(
            endpointPublicAccess=True, endpointPrivateAccess=False, publicAccessCidrs=list(cidrs)
        )

    return change


EC2, S3 = Service(name="ec2", request=DESCRIBE), Service(name="s3")
DNS_HOST = Host(name="registry", address="54.240.193.129/32")

SABOTAGES = [
    (without_rules, "node", SERVER, "ENI_SG_RULES_MISMATCH", "no rule lets tcp 443 in from 10.0.0.0/18"),
    (without_own_rule, "control plane", "kubelet", "ENI_SG_RULES_MISMATCH", "tcp 10250 in from"),
    (without_deployers_rule, DEPLOYER, SERVER, "ENI_SG_RULES_MISMATCH", "in from 10.250.16.0/24"),
    (rule_on_another_port, DEPLOYER, SERVER, "ENI_SG_RULES_MISMATCH", "no rule lets tcp 443"),
    (rule_for_half_of_the_network, DEPLOYER, SERVER, "ENI_SG_RULES_MISMATCH", "no rule lets tcp 443"),
    (without_egress, "node", EC2, "ENI_SG_RULES_MISMATCH", "no rule lets tcp 443 out to"),
    (without_route("TransitGatewayId"), DEPLOYER, SERVER, "NO_ROUTE_TO_DESTINATION", "leads to the internet"),
    (attachment("pendingAcceptance"), DEPLOYER, SERVER, "BAD_STATE", "is pendingAcceptance"),
    (attachment(zones=1), DEPLOYER, SERVER, "TGW_ROUTE_AZ_RESTRICTION", "no subnet in us-east-1b"),
    (without_route("NatGatewayId"), "node", DNS_HOST, "NO_ROUTE_TO_DESTINATION", "54.240.193.129/32"),
    (black_hole, "node", DNS_HOST, "BAD_STATE_ROUTE", "is a black hole"),
    (without_nat_gateway, "node", DNS_HOST, "BAD_STATE", "it is deleted"),
    (nat_gateway_in_a_private_subnet, "node", DNS_HOST, "NO_ROUTE_TO_DESTINATION", "no route to an internet"),
    (detached_internet_gateway, "node", DNS_HOST, "BAD_STATE", "not attached"),
    (acl_without(True, 443, 443), "node", DNS_HOST, "SUBNET_ACL_RESTRICTION", "requests out to"),
    (acl_without(False, 32768, 60999), "node", DNS_HOST, "SUBNET_ACL_RESTRICTION", "answers in from"),
    (acl_without(True, 40000, 40001), DEPLOYER, SERVER, "SUBNET_ACL_RESTRICTION", "answers out to"),
    (acl_without(False, 2000, 2000), "node", DNS_HOST, "SUBNET_ACL_RESTRICTION", "1024-65535"),
    (endpoint_group_without_rules, "node", EC2, "ENI_SG_RULES_MISMATCH", "(main-endpoints)"),
    (endpoint_policy_of("444455556666"), "node", EC2, "VPC_ENDPOINT_POLICY", "is not authorized to perform"),
    (without_nat_and_private_dns, "node", EC2, "NO_ROUTE_TO_DESTINATION", "ec2 of us-east-1"),
    (without_dns_and_nat, "node", EC2, "NO_ROUTE_TO_DESTINATION", "ec2 of us-east-1"),
    (without_dns_and_nat, "node", SERVER, "VPC_DNS", "does not resolve"),
    (gateway_endpoint_of_other_tables, "node", S3, "NO_ROUTE_TO_DESTINATION", "s3 of us-east-1"),
    (public("54.240.193.0/24"), "node", SERVER, "PUBLIC_ACCESS_CIDRS", "none of publicAccessCidrs"),
    (public("54.240.193.0/24"), INTERNET, SERVER, "PUBLIC_ACCESS_CIDRS", "198.51.100.1/32 is in none"),
]


@pytest.mark.parametrize(
    ("change", "source", "destination", "code", "detail"),
    SABOTAGES,
    ids=[f"{change.__qualname__.partition('.')[0]}-{code}" for change, _, _, code, _ in SABOTAGES],
)
def test_one_change_is_in_the_way_for_its_reason(network, node, change, source, destination, code, detail):
    places = {
        "node": node,
        "control plane": control_plane_interfaces(network, CLUSTER)[0],
        "kubelet": node,
    }
    port = 10250 if destination == "kubelet" else 443
    ends = places.get(source, source), places.get(destination, destination)
    assert source == "node" or destination == "kubelet" or source is INTERNET or reach(network, *ends, port)

    change(network)
    path = reach(network, *ends, port)

    assert code in codes(path)
    assert any(detail in str(reason) for reason in path.reasons if reason.code == code), path.reasons


def test_a_change_elsewhere_is_in_nobodys_way(network, node):
    without_route("NatGatewayId", "us-east-1b")(network)
    endpoint_policy_of("123456789012")(network)

    assert reach(network, node, DNS_HOST).reasons == []
    assert reach(network, node, EC2).reasons == []


# --- network policies ---


def policy(name, spec, namespace="jobs"):
    return {"metadata": {"name": name, "namespace": namespace}, "spec": spec}


DENY = policy("default-deny", {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]})


def test_no_policy_keeps_a_pod_from_its_own_node(network, node, pod):
    isolated = replace(network, policies=(DENY,))
    another = replace(node, name="another node", address="10.0.0.9")

    assert reach(isolated, pod, node, 10250).reasons == []
    assert codes(reach(isolated, pod, another, 10250)) == {"NETWORK_POLICY"}


TO_EXECUTORS = policy(
    "spark",
    {
        "podSelector": {"matchExpressions": [{"key": "spark-role", "operator": "Exists"}]},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [{"from": [{"podSelector": {"matchLabels": {"spark-role": "driver"}}}]}],
        "egress": [
            {"to": [{"podSelector": {"matchLabels": {"spark-role": "executor"}}}]},
            {
                "to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.169.254/32"]}}],
                "ports": [{"port": 443}],
            },
        ],
    },
)


@pytest.fixture
def executor(pod):
    return replace(pod, name="executor", labels={"spark-role": "executor"})


def test_pods_are_reached_unless_a_policy_isolates_them(network, pod, executor):
    assert reach(network, pod, executor, 7078).reasons == []

    path = reach(replace(network, policies=(DENY,)), pod, executor, 7078)
    assert codes(path) == {"NETWORK_POLICY"}
    assert "NetworkPolicies default-deny of namespace jobs" in str(path.reasons[0])


def test_policies_allow_by_labels_namespace_port_and_addresses(network, pod, executor):
    isolated = replace(network, policies=(DENY, TO_EXECUTORS))
    stranger = replace(executor, name="stranger", namespace="other", labels={"spark-role": "driver"})

    assert reach(isolated, pod, executor, 7078).reasons == []
    assert codes(reach(isolated, executor, pod, 7078)) == {"NETWORK_POLICY"}, "from drivers only"
    assert codes(reach(isolated, stranger, executor, 7078)) == {"NETWORK_POLICY"}, "of this namespace"
    assert reach(isolated, pod, Service(name="s3")).reasons == []
    assert codes(reach(isolated, pod, INTERNET, 80)) == {"NETWORK_POLICY"}
    assert "NETWORK_POLICY" in codes(reach(isolated, pod, Metadata(hop_limit=2), 443))


def test_an_address_block_allows_pods_whose_subnet_is_within_it(network, pod, executor):
    def reached(cidr):
        spec = {
            "podSelector": {},
            "policyTypes": ["Egress"],
            "egress": [{"to": [{"ipBlock": {"cidr": cidr}}], "ports": [{"port": 7079}]}],
        }
        way = replace(network, policies=(policy("networks", spec),))
        return reach(way, pod, executor, 7079).reasons == []

    subnet = network.find("Subnets", executor.interface.subnet)["CidrBlock"]
    assert reached(subnet)
    assert reached("0.0.0.0/0")
    assert not reached("192.168.0.0/16")
    assert not reached(str(next(ip_network(subnet).subnets()))), "not where only some of its addresses are"


# --- who deploys ---


def test_who_deploys_is_told_what_a_client_would_see_and_what_to_do(network):
    without_deployers_rule(network)

    [violation] = unreached(network, CLUSTER, DEPLOYER.network, "https://x.eks.amazonaws.com")

    assert isinstance(violation, Violation)
    assert (violation.resource, violation.code) == (f"API server of {CLUSTER}", "ENI_SG_RULES_MISMATCH")
    assert "configured Kubernetes cluster is unreachable" in violation.message
    assert 'Get "https://x.eks.amazonaws.com/openapi/v2?timeout=32s": dial tcp 10.0.' in violation.message
    assert ":443: i/o timeout" in violation.message
    assert violation.remedy == "add an inbound rule for tcp 443"


def test_where_nobody_says_from_where_only_a_server_that_nobody_reaches_is_refused(network):
    [unnamed] = unreached(network, CLUSTER, ANYWHERE, "https://x")
    without_deployers_rule(network)
    [violation] = unreached(network, CLUSTER, ANYWHERE, "https://x")
    [untold] = unreached(network, CLUSTER, None, "https://x")

    assert isinstance(unnamed, Unknown) and isinstance(untold, Unknown)
    assert "where `up` runs" in str(unnamed)
    assert isinstance(violation, Violation)
    assert "lets in itself only" in violation.message


def test_who_deploys_from_the_internet_needs_the_public_endpoint(network):
    address = IPv4Network("54.240.193.129/32")
    [private] = unreached(network, CLUSTER, address, "https://x")
    public("54.240.193.0/24")(network)

    assert private.code == "PRIVATE_ENDPOINT"
    assert list(unreached(network, CLUSTER, address, "https://x")) == []


def test_who_deploys_in_the_vpc_needs_a_rule_too(network):
    inside = IPv4Network("10.0.0.64/28")
    [violation] = unreached(network, CLUSTER, inside, "https://x")
    assert violation.code == "ENI_SG_RULES_MISMATCH"

    [rule] = [permission for permission in own_group(network)["IpPermissions"] if permission.get("IpRanges")]
    rule["IpRanges"] = [{"CidrIp": str(inside)}]
    assert list(unreached(network, CLUSTER, inside, "https://x")) == []


def test_with_both_endpoints_who_deploys_in_a_connected_network_uses_the_private_one(network):
    public("54.240.193.0/24")(network)
    network.clusters[CLUSTER]["resourcesVpcConfig"]["endpointPrivateAccess"] = True
    assert list(unreached(network, CLUSTER, DEPLOYER.network, "https://x")) == []

    without_deployers_rule(network)
    [violation] = unreached(network, CLUSTER, DEPLOYER.network, "https://x")
    assert violation.code == "PUBLIC_ACCESS_CIDRS"


def test_a_subnet_that_is_not_there_is_said(network):
    nowhere = Interface(name="node", subnet="subnet-0", groups=())

    assert codes(reach(network, nowhere, INTERNET)) == {"UNKNOWN_RESOURCE"}


# --- names ---


def test_pods_resolve_names_where_there_is_a_coredns_that_they_reach(network, pod):
    def codes_with(installed, self_managed=False):
        verdicts = cluster_dns(CLUSTER, installed, network, [pod], [pod], self_managed=self_managed)
        return [(verdict.code, verdict.remedy) for verdict in verdicts]

    assert codes_with(["coredns"]) == []
    assert codes_with([], self_managed=True) == []
    assert codes_with([]) == [("UnknownHostException", "install the add-on coredns")]

    # Every place is asked for every server, whatever they come in.
    stranger = replace(
        pod, name="stranger", interface=replace(pod.interface, groups=("sg-0123456789abcdef0",))
    )
    servers = iter([pod])
    verdicts = list(
        cluster_dns(CLUSTER, ["coredns"], network, iter([pod, stranger]), servers, self_managed=False)
    )
    assert verdicts and all("stranger" in verdict.message for verdict in verdicts)

    for permission in own_group(network)["IpPermissions"]:
        permission.update(IpProtocol="tcp", FromPort=443, ToPort=10250)
    [(code, remedy)] = codes_with(["coredns"])
    assert code == "UnknownHostException"
    assert "udp 53" in remedy
