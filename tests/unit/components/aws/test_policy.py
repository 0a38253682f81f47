import json

import pulumi

from moka.components.aws.policy import Statement, allowing, trust


def test_resources_known_only_after_deployment_end_up_in_the_policy(deploy):
    policies = []

    def program():
        bucket = pulumi.Output.from_input("arn:aws:s3:::moka-logs")
        statement = Statement(
            sid="Write",
            actions=("s3:PutObject",),
            resources=[pulumi.Output.concat(bucket, "/driver/*")],
            conditions={"Bool": {"aws:SecureTransport": "true"}},
        )
        allowing([statement]).apply(policies.append)

    deploy(program)

    [statement] = json.loads(policies[0])["Statement"]
    assert statement["Resource"] == ["arn:aws:s3:::moka-logs/driver/*"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "true"}}


def test_a_role_is_trusted_to_the_service_alone():
    assert json.loads(trust("ec2.amazonaws.com"))["Statement"] == [
        {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": ["sts:AssumeRole"]}
    ]
