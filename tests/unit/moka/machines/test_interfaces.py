import gzip
import json
import math
from functools import cache
from pathlib import Path

import moto
import pytest

from moka.machines.interfaces import MOST_PREFIXES, has_prefixes, most_pods, pod_interfaces

MOST = 250
"""Pods of any node, at most."""


@cache
def machines():
    """What EC2 says of each instance type (DescribeInstanceTypes), as moto has recorded it."""
    file = Path(moto.__file__).parent / "ec2" / "resources" / "instance_types.json.gz"
    return json.loads(gzip.decompress(file.read_bytes()))


def test_machines_on_nitro_have_prefixes_and_others_none():
    wrong = [
        name
        for name, machine in machines().items()
        if has_prefixes(name) == (machine.get("Hypervisor") == "xen")
    ]

    assert wrong == []


def test_pods_are_as_many_as_the_interfaces_of_a_machine_have_addresses_for():
    for name, machine in machines().items():
        network = machine["NetworkInfo"]
        interfaces, addresses = network["MaximumNetworkInterfaces"], network["Ipv4AddressesPerInterface"]
        # Of each interface one address is its own, and one interface is not for pods.
        pods = (interfaces - 1) * (addresses - 1) * 16 + 2
        if has_prefixes(name):
            known = most_pods(name, pod_subnets=True)
            assert known == pods if known is not None else pods >= MOST, name


@pytest.mark.parametrize(("pod_subnets", "pods"), [(True, 50), (False, 98)])
def test_an_interface_is_not_for_pods_where_they_have_subnets_of_their_own(pod_subnets, pods):
    assert most_pods("r7g.medium", pod_subnets=pod_subnets) == pods


def test_a_machine_needs_an_interface_more_where_one_has_no_room_for_all_of_its_prefixes():
    assert pod_interfaces(["m7g.4xlarge"], prefixes=MOST_PREFIXES) == 1
    assert pod_interfaces(["m7g.4xlarge", "t3.medium"], prefixes=7) == 2


def test_interfaces_are_those_that_ec2_has_room_for_prefixes_on():
    wrong = {}
    for name, machine in machines().items():
        if not has_prefixes(name):
            continue
        pods = MOST if machine["VCpuInfo"]["DefaultVCpus"] >= 30 else 110
        prefixes = math.ceil(pods / 16)
        each = machine["NetworkInfo"]["Ipv4AddressesPerInterface"] - 1
        if each and pod_interfaces([name], prefixes) != math.ceil(prefixes / each):
            wrong[name] = math.ceil(prefixes / each)

    assert wrong == {}
