"""Rules that no probe asks about, and why."""

from collections.abc import Mapping

from conformance.refusals.catalog import ON_CLUSTER

CLUSTER = "it takes a cluster, which EKS bills by the hour: `make conformance-environment` asks"
SIGN_IN = "it takes somebody who signs in to a cluster"
MACHINES = "it takes a cluster and machines that are to join it"
PROGRAMS = "it takes programs in pods"
GATEWAY = "it takes an Elastic IP, which EC2 bills by the hour"
GROUP = "it takes an Auto Scaling group, and so a machine image of the region"
RESERVATION = "it takes a capacity reservation, which EC2 bills as the instances that it is for"
CALLER = "it takes credentials with fewer rights than those that make the rest"
BALANCER = "it takes a load balancer, which ELB bills by the hour"
PROVIDER = "Pulumi's provider refuses it, too, before it asks AWS"
ELSEWHERE = "CloudFormation decides it, which Pulumi's provider does not call"
LISTED = "the laptop refuses nothing by it: it lists what AWS may refuse"
PLACE = "it is about the machine that `up` runs on, and no API is asked"

UNASKED: Mapping[str, str] = {
    "access-entry-identity": SIGN_IN,
    "access-policies": SIGN_IN,
    "aws-auth": SIGN_IN,
    "instance-type-offered": MACHINES,
    "cluster-dns": MACHINES,
    "ecr-pull": MACHINES,
    "free-addresses": MACHINES,
    "node-add-ons": MACHINES,
    "node-drain": MACHINES,
    "node-launch": MACHINES,
    "node-permissions": MACHINES,
    "node-ways": MACHINES,
    "pod-subnets": MACHINES,
    "self-managed-nodes": MACHINES,
    "program-permissions": PROGRAMS,
    "program-ways": PROGRAMS,
    "capacity-reservation": RESERVATION,
    "nat-gateways": GATEWAY,
    "schedules": GROUP,
    "listener-values": BALANCER,
    "secret-values": PROVIDER,
    "caller-permissions": CALLER,
    "resource-schema": ELSEWHERE,
    "policy-principals": LISTED,
    "deployer-reaches-api-server": PLACE,
}
"""Rule of what AWS or EKS decide -> why no probe asks about it, with a cluster or without."""

UNASKED_WITHOUT_A_CLUSTER: Mapping[str, str] = {**UNASKED, **{probe.rule: CLUSTER for probe in ON_CLUSTER}}
