import json

from moka.components.aws.entry_role import EntryRole, EntryRoleArgs

WORKERS = "arn:aws:iam::111122223333:role/acme-prod/home-archer-worker-*"


def made(deploy):
    args = EntryRoleArgs(
        name="acme-prod-spark-eu-archer",
        trusted=WORKERS,
        cluster_name="acme-prod-spark-eu",
        cluster_arn="arn:aws:eks:eu-west-1:444455556666:cluster/acme-prod-spark-eu",
        region="eu-west-1",
        groups=("moka:archer",),
        path="/acme-prod/",
    )
    return deploy(lambda: EntryRole("spark-eu-archer", args))


def test_only_roles_of_the_pattern_take_it_on_and_with_the_tags_of_their_sessions(deploy):
    [role] = made(deploy).inputs("aws:iam/role:Role")

    [statement] = json.loads(role["assumeRolePolicy"])["Statement"]
    assert statement["Principal"] == {"AWS": "arn:aws:iam::111122223333:root"}
    assert statement["Condition"] == {"ArnLike": {"aws:PrincipalArn": WORKERS}}
    assert set(statement["Action"]) == {"sts:AssumeRole", "sts:TagSession"}


def test_it_enters_its_own_cluster_in_its_groups_and_learns_where_that_is(deploy):
    recorder = made(deploy)

    [policy] = recorder.inputs("aws:iam/rolePolicy:RolePolicy")
    [statement] = json.loads(policy["policy"])["Statement"]
    [entry] = recorder.inputs("aws:eks/accessEntry:AccessEntry")
    assert statement["Action"] == ["eks:DescribeCluster"]
    assert statement["Resource"] == ["arn:aws:eks:eu-west-1:444455556666:cluster/acme-prod-spark-eu"]
    assert entry["kubernetesGroups"] == ["moka:archer"]
    assert not recorder.inputs("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
