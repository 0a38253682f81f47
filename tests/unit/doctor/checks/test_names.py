import socket

import pytest

from doctor.checks import endpoints, names, references
from tests.support.aws_stubs import client, lines

OURS = {"moka:environment": "trial"}
BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"
POLICY = '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}'
SECRET = "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub-AbCdEf"


def cluster(**more):
    role = "arn:aws:iam::123456789012:role/eks"
    client("eks").create_cluster(
        name="acme-trial-spark-a", roleArn=role, resourcesVpcConfig={"subnetIds": []}, **more
    )


def test_a_name_that_no_cluster_has_is_free(place):
    assert lines(names.clusters, place()) == ["ok main/spark-a Cluster name acme-trial-spark-a is free."]


def test_our_own_cluster_may_have_its_name(place):
    cluster(tags=OURS)

    assert lines(names.clusters, place()) == [
        "ok main/spark-a Cluster acme-trial-spark-a is there, of this environment."
    ]


def test_a_cluster_of_somebody_else_with_our_name_is_a_problem(place):
    cluster(tags={"moka:environment": "other"})

    assert lines(names.clusters, place()) == [
        "problem main/spark-a There is a cluster acme-trial-spark-a already, and it is not of this "
        "environment. "
        "Rename the cluster in the settings, or remove that one."
    ]


def test_bucket_names_are_free_or_ours_or_a_problem(place):
    s3 = client("s3")
    s3.create_bucket(Bucket="acme-trial-123456789012-us-east-1-staging")
    s3.create_bucket(Bucket="acme-trial-123456789012-us-east-1-job-logs")
    s3.put_bucket_tagging(
        Bucket="acme-trial-123456789012-us-east-1-job-logs",
        Tagging={"TagSet": [{"Key": key, "Value": value} for key, value in OURS.items()]},
    )

    assert lines(names.buckets, place()) == [
        "problem main Bucket acme-trial-123456789012-us-east-1-staging is there already, and is not of this "
        "environment, by its tags. Names of buckets are taken in all of AWS: change the organization, or "
        "remove "
        "the bucket.",
        "ok main 4 bucket names are free: acme-trial-123456789012-us-east-1-event-logs and so on.",
        "ok main 1 buckets are there, of this environment.",
    ]


def test_a_bucket_that_we_may_not_look_at_is_somebody_else_s(place):
    stubbed = {
        "s3": [
            ("head_bucket", {"Bucket": f"acme-trial-123456789012-us-east-1-{purpose}"}, "403")
            for purpose in names.PURPOSES
        ]
    }

    told = lines(names.buckets, place(stubbed=stubbed))

    assert len(told) == 6
    assert all("is there already, and is somebody else's, or closed to us." in line for line in told)


def test_a_bucket_of_another_environment_that_jobs_use_must_be_there(place):
    def using(written):
        key = "arn:aws:kms:us-east-1:111122223333:key/k"
        written["uses"] = {
            "gold": {"bucket": "acme-prod-gold", "key": key},
            "silver": {"bucket": "acme-prod-silver", "key": key},
        }

    client("s3").create_bucket(Bucket="acme-prod-gold")

    assert lines(names.others_buckets, place(using)) == [
        "problem main uses.silver: there is no bucket acme-prod-silver. Correct its name, or deploy the "
        "environment that owns it first."
    ]


def bounded(written):
    written["foundations"]["main"]["permissions_boundary"] = BOUNDARY


def test_the_permissions_boundary_must_be_there(place):
    assert lines(references.boundary, place(bounded)) == [
        f"problem main There is no policy {BOUNDARY}, the permissions boundary. Make it first, or correct "
        "its "
        "name: no role can be made without it."
    ]

    client("iam").create_policy(PolicyName="boundary", PolicyDocument=POLICY)

    assert lines(references.boundary, place(bounded)) == [
        f"ok main There is the permissions boundary {BOUNDARY}."
    ]


def pulling_through(secret):
    def change(written):
        written["registry"] = {"foundation": "main", "pull_through": {"docker.io": {"secret": secret}}}

    return change


def test_the_secret_with_which_ecr_asks_another_registry_must_be_there(place):
    assert lines(references.secrets, place(pulling_through(SECRET))) == [
        f"problem main There is no secret {SECRET}, with which ECR asks docker.io. Make it in 123456789012, "
        "us-east-1, with keys username and accessToken."
    ]


def test_a_secret_that_is_about_to_be_deleted_is_a_problem(place):
    secrets = client("secretsmanager")
    secret = secrets.create_secret(Name="ecr-pullthroughcache/hub", SecretString="{}")["ARN"]
    change = pulling_through(secret)

    assert lines(references.secrets, place(change)) == [
        "ok main There is the secret with which ECR asks docker.io."
    ]

    secrets.delete_secret(SecretId=secret)

    [told] = lines(references.secrets, place(change))
    assert told.startswith(
        f"problem main Secret {secret}, with which ECR asks docker.io, is about to be deleted."
    )


def admitting(*principals):
    def change(written):
        written["clusters"]["spark-a"]["access"] = {
            f"team-{number}": {"principal": f"arn:aws:iam::{principal}", "policy": "view"}
            for number, principal in enumerate(principals)
        }

    return change


def test_everybody_who_may_enter_a_cluster_must_exist_under_that_very_arn(place):
    client("iam").create_role(RoleName="data", Path="/teams/", AssumeRolePolicyDocument="{}")
    change = admitting(
        "123456789012:role/teams/data",
        "123456789012:role/data",
        "123456789012:user/ann",
        "111122223333:role/x",
    )

    assert lines(references.principals, place(change)) == [
        "problem main/spark-a access.team-1: arn:aws:iam::123456789012:role/data is really "
        "arn:aws:iam::123456789012:role/teams/data. Write it with its path.",
        "problem main/spark-a access.team-2: there is no arn:aws:iam::123456789012:user/ann. Make it first, "
        "or "
        "correct it.",
        "not checked main/spark-a access.team-3: arn:aws:iam::111122223333:role/x is of another account.",
        "ok main/spark-a 1 principals of access are there.",
    ]


def test_of_an_api_server_that_is_not_there_yet_one_learns_what_it_will_take(place):
    def public(written):
        written["clusters"]["spark-a"]["public_access"] = ["203.0.113.0/24"]

    assert lines(endpoints.reachable, place()) == [
        "not checked main/spark-a The API server is not there yet; it will be reached from inside the VPC. "
        "Run "
        "`up` in the VPC, or where a VPN or peering leads to it."
    ]
    assert lines(endpoints.reachable, place(public)) == [
        "not checked main/spark-a The API server is not there yet; it will be reached from 203.0.113.0/24, "
        "or "
        "from inside the VPC. Run `up` there."
    ]


@pytest.fixture
def served():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def at(server):
    return named(f"https://127.0.0.1:{server.getsockname()[1]}")


def named(url):
    answer = {"cluster": {"name": "acme-trial-spark-a", "endpoint": url}}
    return url.removeprefix("https://"), {
        "eks": [("describe_cluster", {"name": "acme-trial-spark-a"}, answer)]
    }


def test_an_api_server_that_answers_is_reached(place, served):
    address, stubbed = at(served)

    assert lines(endpoints.reachable, place(stubbed=stubbed)) == [
        f"ok main/spark-a The API server {address} is reached from here."
    ]


def test_an_api_server_whose_name_nobody_knows_is_a_warning(place):
    address, stubbed = named("https://api.acme.invalid")

    assert lines(endpoints.reachable, place(stubbed=stubbed)) == [
        f"warning main/spark-a Nobody here knows the name of the API server {address}. Run `up` where DNS "
        "answers with addresses of the VPC."
    ]


def test_an_api_server_that_does_not_answer_is_a_problem(place, served):
    address, stubbed = at(served)
    served.close()

    assert lines(endpoints.reachable, place(stubbed=stubbed)) == [
        f"problem main/spark-a The API server {address} is not reached from here (Connection refused); it is "
        "reached from inside the VPC. Run `up` there."
    ]
