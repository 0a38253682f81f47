import json

import pytest

from report.subjects.identities import identities
from tests.support.report_steps import preview, says, step

ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def statement(actions, resources="*", effect="Allow", **more):
    return {"Effect": effect, "Action": actions, "Resource": resources, **more}


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def change(before, after, **options):
    """What the report says where the policy of role `jobs` changes."""
    old, new = (
        None if text is None else {"role": "jobs", "policy": text if isinstance(text, str) else policy(*text)}
        for text in (before, after)
    )
    return identities(
        preview(step("pulumi:pulumi:Stack", old={}, new={}), step(ROLE_POLICY, "jobs", old, new))
    )


LOGS, DATA = "arn:aws:s3:::logs/*", "arn:aws:s3:::data/*"
ORG = {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([statement(["s3:GetObject", "s3:PutObject"])], [statement(["s3:PutObject", "s3:GetObject"])]),
        (
            [statement(["s3:GetObject", "s3:PutObject"], LOGS)],
            [statement("s3:GetObject", [LOGS]), statement(["s3:PutObject"], LOGS, Sid="Write")],
        ),
        (
            [statement("s3:GetObject", [LOGS, DATA])],
            [statement("S3:getobject", DATA), statement("s3:GetObject", LOGS)],
        ),
        ([statement("s3:GetObjec?", LOGS)], [statement("s3:GetObject", LOGS)]),
        (
            [statement("s3:GetObject", LOGS, Condition={"StringEquals": {"aws:PrincipalOrgID": ["o-1"]}})],
            [statement("s3:GetObject", LOGS, Condition={"StringEquals": {"AWS:PrincipalOrgId": "o-1"}})],
        ),
    ],
)
def test_another_way_to_write_the_same_rights_is_no_change(before, after):
    assert not change(before, after)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ([statement("s3:GetObject", LOGS)], [statement("s3:*", LOGS)], "more actions of s3 on"),
        ([], [statement("s3:*", LOGS)], "all of `s3` ("),
        (
            [statement("s3:GetObject", LOGS)],
            [statement("s3:GetObject", "arn:aws:s3:::*")],
            "`arn:aws:s3:::*`",
        ),
        ([statement("s3:GetObject", LOGS)], [statement("s3:GetObject", [LOGS, DATA])], f"on `{DATA}`"),
        (
            [statement("s3:GetObject", LOGS, Condition=ORG)],
            [statement("s3:GetObject", LOGS)],
            f"on `{LOGS}`.",
        ),
        (
            [statement("s3:GetObject", LOGS, Condition=ORG)],
            [
                statement(
                    "s3:GetObject", LOGS, Condition={"StringEquals": {"aws:PrincipalOrgID": ["o-1", "o-2"]}}
                )
            ],
            "where `aws:principalorgid` StringEquals `o-1` and `o-2`",
        ),
        (
            [statement("s3:*", LOGS), statement("s3:DeleteObject", "*", "Deny")],
            [statement("s3:*", LOGS)],
            "gains `s3:DeleteObject`",
        ),
        (
            [statement("s3:*", "*"), statement("s3:DeleteObject", LOGS, "Deny")],
            [statement("s3:*", "*")],
            f"gains `s3:DeleteObject` on `{LOGS}`",
        ),
        (
            [{"Effect": "Allow", "NotAction": ["iam:*", "s3:GetObject"], "Resource": LOGS}],
            [{"Effect": "Allow", "NotAction": "iam:*", "Resource": LOGS}],
            "gains `s3:GetObject`",
        ),
        (
            [statement("s3:GetObject", LOGS)],
            [{"Effect": "Allow", "Action": "s3:GetObject", "NotResource": LOGS}],
            f"on `all but {LOGS}`",
        ),
    ],
)
def test_rights_that_are_gained_are_named(before, after, sentence):
    section = change(before, after)

    assert "role jobs gains" in says(section, "look")
    assert sentence in says(section, "look")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([statement("s3:*", LOGS)], [statement("s3:GetObject", LOGS)]),
        ([statement("s3:GetObject", "*")], [statement("s3:GetObject", LOGS)]),
        ([statement("s3:GetObject", LOGS)], [statement("s3:GetObject", LOGS, Condition=ORG)]),
        ([statement("s3:*", "*")], [statement("s3:*", "*"), statement("s3:DeleteObject", "*", "Deny")]),
    ],
)
def test_rights_that_are_lost_may_be_missed(before, after):
    section = change(before, after)

    assert "role jobs loses" in says(section, "look")
    assert "gains" not in says(section)


@pytest.mark.parametrize("actions", ["*", "iam:*", ["iam:PutRolePolicy"], "sts:AssumeRole"])
def test_whoever_may_give_themselves_the_rest_stops_a_change(actions):
    assert "role jobs gains" in says(change([], [statement(actions)]), "stop")


def test_an_action_that_nobody_defines_is_named_as_it_is():
    assert "`new:Thing`" in says(change([], [statement("new:Thing", LOGS)]))


def test_a_policy_that_is_not_known_yet_is_said_to_be_so_and_takes_nothing_away():
    section = change([statement("s3:GetObject", LOGS)], UNKNOWN)

    assert "Not judged: role jobs: its policy is known only once it is up." in says(section, "look")
    assert "loses" not in says(section)


@pytest.mark.parametrize("text", ["", "{}", '{"Statement": ["x"]}', "[1]"])
def test_a_policy_that_is_none_is_said_to_be_so(text):
    assert "Not judged: role jobs" in says(change([], text), "look")


def attachment(arn):
    return {"role": "jobs", "policyArn": arn}


def test_a_policy_of_awss_counts_by_what_it_allows():
    kind = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
    section = identities(
        preview(
            step(
                ROLE_POLICY, "a", {"role": "jobs", "policy": policy()}, {"role": "jobs", "policy": policy()}
            ),
            step(kind, "admin", None, attachment("arn:aws:iam::aws:policy/AdministratorAccess")),
            step(kind, "own", None, attachment("arn:aws:iam::111122223333:policy/own")),
        )
    )

    assert "role jobs gains everything" in says(section, "stop")
    assert "what policy own allows is not known here" in says(section, "look").replace("\\", "")


def bucket_policy(principal, **more):
    grant = {"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": LOGS, **more}
    return {"bucket": "logs", "policy": policy(grant)}


@pytest.mark.parametrize("principal", ["*", {"AWS": "*"}])
def test_a_bucket_that_opens_to_anybody_stops_a_change(principal):
    kind = "aws:s3/bucketPolicy:BucketPolicy"

    section = identities(preview(step(kind, "logs", None, bucket_policy(principal))))

    assert "Anybody gains `s3:GetObject`" in says(section, "stop")


def test_a_bucket_that_opens_to_another_account_is_to_be_looked_at():
    kind = "aws:s3/bucketPolicy:BucketPolicy"
    other = "arn:aws:iam::999900001111:root"
    section = identities(
        preview(step(kind, "logs", bucket_policy({"AWS": "*"}, Effect="Deny"), bucket_policy({"AWS": other})))
    )

    assert "999900001111" in says(section, "look")


def role(**inputs):
    trust = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
        "Action": "sts:AssumeRole",
    }
    return {"name": "jobs", "assumeRolePolicy": policy(trust), **inputs}


def test_who_may_take_a_role_is_a_right():
    trust = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::999900001111:root"},
        "Action": "sts:AssumeRole",
    }
    section = identities(
        preview(step("aws:iam/role:Role", "jobs", role(), role(assumeRolePolicy=policy(trust))))
    )

    assert "999900001111:root gains `sts:AssumeRole` on `role jobs`" in says(section, "look")


def test_a_boundary_that_is_taken_off_stops_a_change():
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    section = identities(
        preview(step("aws:iam/role:Role", "jobs", role(permissionsBoundary=boundary), role()))
    )

    assert "has no permissions boundary any more" in says(section, "stop")


def test_a_role_that_is_made_anew_with_another_name_holds_what_it_held():
    grants = policy(statement("s3:GetObject", LOGS))
    section = identities(
        preview(
            step("aws:iam/role:Role", "jobs", role(name="jobs-1"), role(name="jobs-2"), op="replace"),
            step(
                ROLE_POLICY, "p", {"role": "jobs-1", "policy": grants}, {"role": "jobs-2", "policy": grants}
            ),
        )
    )

    assert not section


def test_pods_that_take_another_role_are_told_with_it():
    kind = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
    pods = {"clusterName": "a", "namespace": "jobs", "serviceAccount": "spark"}
    before, after = (
        {**pods, "roleArn": f"arn:aws:iam::111122223333:role/{name}"} for name in ("small", "big")
    )
    section = identities(preview(step(kind, "jobs", before, after)))

    assert "service account jobs/spark of a gains `take` on `role big`" in says(section, "look")


def test_who_becomes_an_administrator_of_a_cluster_is_told():
    kind = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
    entry = {"clusterName": "a", "principalArn": "arn:aws:iam::111122223333:role/on-call"}
    arn = "arn:aws:eks::aws:cluster-access-policy/"
    before = {**entry, "policyArn": f"{arn}AmazonEKSViewPolicy", "accessScope": {"namespaces": ["jobs"]}}
    after = {**entry, "policyArn": f"{arn}AmazonEKSClusterAdminPolicy", "accessScope": {"type": "cluster"}}
    section = identities(preview(step(kind, "on-call", before, after)))

    assert "gains `AmazonEKSClusterAdminPolicy` on `all namespaces of a`" in says(section, "look")


def test_names_of_resources_cannot_write_into_the_report():
    section = change([], [statement("s3:GetObject", "`x` | <img src=x>\n# @all")])

    assert "\n" not in says(section)
    assert "`'x' \\| <img src=x> # @all`" in says(section)
