"""The way in to pages: certificates for as many names as there are, and for these."""

from collections.abc import Iterator

from moka import pages
from moka.certificates import CERTIFICATES_PER_LISTENER, NAMES_PER_CERTIFICATE
from moka.mistakes import Mistake
from stacks.settings.environment import Environment

MAX_FIRST_NAME_LENGTH = 64
"""Characters of a certificate's first name (ACM API, RequestCertificate, DomainName)."""

MAX_NAMESPACES = CERTIFICATES_PER_LISTENER * (NAMES_PER_CERTIFICATE - 1) - 1
"""Names that certificates of a load balancer have, one in common, less one; hosts of home have another."""


def certificates(settings: Environment) -> Iterator[Mistake]:
    """Certificates of one's own and requested ones at once, of elsewhere, and names that none takes."""
    if settings.ui_scheme == "https":
        for name, foundation in settings.foundations.items():
            if foundation.certificates is None:
                yield Mistake(
                    f"foundations.{name}.certificates",
                    "are left out, and other foundations have some; pages are either all https or all http",
                )
    for name, foundation in settings.foundations.items():
        section, at = foundation.certificates, f"foundations.{name}.certificates"
        if section is None:
            continue
        if bool(section.arns) == bool(section.public_zone):
            yield Mistake(
                at, "takes either public_zone, or arns of certificates of your own; keep one of them"
            )
        for arn in section.arns:
            region, account = arn.split(":")[3:5]
            if (region, account) != (foundation.region, foundation.account):
                yield Mistake(
                    f"{at}.arns",
                    f"has {arn!r}, which is of account {account} in {region}; a load balancer takes only "
                    f"those of {foundation.account} in {foundation.region}",
                )
        if section.public_zone:
            yield from _names(settings, name)


def _names(settings: Environment, foundation: str) -> Iterator[Mistake]:
    first_of_home = settings.home_hosts[0]
    if foundation == settings.home_foundation and len(first_of_home) > MAX_FIRST_NAME_LENGTH:
        yield Mistake(
            "domain",
            f"needs a certificate for {first_of_home!r}, and ACM takes {MAX_FIRST_NAME_LENGTH} characters; "
            "shorten it, or give certificates of your own",
        )
    for cluster in settings.clusters_of(foundation):
        first = f"*.{settings.ui_domain(cluster)}"
        if len(first) > MAX_FIRST_NAME_LENGTH:
            yield Mistake(
                f"clusters.{cluster}",
                f"needs a certificate for {first!r}, and ACM takes {MAX_FIRST_NAME_LENGTH} characters; "
                "shorten the cluster's name or domain, or give certificates of your own",
            )
    if len(settings.job_namespaces) > MAX_NAMESPACES:
        yield Mistake(
            "job_namespaces",
            f"are {len(settings.job_namespaces)}, and the certificates of a load balancer take the names of "
            f"{MAX_NAMESPACES}; leave certificates out, or move namespaces to another environment",
        )


def names(settings: Environment) -> Iterator[Mistake]:
    """A cluster whose name is that of a page."""
    if pages.HISTORY in settings.clusters:
        yield Mistake(
            f"clusters.{pages.HISTORY}",
            f"has the name of the History Server's page, {settings.history_host}; give it another",
        )
