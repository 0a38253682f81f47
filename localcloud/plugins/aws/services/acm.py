"""AWS Certificate Manager as boto3's client answers it: certificates in files, as moto's prove themselves.

A certificate is issued once each of its names has its record in a public hosted zone of the account; ACM asks
DNS, which may be anybody's. Records are those of
https://docs.aws.amazon.com/acm/latest/userguide/dns-validation.html: one for a name and its wildcard.
"""

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from localcloud.plugins.aws.record_names import absolute
from localcloud.plugins.aws.services.base import Members, Service, now

Tags = Iterable[Mapping[str, str]]

NAMES = 10
"""Most names of a certificate, unless AWS was asked for more.

Source: https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html; its words are those of
hashicorp/terraform-provider-aws#35825.
"""


class Acm(Service):
    """A client of Certificate Manager in one region."""

    def request_certificate(self, **members: Any) -> Members:
        """Ask for a certificate."""
        self.validate("RequestCertificate", members)
        arn = f"arn:{self.api.partition}:acm:{self.region}:{self.api.account}:certificate/{uuid.uuid4()}"
        names = list(dict.fromkeys([members["DomainName"], *members.get("SubjectAlternativeNames", ())]))
        if len(names) > NAMES:
            self.refuse("LimitExceededException", "Certificate has too many domains.", "RequestCertificate")
        self._update(
            arn,
            CertificateArn=arn,
            DomainName=names[0],
            SubjectAlternativeNames=names,
            KeyAlgorithm=members.get("KeyAlgorithm", "RSA_2048").replace("_", "-"),
            ValidationMethod=members.get("ValidationMethod", "DNS"),
            CreatedAt=now(),
            tags={tag["Key"]: tag.get("Value", "") for tag in members.get("Tags", ())},
        )
        return {"CertificateArn": arn}

    def describe_certificate(self, CertificateArn: str) -> Members:
        """A certificate; issued once its names are proved."""
        certificate = self._certificate(CertificateArn, "DescribeCertificate")
        options = [self._proof(name) for name in certificate["SubjectAlternativeNames"]]
        if "IssuedAt" not in certificate and self._has_proof(options):
            certificate = self._update(CertificateArn, IssuedAt=now())
        issued = "IssuedAt" in certificate
        certificate |= {
            "Status": "ISSUED" if issued else "PENDING_VALIDATION",
            "Type": "AMAZON_ISSUED",
            "RenewalEligibility": "INELIGIBLE",
            "DomainValidationOptions": [
                {**option, "ValidationStatus": "SUCCESS" if issued else "PENDING_VALIDATION"}
                for option in options
            ],
        }
        return {"Certificate": certificate}

    def delete_certificate(self, CertificateArn: str) -> Members:
        """Delete a certificate."""
        self._certificate(CertificateArn, "DeleteCertificate")
        self.store.remove("certificate", _id(CertificateArn))
        return {}

    def list_tags_for_certificate(self, CertificateArn: str) -> Members:
        """Its tags."""
        tags = self._certificate(CertificateArn, "ListTagsForCertificate")["tags"]
        return {"Tags": [{"Key": key, "Value": value} for key, value in sorted(tags.items())]}

    def add_tags_to_certificate(self, CertificateArn: str, Tags: Tags) -> Members:
        """Put tags on it."""
        tags = self._certificate(CertificateArn, "AddTagsToCertificate")["tags"]
        self._update(CertificateArn, tags=tags | {tag["Key"]: tag.get("Value", "") for tag in Tags})
        return {}

    def remove_tags_from_certificate(self, CertificateArn: str, Tags: Tags) -> Members:
        """Take tags from it."""
        tags = self._certificate(CertificateArn, "RemoveTagsFromCertificate")["tags"]
        keys = {tag["Key"] for tag in Tags}
        self._update(CertificateArn, tags={key: value for key, value in tags.items() if key not in keys})
        return {}

    def _certificate(self, arn: str, operation: str) -> Members:
        certificate = self.store.get("certificate", _id(arn))
        if certificate is None:
            message = f"Could not find certificate {arn}."
            self.refuse("ResourceNotFoundException", message, operation)
        return certificate

    def _update(self, arn: str, **members: Any) -> Members:
        return self.store.update("certificate", _id(arn), members=members)

    def _proof(self, name: str) -> Members:
        """The record that proves a name, the same in every certificate of the account."""
        base = name.removeprefix("*.")
        token, value = (
            hashlib.md5(f"{self.api.account} {base} {part}".encode(), usedforsecurity=False).hexdigest()
            for part in ("name", "value")
        )
        return {
            "DomainName": name,
            "ValidationDomain": name,
            "ValidationMethod": "DNS",
            "ResourceRecord": {
                "Name": f"_{token}.{base}.",
                "Type": "CNAME",
                "Value": f"_{value}.acm-validations.aws.",
            },
        }

    def _has_proof(self, options: Iterable[Members]) -> bool:
        public = self.api.service("route53").public_records()
        proofs = [option["ResourceRecord"] for option in options]
        return all(proof["Value"] in public.get((absolute(proof["Name"]), "CNAME"), ()) for proof in proofs)


def _id(arn: str) -> str:
    return arn.rpartition("/")[2]
