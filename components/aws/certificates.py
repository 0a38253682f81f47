"""Certificates of AWS Certificate Manager for many host names, proved by records in a public zone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from moka.certificates import NAMES_PER_CERTIFICATE

TTL_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class CertificatesArgs:
    """What differs between sets of certificates.

    names: host names, also `*.<name>`; the first, of 64 characters at the most, is in each certificate. A
        name that is added at the end changes the last certificate only.
    zone_id: public hosted zone of Route 53 in the same account; ACM cannot look into a private one
        (https://docs.aws.amazon.com/acm/latest/userguide/domain-ownership-validation.html).
    former_names: of components whose records of these names are this one's now.
    """

    names: Sequence[str]
    zone_id: str
    former_names: Sequence[str] = ()


class Certificates(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Certificates`.

    Makes: for each ten names an acm.Certificate and an acm.CertificateValidation; for each name a
    route53.Record, which stays, so that ACM renews the certificates by itself.
    Outputs: `arns`, known only once the certificates are valid.
    """

    arns: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, args: CertificatesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Certificates", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        records: dict[str, aws.route53.Record] = {}
        validations: list[aws.acm.CertificateValidation] = []
        for number, names in enumerate(chunks(args.names), start=1):
            certificate = aws.acm.Certificate(
                f"{name}-{number}",
                domain_name=names[0],
                subject_alternative_names=names[1:],
                validation_method="DNS",
                opts=child,
            )
            for host in names:
                if host not in records:
                    record = pulumi.ResourceOptions(
                        parent=self,
                        aliases=[pulumi.Alias(name=f"{former}-{host}") for former in args.former_names],
                    )
                    records[host] = _record(f"{name}-{host}", host, certificate, args.zone_id, record)
            validations.append(
                aws.acm.CertificateValidation(
                    f"{name}-{number}",
                    certificate_arn=certificate.arn,
                    validation_record_fqdns=[records[host].fqdn for host in names],
                    opts=child,
                )
            )
        self.arns = pulumi.Output.all(*[validation.certificate_arn for validation in validations])
        self.register_outputs({"arns": self.arns})


def chunks(names: Sequence[str]) -> Iterator[list[str]]:
    """The names of each certificate: the first of all, and as many others as there is room for."""
    first, *others = names
    room = NAMES_PER_CERTIFICATE - 1
    for start in range(0, max(len(others), 1), room):
        yield [first, *others[start : start + room]]


def _record(
    name: str, host: str, certificate: aws.acm.Certificate, zone_id: str, opts: pulumi.ResourceOptions
) -> aws.route53.Record:
    """The record by which ACM sees whose a name is."""

    def proof(field: str) -> pulumi.Output[str]:
        return certificate.domain_validation_options.apply(
            lambda options: next(getattr(option, field) for option in options if option.domain_name == host)
        )

    return aws.route53.Record(
        name,
        zone_id=zone_id,
        name=proof("resource_record_name"),
        type=proof("resource_record_type"),
        records=[proof("resource_record_value")],
        ttl=TTL_SECONDS,
        # The same for a name whatever certificate it is in: an earlier one may have left it.
        allow_overwrite=True,
        opts=opts,
    )
