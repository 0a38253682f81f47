import json

from components.aws.key import Key, KeyArgs, key_policy

ACCOUNT = "111122223333"
AUTOSCALING = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
)


def statements(policy: str) -> dict[str, dict]:
    return {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}


def test_a_key_is_rotated_and_found_by_its_alias(deploy):
    made = deploy(lambda: Key("data", KeyArgs(alias="moka/data", description="Data", account_id=ACCOUNT)))

    [key] = made.inputs("aws:kms/key:Key")
    [alias] = made.inputs("aws:kms/alias:Alias")
    assert key["enableKeyRotation"] is True
    assert alias["name"] == "alias/moka/data"


def test_by_default_the_policies_of_the_account_alone_decide_on_a_key():
    policy = statements(key_policy(ACCOUNT))

    assert list(policy) == ["Account"]
    assert policy["Account"]["Principal"] == {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}


def test_a_service_uses_a_key_for_data_of_this_account_only_and_cannot_administer_it():
    services = ["logs.us-east-1.amazonaws.com", "sns.amazonaws.com"]
    policy = statements(key_policy(ACCOUNT, services=services))

    assert policy["ServiceLogs"]["Condition"] == {
        "ArnLike": {"kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:*:{ACCOUNT}:*"}
    }
    assert policy["ServiceSns"]["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    assert "kms:*" not in policy["ServiceLogs"]["Action"]


def test_a_user_of_a_key_may_grant_it_to_aws_services_only():
    grants = statements(key_policy(ACCOUNT, users=[AUTOSCALING]))["Grants"]

    assert grants["Principal"] == {"AWS": [AUTOSCALING]}
    assert grants["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
