"""Rows of pages' names: certificates with their proofs, and records that lead to the load balancer."""

from accounts.permissions.row import Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

CHANGE_RECORD = "route53:ChangeResourceRecordSets route53:GetChange"
READ_RECORD = "route53:ListResourceRecordSets route53:GetHostedZone"


def requests_certificates(settings: Environment, name: str, foundation: Foundation) -> bool:
    """It names a zone for the proofs of certificates."""
    return foundation.certificates is not None and foundation.certificates.public_zone is not None


def has_records(settings: Environment, name: str, foundation: Foundation) -> bool:
    """It names a zone for proofs, or for its pages."""
    return requests_certificates(settings, name, foundation) or foundation.dns_zone is not None


ROWS = (
    Row(
        type="aws:acm/certificate:Certificate",
        schemas="AWS::CertificateManager::Certificate",
        create="acm:RequestCertificate acm:AddTagsToCertificate",
        read="acm:DescribeCertificate acm:ListTagsForCertificate",
        update="acm:AddTagsToCertificate acm:RemoveTagsFromCertificate",
        delete="acm:DeleteCertificate",
        when=requests_certificates,
    ),
    Row(
        type="aws:acm/certificateValidation:CertificateValidation",
        schemas="AWS::CertificateManager::Certificate",
        read="acm:DescribeCertificate",
        when=requests_certificates,
    ),
    Row(
        type="aws:route53/record:Record",
        schemas="AWS::Route53::RecordSet",
        create=CHANGE_RECORD,
        read=READ_RECORD,
        update=CHANGE_RECORD,
        delete=CHANGE_RECORD,
        when=has_records,
    ),
)
