"""Policies, keys and roles of `local` that AWS would refuse: one change each, refused in AWS's words."""

import json
from functools import partial

import pytest

from tests.support.deployment import Refused, few_groups, gone

FOUNDATION = ("foundation",)
CLUSTER = ("foundation", "cluster")
SCHEDULING = (*CLUSTER, "scheduling")


def policy(change, inputs):
    """Inputs with a changed policy; the component of the same name has none."""
    if "policy" not in inputs:
        return inputs
    document = json.loads(inputs["policy"])
    return {**inputs, "policy": json.dumps({**document, "Statement": change(document["Statement"])})}


def denying(action, resource):
    statement = {"Effect": "Deny", "Principal": "*", "Action": action, "Resource": resource}
    return partial(policy, lambda statements: [*statements, statement])


def without(sid):
    return partial(
        policy, lambda statements: [statement for statement in statements if statement["Sid"] != sid]
    )


def disabled(inputs):
    return {**inputs, "isEnabled": False, "enableKeyRotation": False} if "policy" in inputs else inputs


def without_entry(inputs):
    return None if "type" in inputs else inputs


def with_disk_key(inputs):
    [device] = inputs["blockDeviceMappings"]
    return {**inputs, "blockDeviceMappings": [{**device, "ebs": {**device["ebs"], "kmsKeyId": "alias/acme"}}]}


def with_repository_key(inputs):
    key = "arn:aws:kms:us-east-1:123456789012:key/1"
    return {**inputs, "encryptionConfigurations": [{"encryptionType": "KMS", "kmsKey": key}]}


SABOTAGES = {
    "access logs that their bucket keeps out": (
        FOUNDATION,
        {"BucketPolicy::main-access-logs": without("S3AccessLogsWrite")},
        "You must give the log-delivery group WRITE and READ_ACP permissions to the target bucket: User: "
        "logging.s3.amazonaws.com is not authorized to perform: s3:PutObject",
        "let logging.s3.amazonaws.com do s3:PutObject",
    ),
    "flow logs that their bucket denies": (
        FOUNDATION,
        {
            "BucketPolicy::main-access-logs": denying(
                "s3:PutObject", "arn:aws:s3:::moka-local-123456789012-us-east-1-access-logs/AWSLogs/*"
            )
        },
        "Access Denied for LogDestination: moka-local-123456789012-us-east-1-access-logs",
        "let delivery.logs.amazonaws.com put objects under AWSLogs/",
    ),
    "a key that nobody could manage": (
        FOUNDATION,
        {"Key::main": without("Account")},
        "The new key policy will not allow you to update the key policy in the future "
        "(MalformedPolicyDocumentException)",
        "let arn:aws:iam::123456789012:user/laptop, or its account (root), do kms:PutKeyPolicy",
    ),
    "a key that is switched off": (
        CLUSTER,
        {"Key::main": disabled},
        " is disabled (",
        "name a key that is there and enabled",
    ),
    "a repository with a key that is not there": (
        FOUNDATION,
        {"Repository::main-moka-local-driver-finalizer": with_repository_key},
        "The operation failed due to a KMS exception: Key 'arn:aws:kms:us-east-1:123456789012:key/1' does "
        "not exist (KmsException)",
        "name a key that is there and enabled",
    ),
    "nobody who deploys has an access entry": (
        SCHEDULING,
        {"AccessEntry::spark-a-deployer": without_entry, "AccessPolicyAssociation::spark-a-deployer": gone},
        "the server has asked for the client to provide credentials (Unauthorized)",
        "give arn:aws:iam::123456789012:user/laptop an access entry on the cluster",
    ),
    "a launch template with an instance profile": (
        CLUSTER,
        {"LaunchTemplate::spark-a-executor-amd64": {"iamInstanceProfile": {"name": "nodes"}}},
        "The launch template has an IAM instance profile, which is prohibited",
        "leave it out",
    ),
    "disks with a key that is not there": (
        CLUSTER,
        {"LaunchTemplate::spark-a-executor-amd64": with_disk_key},
        "Client error on launch; Key 'arn:aws:kms:us-east-1:123456789012:alias/acme' does not exist",
        "name a key that is there and enabled",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_what_aws_refuses_is_refused_for_its_reason_and_no_other(up, name):
    layers, inputs, words, remedy = SABOTAGES[name]

    with pytest.raises(Refused) as refused:
        up("local", layers=layers, settings=few_groups, inputs=inputs)

    assert all(words in reason for reason in refused.value.reasons)
    assert remedy in str(refused.value)
