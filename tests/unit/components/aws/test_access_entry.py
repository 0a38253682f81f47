import pytest

from moka.components.aws.access_entry import AccessEntry, AccessEntryArgs, ClusterAccess, access_policy

ANALYST = "arn:aws:iam::111122223333:role/analyst"


def deploy_entry(deploy, **changes):
    access = ClusterAccess(principal_arn=ANALYST, level="view", **changes)
    args = AccessEntryArgs(cluster_name="spark-a", region="us-east-1", access=access)
    stack = deploy(lambda: AccessEntry("analyst", args))
    [entry] = stack.inputs("aws:eks/accessEntry:AccessEntry")
    [association] = stack.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    return entry, association


def test_somebody_enters_the_whole_cluster_unless_namespaces_are_named(deploy):
    entry, association = deploy_entry(deploy)

    assert (entry["clusterName"], entry["principalArn"]) == ("spark-a", ANALYST)
    assert association["policyArn"] == "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    assert association["accessScope"] == {"type": "cluster"}


def test_namespaces_bound_what_somebody_may_do(deploy):
    _, association = deploy_entry(deploy, namespaces=("spark-jobs",))

    assert association["accessScope"] == {"type": "namespace", "namespaces": ["spark-jobs"]}


@pytest.mark.parametrize(
    ("level", "namespaces", "policy"),
    [
        ("admin", (), "AmazonEKSClusterAdminPolicy"),
        ("edit", (), "AmazonEKSEditPolicy"),
        ("view", (), "AmazonEKSViewPolicy"),
        ("admin", ("jobs",), "AmazonEKSAdminPolicy"),
        ("edit", ("jobs",), "AmazonEKSEditPolicy"),
        ("view", ("jobs",), "AmazonEKSViewPolicy"),
    ],
)
def test_an_administrator_of_namespaces_is_not_one_of_the_cluster(level, namespaces, policy):
    assert access_policy(level, namespaces, "us-east-1").endswith(f":cluster-access-policy/{policy}")


def test_access_policies_are_of_the_partition_of_the_region():
    assert access_policy("admin", (), "cn-north-1").startswith("arn:aws-cn:eks::aws:")


def test_who_only_has_groups_may_do_what_these_are_bound_to(deploy):
    access = ClusterAccess(principal_arn=ANALYST, groups=("moka:jobs:spark-jobs:edit",))
    args = AccessEntryArgs(cluster_name="spark-a", region="us-east-1", access=access)
    stack = deploy(lambda: AccessEntry("analyst", args))

    [entry] = stack.inputs("aws:eks/accessEntry:AccessEntry")
    assert entry["kubernetesGroups"] == ["moka:jobs:spark-jobs:edit"]
    assert stack.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation") == []
