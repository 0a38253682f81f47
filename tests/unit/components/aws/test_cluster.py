import json

from components.aws.addons import Addon
from components.aws.cluster import ADMINISTRATOR, Cluster, ClusterArgs, without_creator

KEY = "arn:aws:kms:us-east-1:111122223333:key/k"
DEPLOYER = "arn:aws:iam::111122223333:role/deployer"


def args(**changes):
    usual = {
        "name": "spark-a",
        "version": "1.34",
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-1", "subnet-2"],
        "secrets_key_arn": KEY,
        "deployer_arn": DEPLOYER,
        "vpc_cni": Addon(version="v1.20.4-eksbuild.2", configuration={"env": {"WARM_PREFIX_TARGET": "1"}}),
        "kube_proxy": Addon(version="v1.34.0-eksbuild.4"),
    }
    return ClusterArgs(**{**usual, **changes})


def made_cluster(deploy, **changes):
    [cluster] = deploy(lambda: Cluster("spark-a", args(**changes))).inputs("eks:index:Cluster")
    return cluster


def test_the_api_server_is_reached_from_the_network_alone(deploy):
    cluster = made_cluster(deploy)

    assert cluster["endpointPrivateAccess"] is True
    assert cluster["endpointPublicAccess"] is False
    assert "publicAccessCidrs" not in cluster


def test_networks_outside_that_may_reach_it_are_named_one_by_one(deploy):
    cluster = made_cluster(deploy, public_cidrs=("203.0.113.0/24",))

    assert cluster["endpointPublicAccess"] is True
    assert cluster["publicAccessCidrs"] == ["203.0.113.0/24"]


def test_secrets_are_encrypted_with_the_given_key(deploy):
    assert made_cluster(deploy)["encryptionConfigKeyArn"] == KEY


def test_all_logs_of_the_control_plane_are_kept(deploy):
    assert set(made_cluster(deploy)["enabledClusterLogTypes"]) == {
        "api",
        "audit",
        "authenticator",
        "controllerManager",
        "scheduler",
    }


def test_a_cluster_comes_without_nodes_that_nobody_asked_for(deploy):
    assert made_cluster(deploy)["skipDefaultNodeGroup"] is True


def test_add_ons_are_at_the_versions_that_were_named(deploy):
    cluster = made_cluster(deploy)

    assert cluster["vpcCniOptions"]["addonVersion"] == "v1.20.4-eksbuild.2"
    assert cluster["vpcCniOptions"]["configurationValues"] == {"env": {"WARM_PREFIX_TARGET": "1"}}
    assert cluster["kubeProxyAddonOptions"]["version"] == "v1.34.0-eksbuild.4"


def test_core_dns_waits_for_nodes(deploy):
    assert made_cluster(deploy)["corednsAddonOptions"]["enabled"] is False


def test_the_deployer_is_the_only_administrator(deploy):
    made = deploy(lambda: Cluster("spark-a", args()))

    [entry] = made.inputs("aws:eks/accessEntry:AccessEntry")
    [policy] = made.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert entry["principalArn"] == DEPLOYER
    assert (policy["principalArn"], policy["policyArn"]) == (DEPLOYER, ADMINISTRATOR)


def test_whoever_creates_the_cluster_gets_no_access_by_it():
    inputs = {"name": "spark-a", "accessConfig": {"authenticationMode": "API"}}

    assert without_creator(inputs) == {
        "name": "spark-a",
        "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
    }


def test_nodes_may_join_pull_images_and_give_addresses_and_nothing_else(deploy):
    made = deploy(lambda: Cluster("spark-a", args()))

    [role] = made.inputs("aws:iam/role:Role")
    policies = made.inputs("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert json.loads(role["assumeRolePolicy"])["Statement"][0]["Principal"] == {
        "Service": "ec2.amazonaws.com"
    }
    assert {policy["policyArn"].rpartition("/")[2] for policy in policies} == {
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEKS_CNI_Policy",
    }


def test_a_cluster_tells_what_others_need_to_use_it(deploy):
    told = {}

    def program():
        cluster = Cluster("spark-a", args())
        for output in ("name", "arn", "endpoint", "certificate_authority", "security_group_id", "kubeconfig"):
            getattr(cluster, output).apply(lambda value, output=output: told.update({output: value}))

    deploy(program)

    assert told == {
        "name": "spark-a",
        "arn": "arn:aws:::spark-a",
        "endpoint": "https://cluster.example",
        "certificate_authority": "Y2E=",
        "security_group_id": "sg-cluster",
        "kubeconfig": "{}",
    }
