"""What pages need before: certificates that are valid for their hosts, and zones that have their names."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, timedelta
from typing import Any

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning
from moka.pages import cluster_names

MIN_TIME_LEFT = timedelta(days=30)
"""Of a certificate that nobody renews; ACM itself begins to tell 45 days before the end
(https://docs.aws.amazon.com/acm/latest/userguide/supported-events.html)."""

STUCK_RENEWALS = frozenset({"PENDING_VALIDATION", "FAILED"})
"""States of a renewal that wait for somebody
(https://docs.aws.amazon.com/acm/latest/APIReference/API_RenewalSummary.html)."""

MAX_NAMES = 5
"""That a sentence has."""


def certificates(place: Place) -> Iterator[Finding]:
    """Certificates of one's own are issued, go on to be valid, and have the host names of all pages."""
    settings = place.foundation.certificates
    if settings is None or not settings.arns:
        return
    names: set[str] = set()
    for arn in settings.arns:
        answer = place.find("acm", "describe_certificate", "ResourceNotFoundException", CertificateArn=arn)
        if answer is None:
            yield problem(
                place.name,
                f"Certificate {arn} does not exist.",
                f"Request or import it in {place.account}, {place.region}, or correct certificates.arns.",
            )
            continue
        certificate = answer["Certificate"]
        yield _validity(place, arn, certificate)
        names |= _names(certificate)
    yield _coverage(place, names)


def public_zone(place: Place) -> Iterator[Finding]:
    """The zone in which names are proved to ACM is there, is public, and has the names."""
    if place.foundation.certificates and (zone := place.foundation.certificates.public_zone):
        yield _zone(place, zone, "certificates.public_zone", public=True)


def dns_zone(place: Place) -> Iterator[Finding]:
    """The zone of records for pages is there, and has their names."""
    if zone := place.foundation.dns_zone:
        yield _zone(place, zone, "dns_zone", public=False)


def _hosts(place: Place) -> list[str]:
    """Host names of all pages of the foundation's clusters, with wildcards of one label."""
    settings = place.settings
    return [
        name
        for cluster in place.clusters
        for name in cluster_names(
            cluster,
            list(settings.job_namespaces),
            settings.domain,
            settings.home_hosts if cluster == settings.home else [],
        )
    ]


def _validity(place: Place, arn: str, certificate: dict[str, Any]) -> Finding:
    """Whether a certificate is valid, and goes on to be."""
    status = certificate["Status"]
    if status == "PENDING_VALIDATION":
        return problem(
            place.name,
            f"Certificate {arn} is not issued yet: ACM waits for proof of its names.",
            "Put the records that ACM asks for into public DNS.",
        )
    if status != "ISSUED":
        return problem(
            place.name,
            f"Certificate {arn} is not valid: its status is {status}.",
            "Request or import another, and name that in certificates.arns.",
        )
    return _end(place, arn, certificate)


def _end(place: Place, arn: str, certificate: dict[str, Any]) -> Finding:
    """Whether a certificate has time left, or is renewed, as those in use are that ACM issued
    (https://docs.aws.amazon.com/acm/latest/userguide/managed-renewal.html)."""
    end: date = certificate["NotAfter"].astimezone(UTC).date()
    if end - place.today >= MIN_TIME_LEFT:
        return ok(place.name, f"Certificate {arn} is issued, and valid until {end}.")
    if certificate["Type"] == "IMPORTED":
        reason, remedy = "it is imported, so nobody renews it", "Import its successor under the same ARN."
    elif certificate.get("RenewalEligibility") != "ELIGIBLE":
        reason, remedy = "ACM renews only what is in use", "Put it to use before that, or request another."
    elif (state := certificate.get("RenewalSummary", {}).get("RenewalStatus")) in STUCK_RENEWALS:
        reason = f"its renewal is stuck: {state}"
        remedy = "Put the records that ACM asks for back into public DNS."
    else:
        return ok(place.name, f"Certificate {arn} is issued, and ACM renews it before {end}.")
    return warning(place.name, f"Certificate {arn} ends on {end}: {reason}.", remedy)


def _names(certificate: dict[str, Any]) -> set[str]:
    names = [certificate.get("DomainName", ""), *certificate.get("SubjectAlternativeNames", [])]
    return {name.lower() for name in names}


def _coverage(place: Place, names: set[str]) -> Finding:
    """Whether some certificate has each host name; browsers take a wildcard for one label (RFC 9525)."""
    missing = [
        host
        for host in _hosts(place)
        if host not in names and (host.startswith("*.") or f"*.{host.partition('.')[2]}" not in names)
    ]
    if not missing:
        return ok(place.name, "The certificates have the host names of all pages.")
    return warning(
        place.name,
        f"No certificate has {_list(missing)}: browsers refuse these pages.",
        "Request a certificate with them, and add it to certificates.arns.",
    )


def _zone(place: Place, zone: str, setting: str, public: bool) -> Finding:
    """Whether a hosted zone is there, and takes records of all pages. public: it must be."""
    answer = place.find("route53", "get_hosted_zone", "NoSuchHostedZone", Id=zone)
    if answer is None:
        return problem(
            place.name,
            f"Hosted zone {zone} ({setting}) does not exist.",
            f"Create it in {place.account}, or correct {setting}.",
        )
    name = answer["HostedZone"]["Name"].rstrip(".").lower()
    if public and answer["HostedZone"]["Config"]["PrivateZone"]:
        return problem(
            place.name,
            f"Hosted zone {zone} ({setting}), {name}, is private: ACM cannot see proofs there.",
            "Name a public zone, or give certificates of your own.",
        )
    outside = [host for host in _hosts(place) if not f".{host.removeprefix('*.')}".endswith(f".{name}")]
    if outside:
        return problem(
            place.name,
            f"Hosted zone {zone} ({setting}) is {name}, which takes no records of {_list(outside)}.",
            f"Name the zone of {place.settings.domain}, or of a domain above.",
        )
    return ok(place.name, f"Hosted zone {zone} ({setting}), {name}, takes the records of all pages.")


def _list(names: Sequence[str]) -> str:
    """Names for a sentence, the first of them if they are many."""
    surplus = len(names) - MAX_NAMES
    return series([*names[:MAX_NAMES], *([f"{surplus} more"] if surplus > 0 else [])])
