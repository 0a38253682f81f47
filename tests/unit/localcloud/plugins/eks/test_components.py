"""The components of the `eks` plugin make what the real ones make, under the same names."""

import json
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pytest

from localcloud import unknowns
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.credentials import Principal
from localcloud.errors import Refusal
from localcloud.plugins.eks import kubeconfig
from localcloud.plugins.eks.arguments import CLUSTER
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.images import ami_type
from localcloud.plugins.eks.managed_node_group import ManagedNodeGroup, sizes
from localcloud.plugins.eks.vpc_cni_addon import configuration

INPUTS = {
    "name": "spark-a",
    "version": "1.34",
    "vpcId": "vpc-1",
    "subnetIds": ["subnet-1", "subnet-2"],
    "authenticationMode": "API",
    "skipDefaultNodeGroup": True,
    "skipDefaultSecurityGroups": True,
    "vpcCniOptions": {"addonVersion": "v1.20.4-eksbuild.1"},
    "kubeProxyAddonOptions": {"version": "v1.34.1-eksbuild.2"},
}

# As the real plugin has them; states of stacks on AWS hold these names.
ALWAYS = {
    "eks:index:Cluster::a",
    "eks:index:Cluster$eks:index:ServiceRole::a-eksRole",
    "eks:index:Cluster$eks:index:ServiceRole$aws:iam/role:Role::a-eksRole-role",
    "eks:index:Cluster$eks:index:ServiceRole$aws:iam/rolePolicyAttachment:RolePolicyAttachment"
    "::a-eksRole-4b490823",
    "eks:index:Cluster$aws:eks/cluster:Cluster::a-eksCluster",
    "eks:index:Cluster$aws:eks/addon:Addon::a-kube-proxy",
    "eks:index:Cluster$pulumi:providers:kubernetes::a-eks-k8s",
    "eks:index:Cluster$eks:index:VpcCniAddon::a-vpc-cni",
    "eks:index:Cluster$eks:index:VpcCniAddon$aws:eks/addon:Addon::a-vpc-cni",
}
SECURITY_GROUPS = {
    "eks:index:Cluster$aws:ec2/securityGroup:SecurityGroup::a-eksClusterSecurityGroup",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksClusterInternetEgressRule",
    "eks:index:Cluster$aws:ec2/securityGroup:SecurityGroup::a-nodeSecurityGroup",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksNodeIngressRule",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksNodeClusterIngressRule",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksExtApiServerClusterIngressRule",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksNodeInternetEgressRule",
    "eks:index:Cluster$aws:ec2/securityGroupRule:SecurityGroupRule::a-eksClusterIngressRule",
}


@pytest.fixture
def cluster(deploy, monkeypatch):
    """Make a cluster as the engine would ask for it."""
    monkeypatch.setattr(
        kubeconfig, "for_cluster", lambda endpoint, *rest: {"server": endpoint, "options": rest[-1]}
    )

    def make(**changes):
        return deploy(lambda: Cluster("a", {**INPUTS, **changes}, None))

    return make


def test_a_cluster_without_nodes_and_security_groups_is_made_of_the_same_resources(cluster):
    assert cluster().tree().keys() == ALWAYS


def test_security_groups_of_its_own_are_made_unless_skipped(cluster):
    assert cluster(skipDefaultSecurityGroups=False).tree().keys() == ALWAYS | SECURITY_GROUPS


def test_a_service_role_that_is_given_is_not_made(deploy, monkeypatch):
    monkeypatch.setattr(kubeconfig, "for_cluster", lambda *_: {})

    def program():
        role = aws.iam.Role("mine", assume_role_policy="{}")
        Cluster("a", {**INPUTS, "serviceRole": role}, None)

    recorder = deploy(program)

    assert recorder.by_name("aws:eks/cluster:Cluster")["a-eksCluster"]["roleArn"].endswith("mine")
    assert recorder.by_name("aws:iam/role:Role").keys() == {"mine"}


def test_core_dns_is_only_made_when_asked_for(cluster):
    assert "a-coredns" not in cluster().by_name("aws:eks/addon:Addon")
    recorder = cluster(corednsAddonOptions={"enabled": True, "version": "v1.12.4-eksbuild.1"})
    assert recorder.by_name("aws:eks/addon:Addon")["a-coredns"]["addonVersion"] == "v1.12.4-eksbuild.1"


def test_an_add_on_without_a_version_is_the_newest(cluster):
    recorder = cluster(kubeProxyAddonOptions={})

    assert recorder.by_name("aws:eks/addon:Addon")["a-kube-proxy"]["addonVersion"] == "v9-eksbuild.9"


def test_access_entries_and_their_policies_are_named_by_their_keys(cluster):
    entry = {
        "principalArn": "arn:aws:iam::111122223333:role/me",
        "accessPolicies": {"admin": {"policyArn": "arn:p", "accessScope": {"type": "cluster"}}},
    }
    recorder = cluster(accessEntries={"me": entry})

    assert recorder.tree().keys() - ALWAYS == {
        "eks:index:Cluster$aws:eks/accessEntry:AccessEntry::a-me",
        "eks:index:Cluster$aws:eks/accessEntry:AccessEntry"
        "$aws:eks/accessPolicyAssociation:AccessPolicyAssociation::a-me-admin",
    }


AWS_AUTH = "eks:index:Cluster$kubernetes:core/v1:ConfigMap::a-nodeAccess"
MACHINES = """\
- rolearn: arn:aws:iam::111122223333:role/admin
  username: admin
  groups:
    - system:masters
- rolearn: arn:aws:iam::123456789012:role/node
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
"""


def test_by_default_aws_auth_lets_in_roles_of_machines_and_whom_is_mapped(deploy, cluster):
    del cluster
    admin = {
        "roleArn": "arn:aws:iam::111122223333:role/admin",
        "username": "admin",
        "groups": ["system:masters"],
    }
    person = {"userArn": "arn:aws:iam::111122223333:user/me", "username": "me", "groups": []}

    def program():
        node = aws.iam.Role("node", assume_role_policy="{}")
        mode = {"authenticationMode": None, "roleMappings": [admin], "userMappings": [person]}
        Cluster("a", {**INPUTS, **mode, "instanceRoles": [node]}, None)

    recorder = deploy(program)

    inputs = recorder.by_name("kubernetes:core/v1:ConfigMap")["a-nodeAccess"]
    assert inputs["data"]["mapRoles"] == MACHINES
    assert inputs["data"]["mapUsers"].startswith(
        "- userarn: arn:aws:iam::111122223333:user/me\n  username: me\n"
    )
    assert "accessConfig" not in recorder.by_name("aws:eks/cluster:Cluster")["a-eksCluster"]


def test_storage_classes_are_named_by_their_keys(cluster):
    gp2 = {"type": "gp2", "encrypted": True, "default": True, "allowVolumeExpansion": True}
    made = cluster(storageClasses={"fast": gp2}).by_name("kubernetes:storage.k8s.io/v1:StorageClass")

    assert made["a-fast"]["parameters"] == {"type": "gp2", "encrypted": "true"}
    assert made["a-fast"]["allowVolumeExpansion"] is True
    assert made["a-fast"]["metadata"]["annotations"] == {
        "storageclass.kubernetes.io/is-default-class": "true"
    }
    assert cluster(storageClasses="gp3").by_name("kubernetes:storage.k8s.io/v1:StorageClass")["a-gp3"]


def test_without_a_vpc_the_cluster_is_in_the_default_one(cluster):
    recorder = cluster(vpcId=None, subnetIds=None, skipDefaultSecurityGroups=False)

    [inputs] = recorder.inputs("aws:eks/cluster:Cluster")
    assert inputs["vpcConfig"]["subnetIds"] == ["subnet-default"]
    groups = recorder.by_name("aws:ec2/securityGroup:SecurityGroup")
    assert groups["a-nodeSecurityGroup"]["vpcId"] == "vpc-default"


def test_what_can_only_be_said_at_creation_is_no_change_later(cluster):
    request = cluster().tree()["eks:index:Cluster$aws:eks/cluster:Cluster::a-eksCluster"]

    assert set(request.ignoreChanges) == {
        "accessConfig.bootstrapClusterCreatorAdminPermissions",
        "bootstrapSelfManagedAddons",
    }


def test_the_control_plane_waits_until_its_role_may_do_its_work(cluster):
    request = cluster().tree()["eks:index:Cluster$aws:eks/cluster:Cluster::a-eksCluster"]

    assert {urn.rpartition("::")[2] for urn in request.dependencies} >= {
        "a-eksRole-role",
        "a-eksRole-4b490823",
    }


def test_arguments_reach_the_control_plane(cluster):
    inputs = cluster(
        endpointPrivateAccess=True,
        endpointPublicAccess=False,
        encryptionConfigKeyArn="arn:aws:kms:::key/k",
        enabledClusterLogTypes=["audit"],
        deletionProtection=True,
        bootstrapSelfManagedAddons=False,
        clusterTags={"team": "spark", "stage": "dev"},
        tags={"stage": "prod"},
    ).by_name("aws:eks/cluster:Cluster")["a-eksCluster"]

    assert inputs["vpcConfig"] == {
        "subnetIds": ["subnet-1", "subnet-2"],
        "endpointPrivateAccess": True,
        "endpointPublicAccess": False,
    }
    assert inputs["encryptionConfig"] == {
        "provider": {"keyArn": "arn:aws:kms:::key/k"},
        "resources": ["secrets"],
    }
    assert inputs["accessConfig"] == {
        "authenticationMode": "API",
        "bootstrapClusterCreatorAdminPermissions": True,
    }
    assert inputs["tags"] == {"Name": "a-eksCluster", "team": "spark", "stage": "prod"}
    assert (inputs["enabledClusterLogTypes"], inputs["deletionProtection"]) == (["audit"], True)
    assert inputs["bootstrapSelfManagedAddons"] is False


def test_the_kubernetes_provider_gets_the_kubeconfig_of_the_cluster(cluster):
    provider = cluster().by_name("pulumi:providers:kubernetes")["a-eks-k8s"]

    assert json.loads(provider["kubeconfig"]) == {"server": "https://cluster.example", "options": {}}


def test_the_kubeconfig_is_of_the_role_that_is_to_be_assumed(cluster):
    options = {"roleArn": "arn:aws:iam::111122223333:role/deployer", "profileName": "prod"}

    CLUSTER.check("eks.Cluster a", {**INPUTS, "providerCredentialOpts": options})
    provider = cluster(providerCredentialOpts=options).by_name("pulumi:providers:kubernetes")["a-eks-k8s"]

    assert json.loads(provider["kubeconfig"])["options"] == options


DEPLOYER = "arn:aws:iam::111122223333:role/moka-deployer"
CLUSTER_ARN = "arn:aws:eks:us-west-2:111122223333:cluster/spark-a"


@pytest.fixture
def plane(tmp_path, monkeypatch):
    """A control plane that was made and never started, and a project that says who deploys."""
    monkeypatch.setenv("MOKA_CLOUD", str(tmp_path / "cloud"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    (project / "localcloud.yaml").write_text("identities: {'111122223333': role/moka-deployer}\n")
    monkeypatch.chdir(project)
    plane = ControlPlane(Cloud.of_environment(), "spark-a")
    plane.credentials.make()
    plane.ports.keep("kube-apiserver")
    return plane


@pytest.mark.parametrize(
    ("options", "cluster_arn", "who"),
    [
        ({}, CLUSTER_ARN, Principal(DEPLOYER, "laptop")),
        (
            {"roleArn": "arn:aws:iam::1:role/other"},
            CLUSTER_ARN,
            Principal("arn:aws:iam::1:role/other", "EKSGetTokenAuth"),
        ),
        (
            {},
            "arn:aws:eks:us-east-1:123456789012:cluster/spark-a",
            Principal("arn:aws:iam::123456789012:user/laptop"),
        ),
        (
            {},
            "arn:aws-cn:eks:cn-north-1:111122223333:cluster/spark-a",
            Principal("arn:aws-cn:iam::111122223333:role/moka-deployer", "laptop"),
        ),
    ],
)
def test_a_kubeconfig_signs_in_as_who_deploys(plane, options, cluster_arn, who):
    config = kubeconfig.for_cluster(plane.endpoint, "Y2E=", cluster_arn, options)

    token = Path(config["users"][0]["user"]["tokenFile"]).read_text()
    assert plane.credentials.principal(token) == who


def test_where_nobody_says_who_deploys_it_is_an_administrator_and_that_is_noted(plane):
    elsewhere = "arn:aws:eks:us-west-2:999999999999:cluster/spark-a"

    config = kubeconfig.for_cluster(plane.endpoint, "Y2E=", elsewhere, {})

    assert Path(config["users"][0]["user"]["tokenFile"]) == plane.token_file
    [unknown] = unknowns.noted(plane.cloud)
    assert "whose credentials `up` has in account 999999999999" in unknown


def test_a_kubeconfig_names_the_endpoint_its_authority_and_where_the_token_is(tmp_path):
    config = kubeconfig.kubeconfig("https://127.0.0.1:6443", "Y2E=", tmp_path / "token")

    assert config["clusters"][0]["cluster"] == {
        "server": "https://127.0.0.1:6443",
        "certificate-authority-data": "Y2E=",
    }
    assert config["users"][0]["user"] == {"tokenFile": str(tmp_path / "token")}


# Recorded from the real plugin, for a cluster without vpcCniOptions.
RECORDED = {
    "env": {
        "AWS_VPC_ENI_MTU": "9001",
        "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "false",
        "AWS_VPC_K8S_CNI_EXTERNALSNAT": "false",
        "AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG",
        "AWS_VPC_K8S_CNI_LOG_FILE": "/host/var/log/aws-routed-eni/ipamd.log",
        "AWS_VPC_K8S_CNI_VETHPREFIX": "eni",
        "AWS_VPC_K8S_PLUGIN_LOG_FILE": "/var/log/aws-routed-eni/plugin.log",
        "AWS_VPC_K8S_PLUGIN_LOG_LEVEL": "DEBUG",
        "ENABLE_POD_ENI": "false",
        "WARM_ENI_TARGET": "1",
    },
    "init": {"env": {"DISABLE_TCP_EARLY_DEMUX": "false"}},
}


def test_the_vpc_cni_is_configured_as_the_real_plugin_does_by_default():
    assert configuration({}) == RECORDED


def test_settings_of_the_vpc_cni_become_its_environment():
    values = configuration({"enablePrefixDelegation": True, "warmPrefixTarget": 1.0, "cniExternalSnat": True})

    assert values["env"]["ENABLE_PREFIX_DELEGATION"] == "true"
    assert values["env"]["WARM_PREFIX_TARGET"] == "1"
    assert values["env"]["AWS_VPC_K8S_CNI_EXTERNALSNAT"] == "true"


def test_configuration_values_win_over_settings_of_the_vpc_cni():
    values = {"env": {"WARM_ENI_TARGET": "5"}, "init": {"image": "i"}, "enableNetworkPolicy": "false"}
    merged = configuration({"configurationValues": values, "enableNetworkPolicy": True})

    assert merged["env"]["WARM_ENI_TARGET"] == "5"
    assert merged["init"] == {"image": "i", "env": {"DISABLE_TCP_EARLY_DEMUX": "false"}}
    assert merged["enableNetworkPolicy"] == "false"


@pytest.fixture
def node_group(deploy):
    """Make a node group as the engine would ask for it."""

    def make(mode="API", **changes):
        def program():
            cluster = aws.eks.Cluster(
                "c",
                name="spark-a",
                version="1.34",
                role_arn="r",
                vpc_config={"subnet_ids": []},
                access_config={"authentication_mode": mode},
            )
            core = {"cluster": cluster, "subnetIds": ["subnet-9"]}
            inputs = {"cluster": core, "nodeRoleArn": "arn:aws:iam::111122223333:role/node", **changes}
            ManagedNodeGroup("executor", inputs, None)

        return deploy(program)

    return make


def test_a_node_group_takes_from_its_cluster_what_it_is_not_told(node_group):
    [inputs] = node_group().inputs("aws:eks/nodeGroup:NodeGroup")

    assert (inputs["clusterName"], inputs["version"], inputs["subnetIds"]) == (
        "spark-a",
        "1.34",
        ["subnet-9"],
    )
    assert inputs["scalingConfig"] == {"desiredSize": 2, "minSize": 1, "maxSize": 2}


def test_a_launch_template_decides_the_version_unless_one_is_named(node_group):
    [inputs] = node_group(launchTemplate={"id": "lt-1", "version": "1"}).inputs("aws:eks/nodeGroup:NodeGroup")

    assert "version" not in inputs


def test_a_role_that_aws_auth_does_not_have_is_refused(node_group):
    with pytest.raises(Refusal, match="without first setting its role in the cluster's instanceRoles"):
        node_group(mode="CONFIG_MAP")


def test_the_number_of_nodes_is_no_change_when_scaling_is_ignored(node_group):
    place = "eks:index:ManagedNodeGroup$aws:eks/nodeGroup:NodeGroup::executor"

    assert list(node_group(ignoreScalingChanges=True).tree()[place].ignoreChanges) == [
        "scalingConfig.desiredSize"
    ]
    assert list(node_group().tree()[place].ignoreChanges) == []


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"amiType": "AL2023_x86_64_NVIDIA"}, "AL2023_x86_64_NVIDIA"),
        ({"operatingSystem": "AL2023", "gpu": True, "instanceTypes": ["g6.xlarge"]}, "AL2023_x86_64_NVIDIA"),
        ({"operatingSystem": "AL2023", "instanceTypes": ["r8g.large"]}, "AL2023_ARM_64_STANDARD"),
        ({"operatingSystem": "Bottlerocket"}, "BOTTLEROCKET_x86_64"),
        ({"gpu": True, "instanceTypes": ["g6.xlarge"]}, None),
    ],
)
def test_the_image_follows_from_the_system_where_it_is_not_named(node_group, arguments, kind):
    [inputs] = node_group(**arguments).inputs("aws:eks/nodeGroup:NodeGroup")

    assert inputs.get("amiType") == kind


def test_a_system_without_an_image_for_the_instance_types_is_refused():
    with pytest.raises(Refusal, match="workers: there is no image of AL2023 on arm64 with GPUs"):
        ami_type("workers", "AL2023", True, ["g5g.xlarge"])
    with pytest.raises(Refusal, match="share no architecture"):
        ami_type("workers", "AL2023", False, ["r8g.large", "r7i.large"])


def test_sizes_that_are_not_given_are_those_of_the_real_plugin():
    assert sizes({"minSize": 3}) == {"desiredSize": 2, "minSize": 3, "maxSize": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"proxy": "p"}, r"eks.Cluster a: the laptop cloud does not serve proxy: .*\."),
        ({"vpcCniOptions": {"securityContextPrivileged": True}}, r"vpcCniOptions.securityContextPrivileged"),
        ({"endpointPublic": True}, r"there is no argument endpointPublic: correct its name"),
        ({"nodeGroupOptions": {"bootstrapExtraArgs": "-x"}}, r"nodeGroupOptions.bootstrapExtraArgs"),
    ],
)
def test_an_argument_that_is_not_served_is_refused_by_its_name(arguments, sentence):
    with pytest.raises(Refusal, match=sentence):
        CLUSTER.check("eks.Cluster a", {**INPUTS, **arguments})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"authenticationMode": "CONFIG"}, "Allowed values are: CONFIG_MAP, API_AND_CONFIG_MAP, API"),
        ({"roleMappings": [{"roleArn": "arn:r"}]}, "'roleMappings' property does not support non-empty"),
        (
            {"authenticationMode": None, "accessEntries": {"me": {"principalArn": "arn:r"}}},
            "'accessEntries' property is not supported when 'authenticationMode' is not set: set it to API",
        ),
        ({"publicSubnetIds": ["subnet-1"]}, "subnetIds excludes publicSubnetIds"),
        ({"publicAccessCidrs": ["0.0.0.0/0"], "endpointPublicAccess": False}, "publicAccessCidrs"),
    ],
)
def test_arguments_that_contradict_are_refused(arguments, sentence):
    with pytest.raises(Refusal, match=sentence):
        pulumi.runtime.test(lambda: Cluster("a", {**INPUTS, **arguments}, None))()
