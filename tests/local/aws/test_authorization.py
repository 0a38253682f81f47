"""IAM's decisions in the laptop's AWS: who calls with a role's credentials may do what the role may."""

import json

import boto3
import pytest
from botocore.exceptions import ClientError

from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION
from localcloud.plugins.aws.caller import Caller

ACCOUNT = "123456789012"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/{{}}/job"
NOBODY = {"Version": "2012-10-17", "Statement": []}


def allow(*actions, resource="*", **conditions):
    return {
        "Effect": "Allow",
        "Action": list(actions),
        "Resource": resource,
        "Condition": conditions,
    }


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


@pytest.fixture
def as_role(cloud, aws):
    """Clients of a role with these statements, by service."""
    iam, names = aws("iam"), []

    def take(name, *statements, boundary=None):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(NOBODY))
        names.append(name)
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*statements))
        if boundary:
            arn = iam.create_policy(PolicyName=f"{name}-bound", PolicyDocument=policy(*boundary))["Policy"][
                "Arn"
            ]
            iam.put_role_permissions_boundary(RoleName=name, PermissionsBoundary=arn)
        return clients(f"arn:aws:iam::{ACCOUNT}:role/{name}")

    def clients(arn):
        keys = aws("sts").assume_role(RoleArn=arn, RoleSessionName="job")["Credentials"]
        return lambda service: boto3.client(
            service,
            endpoint_url=AwsServer(cloud).url,
            region_name=REGION,
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
        )

    take.role = clients
    yield take
    for name in names:
        iam.delete_role_policy(RoleName=name, PolicyName="own")
        iam.delete_role(RoleName=name)


def refused(call, **members):
    """Code, status and message of a refusal."""
    with pytest.raises(ClientError) as refusal:
        call(**members)
    answer = refusal.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Message"]


def test_a_call_that_no_policy_allows_is_refused_in_the_words_and_the_form_of_its_service(as_role):
    as_nobody = as_role("nobody", allow("s3:ListAllMyBuckets"))
    user = f"User: {SESSION.format('nobody')} is not authorized to perform:"

    vpc = f"arn:aws:ec2:{REGION}:{ACCOUNT}:vpc/*"
    assert refused(as_nobody("ec2").create_vpc, CidrBlock="10.0.0.0/16") == (
        "UnauthorizedOperation",
        403,
        f"You are not authorized to perform this operation. {user} ec2:CreateVpc on resource: {vpc} "
        "because no identity-based policy allows the ec2:CreateVpc action",
    )
    cluster = f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/spark"
    assert refused(as_nobody("eks").describe_cluster, name="spark") == (
        "AccessDeniedException",
        403,
        f"{user} eks:DescribeCluster on resource: {cluster} because no identity-based policy allows the "
        "eks:DescribeCluster action",
    )
    code, status, message = refused(as_nobody("logs").create_log_group, logGroupName="/jobs")
    assert (code, status) == ("AccessDeniedException", 400)
    assert f"logs:CreateLogGroup on resource: arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/jobs" in message
    assert refused(as_nobody("iam").get_role, RoleName="nobody")[:2] == ("AccessDenied", 403)
    assert refused(as_nobody("s3").create_bucket, Bucket="nobodys")[:2] == ("AccessDenied", 403)

    assert as_nobody("s3").list_buckets()["Buckets"] is not None
    assert as_nobody("sts").get_caller_identity()["Arn"] == SESSION.format("nobody")


def test_a_role_whose_boundary_is_not_there_may_do_what_its_own_policies_say(aws, as_role):
    """IAM would not have made it; `up` says so of the role."""
    unbounded = as_role("unbounded", allow("ec2:*"))
    boundary = f"arn:aws:iam::{ACCOUNT}:policy/not-there"
    aws("iam").put_role_permissions_boundary(RoleName="unbounded", PermissionsBoundary=boundary)

    assert unbounded("ec2").describe_vpcs()["Vpcs"] is not None
    assert refused(unbounded("s3").list_buckets)[0] == "AccessDenied"


def test_what_bounds_a_role_and_what_denies_are_named(as_role):
    deny = {"Effect": "Deny", "Action": "ec2:DeleteVpc", "Resource": "*"}
    bounded = as_role("bounded", allow("ec2:*", "s3:*"), deny, boundary=[allow("ec2:*")])

    assert refused(bounded("s3").list_buckets)[2].endswith(
        "because no permissions boundary allows the s3:ListAllMyBuckets action"
    )
    assert refused(bounded("ec2").delete_vpc, VpcId="vpc-0123456789abcdef0")[2].endswith(
        "with an explicit deny in an identity-based policy"
    )


def test_conditions_are_judged_by_tags_of_the_request_and_of_the_resource(as_role, aws):
    own = {"aws:ResourceTag/team": "spark"}
    of_request = {"aws:RequestTag/team": "spark"}
    role = as_role(
        "tagger",
        allow("ec2:DeleteVpc", StringEquals=own),
        allow("ec2:CreateVpc"),
        allow("ec2:CreateTags", StringEquals={**of_request, "ec2:CreateAction": "CreateVpc"}),
    )("ec2")

    def tagged(team):
        return [{"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": team}]}]

    assert refused(role.create_vpc, CidrBlock="10.0.0.0/16", TagSpecifications=tagged("web"))[2].endswith(
        "because no identity-based policy allows the ec2:CreateTags action"
    )
    vpc = role.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tagged("spark"))["Vpc"]["VpcId"]
    other = aws("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    assert "ec2:DeleteVpc" in refused(role.delete_vpc, VpcId=other)[2]
    role.delete_vpc(VpcId=vpc)
    aws("ec2").delete_vpc(VpcId=other)


def test_a_secret_that_is_asked_for_by_its_name_is_one_of_the_arn_with_six_characters_more(as_role, aws):
    manager = aws("secretsmanager")
    arns = [manager.create_secret(Name=name, SecretString="s")["ARN"] for name in ("login", "other")]
    reader = as_role("reader", allow("secretsmanager:GetSecretValue", resource=f"{arns[0][:-6]}??????"))

    assert reader("secretsmanager").get_secret_value(SecretId="login")["SecretString"] == "s"
    assert reader("secretsmanager").get_secret_value(SecretId=arns[0])["SecretString"] == "s"
    for other in ("other", arns[1], "not-there"):
        refusal = refused(reader("secretsmanager").get_secret_value, SecretId=other)
        assert refusal[0] == "AccessDeniedException"
    for arn in arns:
        manager.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


def test_an_object_that_is_not_there_is_missing_for_who_may_list_it_and_forbidden_for_others(as_role, aws):
    s3, bucket = aws("s3"), "tables-of-jobs"
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for key in ("jobs/there", "jobs/deleted"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"")
    s3.delete_object(Bucket=bucket, Key="jobs/deleted")
    arn = f"arn:aws:s3:::{bucket}"
    read = allow("s3:GetObject", resource=f"{arn}/*")
    listing = allow("s3:ListBucket", resource=arn, StringLike={"s3:prefix": "jobs/*"})
    reader, lister = as_role("reader", read)("s3"), as_role("lister", read, listing)("s3")

    for client in (reader, lister):
        assert client.head_object(Bucket=bucket, Key="jobs/there")["ContentLength"] == 0
        assert client.get_object(Bucket=bucket, Key="jobs/there")["ContentLength"] == 0
    for key in ("jobs/missing", "jobs/deleted"):
        assert refused(reader.head_object, Bucket=bucket, Key=key) == ("403", 403, "Forbidden")
        code, status, message = refused(reader.get_object, Bucket=bucket, Key=key)
        assert (code, status) == ("AccessDenied", 403)
        assert f"s3:ListBucket on resource: {arn} because no identity-based policy" in message
        assert refused(lister.head_object, Bucket=bucket, Key=key)[1] == 404
        assert refused(lister.get_object, Bucket=bucket, Key=key)[:2] == ("NoSuchKey", 404)
    assert refused(lister.head_object, Bucket=bucket, Key="elsewhere")[1] == 403


def test_a_role_is_passed_only_to_the_service_that_it_may_be_passed_to(as_role):
    passing = allow("iam:PassRole", StringEquals={"iam:PassedToService": "ec2.amazonaws.com"})
    role = as_role("passer", allow("eks:*"), passing)("eks")
    node = f"arn:aws:iam::{ACCOUNT}:role/node"

    assert refused(
        role.create_nodegroup, clusterName="spark", nodegroupName="a", nodeRole=node, subnets=["subnet-1"]
    )[2] == (
        f"User: {SESSION.format('passer')} is not authorized to perform: iam:PassRole on resource: {node} "
        "because no identity-based policy allows the iam:PassRole action"
    )


def test_what_only_asks_changes_nothing_and_is_asked_for_what_moto_does_not_have_as_well(
    as_role, aws, cloud, monkeypatch
):
    as_role("asker", allow("ec2:CreateVpc", "eks:CreateAddon"))
    arn = f"arn:aws:iam::{ACCOUNT}:role/asker"
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    caller = Caller(AwsServer(cloud).url, REGION, (arn,))
    before = len(aws("ec2").describe_vpcs()["Vpcs"])

    caller.ask("ec2", "create_vpc", {"CidrBlock": "10.0.0.0/16"}, REGION)
    caller.ask("eks", "create_addon", {"clusterName": "spark", "addonName": "coredns"}, REGION)
    assert len(aws("ec2").describe_vpcs()["Vpcs"]) == before
    with pytest.raises(ClientError, match="eks:DeleteAddon"):
        caller.ask("eks", "delete_addon", {"clusterName": "spark", "addonName": "coredns"}, REGION)


def test_a_role_that_this_aws_does_not_have_is_an_administrator_s(as_role):
    vpcs = as_role.role(f"arn:aws:iam::{ACCOUNT}:role/of-somebody")("ec2").describe_vpcs()

    assert vpcs["Vpcs"]
