"""The Pulumi program of probes: what they stand on, and every resource that AWS has to refuse."""

import json
from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from conformance.refusals.probe import Base, Cluster, Probe

NAME = "moka-conformance"
NETWORK = "10.213"
"""First two numbers of the VPC's addresses."""

TAGS = {"moka:conformance": "refusals"}
"""Of all that is made, so that what is left is found."""


def program(probes: Sequence[Probe], region: str, cluster: Cluster | None = None) -> None:
    """Register the base and, on it and on the cluster, the probes."""
    provider = aws.Provider("aws", region=region, default_tags={"tags": TAGS})
    opts = pulumi.ResourceOptions(provider=provider)
    base = _base(region, opts)
    for probe in probes:
        probe.type(probe.name, opts=opts, **probe.inputs_on(base, cluster))


def _base(region: str, opts: pulumi.ResourceOptions) -> Base:
    zones = (f"{region}a", f"{region}b")
    vpc = aws.ec2.Vpc(NAME, cidr_block=f"{NETWORK}.0.0/16", opts=opts)
    subnets = [
        aws.ec2.Subnet(
            f"{NAME}-{zone[-1]}",
            vpc_id=vpc.id,
            cidr_block=f"{NETWORK}.{number}.0/24",
            availability_zone=zone,
            opts=opts,
        )
        for number, zone in enumerate(zones)
    ]
    role = aws.iam.Role(
        NAME,
        assume_role_policy=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Action": "sts:AssumeRole",
                        "Principal": {"Service": ["eks.amazonaws.com", "eks-fargate-pods.amazonaws.com"]},
                    }
                ],
            }
        ),
        opts=opts,
    )
    bucket = aws.s3.Bucket(NAME, force_destroy=True, opts=opts)
    repository = aws.ecr.Repository(NAME, opts=opts)
    return Base(
        region=region,
        zones=zones,
        vpc_id=vpc.id,
        subnet_ids=(subnets[0].id, subnets[1].id),
        route_table_id=vpc.default_route_table_id,
        role_name=role.name,
        role_arn=role.arn,
        bucket=bucket.id,
        repository=repository.name,
    )
