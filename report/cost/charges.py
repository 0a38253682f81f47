"""What a resource is charged by: amounts of what has a price.

Sources: https://aws.amazon.com/eks/pricing/, /ebs/pricing/, /vpc/pricing/, /privatelink/pricing/,
/transit-gateway/pricing/, /kms/pricing/.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from moka.quantities import memory_bytes
from previews import State, Step
from previews.values import at, mapping, number, sequence, text
from report.node_groups import NODE_GROUP, machine_types, size

HOURS = 730
"""Hours of a month, as AWS's calculator has it."""

GP3_IOPS, GP3_MIBPS = 3_000, 125
"""What each gp3 volume has without further charge: https://aws.amazon.com/ebs/pricing/."""

GIB = 2**30


@dataclass(frozen=True, kw_only=True)
class Charge:
    """So much of something with a price.

    kind: for people, such as `machines`. key: of the table. low, usual, high: amounts, of hours a month or
    the price's own unit; they differ where an autoscaler decides.
    """

    kind: str
    key: str
    low: float
    usual: float
    high: float


USAGE: Mapping[str, str] = {
    "aws:s3/bucket:Bucket": "S3 by what is stored and asked",
    "aws:cloudwatch/logGroup:LogGroup": "CloudWatch by what is logged",
    "aws:ec2/flowLog:FlowLog": "flow logs by what is logged",
    "aws:ecr/repository:Repository": "ECR by what is stored",
    "aws:ec2/vpcPeeringConnection:VpcPeeringConnection": "traffic between zones",
    "aws:sqs/queue:Queue": "SQS by messages",
    "aws:sns/topic:Topic": "SNS by messages",
    "aws:dynamodb/table:Table": "DynamoDB by requests",
    "aws:rds/cluster:Cluster": "Aurora by what is stored and asked",
    "aws:rds/clusterInstance:ClusterInstance": "instances of Aurora by their class, or the capacity in use",
}
"""Type -> what its cost depends on, which no preview says."""

FREE_SERVICES = ("iam", "vpc", "autoscaling", "ssm", "organizations", "ram")
_FREE = """
ec2/vpc:Vpc ec2/subnet:Subnet ec2/route:Route ec2/routeTable:RouteTable ec2/internetGateway:InternetGateway
ec2/routeTableAssociation:RouteTableAssociation ec2/securityGroup:SecurityGroup
ec2/securityGroupRule:SecurityGroupRule ec2/defaultSecurityGroup:DefaultSecurityGroup
ec2/launchTemplate:LaunchTemplate ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation
ec2/subnetCidrReservation:SubnetCidrReservation
ec2/networkAcl:NetworkAcl ec2/placementGroup:PlacementGroup ecr/lifecyclePolicy:LifecyclePolicy
ecr/repositoryPolicy:RepositoryPolicy eks/accessEntry:AccessEntry eks/addon:Addon
eks/accessPolicyAssociation:AccessPolicyAssociation eks/podIdentityAssociation:PodIdentityAssociation
kms/alias:Alias kms/keyPolicy:KeyPolicy rds/clusterParameterGroup:ClusterParameterGroup
rds/subnetGroup:SubnetGroup
"""

FREE = frozenset(f"aws:{name}" for name in _FREE.split())
"""Types without a charge of their own."""


def _node_group(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    nodes = size(state)
    low, usual, high = (float(count) for count in (nodes.minimum, nodes.desired, nodes.maximum))
    # Of several types the first one is preferred; the table has no prices of spot, which are lower.
    kind = (
        "machines (spot, at on-demand prices)" if state.inputs.get("capacityType") == "SPOT" else "machines"
    )
    types = machine_types(state)
    key = f"ec2/{types[0]}" if types else "ec2/an instance type that is not known"
    yield Charge(kind=kind, key=key, low=low * HOURS, usual=usual * HOURS, high=high * HOURS)
    template = templates.get(step.name)
    for device in sequence(template.inputs.get("blockDeviceMappings")) if template else ():
        disk = mapping(mapping(device).get("ebs"))
        for charge in _gp3(disk):
            yield Charge(
                kind="disks of nodes",
                key=charge.key,
                low=charge.usual * low,
                usual=charge.usual * usual,
                high=charge.usual * high,
            )


def _gp3(disk: Mapping[str, object]) -> Iterator[Charge]:
    kind = text(disk.get("volumeType"), "gp3")
    if kind != "gp3":
        yield _fixed_charge("disks", f"{kind}_gib_month", number(disk.get("volumeSize")) or 0)
        return
    yield _fixed_charge("disks", "gp3_gib_month", number(disk.get("volumeSize")) or 0)
    for key, field, allowance in (
        ("gp3_iops_month", "iops", GP3_IOPS),
        ("gp3_mibps_month", "throughput", GP3_MIBPS),
    ):
        if (more := (number(disk.get(field)) or 0) - allowance) > 0:
            yield _fixed_charge("disks", key, more)


def _fixed_charge(kind: str, key: str, amount: float) -> Charge:
    return Charge(kind=kind, key=key, low=amount, usual=amount, high=amount)


def _cluster(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _fixed_charge("control planes", "eks_hour", HOURS)
    tier = text(at(state.inputs, "controlPlaneScalingConfig.tier"), "standard")
    if tier != "standard":
        yield _fixed_charge("tiers of control planes", f"eks_{tier.replace('-', '_')}_hour", HOURS)


def _nat(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _fixed_charge("NAT gateways", "nat_hour", HOURS)


def _address(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _fixed_charge("public addresses", "public_ipv4_hour", HOURS)


def _endpoint(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    if text(state.inputs.get("vpcEndpointType"), "Gateway") != "Interface":
        return
    subnets = state.inputs.get("subnetIds")
    if not isinstance(subnets, list) and step.old:
        # Not known before `up`: taken to be as many as now.
        subnets = step.old.inputs.get("subnetIds")
    yield _fixed_charge("interface endpoints", "endpoint_hour", HOURS * len(sequence(subnets)))


def _attachment(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _fixed_charge("transit gateway attachments", "transit_attachment_hour", HOURS)


def _key(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _fixed_charge("keys", "kms_key_month", 1)


def _volume(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    disk = state.inputs
    yield from _gp3({**disk, "volumeType": disk.get("type"), "volumeSize": disk.get("size")})


def _claims(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    """Volumes of a StatefulSet, taken to be gp3 as our storage classes are."""
    replicas = number(at(state.inputs, "spec.replicas"))
    for claim in sequence(at(state.inputs, "spec.volumeClaimTemplates")):
        yield _claim(at(claim, "spec.resources.requests.storage"), 1 if replicas is None else replicas)


def _single_claim(step: Step, state: State, templates: Mapping[str, State]) -> Iterator[Charge]:
    yield _claim(at(state.inputs, "spec.resources.requests.storage"), 1)


def _claim(storage: object, replicas: int) -> Charge:
    try:
        amount = memory_bytes(text(storage)) / GIB
    except ValueError:
        # Not known, or nothing that Kubernetes would take.
        amount = 0.0
    return _fixed_charge("volumes of pods", "gp3_gib_month", amount * replicas)


Reader = Callable[[Step, State, Mapping[str, State]], Iterator[Charge]]

CHARGED: Mapping[str, Reader] = {
    NODE_GROUP: _node_group,
    "aws:eks/cluster:Cluster": _cluster,
    "aws:ec2/natGateway:NatGateway": _nat,
    "aws:ec2/eip:Eip": _address,
    "aws:ec2/vpcEndpoint:VpcEndpoint": _endpoint,
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": _attachment,
    "aws:kms/key:Key": _key,
    "aws:ebs/volume:Volume": _volume,
    "kubernetes:apps/v1:StatefulSet": _claims,
    "kubernetes:core/v1:PersistentVolumeClaim": _single_claim,
}
"""Type -> what it is charged by: step, its state on one side, launch templates by logical name there."""


def is_free(type_: str) -> bool:
    """Whether a type has no charge of its own, or one for usage only."""
    if not type_.startswith("aws:") or type_ in FREE or type_ in USAGE:
        return True
    service = type_.split(":")[1].partition("/")[0]
    # What sets up a bucket is part of it.
    return service in FREE_SERVICES or type_.startswith("aws:s3/bucket")
