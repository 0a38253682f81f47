"""Values of calls that AWS refuses, and their neighbours that it takes; pure."""

import json

import pytest

from aws_rules.values import buckets, calls, routes
from aws_rules.values.request import LATER, Request

STAGING = "arn:aws:s3:::staging"
UNTAGGED = {
    "rulePriority": 1,
    "selection": {"tagStatus": "untagged", "countType": "imageCountMoreThan", "countNumber": 1},
}
TAGGED = {
    "rulePriority": 2,
    "selection": {
        "tagStatus": "tagged",
        "tagPatternList": ["*"],
        "countType": "sinceImagePushed",
        "countUnit": "days",
        "countNumber": 1,
    },
}


def request(service, operation, **members):
    return Request(resource="it", service=service, operation=operation, members=members, region="us-east-1")


def lifecycle(**rule):
    rules = [{"ID": "a", "Status": "Enabled", **rule}]
    return request("s3", "PutBucketLifecycleConfiguration", LifecycleConfiguration={"Rules": rules})


def expiry(*rules):
    return request("ecr", "PutLifecyclePolicy", lifecyclePolicyText=json.dumps({"rules": rules}))


def selecting(rule, **selection):
    chosen = {**rule["selection"], **selection}
    return {**rule, "selection": {name: value for name, value in chosen.items() if value is not None}}


def policy(operation, service="s3", **statement):
    document = {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", **statement}]}
    return request(service, operation, Bucket="staging", Policy=json.dumps(document))


def group(**members):
    return request("eks", "CreateNodegroup", **members)


REFUSED = {
    "objects that expire in no days once there is another version": (
        lifecycle(NoncurrentVersionExpiration={"NoncurrentDays": 0}),
        "InvalidArgument: 'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
    ),
    "uploads that are given up at once": (
        lifecycle(AbortIncompleteMultipartUpload={"DaysAfterInitiation": 0}),
        "InvalidArgument: 'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive",
    ),
    "uploads of objects with a tag": (
        lifecycle(
            Filter={"Tag": {"Key": "a", "Value": "b"}},
            AbortIncompleteMultipartUpload={"DaysAfterInitiation": 1},
        ),
        "InvalidRequest: AbortIncompleteMultipartUpload cannot be specified with Tags",
    ),
    "objects that expire by days and by date": (
        lifecycle(Expiration={"Days": 1, "Date": "2027-01-01T00:00:00Z"}),
        "MalformedXML: The XML you provided was not well-formed",
    ),
    "objects that expire at ten": (
        lifecycle(Expiration={"Date": "2027-01-01T10:00:00Z"}),
        "InvalidArgument: 'Date' must be at midnight GMT",
    ),
    "a filter by two things": (
        lifecycle(Filter={"Prefix": "a", "ObjectSizeGreaterThan": 1}, Expiration={"Days": 1}),
        "MalformedXML: The XML you provided was not well-formed",
    ),
    "two encryptions": (
        request(
            "s3",
            "PutBucketEncryption",
            ServerSideEncryptionConfiguration={
                "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}] * 2
            },
        ),
        "MalformedXML: The XML you provided was not well-formed",
    ),
    "two rules of one priority": (
        expiry(UNTAGGED, {**TAGGED, "rulePriority": 1}),
        "InvalidParameterException: Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: "
        "'Lifecycle policy validation failure: rulePriority 1 is not unique'",
    ),
    "a rule of no priority": (expiry({**UNTAGGED, "rulePriority": 0}), "rulePriority 0 is not 1 or more"),
    "tagged images without tags": (
        expiry(selecting(TAGGED, tagPatternList=None)),
        "rule 2 with tagStatus tagged has no tagPrefixList and no tagPatternList",
    ),
    "an age without a unit": (expiry(selecting(TAGGED, countUnit=None)), "sinceImagePushed and no countUnit"),
    "a count with a unit": (
        expiry(selecting(UNTAGGED, countUnit="days")),
        "MoreThan and a countUnit",
    ),
    "any images before others": (
        expiry(selecting(UNTAGGED, tagStatus="any"), TAGGED),
        "rule 1 with tagStatus any does not have the highest rulePriority",
    ),
    "Amazon Linux 2 for a new version": (
        group(amiType="AL2_x86_64", version="1.34"),
        "InvalidParameterException: AMI Type AL2_x86_64 is only supported for kubernetes versions 1.32 or",
    ),
    "a label's prefix in capitals": (
        group(labels={"A.com/a": "b"}),
        "InvalidParameterException: Invalid label key: A.com/a: prefix part a lowercase RFC 1123 subdomain",
    ),
    "encryption of more than secrets": (
        request("eks", "CreateCluster", encryptionConfig=[{"resources": ["Secrets"]}]),
        "InvalidParameterException: The only supported value of encryptionConfig.resources is secrets",
    ),
    "a route to nowhere": (
        request("ec2", "CreateRoute", DestinationCidrBlock="0.0.0.0/0"),
        "MissingParameter: The request must contain the parameter gatewayId, or another target",
    ),
    "a route to two targets": (
        request("ec2", "CreateRoute", GatewayId="igw-1", NatGatewayId="nat-1"),
        "InvalidParameterCombination: The parameter GatewayId cannot be used with the parameter NatGatewayId",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_as_aws_does(name):
    call, words = REFUSED[name]

    [refusal] = calls.verdicts(call)

    assert words in f"{refusal.code}: {refusal.message}"
    assert refusal.remedy


@pytest.mark.parametrize(
    "call",
    [
        lifecycle(Filter={"Prefix": ""}, Expiration={"Date": "2027-01-01T00:00:00Z"}),
        lifecycle(Filter={"Prefix": "a", "Tag": None}, Expiration={"Date": LATER}),
        lifecycle(NoncurrentVersionExpiration={"NoncurrentDays": LATER}),
        policy("PutBucketPolicy", Resource=[STAGING, f"{STAGING}/*"]),
        policy("PutKeyPolicy", "kms", Action="kms:*", Resource="*"),
        policy("PutKeyPolicy", "kms", Action=["kms:Put*"], Resource="*"),
        expiry(UNTAGGED, TAGGED),
        expiry(UNTAGGED, selecting({**TAGGED, "rulePriority": 9}, tagStatus="any", tagPatternList=None)),
        group(amiType="AL2_x86_64", version="1.32", labels={"example.com/team": "a"}),
        group(amiType=LATER, version="1.34"),
        request("ec2", "CreateRoute", NatGatewayId=LATER),
    ],
    ids=lambda call: call.operation,
)
def test_it_is_taken(call):
    assert list(calls.verdicts(call)) == []


def test_a_policy_for_everybody_is_refused_where_the_bucket_blocks_such():
    call = policy("PutBucketPolicy", Resource=f"{STAGING}/*")
    conditional = policy("PutBucketPolicy", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}})

    [refusal] = buckets.public_policy(call, "arn:aws:iam::123456789012:user/a", blocked=True)

    assert refusal.code == "AccessDenied"
    assert (
        "because public policies are blocked by the BlockPublicPolicy block public access" in refusal.message
    )
    assert not list(buckets.public_policy(call, "a", blocked=False))
    assert not list(buckets.public_policy(conditional, "a", blocked=True))


def test_the_nat_gateway_of_a_route_has_to_be_there():
    call = request("ec2", "CreateRoute", NatGatewayId="nat-1")

    assert [refusal.code for refusal in routes.nat_gateway(call, ["nat-2"])] == [
        "InvalidNatGatewayID.NotFound"
    ]
    assert not list(routes.nat_gateway(call, ["nat-1"]))
