from typing import get_args

from doctor.checks import names
from moka.names import ACCESS_LOGS, Data
from tests.support.aws_stubs import client, lines

OWN_TAGS = {"moka:environment": "trial"}


def cluster(**more):
    role = "arn:aws:iam::123456789012:role/eks"
    client("eks").create_cluster(
        name="acme-trial-spark-a", roleArn=role, resourcesVpcConfig={"subnetIds": []}, **more
    )


def test_a_name_that_no_cluster_has_is_free(place):
    assert lines(names.clusters, place()) == ["ok main/spark-a Cluster name acme-trial-spark-a is free."]


def test_our_own_cluster_may_have_its_name(place):
    cluster(tags=OWN_TAGS)

    assert lines(names.clusters, place()) == [
        "ok main/spark-a Cluster acme-trial-spark-a exists and belongs to this environment."
    ]


def test_a_cluster_of_somebody_else_with_our_name_is_a_problem(place):
    cluster(tags={"moka:environment": "other"})

    assert lines(names.clusters, place()) == [
        "problem main/spark-a Cluster acme-trial-spark-a exists already and does not belong to this "
        "environment. Rename the cluster in the settings, or remove that one."
    ]


def test_a_log_group_that_eks_made_anew_after_a_teardown_is_a_problem_and_our_own_is_not(place):
    logs, name = client("logs"), "/aws/eks/acme-trial-spark-a/cluster"
    logs.create_log_group(logGroupName=f"{name}-other")
    assert lines(names.log_groups, place()) == []

    logs.create_log_group(logGroupName=name)
    assert lines(names.log_groups, place()) == [
        f"problem main/spark-a Log group {name} exists already and by its tags does not belong to this "
        "environment: EKS makes it anew where it has something to log after a teardown. Delete it: aws logs "
        f"delete-log-group --log-group-name {name}"
    ]

    logs.tag_log_group(logGroupName=name, tags=OWN_TAGS)
    assert lines(names.log_groups, place()) == []


def test_bucket_names_are_free_or_ours_or_a_problem(place):
    s3 = client("s3")
    s3.create_bucket(Bucket="acme-trial-123456789012-us-east-1-staging")
    s3.create_bucket(Bucket="acme-trial-123456789012-us-east-1-job-logs")
    s3.put_bucket_tagging(
        Bucket="acme-trial-123456789012-us-east-1-job-logs",
        Tagging={"TagSet": [{"Key": key, "Value": value} for key, value in OWN_TAGS.items()]},
    )

    assert lines(names.buckets, place()) == [
        "problem main Bucket acme-trial-123456789012-us-east-1-staging exists already and by its tags does "
        "not belong to this environment. Bucket names are unique in all of AWS: change the organization, or "
        "remove the bucket.",
        "ok main 5 bucket names are free: acme-trial-123456789012-us-east-1-event-logs and so on.",
        "ok main 1 buckets exist and belong to this environment.",
    ]


def test_a_bucket_that_we_may_not_look_at_is_somebody_else_s(place):
    stubbed = {
        "s3": [
            ("head_bucket", {"Bucket": f"acme-trial-123456789012-us-east-1-{purpose}"}, "403")
            for purpose in (*get_args(Data), ACCESS_LOGS)
        ]
    }

    findings = lines(names.buckets, place(stubbed=stubbed))

    assert len(findings) == 7
    assert all(
        "exists already and belongs to another account, or may not be read." in line for line in findings
    )


def test_a_bucket_of_another_environment_that_jobs_use_must_be_there(place):
    def using(written):
        key = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
        written["uses"] = {
            "gold": {"bucket": "acme-prod-gold", "key": key},
            "silver": {"bucket": "acme-prod-silver", "key": key},
        }
        written["job_namespaces"] = {"jobs": {"uses": {"gold": "read", "silver": "read"}}}

    client("s3").create_bucket(Bucket="acme-prod-gold")

    assert lines(names.used_buckets, place(using)) == [
        "problem main uses.silver: bucket acme-prod-silver does not exist. Correct its name, or deploy the "
        "environment that owns it first."
    ]
