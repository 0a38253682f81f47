"""The subnets of a cluster that nodes are in: its private ones, or all of them where all are public.

Source: computeWorkerSubnets in nodejs/eks/nodes/nodegroup.ts of github.com/pulumi/pulumi-eks.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network
from typing import Any

import pulumi
import pulumi_aws as aws

PRIVATE = [IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


def worker_subnets(
    subnet_ids: pulumi.Input[Sequence[str]], vpc_id: pulumi.Input[str], parent: pulumi.Resource
) -> pulumi.Output[list[str]]:
    """Ids of the subnets for nodes; parent: of the questions to EC2."""
    options = pulumi.InvokeOutputOptions(parent=parent)

    def table(filter: str, value: str) -> pulumi.Output[Sequence[str]]:
        filters = [aws.ec2.GetRouteTablesFilterArgs(name=filter, values=[value])]
        return aws.ec2.get_route_tables_output(vpc_id=vpc_id, filters=filters, opts=options).ids

    def public(subnet_id: str) -> pulumi.Output[bool]:
        # A subnet without a route table of its own has the VPC's main one.
        own, main = table("association.subnet-id", subnet_id), table("association.main", "true")
        first = pulumi.Output.all(own, main).apply(lambda ids: [*ids[0], *ids[1]][0])
        route_table = aws.ec2.get_route_table_output(route_table_id=first, opts=options)
        return route_table.routes.apply(leads_out)

    def choice(ids: Sequence[str]) -> pulumi.Output[list[str]]:
        return pulumi.Output.all(*(public(id) for id in ids)).apply(
            lambda flags: [id for id, flag in zip(ids, flags, strict=True) if not flag] or list(ids)
        )

    return pulumi.Output.from_input(subnet_ids).apply(choice)


def leads_out(routes: Iterable[Any]) -> bool:
    """Whether a route leads through a gateway to other than private addresses."""
    return any(route.gateway_id and not _private(route.cidr_block) for route in routes)


def _private(cidr: str) -> bool:
    return bool(cidr) and any(IPv4Network(cidr).subnet_of(network) for network in PRIVATE)
