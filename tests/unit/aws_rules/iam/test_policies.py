"""Policies as they are written: right ones, and one change each that AWS refuses or never applies."""

import copy
import json

import pytest

from aws_rules.iam import policies
from aws_rules.iam.policies import (
    BUCKET,
    ENDPOINT,
    IDENTITY,
    KEY,
    REGISTRY,
    REPOSITORY,
    SESSION,
    TRUST,
    mistakes,
)
from aws_rules.rule import Unknown, Violation

ACCOUNT = "arn:aws:iam::111122223333:root"
RIGHT = {
    "identity": (
        IDENTITY,
        {
            "Sid": "Resize",
            "Effect": "Allow",
            "Action": ["autoscaling:SetDesiredCapacity"],
            "Resource": "arn:aws:autoscaling:us-east-1:*:autoScalingGroup:*:autoScalingGroupName/*",
            "Condition": {"StringEquals": {"aws:ResourceTag/k8s.io/cluster-autoscaler/a": "owned"}},
        },
    ),
    "session": (
        SESSION,
        {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::data/*"},
    ),
    "trust": (
        TRUST,
        {
            "Effect": "Allow",
            "Principal": {"Service": "pods.eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": {"StringEquals": {"aws:RequestTag/kubernetes-namespace": "jobs"}},
        },
    ),
    "bucket": (
        BUCKET,
        {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:PutObject",
            "Resource": "arn:aws:s3:::data/*",
            "Condition": {"StringNotEquals": {"s3:x-amz-server-side-encryption": "aws:kms"}},
        },
    ),
    "key": (
        KEY,
        {
            "Effect": "Allow",
            "Principal": {"AWS": ACCOUNT},
            "Action": "kms:CreateGrant",
            "Resource": "*",
            "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
        },
    ),
    "endpoint": (
        ENDPOINT,
        {
            "Effect": "Allow",
            "Principal": "*",
            "Action": "*",
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:PrincipalAccount": "111122223333"}},
        },
    ),
    "repository": (
        REPOSITORY,
        {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "ecr:BatchGetImage"},
    ),
    "registry": (
        REGISTRY,
        {
            "Effect": "Allow",
            "Principal": {"AWS": ACCOUNT},
            "Action": "ecr:CreateRepository",
            "Resource": "arn:aws:ecr:us-east-1:111122223333:repository/docker.io/*",
        },
    ),
}


def verdicts(kind, *statements, partition="aws", **document):
    text = json.dumps({"Version": "2012-10-17", "Statement": list(statements), **document})
    return list(mistakes(text, kind, "policy p", partition))


def changed(name, change):
    """A right policy with one change: element -> value, None to leave it out."""
    kind, statement = RIGHT[name]
    statement = {**copy.deepcopy(statement), **change}
    return kind, {key: value for key, value in statement.items() if value is not None}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_policy_is_taken(name):
    assert verdicts(*RIGHT[name]) == []


@pytest.mark.parametrize(
    ("name", "change", "code", "words"),
    [
        ("identity", {"Action": "autoscaling:SetDesiredCapacities"}, "INVALID_ACTION",
         "The action autoscaling:SetDesiredCapacities does not exist"),
        ("identity", {"Action": "autoscaling:Frob*"}, "INVALID_ACTION", "does not exist"),
        ("identity", {"Condition": {"StringEquals": {"autoscaling:ResourceTags/a": "owned"}}},
         "INVALID_SERVICE_CONDITION_KEY",
         "The condition key autoscaling:ResourceTags/a does not exist in the service autoscaling"),
        ("identity", {"Condition": {"StringEquals": {"aws:PrincipalAcount": "1"}}},
         "INVALID_GLOBAL_CONDITION_KEY", "The condition key aws:PrincipalAcount does not exist"),
        ("identity", {"Condition": {"StringEquals": {"autoscaling:ImageId": "ami-1"}}}, "AccessDenied",
         "No request of autoscaling:SetDesiredCapacity has the condition key autoscaling:ImageId"),
        ("identity", {"Action": "ec2:DescribeInstances", "Condition": None,
                      "Resource": "arn:aws:ec2:us-east-1:111122223333:instance/*"},
         "AccessDenied", "ec2:DescribeInstances of statement Resize are not about single resources"),
        ("identity", {"Resource": "arn:aws-cn:autoscaling:cn-north-1:*:autoScalingGroup:*"},
         "MalformedPolicyDocument", 'Partition "aws-cn" is not valid for resource'),
        ("identity", {"Resource": "autoScalingGroup/a"}, "MalformedPolicyDocument",
         'must be in ARN format or "*"'),
        ("identity", {"Resource": None}, "MalformedPolicyDocument", "must contain resources"),
        ("identity", {"Principal": "*"}, "MalformedPolicyDocument", "should not specify a principal"),
        ("identity", {"Sid": "resize-groups"}, "MalformedPolicyDocument", "Sid"),
        ("identity", {"Effect": "Permit"}, "MalformedPolicyDocument", "neither Allow nor Deny"),
        ("identity", {"Actions": ["s3:*"]}, "MalformedPolicyDocument", "has Actions, which no statement has"),
        ("identity", {"Action": "SetDesiredCapacity"}, "MalformedPolicyDocument", "prefaced by a vendor"),
        ("identity", {"Condition": {"StringEqual": {"aws:PrincipalTag/a": "b"}}}, "MalformedPolicyDocument",
         "Invalid Condition type : StringEqual"),
        ("session", {"Action": "s3:GetObjects"}, "INVALID_ACTION", "s3:GetObjects does not exist"),
        ("trust", {"Action": ["sts:AssumeRole", "s3:GetObject"]}, "MalformedPolicyDocument",
         "AssumeRole policy may only specify STS AssumeRole actions"),
        ("trust", {"Resource": "*"}, "MalformedPolicyDocument", "Has prohibited field Resource"),
        ("trust", {"Principal": {"AWS": "arn:aws:iam::*:role/a"}}, "MalformedPolicyDocument",
         'Invalid principal in policy: "AWS":"arn:aws:iam::*:role/a"'),
        ("trust", {"Principal": {"AWS": "arn:aws-us-gov:iam::111122223333:role/a"}},
         "MalformedPolicyDocument", "Invalid principal in policy"),
        ("trust", {"Condition": {"StringEquals": {"sts:ExternalID": "x", "sts:RoleSesionName": "y"}}},
         "INVALID_SERVICE_CONDITION_KEY", "sts:RoleSesionName does not exist in the service sts"),
        ("bucket", {"Action": "s3:UploadThing"}, "MalformedPolicy", "Policy has invalid action"),
        ("bucket", {"Action": "kms:Decrypt"}, "MalformedPolicy", "Policy has invalid action"),
        ("bucket", {"Resource": "arn:aws:s3:::data"}, "MalformedPolicy",
         "Action does not apply to any resource(s) in statement"),
        ("bucket", {"Condition": {"StringEquals": {"s3:x-amz-color": "red"}}}, "MalformedPolicy",
         "Policy has an invalid condition key"),
        ("bucket", {"Condition": {"StringEquals": {"s3:prefix": "a/"}}}, "MalformedPolicy",
         "Conditions do not apply to combination of actions and resources in statement"),
        ("bucket", {"Principal": None}, "MalformedPolicy", "needs a Principal"),
        ("key", {"Action": "kms:CreateGrants"}, "INVALID_ACTION", "kms:CreateGrants does not exist"),
        ("key", {"Condition": {"Bool": {"kms:GrantIsForAWSResources": "true"}}},
         "INVALID_SERVICE_CONDITION_KEY", "does not exist in the service kms"),
        ("key", {"Action": "kms:Decrypt"}, "AccessDenied",
         "No request of kms:Decrypt has the condition key kms:GrantIsForAWSResource"),
        ("endpoint", {"Condition": {"StringEquals": {"aws:PrincipleAccount": "111122223333"}}},
         "INVALID_GLOBAL_CONDITION_KEY", "aws:PrincipleAccount does not exist"),
        ("repository", {"Action": "ecr:PullImage"}, "InvalidParameterException",
         "Invalid repository policy provided"),
        ("registry", {"Action": "ecr:CreateRepositories"}, "InvalidParameterException",
         "Invalid registry policy provided"),
    ],
)  # fmt: skip
def test_one_mistake_is_refused_in_the_words_of_who_refuses_it(name, change, code, words):
    [violation] = verdicts(*changed(name, change))

    assert isinstance(violation, Violation)
    assert violation.code == code
    assert words in violation.message


def test_a_slip_of_the_pen_is_told_what_it_may_have_been():
    [violation] = verdicts(*changed("session", {"Action": "s3:GetObjetc"}))

    assert violation.remedy == "did you mean s3:GetObject in statement 1"


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({"Action": "s3:TeleportBucket"}, "action s3:TeleportBucket"),
        ({"Action": "quantum:Entangle"}, "service quantum of action quantum:Entangle"),
        ({"Condition": {"StringEquals": {"s3:Phase": "full"}}}, "condition key s3:Phase"),
        ({"Condition": {"StringEquals": {"moon:Phase": "full"}}}, "service moon of condition key moon:Phase"),
    ],
)
def test_what_is_like_nothing_that_is_known_may_be_newer_and_is_not_refused(change, lacks):
    [unknown] = verdicts(*changed("session", change))

    assert isinstance(unknown, Unknown)
    assert unknown.lacks == lacks


def test_an_action_that_only_aws_itself_names_yet_is_not_refused():
    [unknown] = verdicts(*changed("session", {"Action": "cloudwatch:GetOTelEnrichment", "Resource": "*"}))

    assert isinstance(unknown, Unknown)


@pytest.mark.parametrize(
    "condition",
    [
        {"Null": {"autoscaling:ImageId": "true"}},
        {"StringEqualsIfExists": {"autoscaling:ImageId": "ami-1"}},
        {"StringNotEquals": {"autoscaling:ImageId": "ami-1"}},
        {"ForAllValues:StringEquals": {"autoscaling:ImageId": ["ami-1"]}},
    ],
)
def test_a_key_that_no_request_has_is_fine_where_its_absence_is(condition):
    assert verdicts(*changed("identity", {"Condition": condition})) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "invalid Json"),
        ("[]", "Syntax errors in policy"),
        ('{"Version": "2012-10-17"}', "Syntax errors in policy"),
        ('{"Version": "2026-11-22", "Statement": %s}', "no version 2026-11-22"),
    ],
)
def test_what_is_no_policy_is_refused(text, words):
    _, statement = RIGHT["identity"]
    text = text % json.dumps(statement) if "%s" in text else text
    [violation] = mistakes(text, IDENTITY, "policy p", "aws")

    assert violation.code == "MalformedPolicyDocument"
    assert words in violation.message


def test_two_statements_have_two_sids():
    kind, statement = RIGHT["identity"]
    [violation] = verdicts(kind, statement, statement)

    assert "Statement IDs (SID) in a single policy must be unique" in violation.message


@pytest.mark.parametrize("name", ["identity", "session", "trust"])
def test_a_policy_that_is_too_large_is_refused(name):
    kind, statement = RIGHT[name]
    many = [{**statement, "Sid": f"S{number}"} for number in range(60)]
    [violation] = verdicts(kind, *many)

    assert violation.code == "LimitExceeded"
    assert f"{kind.bytes} are the most" in violation.message


def test_each_rule_says_where_it_is_written():
    assert all(rule.source.startswith("https://") for rule in policies.RULES)


@pytest.mark.parametrize("arn", ["*", "arn:aws:s3:::other/*", "arn:aws:s3:::data-2"])
def test_a_bucket_s_policy_is_about_that_bucket(arn):
    statement = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": ["arn:aws:s3:::data", arn]}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})

    [refusal] = mistakes(text, BUCKET, "policy p", "aws", bucket="data")

    assert f"Policy has invalid resource: {arn} (MalformedPolicy): name the bucket" in str(refusal)
