import json
from dataclasses import replace

import pytest

from moka.components.aws.key import Key, KeyArgs, key_policy
from moka.components.aws.sharing import Roles, Sharing

ACCOUNT = "111122223333"
AUTOSCALING = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
)

ARGS = KeyArgs(alias="moka/data", description="Data", account_id=ACCOUNT, region="us-east-1")


def statements(policy: str) -> dict[str, dict]:
    return {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}


def test_a_key_is_rotated_and_found_by_its_alias(deploy):
    stack = deploy(lambda: Key("data", ARGS))

    [key] = stack.inputs("aws:kms/key:Key")
    [alias] = stack.inputs("aws:kms/alias:Alias")
    assert key["enableKeyRotation"] is True
    assert alias["name"] == "alias/moka/data"


def test_by_default_the_policies_of_the_account_alone_decide_on_a_key():
    policy = statements(key_policy(ACCOUNT, "us-east-1"))

    assert list(policy) == ["Account"]
    assert policy["Account"]["Principal"] == {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}


def test_a_service_uses_a_key_for_data_of_this_account_only_and_cannot_administer_it():
    services = ["logs.us-east-1.amazonaws.com", "sns.amazonaws.com"]
    policy = statements(key_policy(ACCOUNT, "us-east-1", services=services))

    assert policy["ServiceLogs"]["Condition"] == {
        "ArnLike": {"kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:*:{ACCOUNT}:*"}
    }
    assert policy["ServiceSns"]["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    assert "kms:*" not in policy["ServiceLogs"]["Action"]


def test_a_user_of_a_key_need_not_exist_yet_and_may_grant_it_to_aws_services_only():
    grants = statements(key_policy(ACCOUNT, "us-east-1", users=[AUTOSCALING]))["Grants"]

    # KMS looks up every principal of a policy, but no condition.
    assert grants["Principal"] == {"AWS": "*"}
    assert grants["Condition"] == {
        "StringEquals": {"kms:CallerAccount": ACCOUNT},
        "ArnEquals": {"aws:PrincipalArn": [AUTOSCALING]},
        "Bool": {"kms:GrantIsForAWSResource": "true"},
    }


def test_whom_data_is_shared_with_uses_the_key_through_s3_alone():
    staging = Roles(account_id="222233334444", path="/acme-staging/")
    policy = statements(key_policy(ACCOUNT, "eu-west-1", sharing=Sharing(grants={staging: "read"})))

    assert policy["Read"]["Action"] == ["kms:Decrypt"]
    assert policy["Read"]["Condition"]["StringEquals"] == {"kms:ViaService": "s3.eu-west-1.amazonaws.com"}


def test_strangers_cannot_use_a_key_whatever_their_policies_say():
    sharing = Sharing(denied=("arn:aws:iam::*:role/acme-*/*",), owners=("arn:aws:iam::*:role/acme-prod/*",))
    denied = statements(key_policy(ACCOUNT, "us-east-1", sharing=sharing))["DenyOtherEnvironments"]

    assert (denied["Effect"], denied["Action"], denied["Resource"]) == ("Deny", "kms:*", ["*"])
    assert denied["Principal"] == "*"
    assert denied["Condition"] == {
        "ArnLike": {"aws:PrincipalArn": ["arn:aws:iam::*:role/acme-*/*"]},
        "ArnNotLike": {"aws:PrincipalArn": ["arn:aws:iam::*:role/acme-prod/*"]},
    }


def test_a_key_in_china_is_of_its_own_partition():
    policy = statements(key_policy(ACCOUNT, "cn-north-1"))

    assert policy["Account"]["Principal"] == {"AWS": f"arn:aws-cn:iam::{ACCOUNT}:root"}


@pytest.mark.parametrize("retain", [True, False])
def test_a_key_is_protected_and_kept_unless_asked_otherwise(deploy, retain):
    stack = deploy(lambda: Key("data", replace(ARGS, retain=retain)))

    key = stack.tree()["moka:aws:Key$aws:kms/key:Key::data"]
    assert (key.protect, key.retainOnDelete) == (retain, retain)
