from doctor.checks.disks import default_key
from tests.support.aws_stubs import lines


def by_default(key):
    return {"ec2": [("get_ebs_default_kms_key_id", {}, {"KmsKeyId": key})]}


def test_the_key_of_aws_is_fine(place):
    assert lines(default_key, place(stubbed=by_default("alias/aws/ebs"))) == [
        "ok main New disks are encrypted with AWS's own key."
    ]


def test_a_key_of_the_account_is_told_with_who_has_to_use_it(place):
    key = "arn:aws:kms:us-east-1:123456789012:key/1234"

    [finding] = lines(default_key, place(stubbed=by_default(key)))

    assert finding.startswith(f"warning main New disks in us-east-1 are encrypted with {key}, which")
    assert "AWSServiceRoleForAutoScaling" in finding
    assert "aws ec2 reset-ebs-default-kms-key-id --region us-east-1" in finding
