"""Certificates of AWS Certificate Manager, and that they are issued."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, P, Read, Tagging, words

OWN = {"CertificateArn": ID}


def described(subject: Subject, arn: str) -> dict[str, Any]:
    """What ACM says of a certificate."""
    certificate: dict[str, Any] = subject.request("describe_certificate", CertificateArn=arn)["Certificate"]
    return certificate


def read_certificate(subject: Subject) -> dict[str, Any]:
    """A certificate, with the records that prove its names as the provider shows them."""
    certificate = described(subject, subject.id)
    other_names = [
        name for name in certificate["SubjectAlternativeNames"] if name != certificate["DomainName"]
    ]
    return {
        "arn": certificate["CertificateArn"],
        "domainName": certificate["DomainName"],
        "subjectAlternativeNames": other_names,
        "validationMethod": certificate["ValidationMethod"],
        "keyAlgorithm": certificate["KeyAlgorithm"].replace("-", "_"),
        "status": certificate["Status"],
        "type": certificate["Type"],
        "renewalEligibility": certificate["RenewalEligibility"],
        "domainValidationOptions": [
            {
                "domainName": option["DomainName"],
                **{f"resourceRecord{key}": value for key, value in option["ResourceRecord"].items()},
            }
            for option in certificate["DomainValidationOptions"]
        ],
    }


CERTIFICATE = Kind(
    service="acm",
    schema="AWS::CertificateManager::Certificate",
    inputs="domainName subjectAlternativeNames validationMethod keyAlgorithm",
    outputs="arn status type renewalEligibility domainValidationOptions",
    create=Call("request_certificate", other_inputs=True),
    id="CertificateArn",
    reads=(Read(read_certificate),),
    delete=(Call("delete_certificate", OWN),),
    tags=Tagging(
        create="Tags",
        put=Call("add_tags_to_certificate", {**OWN, "Tags": P("=tags")}),
        remove=Call("remove_tags_from_certificate", {**OWN, "Tags": P("=keys")}),
        keys_as_tags=True,
        read_call=Call("list_tags_for_certificate", OWN),
    ),
    computed=words("keyAlgorithm subjectAlternativeNames validationMethod"),
    unordered=words("subjectAlternativeNames"),
    volatile=words("status"),
)


def wait_until_issued(subject: Subject) -> str:
    """When it was issued, which is the provider's id.

    Raises Refusal where the provider would wait in vain: a record is missing in `validationRecordFqdns`, or
    in DNS. Source: hashicorp/terraform-provider-aws: internal/service/acm/certificate_validation.go.
    """
    arn = subject.properties["certificateArn"]
    certificate = described(subject, arn)
    record_names = {
        option["ResourceRecord"]["Name"].rstrip(".") for option in certificate["DomainValidationOptions"]
    }
    if fqdns := subject.properties.get("validationRecordFqdns"):
        for missing in sorted(record_names - {name.rstrip(".") for name in fqdns}):
            raise Refusal(
                f"{subject.type}: missing DNS validation record: {missing}: give the name of that record too."
            )
    if certificate["Status"] != "ISSUED":
        raise Refusal(
            f"{subject.type}: waiting for ACM Certificate ({arn}) to be issued: timeout while waiting for "
            f"state to become 'ISSUED' (last state: '{certificate['Status']}', timeout: 1h15m0s): put the "
            "records of domainValidationOptions into the public zone that DNS asks."
        )
    return str(certificate["IssuedAt"])


def read_validation(subject: Subject) -> dict[str, Any] | None:
    """That a certificate is issued; None while it is not."""
    arn = subject.properties["certificateArn"]
    certificate = described(subject, arn)
    if certificate["Status"] != "ISSUED":
        return None
    subject.id = str(certificate["IssuedAt"])
    return {"certificateArn": arn}


VALIDATION = Kind(
    service="acm",
    schema="AWS::CertificateManager::Certificate",
    inputs="certificateArn! validationRecordFqdns",
    create=wait_until_issued,
    id="",
    identity=("certificateArn",),
    separator="|",
    reads=(Read(read_validation),),
    write_only=words("validationRecordFqdns"),
    unordered=words("validationRecordFqdns"),
)
"""Nothing of AWS: the provider waits."""

TYPES = {
    "aws:acm/certificate:Certificate": CERTIFICATE,
    "aws:acm/certificateValidation:CertificateValidation": VALIDATION,
}
