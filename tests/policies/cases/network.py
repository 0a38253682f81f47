from moka.components.kubernetes.load_balancer_controller import LOAD_BALANCER_CLASS
from policies.pack.resource import UNKNOWN
from policies.pack.types import (
    ADDON,
    DATABASE_INSTANCE,
    DATABASES,
    DEFAULT_SECURITY_GROUP,
    DEPLOYMENT,
    ENDPOINT,
    FLOW_LOG,
    INGRESS,
    INTERNET_GATEWAY,
    PEERING,
    SECURITY_GROUP,
    SECURITY_GROUP_INGRESS,
    SECURITY_GROUP_RULE,
    SERVICE,
    SUBNET,
    VPC,
)
from tests.policies.cases.case import Case, a, failing, passing, urn
from tests.policies.cases.nodes import routes

DEFAULT_SUBNET = "aws:ec2/defaultSubnet:DefaultSubnet"
CERTIFICATE = "service.beta.kubernetes.io/aws-load-balancer-ssl-cert"
SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"


def ingress_from(**networks: list[str]) -> dict:
    return {"ingress": [{"protocol": "tcp", "fromPort": 443, "toPort": 443, **networks}]}


def service(spec: dict, annotations: dict | None = None) -> dict:
    return {"metadata": {"name": "spark-ui", "namespace": "jobs", "annotations": annotations}, "spec": spec}


def ingress(spec: dict, annotations: dict | None = None) -> dict:
    return {"metadata": {"name": "history", "namespace": "jobs", "annotations": annotations}, "spec": spec}


def cni(values: str) -> dict:
    return {"addonName": "vpc-cni", "configurationValues": values}


def gateway(*arguments: str, name: str = "ui-gateway") -> dict:
    container = {"name": name, "args": list(arguments)}
    return {
        "metadata": {"name": name, "namespace": "ingress"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def balancer(annotations, kind: str = LOAD_BALANCER_CLASS) -> dict:
    return service({"type": "LoadBalancer", "loadBalancerClass": kind}, annotations)


GATEWAY = urn(INTERNET_GATEWAY, "main")


def private_subnet():
    return a(SUBNET, {"tags": {"kubernetes.io/role/internal-elb": "1"}}, "private")


CASES: list[Case] = [
    passing("subnet-no-public-addresses", a(SUBNET, {"mapPublicIpOnLaunch": False})),
    passing("subnet-no-public-addresses", a(SUBNET)),
    passing("subnet-no-public-addresses", a(DEFAULT_SUBNET, {"mapPublicIpOnLaunch": False})),
    failing("subnet-no-public-addresses", a(SUBNET, {"mapPublicIpOnLaunch": True})),
    failing("subnet-no-public-addresses", a(DEFAULT_SUBNET, {"availabilityZone": "us-east-1a"})),
    #
    passing("no-open-ingress", a(SECURITY_GROUP, ingress_from(cidrBlocks=["10.64.0.0/16", "10.0.0.0/8"]))),
    passing("no-open-ingress", a(SECURITY_GROUP, ingress_from(ipv6CidrBlocks=["fc00::/7"]))),
    passing("no-open-ingress", a(SECURITY_GROUP, {"egress": [{"cidrBlocks": ["0.0.0.0/0"]}]})),
    passing("no-open-ingress", a(SECURITY_GROUP_INGRESS, {"cidrIpv4": "10.250.16.0/24"})),
    passing("no-open-ingress", a(SECURITY_GROUP_INGRESS, {"referencedSecurityGroupId": "sg-1"})),
    passing("no-open-ingress", a(SECURITY_GROUP_RULE, {"type": "egress", "cidrBlocks": ["0.0.0.0/0"]})),
    failing(
        "no-open-ingress",
        a(SECURITY_GROUP, ingress_from(cidrBlocks=["10.0.0.0/8", "0.0.0.0/0"])),
        says="0.0.0.0/0",
    ),
    failing(
        "no-open-ingress", a(SECURITY_GROUP, ingress_from(cidrBlocks=["128.0.0.0/1"])), says="128.0.0.0/1"
    ),
    failing("no-open-ingress", a(SECURITY_GROUP, ingress_from(ipv6CidrBlocks=["::/0"])), says="::/0"),
    failing("no-open-ingress", a(SECURITY_GROUP_INGRESS, {"cidrIpv4": "0.0.0.0/0"}), says="0.0.0.0/0"),
    failing("no-open-ingress", a(SECURITY_GROUP_INGRESS, {"cidrIpv6": "2000::/3"}), says="2000::/3"),
    failing("no-open-ingress", a(SECURITY_GROUP_RULE, {"type": "ingress", "ipv6CidrBlocks": ["::/0"]})),
    failing("no-open-ingress", a(SECURITY_GROUP_RULE, {"type": "ingress", "cidrBlocks": ["0.0.0.0/0"]})),
    #
    passing("default-security-group-empty", a(DEFAULT_SECURITY_GROUP, {"vpcId": "vpc-1"})),
    failing(
        "default-security-group-empty",
        a(DEFAULT_SECURITY_GROUP, {"vpcId": "vpc-1", "ingress": [{"self": True}]}),
        says="ingress",
    ),
    failing(
        "default-security-group-empty",
        a(DEFAULT_SECURITY_GROUP, {"vpcId": "vpc-1", "egress": [{"cidrBlocks": ["0.0.0.0/0"]}]}),
        says="egress",
    ),
    #
    passing(
        "vpc-flow-logs",
        a(VPC, {"cidrBlock": "10.64.0.0/16"}, "main"),
        a(FLOW_LOG, {"trafficType": "ALL"}, reads={"vpcId": urn(VPC, "main")}),
    ),
    failing(
        "vpc-flow-logs",
        a(VPC, {"cidrBlock": "10.64.0.0/16"}, "main"),
        a(VPC, {"cidrBlock": "10.65.0.0/16"}, "other"),
        a(FLOW_LOG, {"trafficType": "ALL"}, reads={"vpcId": urn(VPC, "main")}),
        says="other",
    ),
    #
    passing("flow-log-complete", a(FLOW_LOG, {"trafficType": "ALL", "vpcId": "vpc-1"})),
    failing("flow-log-complete", a(FLOW_LOG, {"trafficType": "REJECT"}), says="REJECT"),
    #
    passing("vpc-dns", a(VPC, {"enableDnsSupport": True, "enableDnsHostnames": True})),
    failing(
        "vpc-dns", a(VPC, {"enableDnsSupport": False, "enableDnsHostnames": True}), says="enableDnsSupport"
    ),
    failing("vpc-dns", a(VPC, {"enableDnsSupport": True}), says="enableDnsHostnames"),
    #
    passing("endpoint-private-dns", a(ENDPOINT, {"vpcEndpointType": "Gateway"})),
    passing("endpoint-private-dns", a(ENDPOINT, {"vpcEndpointType": "Interface", "privateDnsEnabled": True})),
    passing(
        "endpoint-private-dns",
        a(
            ENDPOINT,
            {"vpcEndpointType": "Interface", "serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-0a1b2c"},
        ),
    ),
    failing(
        "endpoint-private-dns",
        a(ENDPOINT, {"vpcEndpointType": "Interface", "serviceName": "com.amazonaws.us-east-1.sts"}),
    ),
    #
    passing("load-balancer-internal", a(SERVICE, service({"type": "ClusterIP"}))),
    passing("load-balancer-internal", a(SERVICE, service({"type": "LoadBalancer"}, {SCHEME: "internal"}))),
    passing("load-balancer-internal", a(INGRESS, ingress({}))),
    failing("load-balancer-internal", a(SERVICE, service({"type": "LoadBalancer"}))),
    failing(
        "load-balancer-internal", a(SERVICE, service({"type": "LoadBalancer"}, {SCHEME: "internet-facing"}))
    ),
    failing(
        "load-balancer-internal",
        a(INGRESS, ingress({}, {"alb.ingress.kubernetes.io/scheme": "internet-facing"})),
        says="history",
    ),
    #
    passing("no-node-ports", a(SERVICE, service({"type": "ClusterIP"}))),
    failing("no-node-ports", a(SERVICE, service({"type": "NodePort"})), says="spark-ui"),
    #
    passing("no-external-addresses", a(SERVICE, service({"type": "ClusterIP", "externalIPs": []}))),
    failing("no-external-addresses", a(SERVICE, service({"externalIPs": ["198.51.100.7"]}))),
    #
    passing("ingress-host", a(INGRESS, ingress({"rules": [{"host": "history.spark.acme.example"}]}))),
    failing("ingress-host", a(INGRESS, ingress({"rules": [{"http": {"paths": []}}]})), says="history"),
    failing("ingress-host", a(INGRESS, ingress({"rules": [{"host": "*"}]}))),
    failing("ingress-host", a(INGRESS, ingress({"defaultBackend": {"service": {"name": "ui"}}}))),
    #
    passing(
        "ingress-no-snippets", a(INGRESS, ingress({}, {"nginx.ingress.kubernetes.io/proxy-body-size": "1m"}))
    ),
    failing(
        "ingress-no-snippets",
        a(INGRESS, ingress({}, {"nginx.ingress.kubernetes.io/configuration-snippet": "x"})),
        says="configuration-snippet",
    ),
    #
    passing("pages-behind-login", a(DEPLOYMENT, gateway("--cluster=a", "--issuer=https://id.example"))),
    passing("pages-behind-login", a(DEPLOYMENT, gateway(name="history-gate"))),
    failing("pages-behind-login", a(DEPLOYMENT, gateway("--cluster=a")), says="without a login"),
    failing("pages-behind-login", a(DEPLOYMENT, gateway("--cluster=--issuer="))),
    #
    passing(
        "pages-over-tls",
        a(SERVICE, balancer({CERTIFICATE: "arn:aws:acm:us-east-1:111122223333:certificate/1"})),
    ),
    passing("pages-over-tls", a(SERVICE, balancer({CERTIFICATE: UNKNOWN}))),
    passing("pages-over-tls", a(SERVICE, balancer(UNKNOWN))),
    passing("pages-over-tls", a(SERVICE, service({"type": "ClusterIP"}))),
    passing("pages-over-tls", a(SERVICE, balancer({}, "example.com/other"))),
    failing("pages-over-tls", a(SERVICE, balancer({SCHEME: "internal"})), says="set certificates of"),
    failing("pages-over-tls", a(SERVICE, balancer({CERTIFICATE: ""}))),
    # Those without a class are the cloud provider's.
    failing("pages-over-tls", a(SERVICE, service({"type": "LoadBalancer"}))),
    #
    passing("private-subnets-stay-private", private_subnet(), *routes("private", "nat")),
    passing("private-subnets-stay-private", a(SUBNET, {"tags": {}}, "private"), *routes("private", GATEWAY)),
    failing(
        "private-subnets-stay-private", private_subnet(), *routes("private", GATEWAY), says="Subnet private"
    ),
    #
    passing("network-policies-enforced", a(ADDON, cni('{"enableNetworkPolicy": "true"}'))),
    passing("network-policies-enforced", a(ADDON, cni("enableNetworkPolicy: true"))),
    passing("network-policies-enforced", a(ADDON, {"addonName": "coredns"})),
    failing("network-policies-enforced", a(ADDON, {"addonName": "vpc-cni"}), says="enableNetworkPolicy"),
    failing("network-policies-enforced", a(ADDON, cni('{"enableNetworkPolicy": "false"}'))),
    failing("network-policies-enforced", a(ADDON, cni("{"))),
    #
    passing("peering-within-account", a(PEERING, {"vpcId": "vpc-1", "peerVpcId": "vpc-2"})),
    passing("peering-within-account", a(PEERING, {"peerOwnerId": "111122223333"}), accounts=["111122223333"]),
    failing("peering-within-account", a(PEERING, {"peerOwnerId": "111122223333"}), says="111122223333"),
    #
    *(
        case
        for type in (*DATABASES, DATABASE_INSTANCE)
        for case in (
            passing("database-private", a(type, {"publiclyAccessible": False})),
            passing("database-private", a(type, {"engine": "aurora-postgresql"})),
            failing("database-private", a(type, {"publiclyAccessible": True}), says="publiclyAccessible"),
        )
    ),
]
