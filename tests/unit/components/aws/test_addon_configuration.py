import json

import pytest

from moka.addon_versions import ADDON_VERSIONS, NODE_ADDONS
from moka.components.aws.addon_configuration import (
    cluster_addons,
    coredns_configuration,
    max_coredns_replicas,
    vpc_cni_configuration,
)
from moka.components.aws.addons import Addons, AddonsArgs

SUBNETS = {"us-east-1b": "subnet-b", "us-east-1a": "subnet-a"}


def installed(deploy, version="1.34", pod_subnets=SUBNETS):
    addons = cluster_addons(version, region="us-east-1", pod_subnets=pod_subnets, nodes=40, vcpus=640)
    args = AddonsArgs(cluster_name="spark-a", region="us-east-1", addons=addons)
    stack = deploy(lambda: Addons("spark-a", args))
    return {
        addon["addonName"]: json.loads(addon.get("configurationValues", "{}"))
        for addon in stack.inputs("aws:eks/addon:Addon")
    }


@pytest.mark.parametrize("version", ADDON_VERSIONS)
def test_every_kubernetes_version_has_all_add_ons_pinned(version):
    assert ADDON_VERSIONS[version].keys() == {*NODE_ADDONS, "coredns", "aws-ebs-csi-driver"}
    assert ADDON_VERSIONS[version]["kube-proxy"].startswith(f"v{version}.")


def test_pods_get_their_addresses_by_prefixes_and_network_policies_are_enforced(deploy):
    cni = installed(deploy)["vpc-cni"]

    assert cni["env"]["ENABLE_PREFIX_DELEGATION"] == "true"
    assert cni["env"]["WARM_PREFIX_TARGET"] == "1"
    assert cni["enableNetworkPolicy"] == "true"


def test_pods_in_subnets_of_their_own_have_an_eni_config_for_every_zone(deploy):
    cni = installed(deploy)["vpc-cni"]

    assert cni["env"]["AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG"] == "true"
    assert cni["env"]["ENI_CONFIG_LABEL_DEF"] == "topology.kubernetes.io/zone"
    assert cni["eniConfig"] == {
        "create": True,
        "region": "us-east-1",
        "subnets": {"us-east-1a": {"id": "subnet-a"}, "us-east-1b": {"id": "subnet-b"}},
    }


def test_pods_in_the_subnets_of_their_nodes_need_no_eni_config(deploy):
    cni = installed(deploy, pod_subnets={})["vpc-cni"]

    assert "eniConfig" not in cni
    assert cni["env"].keys() == {"ENABLE_PREFIX_DELEGATION", "WARM_PREFIX_TARGET"}


def test_every_value_of_the_cnis_environment_is_text():
    configuration = vpc_cni_configuration("us-east-1", SUBNETS)

    assert all(isinstance(value, str) for value in configuration["env"].values())


def test_daemons_come_to_nodes_of_every_role(deploy):
    configurations = installed(deploy)

    assert configurations["eks-pod-identity-agent"]["tolerations"] == [{"operator": "Exists"}]
    assert configurations["aws-ebs-csi-driver"]["node"]["tolerateAllTaints"] is True


def test_what_serves_the_whole_cluster_is_on_system_nodes(deploy):
    configurations = installed(deploy)

    assert configurations["coredns"]["nodeSelector"] == {"moka.dev/role": "system"}
    assert configurations["aws-ebs-csi-driver"]["controller"]["nodeSelector"] == {"moka.dev/role": "system"}


@pytest.mark.parametrize(
    ("nodes", "vcpus", "replicas"),
    [(4, 32, 3), (160, 640, 10), (161, 640, 11), (160, 25600, 100), (100_000, 100, 1000)],
)
def test_a_full_cluster_has_a_replica_of_core_dns_for_16_nodes_or_256_vcpus(nodes, vcpus, replicas):
    assert max_coredns_replicas(nodes, vcpus) == replicas
    assert coredns_configuration(nodes, vcpus)["autoScaling"] == {
        "enabled": True,
        "minReplicas": 2,
        "maxReplicas": replicas,
    }


def test_core_dns_is_spread_over_zones_and_answers_while_it_goes():
    configuration = coredns_configuration(40, 640)

    assert [constraint["topologyKey"] for constraint in configuration["topologySpreadConstraints"]] == [
        "topology.kubernetes.io/zone",
        "kubernetes.io/hostname",
    ]
    assert "lameduck 30s" in configuration["corefile"]
