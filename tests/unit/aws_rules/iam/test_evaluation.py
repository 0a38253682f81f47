"""The evaluation, on cases that AWS documents."""

import pytest

from aws_rules.iam.evaluation import Denial, Resource, Role, Service, Undecided, allowed, denial

HERE, THERE = "111111111111", "222222222222"
BUCKET = "arn:aws:s3:::data"
KEY = f"arn:aws:kms:us-east-1:{HERE}:key/k"
READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"{BUCKET}/*"}


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def role(*statements, account=HERE, name="job", **more):
    policies = (policy(*statements),) if statements else ()
    return Role(arn=f"arn:aws:iam::{account}:role/{name}", policies=policies, **more)


def resource(*statements, arn=f"{BUCKET}/a", account=HERE):
    return Resource(arn=arn, account=account, policy=policy(*statements) if statements else None)


def letting(principal, action="s3:GetObject", resource=f"{BUCKET}/*", effect="Allow", **more):
    return {"Effect": effect, "Principal": principal, "Action": action, "Resource": resource, **more}


def test_what_nothing_allows_is_denied():
    assert not allowed(role(), "s3:GetObject", resource())


def test_a_policy_allows_its_actions_on_its_resources():
    assert allowed(role(READ), "s3:GetObject", resource())
    assert not allowed(role(READ), "s3:PutObject", resource())
    assert not allowed(role(READ), "s3:GetObject", resource(arn="arn:aws:s3:::other/a"))


def test_actions_are_told_apart_without_case_and_resources_with_it():
    statement = {"Effect": "Allow", "Action": "S3:get*", "Resource": f"{BUCKET}/A"}

    assert allowed(role(statement), "s3:GetObject", resource(arn=f"{BUCKET}/A"))
    assert not allowed(role(statement), "s3:GetObject", resource(arn=f"{BUCKET}/a"))


def test_a_question_mark_is_one_character():
    statement = {**READ, "Resource": f"{BUCKET}/?"}

    assert allowed(role(statement), "s3:GetObject", resource(arn=f"{BUCKET}/a"))
    assert not allowed(role(statement), "s3:GetObject", resource(arn=f"{BUCKET}/ab"))


def test_all_but_some_actions_or_resources():
    statement = {"Effect": "Allow", "NotAction": "s3:Delete*", "NotResource": "arn:aws:s3:::secret/*"}

    assert allowed(role(statement), "s3:GetObject", resource())
    assert not allowed(role(statement), "s3:DeleteObject", resource())
    assert not allowed(role(statement), "s3:GetObject", resource(arn="arn:aws:s3:::secret/a"))


def test_a_denial_wins_wherever_it_is():
    deny = {"Effect": "Deny", "Action": "s3:*", "Resource": "*"}

    assert not allowed(role(READ, deny), "s3:GetObject", resource())
    assert not allowed(role(READ), "s3:GetObject", resource(letting("*", "s3:*", "*", "Deny")))
    assert not allowed(role(READ, boundary=policy(deny)), "s3:GetObject", resource())


def test_in_one_account_either_policy_is_enough():
    assert allowed(role(READ), "s3:GetObject", resource())
    assert allowed(role(), "s3:GetObject", resource(letting({"AWS": role().arn})))
    assert allowed(role(), "s3:GetObject", resource(letting("*")))


def test_an_account_leaves_it_to_its_own_policies():
    bucket = resource(letting({"AWS": f"arn:aws:iam::{HERE}:root"}))

    assert not allowed(role(), "s3:GetObject", bucket)
    assert allowed(role(READ), "s3:GetObject", bucket)


@pytest.mark.parametrize("principal", [f"arn:aws:iam::{THERE}:root", THERE, f"arn:aws:iam::{THERE}:role/job"])
def test_across_accounts_both_policies_are_needed(principal):
    bucket = resource(letting({"AWS": principal}))

    assert allowed(role(READ, account=THERE), "s3:GetObject", bucket)
    assert not allowed(role(account=THERE), "s3:GetObject", bucket)
    assert not allowed(role(READ, account=THERE), "s3:GetObject", resource())


def test_a_boundary_bounds_what_policies_give():
    elsewhere = policy({"Effect": "Allow", "Action": "ec2:*", "Resource": "*"})

    assert not allowed(role(READ, boundary=elsewhere), "s3:GetObject", resource())
    assert not allowed(role(boundary=policy(READ)), "s3:GetObject", resource())
    assert allowed(role(READ, boundary=policy(READ)), "s3:GetObject", resource())


def test_a_key_that_does_not_refer_to_its_account_takes_no_notice_of_its_policies():
    use = {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": KEY}
    refers = resource(letting({"AWS": f"arn:aws:iam::{HERE}:root"}, "kms:*", "*"), arn=KEY)
    names_another = resource(letting({"AWS": f"arn:aws:iam::{HERE}:role/other"}, "kms:*", "*"), arn=KEY)

    assert allowed(role(use), "kms:Decrypt", refers)
    assert not allowed(role(), "kms:Decrypt", refers)
    assert not allowed(role(use), "kms:Decrypt", names_another)


def test_a_role_is_taken_by_those_that_its_trust_policy_names():
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {"StringEquals": {"aws:RequestTag/eks-cluster-name": "a"}},
    }
    taken = Resource(arn=role().arn, account=HERE, policy=policy(trust))
    pods = Service(name="pods.eks.amazonaws.com")
    take = {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"}

    assert allowed(pods, "sts:AssumeRole", taken, {"aws:RequestTag/eks-cluster-name": "a"})
    assert not allowed(pods, "sts:AssumeRole", taken, {"aws:RequestTag/eks-cluster-name": "b"})
    assert not allowed(Service(name="ec2.amazonaws.com"), "sts:AssumeRole", taken)
    assert not allowed(role(take, name="other"), "sts:AssumeRole", taken)


@pytest.mark.parametrize(
    ("operator", "values", "value", "holds"),
    [
        ("StringEquals", ["x", "a"], "a", True),
        ("StringEquals", "A", "a", False),
        ("StringEquals", "*", "a", False),
        ("StringEquals", "a", None, False),
        ("StringEqualsIfExists", "a", None, True),
        ("StringEqualsIgnoreCase", "A", "a", True),
        ("StringNotEquals", ["x", "y"], "a", True),
        ("StringNotEquals", ["x", "a"], "a", False),
        ("StringNotEquals", "a", None, True),
        ("StringLike", "team/*", "team/a/b", True),
        ("StringLike", "team/*", "other/a", False),
        ("StringNotLike", "team/*", "team/a", False),
        ("Bool", "false", "false", True),
        ("Bool", "false", "true", False),
        ("Null", "true", None, True),
        ("Null", "false", None, False),
        ("Null", "false", "a", True),
        ("ArnLike", "arn:aws:iam::*:role/acme-dev/*", f"arn:aws:iam::{HERE}:role/acme-dev/a", True),
        ("ArnLike", "arn:aws:iam::*:role/acme-dev/*", f"arn:aws:iam::{HERE}:role/acme-dev-2/a", False),
        ("ArnLike", "arn:aws:*:role/a", f"arn:aws:iam::{HERE}:role/a", False),
        ("ArnEquals", f"arn:aws:iam::{HERE}:role/*", f"arn:aws:iam::{HERE}:role/a", True),
        ("ArnNotLike", "arn:aws:iam::*:role/a", f"arn:aws:iam::{HERE}:role/b", True),
        ("ArnNotLike", "arn:aws:iam::*:role/a", None, True),
    ],
)
def test_conditions(operator, values, value, holds):
    statement = {**READ, "Condition": {operator: {"some:Key": values}}}

    assert allowed(role(statement), "s3:GetObject", resource(), {"some:key": value} if value else {}) == holds


def test_every_condition_has_to_hold():
    both = {"StringEquals": {"some:a": "1", "some:b": "2"}}

    assert allowed(
        role({**READ, "Condition": both}), "s3:GetObject", resource(), {"some:a": "1", "some:b": "2"}
    )
    assert not allowed(role({**READ, "Condition": both}), "s3:GetObject", resource(), {"some:a": "1"})


def test_a_variable_stands_for_what_the_session_says_of_itself():
    own = {**READ, "Resource": BUCKET + "/${aws:PrincipalTag/team}/*"}

    assert allowed(role(own, tags={"team": "a"}), "s3:GetObject", resource(arn=f"{BUCKET}/a/x"))
    assert not allowed(role(own, tags={"team": "a"}), "s3:GetObject", resource(arn=f"{BUCKET}/b/x"))
    assert not allowed(role(own), "s3:GetObject", resource(arn=f"{BUCKET}/a/x"))


def test_a_wildcard_in_a_tag_is_none():
    own = {**READ, "Resource": BUCKET + "/${aws:PrincipalTag/team}/*"}

    assert not allowed(role(own, tags={"team": "*"}), "s3:GetObject", resource(arn=f"{BUCKET}/b/x"))


def test_a_denial_by_who_asks_reaches_only_them():
    keep_out = letting(
        "*",
        "s3:*",
        f"{BUCKET}/*",
        "Deny",
        Condition={"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/b"}},
    )

    assert allowed(role(READ, name="a"), "s3:GetObject", resource(keep_out))
    assert not allowed(role(READ, name="b"), "s3:GetObject", resource(keep_out))


@pytest.mark.parametrize(
    ("operator", "values", "value", "holds"),
    [
        ("NumericLessThan", "900", "899", True),
        ("NumericLessThan", "900", "900", False),
        ("NumericGreaterThanEquals", ["900", "10"], "10", True),
        ("NumericNotEquals", "1", "1.0", False),
        ("DateGreaterThan", "2026-01-01T00:00:00Z", "2026-11-22T04:00:00Z", True),
        ("DateLessThan", "2026-01-01T00:00:00Z", "1800000000", False),
        ("IpAddress", ["10.0.0.0/8", "192.168.0.0/16"], "10.1.2.3", True),
        ("IpAddress", "10.0.0.1", "10.0.0.1", True),
        ("NotIpAddress", "10.0.0.0/8", "10.1.2.3", False),
        ("ForAllValues:StringEquals", ["a", "b"], ["a"], True),
        ("ForAllValues:StringEquals", ["a", "b"], ["a", "c"], False),
        ("ForAllValues:StringEquals", ["a", "b"], None, True),
        ("ForAnyValue:StringEquals", ["a", "b"], ["a", "c"], True),
        ("ForAnyValue:StringEquals", ["a", "b"], ["c"], False),
        ("ForAnyValue:StringEquals", ["a", "b"], None, False),
        ("ForAllValues:StringNotEquals", ["a"], ["b", "c"], True),
        ("ForAllValues:StringNotEquals", ["a"], ["a", "c"], False),
        ("ForAnyValue:StringNotEquals", ["a"], ["a", "c"], True),
    ],
)
def test_conditions_on_numbers_dates_addresses_and_several_values(operator, values, value, holds):
    statement = {**READ, "Condition": {operator: {"some:Key": values}}}

    assert allowed(role(statement), "s3:GetObject", resource(), {"some:key": value} if value else {}) == holds


def test_a_variable_may_have_a_default():
    own = {**READ, "Resource": BUCKET + "/${aws:PrincipalTag/team, 'none'}/*"}

    assert allowed(role(own), "s3:GetObject", resource(arn=f"{BUCKET}/none/x"))
    assert not allowed(role(own, tags={"team": "a"}), "s3:GetObject", resource(arn=f"{BUCKET}/none/x"))


def test_the_older_version_has_no_variables():
    own = {**READ, "Resource": BUCKET + "/${aws:PrincipalTag/team}/*"}
    old = Role(arn=role().arn, policies=({"Version": "2008-10-17", "Statement": [own]},), tags={"team": "a"})

    assert not allowed(old, "s3:GetObject", resource(arn=f"{BUCKET}/a/x"))


def test_a_session_policy_bounds_the_session():
    bounded = role(READ, session_policy=policy({**READ, "Resource": f"{BUCKET}/mine/*"}))

    assert allowed(bounded, "s3:GetObject", resource(arn=f"{BUCKET}/mine/a"))
    assert not allowed(bounded, "s3:GetObject", resource())
    assert not allowed(role(session_policy=policy(READ)), "s3:GetObject", resource())


def test_an_endpoint_lets_through_what_its_policy_allows():
    ours = policy(letting("*", "*", "*", Condition={"StringEquals": {"aws:PrincipalAccount": HERE}}))

    assert allowed(role(READ), "s3:GetObject", resource(), endpoint=ours)
    assert not allowed(role(READ, account=THERE), "s3:GetObject", resource(letting("*")), endpoint=ours)


@pytest.mark.parametrize(
    ("caller", "resource_policy", "endpoint", "reason"),
    [
        (role(), None, None, Denial(by="identity-based policy")),
        (role({**READ, "Effect": "Deny"}), None, None, Denial(by="identity-based policy", explicit=True)),
        (role(READ, boundary=policy({**READ, "Action": "s3:PutObject"})), None, None,
         Denial(by="permissions boundary")),
        (role(READ, session_policy=policy({**READ, "Action": "s3:PutObject"})), None, None,
         Denial(by="session policy")),
        (role(READ), letting("*", effect="Deny"), None, Denial(by="resource-based policy", explicit=True)),
        (role(READ, account=THERE), None, None, Denial(by="resource-based policy")),
        (role(READ), None, policy(letting("*", "s3:PutObject")), Denial(by="VPC endpoint policy")),
        (role(READ), None, policy(letting("*", effect="Deny")),
         Denial(by="VPC endpoint policy", explicit=True)),
    ],
)  # fmt: skip
def test_a_denial_says_which_type_of_policy_is_the_reason(caller, resource_policy, endpoint, reason):
    about = resource(*([resource_policy] if resource_policy else []))

    assert denial(caller, "s3:GetObject", about, endpoint=endpoint) == reason


def test_reasons_are_in_the_words_of_iam():
    assert Denial(by="identity-based policy").because("s3:GetObject") == (
        "because no identity-based policy allows the s3:GetObject action"
    )
    assert Denial(by="identity-based policy", explicit=True).because("s3:GetObject") == (
        "with an explicit deny in an identity-based policy"
    )
    assert Denial(by="VPC endpoint policy", explicit=True).because("s3:GetObject") == (
        "with an explicit deny in a VPC endpoint policy"
    )


def test_what_depends_on_where_a_request_comes_from_is_undecided_unless_it_makes_no_difference():
    from_there = {"Condition": {"StringEquals": {"aws:SourceVpce": "vpce-1"}}}
    unless_there = {"Condition": {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}}

    with pytest.raises(Undecided, match="aws:SourceVpce"):
        allowed(role({**READ, **from_there}), "s3:GetObject", resource())
    with pytest.raises(Undecided, match="aws:SourceVpce"):
        allowed(role(READ), "s3:GetObject", resource(letting("*", effect="Deny", **unless_there)))
    assert allowed(role({**READ, **from_there}), "s3:GetObject", resource(), {"aws:SourceVpce": "vpce-1"})
    assert allowed(role(READ, {**READ, **from_there}), "s3:GetObject", resource())
    assert not allowed(role({**READ, **from_there}), "s3:PutObject", resource())


@pytest.mark.parametrize(
    "condition",
    [
        {"StringLike": {"aws:userid": "AROA*:i-*"}},
        {"ArnLike": {"ec2:SourceInstanceARN": "arn:aws:ec2:*:*:instance/*"}},
        {"StringEquals": {"s3:ExistingObjectTag/kind": "log"}},
        {"StringEquals": {"aws:PrincipalTag/kubernetes-pod-name": "driver-1"}},
    ],
)
def test_a_key_that_a_request_has_on_aws_with_a_value_that_nobody_knows_here_is_undecided(condition):
    pod = {"kubernetes-pod-name": "pod-0"}

    with pytest.raises(Undecided):
        allowed(role({**READ, "Condition": condition}, tags=pod), "s3:GetObject", resource())


def test_a_variable_with_a_value_that_nobody_knows_here_is_undecided():
    mine = {**READ, "Resource": f"{BUCKET}/${{aws:userid}}/*"}

    with pytest.raises(Undecided, match="aws:userid"):
        allowed(role(mine), "s3:GetObject", resource(arn=f"{BUCKET}/AROA1:a/b"))
    assert not allowed(role(mine), "s3:GetObject", resource(arn="arn:aws:s3:::other/AROA1:a/b"))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}, False),
        ({"NumericGreaterThan": {"aws:EpochTime": "1577836800"}}, True),
        ({"StringEquals": {"s3:ResourceAccount": HERE}}, True),
        ({"StringEquals": {"s3:ResourceAccount": THERE}}, False),
        ({"StringEquals": {"s3:x-amz-acl": "private"}}, False),
        ({"StringEquals": {"aws:RequestTag/a": "b"}}, False),
    ],
)
def test_the_time_and_the_account_are_known_and_what_a_request_does_not_send_is_not_there(condition, holds):
    assert allowed(role({**READ, "Condition": condition}), "s3:GetObject", resource()) is holds


def test_a_key_that_is_off_is_nobody_s_whatever_policies_say():
    everybody = policy(letting("*", "kms:*", "*"))
    off = Resource(arn=KEY, account=HERE, policy=everybody, unusable=f"{KEY} is disabled")

    why = denial(role(), "kms:Decrypt", off)

    assert why is not None and why.unusable == f"{KEY} is disabled"


def test_an_operator_that_it_does_not_know_is_an_error():
    statement = {**READ, "Condition": {"StringRhymes": {"aws:UserName": "a"}}}

    with pytest.raises(Undecided):
        allowed(role(statement), "s3:GetObject", resource())


def test_a_wildcard_in_a_principal_is_an_error():
    with pytest.raises(Undecided):
        allowed(role(), "s3:GetObject", resource(letting({"AWS": "arn:aws:iam::*:role/a"})))
