import json

import pulumi_aws as aws
import pytest

from moka.components.aws.access_entry import ClusterAccess
from moka.components.aws.addons import Addon, AddonIdentity
from moka.components.aws.cluster import Cluster, ClusterArgs, with_missing_arguments, with_profile

KEY = "arn:aws:kms:us-east-1:111122223333:key/k"
DEPLOYER = "arn:aws:iam::111122223333:role/deployer"


def args(**changes):
    usual = {
        "name": "moka-test-spark-a",
        "region": "us-east-1",
        "version": "1.34",
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-1", "subnet-2"],
        "key_arn": KEY,
        "deployer_arn": DEPLOYER,
        "vpc_cni": Addon(
            version="v1.20.4-eksbuild.2",
            configuration={"env": {"WARM_PREFIX_TARGET": "1"}},
            identity=AddonIdentity(service_account="aws-node", policies=("AmazonEKS_CNI_Policy",)),
        ),
        "kube_proxy": Addon(version="v1.34.0-eksbuild.4"),
        "pod_identity_agent": Addon(version="v1.3.10-eksbuild.3"),
    }
    return ClusterArgs(**{**usual, **changes})


def cluster_inputs(deploy, **changes):
    [cluster] = deploy(lambda: Cluster("spark-a", args(**changes))).inputs("eks:index:Cluster")
    return cluster


def test_the_api_server_is_reached_from_the_network_alone(deploy):
    cluster = cluster_inputs(deploy)

    assert cluster["endpointPrivateAccess"] is True
    assert cluster["endpointPublicAccess"] is False
    assert "publicAccessCidrs" not in cluster


def test_services_have_the_addresses_that_they_are_given_or_those_that_eks_chooses(deploy):
    assert cluster_inputs(deploy, service_cidr="192.168.0.0/18")["kubernetesServiceIpAddressRange"] == (
        "192.168.0.0/18"
    )
    assert "kubernetesServiceIpAddressRange" not in cluster_inputs(deploy)


def test_networks_outside_that_may_reach_it_are_named_one_by_one(deploy):
    cluster = cluster_inputs(deploy, public_cidrs=("203.0.113.0/24",))

    assert cluster["endpointPublicAccess"] is True
    assert cluster["publicAccessCidrs"] == ["203.0.113.0/24"]


def test_connected_networks_and_groups_that_may_reach_it_are_let_in_on_its_port_only(deploy):
    ways_in = args(api_cidrs=("10.250.16.0/24",), api_groups=("sg-0123456789",))
    recorder = deploy(lambda: Cluster("a", ways_in))

    rules = recorder.by_name("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    assert {(rule["ipProtocol"], rule["fromPort"], rule["toPort"]) for rule in rules.values()} == {
        ("tcp", 443, 443)
    }
    assert {rule["securityGroupId"] for rule in rules.values()} == {"sg-cluster"}
    assert rules["a-api-10.250.16.0-24"]["cidrIpv4"] == "10.250.16.0/24"
    assert rules["a-api-sg-0123456789"]["referencedSecurityGroupId"] == "sg-0123456789"


def test_secrets_are_encrypted_with_the_given_key(deploy):
    assert cluster_inputs(deploy)["encryptionConfigKeyArn"] == KEY


def test_all_logs_of_the_control_plane_are_written(deploy):
    assert set(cluster_inputs(deploy)["enabledClusterLogTypes"]) == {
        "api",
        "audit",
        "authenticator",
        "controllerManager",
        "scheduler",
    }


def test_logs_of_the_control_plane_are_encrypted_and_end(deploy):
    [group] = deploy(lambda: Cluster("spark-a", args(log_days=30))).inputs("aws:cloudwatch/logGroup:LogGroup")

    assert group["name"] == "/aws/eks/moka-test-spark-a/cluster"
    assert (group["kmsKeyId"], group["retentionInDays"]) == (KEY, 30)


def test_a_cluster_comes_without_nodes_that_nobody_asked_for(deploy):
    assert cluster_inputs(deploy)["skipDefaultNodeGroup"] is True


def test_a_cluster_comes_without_add_ons_that_nobody_pinned(deploy):
    cluster = cluster_inputs(deploy)

    assert cluster["bootstrapSelfManagedAddons"] is False
    assert cluster["useDefaultVpcCni"] is True
    assert cluster["kubeProxyAddonOptions"]["enabled"] is False
    assert cluster["corednsAddonOptions"]["enabled"] is False


def test_add_ons_of_every_node_are_at_the_versions_that_were_named(deploy):
    stack = deploy(lambda: Cluster("spark-a", args()))

    installed = {addon["addonName"]: addon for addon in stack.inputs("aws:eks/addon:Addon")}
    assert {name: addon["addonVersion"] for name, addon in installed.items()} == {
        "vpc-cni": "v1.20.4-eksbuild.2",
        "kube-proxy": "v1.34.0-eksbuild.4",
        "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    }
    assert json.loads(installed["vpc-cni"]["configurationValues"]) == {"env": {"WARM_PREFIX_TARGET": "1"}}


def test_nodes_come_after_the_add_ons_that_they_cannot_do_without(deploy):
    def program():
        cluster = Cluster("spark-a", args())
        aws.ec2.LaunchTemplate("node", tags={"role": cluster.node_role_arn})

    stack = deploy(program)

    needed = stack.tree()["aws:ec2/launchTemplate:LaunchTemplate::node"].dependencies
    for addon in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent"):
        assert any(urn.endswith(f"aws:eks/addon:Addon::spark-a-{addon}") for urn in needed)


def test_the_vpc_cni_has_its_permissions_by_its_own_service_account_and_nodes_have_none_of_them(deploy):
    stack = deploy(lambda: Cluster("spark-a", args()))

    roles = {
        name: attachment["policyArn"].rpartition("/")[2]
        for name, attachment in stack.by_name("aws:iam/rolePolicyAttachment:RolePolicyAttachment").items()
    }
    assert roles == {
        "spark-a-cluster": "AmazonEKSClusterPolicy",
        "spark-a-vpc-cni-AmazonEKS_CNI_Policy": "AmazonEKS_CNI_Policy",
        "spark-a-node-AmazonEKSWorkerNodeMinimalPolicy": "AmazonEKSWorkerNodeMinimalPolicy",
        "spark-a-node-AmazonEC2ContainerRegistryPullOnly": "AmazonEC2ContainerRegistryPullOnly",
    }


def test_every_role_of_a_cluster_is_under_its_path_and_bounded(deploy):
    stack = deploy(
        lambda: Cluster("spark-a", args(path="/moka-test/", permissions_boundary_arn="arn:boundary"))
    )

    roles = stack.by_name("aws:iam/role:Role")
    assert roles.keys() == {"spark-a-cluster", "spark-a-node", "spark-a-vpc-cni"}
    assert {(role["path"], role["permissionsBoundary"]) for role in roles.values()} == {
        ("/moka-test/", "arn:boundary")
    }


def test_the_deployer_is_the_only_administrator(deploy):
    stack = deploy(lambda: Cluster("spark-a", args()))

    [entry] = stack.inputs("aws:eks/accessEntry:AccessEntry")
    [policy] = stack.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert entry["principalArn"] == DEPLOYER
    assert policy["principalArn"] == DEPLOYER
    assert policy["policyArn"].endswith("/AmazonEKSClusterAdminPolicy")
    assert policy["accessScope"] == {"type": "cluster"}


def test_others_enter_as_they_are_named_and_never_in_place_of_the_deployer(deploy):
    analyst = ClusterAccess(principal_arn="arn:aws:iam::111122223333:role/analyst", level="view")
    stack = deploy(lambda: Cluster("spark-a", args(access={"deployer": analyst})))

    policies = stack.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert {policy["principalArn"]: policy["policyArn"].rpartition("/")[2] for policy in policies} == {
        DEPLOYER: "AmazonEKSClusterAdminPolicy",
        analyst.principal_arn: "AmazonEKSViewPolicy",
    }


def test_the_kubeconfig_signs_in_with_a_profile_where_one_is_named_and_else_with_credentials_at_hand():
    program = {"command": "aws", "args": ["eks", "get-token", "--cluster-name", "spark"]}
    config = json.dumps({"users": [{"name": "aws", "user": {"exec": program}}]})

    [user] = json.loads(with_profile(config, "acme-world-1"))["users"]
    assert user["user"]["exec"]["args"] == [*program["args"], "--profile", "acme-world-1"]
    assert with_profile(config, None) == config


@pytest.mark.parametrize(("support", "support_type"), [("standard", "STANDARD"), ("extended", "EXTENDED")])
def test_support_of_the_kubernetes_version_is_chosen(deploy, support, support_type):
    assert cluster_inputs(deploy, support=support)["upgradePolicy"] == {"supportType": support_type}


@pytest.mark.parametrize("retain", [True, False])
def test_a_cluster_that_is_retained_is_protected_and_so_are_its_logs(deploy, retain):
    stack = deploy(lambda: Cluster("spark-a", args(retain=retain)))

    [cluster] = stack.inputs("eks:index:Cluster")
    logs = stack.tree()["moka:aws:Cluster$aws:cloudwatch/logGroup:LogGroup::spark-a"]
    assert cluster["deletionProtection"] is retain
    assert (logs.protect, logs.retainOnDelete) == (retain, retain)


def test_whoever_creates_the_cluster_gets_no_access_by_it():
    inputs = {"name": "spark-a", "accessConfig": {"authenticationMode": "API"}}

    assert with_missing_arguments(inputs, zonal_shift=True, tier="standard")["accessConfig"] == {
        "authenticationMode": "API",
        "bootstrapClusterCreatorAdminPermissions": False,
    }


@pytest.mark.parametrize("zonal_shift", [True, False])
def test_zonal_shift_is_said_either_way_and_nothing_else_is_changed(zonal_shift):
    inputs = with_missing_arguments(
        {"name": "spark-a", "version": "1.34"}, zonal_shift=zonal_shift, tier="standard"
    )

    assert inputs["zonalShiftConfig"] == {"enabled": zonal_shift}
    assert (inputs["name"], inputs["version"]) == ("spark-a", "1.34")


@pytest.mark.parametrize("tier", ["standard", "tier-4xl"])
def test_the_tier_of_the_control_plane_is_said_also_where_it_is_the_default(tier):
    inputs = with_missing_arguments({"name": "spark-a"}, zonal_shift=True, tier=tier)

    assert inputs["controlPlaneScalingConfig"] == {"tier": tier}


def test_a_cluster_tells_what_others_need_to_use_it(deploy):
    outputs = {}

    def program():
        cluster = Cluster("spark-a", args())
        for output in ("name", "arn", "endpoint", "certificate_authority", "security_group_id", "kubeconfig"):
            getattr(cluster, output).apply(lambda value, output=output: outputs.update({output: value}))

    deploy(program)

    assert outputs == {
        "name": "moka-test-spark-a",
        "arn": "arn:aws:::spark-a",
        "endpoint": "https://cluster.example",
        "certificate_authority": "Y2E=",
        "security_group_id": "sg-cluster",
        "kubeconfig": "{}",
    }
