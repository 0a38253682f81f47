"""Disks: by whose key new ones are encrypted, as neither machines nor volumes of pods name one."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, ok, warning

OF_AWS = "alias/aws/ebs"
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetEbsDefaultKmsKeyId.html"""


def default_key(place: Place) -> Iterator[Finding]:
    """The region's default key is one that EC2 Auto Scaling and the EBS driver may use.

    Of a key of one's own, its policy has to say so: "Required AWS KMS key policy for use with encrypted
    volumes" in the EC2 Auto Scaling User Guide, and kubernetes-sigs/aws-ebs-csi-driver: docs/install.md. A
    machine ends with Client.InternalError otherwise, and a volume is made and then not found (issue 1140).
    """
    key = place.ask("ec2", "get_ebs_default_kms_key_id")["KmsKeyId"]
    if key.endswith(OF_AWS):
        yield ok(place.name, "New disks are encrypted with AWS's own key.")
        return
    yield warning(
        place.name,
        f"New disks in {place.region} are encrypted with {key}, which AWS's own policies let neither EC2 "
        "Auto Scaling nor the EBS driver use.",
        "Let AWSServiceRoleForAutoScaling and the driver's roles use it in its policy, or "
        f"`aws ec2 reset-ebs-default-kms-key-id --region {place.region}`.",
    )
