from policies.pack.resource import UNKNOWN
from policies.pack.types import (
    CLUSTER,
    INSTANCE,
    INTERNET_GATEWAY,
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    ROUTE,
    ROUTE_TABLE,
    ROUTE_TABLE_ASSOCIATION,
    SUBNET,
)
from tests.policies.cases.case import Case, a, failing, passing, urn

ROLE = "moka.dev/role"


def metadata(**options: object) -> dict:
    return {"metadataOptions": {"httpEndpoint": "enabled", **options}}


def volume(**ebs: object) -> dict:
    return {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 100, **ebs}}]}


def group(role: str, **inputs: object) -> dict:
    return {"labels": {ROLE: role}, **inputs}


def taint(effect: str) -> dict:
    return {"taints": [{"key": ROLE, "value": "driver", "effect": effect}]}


def update(size: int = 100, **settings: int) -> dict:
    return {"updateConfig": settings, "scalingConfig": {"minSize": 0, "maxSize": size}}


def subnet(name: str, **inputs: object):
    return a(SUBNET, {"availabilityZone": "us-east-1a", **inputs}, name)


def nodes_in(*subnets: str):
    return a(NODE_GROUP, {}, "workers", reads={"subnetIds": [urn(SUBNET, name) for name in subnets]})


def routes(subnet: str, gateway: str) -> list:
    """A subnet's route table, and its default route."""
    table = urn(ROUTE_TABLE, "table")
    return [
        a(ROUTE_TABLE, {}, "table"),
        a(ROUTE, {"destinationCidrBlock": "0.0.0.0/0"}, reads={"routeTableId": table, "gatewayId": gateway}),
        a(ROUTE_TABLE_ASSOCIATION, {}, reads={"routeTableId": table, "subnetId": urn(SUBNET, subnet)}),
    ]


def drivers(name: str, *subnets: str, cluster: str = "spark-a"):
    return a(NODE_GROUP, group("driver", clusterName=cluster, subnetIds=list(subnets)), name)


def drivers_of(name: str, *subnets: str):
    """In subnets that the stack makes."""
    reads = {"subnetIds": [urn(SUBNET, subnet) for subnet in subnets]}
    inputs = group("driver", clusterName="spark-a", subnetIds=[UNKNOWN] * len(subnets))
    return a(NODE_GROUP, inputs, name, reads=reads)


def drivers_elsewhere(name: str, subnet: str):
    """In a subnet of another stack."""
    reads = {"subnetIds": [urn("pulumi:pulumi:StackReference", "staging.shared")]}
    return a(NODE_GROUP, group("driver", clusterName="spark-a", subnetIds=[subnet]), name, reads=reads)


def drivers_of_cluster(name: str):
    """Of a cluster whose name is not known yet."""
    inputs = group("driver", clusterName=UNKNOWN, subnetIds=[UNKNOWN])
    return a(NODE_GROUP, inputs, name, reads={"clusterName": urn(CLUSTER, "spark-a")})


def drivers_of_network(name: str):
    """In one subnet, which is read with all that the network has."""
    reads = {"subnetIds": [urn(SUBNET, "a"), urn(SUBNET, "b"), urn("aws:ec2/route:Route", "a")]}
    inputs = group("driver", clusterName="spark-a", subnetIds=[UNKNOWN])
    return a(NODE_GROUP, inputs, name, reads=reads)


CASES: list[Case] = [
    passing("imdsv2-required", a(LAUNCH_TEMPLATE, metadata(httpTokens="required"))),
    passing("imdsv2-required", a(INSTANCE, {"metadataOptions": {"httpEndpoint": "disabled"}})),
    failing("imdsv2-required", a(LAUNCH_TEMPLATE, metadata(httpTokens="optional"))),
    failing("imdsv2-required", a(INSTANCE, {"instanceType": "m7g.large"})),
    #
    passing("imds-hop-limit", a(LAUNCH_TEMPLATE, metadata(httpPutResponseHopLimit=1))),
    failing("imds-hop-limit", a(LAUNCH_TEMPLATE, metadata(httpPutResponseHopLimit=2))),
    failing("imds-hop-limit", a(LAUNCH_TEMPLATE, metadata(httpTokens="required"))),
    #
    passing("node-volumes-encrypted", a(LAUNCH_TEMPLATE, volume(encrypted="true"))),
    passing(
        "node-volumes-encrypted",
        a(
            LAUNCH_TEMPLATE,
            {"blockDeviceMappings": [{"deviceName": "/dev/xvdb", "virtualName": "ephemeral0"}]},
        ),
    ),
    passing("node-volumes-encrypted", a(INSTANCE, {"rootBlockDevice": {"encrypted": True}})),
    failing("node-volumes-encrypted", a(LAUNCH_TEMPLATE, volume()), says="/dev/xvda"),
    failing("node-volumes-encrypted", a(LAUNCH_TEMPLATE, volume(encrypted="false"))),
    failing("node-volumes-encrypted", a(LAUNCH_TEMPLATE, {"instanceType": "m7g.large"}), says="root"),
    failing("node-volumes-encrypted", a(INSTANCE, {"instanceType": "m7g.large"}), says="root"),
    failing(
        "node-volumes-encrypted",
        a(
            INSTANCE,
            {"rootBlockDevice": {"encrypted": True}, "ebsBlockDevices": [{"deviceName": "/dev/sdf"}]},
        ),
        says="/dev/sdf",
    ),
    #
    passing("node-no-public-address", a(LAUNCH_TEMPLATE, {"networkInterfaces": [{"deviceIndex": 0}]})),
    failing(
        "node-no-public-address",
        a(LAUNCH_TEMPLATE, {"networkInterfaces": [{"associatePublicIpAddress": "true"}]}),
    ),
    failing("node-no-public-address", a(INSTANCE, {"associatePublicIpAddress": True})),
    #
    passing("node-no-ssh", a(LAUNCH_TEMPLATE, {"updateDefaultVersion": True})),
    passing("node-no-ssh", a(NODE_GROUP, {"clusterName": "spark-a"})),
    failing("node-no-ssh", a(LAUNCH_TEMPLATE, {"keyName": "ops"}), says="ops"),
    failing("node-no-ssh", a(NODE_GROUP, {"remoteAccess": {"ec2SshKey": "ops"}}), says="remoteAccess"),
    #
    passing("node-image-supported", a(NODE_GROUP, {"amiType": "AL2023_ARM_64_STANDARD"})),
    passing("node-image-supported", a(NODE_GROUP, {"amiType": "CUSTOM"})),
    failing("node-image-supported", a(NODE_GROUP, {"amiType": "AL2_x86_64"}), says="AL2_x86_64"),
    #
    passing("no-burstable-machines", a(NODE_GROUP, {"instanceTypes": ["m7g.4xlarge", "trn1.2xlarge"]})),
    failing("no-burstable-machines", a(NODE_GROUP, {"instanceTypes": ["t4g.xlarge"]}), says="t4g.xlarge"),
    #
    passing("spot-for-executors-only", a(NODE_GROUP, group("executor", capacityType="SPOT"))),
    passing("spot-for-executors-only", a(NODE_GROUP, group("driver", capacityType="ON_DEMAND"))),
    failing("spot-for-executors-only", a(NODE_GROUP, group("driver", capacityType="SPOT")), says="driver"),
    failing("spot-for-executors-only", a(NODE_GROUP, group("shuffle", capacityType="SPOT")), says="shuffle"),
    #
    passing("node-role-known", a(NODE_GROUP, group("executor"))),
    failing("node-role-known", a(NODE_GROUP, {"labels": {"team": "data"}}), says=ROLE),
    failing("node-role-known", a(NODE_GROUP, {"clusterName": "spark-a"})),
    #
    passing("node-taint", a(NODE_GROUP, group("driver", **taint("NO_SCHEDULE")))),
    passing("node-taint", a(NODE_GROUP, group("system"))),
    failing("node-taint", a(NODE_GROUP, group("driver")), says="driver"),
    failing("node-taint", a(NODE_GROUP, group("driver", **taint("PREFER_NO_SCHEDULE")))),
    failing("node-taint", a(NODE_GROUP, group("shuffle", taints=[{"key": "team", "effect": "NO_SCHEDULE"}]))),
    #
    passing("node-update-bounded", a(NODE_GROUP, update(maxUnavailablePercentage=10))),
    passing("node-update-bounded", a(NODE_GROUP, update(maxUnavailable=1, size=2))),
    passing("node-update-bounded", a(NODE_GROUP, update(maxUnavailable=30))),
    passing("node-update-bounded", a(NODE_GROUP, {"scalingConfig": {"maxSize": 1}})),
    failing("node-update-bounded", a(NODE_GROUP, update(maxUnavailablePercentage=100)), says="100%"),
    failing("node-update-bounded", a(NODE_GROUP, update(maxUnavailable=80)), says="80 of 100"),
    #
    passing("node-group-size", a(NODE_GROUP, {"scalingConfig": {"maxSize": 450}})),
    failing("node-group-size", a(NODE_GROUP, {"scalingConfig": {"maxSize": 451}}), says="451"),
    #
    passing("node-repair", a(NODE_GROUP, {"nodeRepairConfig": {"enabled": True}})),
    failing("node-repair", a(NODE_GROUP, {"clusterName": "spark-a"})),
    #
    passing("node-launch-template", a(NODE_GROUP, {"launchTemplate": {"id": "lt-1", "version": "1"}})),
    failing("node-launch-template", a(NODE_GROUP, {"clusterName": "spark-a"})),
    #
    passing("nodes-in-private-subnets", subnet("private"), nodes_in("private")),
    passing(
        "nodes-in-private-subnets",
        subnet("private"),
        subnet("public", tags={"kubernetes.io/role/elb": "1"}),
        nodes_in("private"),
        *routes("public", urn(INTERNET_GATEWAY, "main")),
    ),
    failing(
        "nodes-in-private-subnets",
        subnet("public", tags={"kubernetes.io/role/elb": "1"}),
        nodes_in("public"),
        says="public",
    ),
    failing(
        "nodes-in-private-subnets", subnet("given", mapPublicIpOnLaunch=True), nodes_in("given"), says="given"
    ),
    failing(
        "nodes-in-private-subnets",
        subnet("plain"),
        nodes_in("plain"),
        *routes("plain", urn(INTERNET_GATEWAY, "main")),
        says="plain",
    ),
    failing(
        "nodes-in-private-subnets",
        subnet("plain"),
        nodes_in("plain"),
        a(ROUTE_TABLE, {}, "table", reads={"routes": urn(INTERNET_GATEWAY, "main")}),
        *routes("plain", "")[2:],
        says="plain",
    ),
    #
    passing("drivers-zone-spread", drivers("first", "subnet-a"), drivers("second", "subnet-b")),
    passing(
        "drivers-zone-spread",
        subnet("a"),
        subnet("b", availabilityZone="us-east-1b"),
        drivers_of("first", "a"),
        drivers_of("second", "b"),
    ),
    passing(
        "drivers-zone-spread",
        subnet("a"),
        subnet("b", availabilityZone="us-east-1b"),
        drivers_of_network("first"),
        drivers_of_network("second"),
    ),
    passing("drivers-zone-spread", drivers_of_cluster("first"), drivers_of_cluster("second")),
    passing("drivers-zone-spread", drivers_elsewhere("first", "a"), drivers_elsewhere("second", "b")),
    failing(
        "drivers-zone-spread",
        drivers_elsewhere("first", "a"),
        drivers_elsewhere("second", "a"),
        says="second",
    ),
    passing("drivers-zone-spread", drivers("only", "subnet-a"), at_least_zones=1),
    passing(
        "drivers-zone-spread", a(NODE_GROUP, group("executor", clusterName="spark-a", subnetIds=["a", "b"]))
    ),
    failing("drivers-zone-spread", drivers("only", "subnet-a"), says="only"),
    failing(
        "drivers-zone-spread",
        drivers("first", "subnet-a"),
        drivers("other", "subnet-b", cluster="spark-b"),
        says="other",
    ),
    failing("drivers-zone-spread", drivers("wide", "subnet-a", "subnet-b"), says="several zones"),
    failing(
        "drivers-zone-spread",
        subnet("a"),
        subnet("too"),
        drivers_of("first", "a"),
        drivers_of("second", "too"),
        says="first, second",
    ),
]
