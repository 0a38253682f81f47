import json
from functools import cache

import pytest

from stacks import settings
from stacks.layers import cluster
from stacks.settings.cluster import NodeGroup

LOCAL = settings.path_of("local").read_text()
ADDON = "aws:eks/addon:Addon"


@pytest.fixture(scope="module")
def deployed(layers):
    """Layer cluster of `local`, or of other settings."""
    return cache(lambda text=LOCAL: layers(settings.parse(text, "stacks/local.yaml"), "cluster"))


def changed(where: str, more: str) -> str:
    """The laptop's settings with more lines before one of them."""
    assert LOCAL.count(where) == 1
    return LOCAL.replace(where, f"{more}{where}")


def group(**changes) -> NodeGroup:
    return NodeGroup.model_validate(
        {
            "role": "system",
            "architecture": "arm64",
            "instance_types": ["m7g.xlarge"],
            "minimum": 0,
            "maximum": 3,
            **changes,
        }
    )


def test_add_ons_that_need_nodes_come_after_every_node_group(deployed):
    tree = deployed().tree()

    needed = tree[f"moka:aws:Addons${ADDON}::spark-a-coredns"].dependencies
    groups = [place for place in tree if "eks:index:ManagedNodeGroup::" in place]
    assert groups
    assert all(any(urn.endswith(place.rpartition("::")[2]) for urn in needed) for place in groups)


def test_nodes_come_after_the_add_ons_that_they_cannot_do_without_and_go_before_them(deployed):
    tree = deployed().tree()

    groups = [request for place, request in tree.items() if "eks:index:ManagedNodeGroup::" in place]
    assert groups
    for request in groups:
        for addon in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent"):
            assert any(urn.endswith(f"{ADDON}::spark-a-{addon}") for urn in request.dependencies)


def test_pods_have_subnets_of_their_own_where_the_foundation_has_them(deployed):
    recorder = deployed()

    [cni] = [addon for addon in recorder.inputs(ADDON) if addon["addonName"] == "vpc-cni"]
    subnets = json.loads(cni["configurationValues"])["eniConfig"]["subnets"]
    assert subnets.keys() == {"us-east-1a", "us-east-1b", "us-east-1c"}


def test_the_api_server_is_reached_over_the_internet_from_the_networks_in_the_settings_alone(deployed):
    recorder = deployed(changed("    profile: adhoc", "    public_access: [54.240.193.0/24]\n"))

    [inputs] = recorder.inputs("eks:index:Cluster")
    assert (inputs["endpointPublicAccess"], inputs["publicAccessCidrs"]) == (True, ["54.240.193.0/24"])


def test_whoever_the_settings_name_may_enter(deployed):
    more = (
        "    access:\n"
        "      analysts:\n"
        "        principal: arn:aws:iam::123456789012:role/analysts\n"
        "        policy: view\n"
        "        namespaces: [spark-jobs]\n"
    )
    recorder = deployed(changed("    profile: adhoc", more))

    entries = recorder.by_name("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert entries["spark-a-access-analysts"]["principalArn"].endswith("role/analysts")
    assert entries["spark-a-access-analysts"]["accessScope"]["namespaces"] == ["spark-jobs"]


def test_who_may_work_with_jobs_is_in_the_groups_of_their_namespaces(deployed):
    more = (
        "    access:\n"
        "      developers: {principal: 'arn:aws:iam::123456789012:role/developer', jobs: edit}\n"
        "      analysts:\n"
        "        principal: arn:aws:iam::123456789012:role/analyst\n"
        "        policy: view\n"
        "        jobs: view\n"
        "        namespaces: [spark-more]\n"
    )
    text = changed("    profile: adhoc", more).replace(
        "job_namespaces:\n", "job_namespaces:\n  spark-more: {}\n"
    )
    entries = deployed(text).by_name("aws:eks/accessEntry:AccessEntry")

    assert entries["spark-a-access-developers"]["kubernetesGroups"] == [
        "moka:jobs:spark-more:edit",
        "moka:jobs:spark-jobs:edit",
    ]
    assert entries["spark-a-access-analysts"]["kubernetesGroups"] == ["moka:jobs:spark-more:view"]


def test_logs_of_the_control_plane_are_kept_as_long_as_the_settings_say(deployed):
    recorder = deployed(f"{LOCAL}\nretention: {{control_plane_logs: 30}}\n")

    groups = recorder.inputs("aws:cloudwatch/logGroup:LogGroup")
    days = {group["name"]: group["retentionInDays"] for group in groups}
    assert days["/aws/eks/moka-local-spark-a/cluster"] == 30


def test_a_cluster_may_write_fewer_logs_and_keep_them_for_other_days_than_the_rest(deployed):
    fewer = "    control_plane_logs: {types: [audit, authenticator], days: 7}\n"
    recorder = deployed(changed("    profile: adhoc", fewer))

    group = recorder.by_name("aws:cloudwatch/logGroup:LogGroup")["spark-a"]
    [cluster] = recorder.inputs("eks:index:Cluster")
    assert group["retentionInDays"] == 7
    assert cluster["enabledClusterLogTypes"] == ["audit", "authenticator"]


@pytest.mark.parametrize(
    ("settings", "named"), [("{}", None), ("{log_class: infrequent-access}", "INFREQUENT_ACCESS")]
)
def test_the_class_of_its_log_group_is_named_where_it_is_not_the_default(deployed, settings, named):
    recorder = deployed(changed("    profile: adhoc", f"    control_plane_logs: {settings}\n"))

    assert recorder.by_name("aws:cloudwatch/logGroup:LogGroup")["spark-a"].get("logGroupClass") == named


def test_nodes_may_make_repositories_only_where_images_are_pulled_through_ecr(deployed):
    mirror = "123456789012.dkr.ecr.us-east-1.amazonaws.com/moka-local"
    policies = "aws:iam/rolePolicy:RolePolicy"

    def actions(recorder) -> set[str]:
        statements = json.loads(recorder.by_name(policies)["spark-a-node"]["policy"])["Statement"]
        return {action for statement in statements for action in statement["Action"]}

    assert "ecr:CreateRepository" not in actions(deployed())
    recorder = deployed(f"{LOCAL}\ncharts: {{mirror: {mirror}}}\n")
    assert "ecr:CreateRepository" in actions(recorder)


def test_an_account_is_entered_by_a_profile_where_the_settings_say_so_and_never_by_a_role(deployed):
    assumed = LOCAL.replace("user/laptop", "role/deployer\n    assume: true")
    providers = "pulumi:providers:aws"

    assert "profile" not in deployed().by_name(providers)["main"]
    recorder = deployed(assumed)
    provider = recorder.by_name(providers)["main"]
    assert provider["profile"] == "moka-local-123456789012"
    assert "assumeRoles" not in provider


def test_every_resource_has_the_tags_of_the_settings_besides_ours(deployed):
    recorder = deployed(f"{LOCAL}\ntags: {{cost-center: '4711'}}\n")

    tags = json.loads(recorder.by_name("pulumi:providers:aws")["main"]["defaultTags"])["tags"]
    assert tags.items() >= {"cost-center": "4711", "moka:environment": "local"}.items()


@pytest.mark.parametrize(
    ("groups", "size"),
    [
        ({"a": group()}, (3, 12)),
        ({"a": group(), "b": group(maximum=10, instance_types=["r7g.4xlarge", "r7g.8xlarge"])}, (13, 332)),
        ({"a": group(maximum=1, instance_types=["m7g.metal"])}, (1, cluster.METAL_VCPUS)),
    ],
)
def test_a_full_cluster_has_all_the_nodes_that_its_groups_may_have(groups, size):
    assert cluster.full_size(groups) == size
