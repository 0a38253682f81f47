"""Launch templates that EKS takes for a node group, and those that it refuses or that give no nodes."""

from base64 import b64encode

import pytest

from aws_rules.nodes.templates import refused_template, switched_image, unlaunched

CLUSTER = {
    "name": "main",
    "endpoint": "https://main.example",
    "certificateAuthority": {"data": "Y2VydGlmaWNhdGU="},
}
GROUP = {"amiType": "AL2023_x86_64_STANDARD"}


def user_data(config: str) -> dict[str, str]:
    lines = [
        "MIME-Version: 1.0",
        'Content-Type: multipart/mixed; boundary="//"',
        "",
        "--//",
        "Content-Type: application/node.eks.aws",
        "",
        config,
        "--//--",
        "",
    ]
    return {"UserData": b64encode("\n".join(lines).encode()).decode()}


def node_config(spec: str) -> dict[str, str]:
    return user_data(f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {spec}")


def root_disk(gib: int, device: str = "/dev/xvda") -> dict[str, object]:
    return {"BlockDeviceMappings": [{"DeviceName": device, "Ebs": {"VolumeSize": gib}}]}


@pytest.mark.parametrize(
    ("settings", "data", "words"),
    [
        ({}, {"InstanceMarketOptions": {"MarketType": "spot"}}, "Instance market options are not supported"),
        ({}, {"IamInstanceProfile": {"Name": "mine"}}, "an IAM instance profile, which is prohibited"),
        ({}, {"HibernationOptions": {"Configured": True}}, "Stop - Hibernate behavior"),
        ({}, {"InstanceInitiatedShutdownBehavior": "terminate"}, "a shutdown behavior"),
        ({}, {"NetworkInterfaces": [{"SubnetId": "subnet-1"}]}, "a subnet under its network interfaces"),
        (
            {"instanceTypes": ["m7g.large"]},
            {"InstanceType": "m7g.large"},
            "Cannot specify instance types in launch template and API request",
        ),
        ({"diskSize": 50}, {}, "Disk size must be specified within the launch template"),
        ({"remoteAccess": {"ec2SshKey": "k"}}, {}, "Remote access configuration cannot be specified"),
        (GROUP, {"ImageId": "ami-1"}, "You cannot specify an AMI Type when specifying an image id"),
        ({"version": "1.34"}, {"ImageId": "ami-1"}, "You cannot specify the field version"),
        ({"amiType": "CUSTOM"}, {}, "AMI type CUSTOM needs an image id"),
    ],
)
def test_a_template_that_eks_does_not_take_is_refused(settings, data, words):
    [violation] = refused_template("group", settings, data)

    assert words in violation.message


@pytest.mark.parametrize(
    ("settings", "data"),
    [
        ({**GROUP, "instanceTypes": ["m7i.large"], "version": "1.34"}, root_disk(100)),
        ({}, {"InstanceType": "m7i.large", "NetworkInterfaces": [{"Groups": ["sg-1"]}]}),
        ({"amiType": "CUSTOM", "instanceTypes": ["m7i.large"]}, {"ImageId": "ami-1"}),
    ],
)
def test_a_template_that_says_what_the_group_does_not_is_taken(settings, data):
    assert list(refused_template("group", settings, data)) == []


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (
            {"NetworkInterfaces": [{"Groups": ["sg-1"]}], "SecurityGroupIds": ["sg-1"]},
            "AsgInstanceLaunchFailures",
            "may not be specified on the same request",
        ),
        ({"MetadataOptions": {"HttpEndpoint": "disabled"}}, "NodeCreationFailure", "metadata service"),
        (root_disk(10), "AsgInstanceLaunchFailures", "expect size >= 20GB"),
        (
            {"UserData": b64encode(b"#!/bin/sh\ntrue\n").decode()},
            "Ec2LaunchTemplateInvalidConfiguration",
            "User data was not in the MIME multipart format",
        ),
        (user_data("kind: Pod"), "NodeCreationFailure", "nodeadm reads no NodeConfig"),
        (user_data("}{"), "NodeCreationFailure", "nodeadm reads no NodeConfig"),
        (
            node_config("{cluster: {name: other}}"),
            "NodeCreationFailure",
            "other for the cluster's name, not main",
        ),
        (
            node_config("{cluster: {certificateAuthority: b3RoZXI=}}"),
            "NodeCreationFailure",
            "cluster's certificateAuthority",
        ),
    ],
)
def test_a_template_whose_machines_would_not_start_or_not_join_is_refused(data, code, words):
    [violation] = unlaunched("group", GROUP, data, CLUSTER)

    assert violation.code == code
    assert words in violation.message


@pytest.mark.parametrize(
    ("group", "data"),
    [
        (GROUP, {}),
        (GROUP, root_disk(20)),
        (GROUP, root_disk(8, "/dev/xvdb")),
        (GROUP, {"MetadataOptions": {"HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 1}}),
        (GROUP, node_config("{kubelet: {config: {maxPods: 110}}}")),
        (GROUP, node_config("{cluster: {name: main, apiServerEndpoint: 'https://main.example'}}")),
        (
            {"amiType": "BOTTLEROCKET_x86_64"},
            {**root_disk(4), "UserData": b64encode(b"[settings]\n").decode()},
        ),
    ],
)
def test_a_template_whose_machines_start_is_not_refused(group, data):
    assert list(unlaunched("group", group, data, CLUSTER)) == []


OWN = {"amiType": "CUSTOM"}
TOLD = "name: main, apiServerEndpoint: 'https://main.example', certificateAuthority: Y2VydGlmaWNhdGU="


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "Name is missing in cluster configuration"),
        (node_config("{kubelet: {config: {maxPods: 110}}}"), "Name is missing in cluster configuration"),
        (node_config(f"{{cluster: {{{TOLD}}}}}"), "CIDR is missing in cluster configuration"),
        (
            node_config(f"{{cluster: {{{TOLD}, cidr: 10.100.0.0/16, name: other}}}}"),
            "other for the cluster's name",
        ),
    ],
)
def test_machines_of_ones_own_image_do_not_join_where_their_user_data_do_not_say_how(data, words):
    [violation] = unlaunched("group", OWN, data, CLUSTER)

    assert (violation.code, words in violation.message) == ("NodeCreationFailure", True)


@pytest.mark.parametrize(
    "data",
    [
        node_config(f"{{cluster: {{{TOLD}, cidr: 10.100.0.0/16}}}}"),
        # An image that something else starts.
        {"UserData": b64encode(b"#!/bin/sh\n/opt/acme/join main\n").decode()},
    ],
)
def test_machines_of_ones_own_image_join_where_they_may_know_how(data):
    assert list(unlaunched("group", OWN, data, CLUSTER)) == []


@pytest.mark.parametrize(("old", "new"), [({}, {"ImageId": "ami-1"}), ({"ImageId": "ami-1"}, {})])
def test_no_group_goes_from_eks_image_to_ones_own_or_back(old, new):
    [violation] = switched_image("group", old, new)

    assert "You must create a new node group to switch" in violation.message
    assert list(switched_image("group", old, old)) == []


def test_a_group_goes_from_one_image_of_ones_own_to_another():
    assert list(switched_image("group", {"ImageId": "ami-1"}, {"ImageId": "ami-2"})) == []


REMOVED = node_config("{kubelet: {flags: [--v=2, --pod-infra-container-image=registry.k8s.io/pause]}}")


@pytest.mark.parametrize(("group", "cluster"), [("1.35", "1.35"), (None, "1.36")])
def test_a_flag_that_the_groups_kubelet_has_no_more_keeps_its_machines_from_joining(group, cluster):
    [violation] = unlaunched("group", {**GROUP, "version": group}, REMOVED, {**CLUSTER, "version": cluster})

    assert violation.code == "NodeCreationFailure"
    assert "does not start with the unknown flag --pod-infra-container-image" in violation.message


@pytest.mark.parametrize("group", ["1.34", None])
def test_a_flag_that_the_groups_kubelet_still_has_is_let(group):
    cluster = {**CLUSTER, "version": "1.35" if group else None}

    assert list(unlaunched("group", {**GROUP, "version": group}, REMOVED, cluster)) == []
