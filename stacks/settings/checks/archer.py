"""Archer: what it needs, what its rights and weights name, and whether it reaches every cluster."""

from collections.abc import Collection, Iterator

from moka import pages
from moka.mistakes import Mistake, near
from moka.names import archer_role_name
from moka.submission.rights import ANY
from stacks.settings.archer import Archer
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment
from stacks.settings.foundation import Foundation, Network

LONGEST_ROLE_NAME = 64
"""Characters (IAM User Guide, "IAM and AWS STS quotas")."""


def needs(settings: Environment) -> Iterator[Mistake]:
    """Archer without its image, its database or a way to come in, or an image for nothing."""
    archer = settings.archer
    if archer is None:
        if settings.services.archer is not None:
            yield Mistake("services.archer", "is the image of nothing; add a section archer, or remove it")
        for name, namespace in settings.job_namespaces.items():
            if namespace.archer_only:
                at = f"job_namespaces.{name}.archer_only"
                yield Mistake(
                    at, "keeps out every job, as there is no Archer; add a section archer, or remove it"
                )
        return
    if settings.services.archer is None:
        yield Mistake("archer", "has no image; name it as services.archer, as `make images` has pushed it")
    if settings.database is None:
        yield Mistake("archer", "keeps its jobs in PostgreSQL; add a section database, or remove it")
    if not any(way for _, way in archer.authentication):
        yield Mistake(
            "archer.authentication",
            "has no way to say who one is, and nobody could submit; add oidc, proxy or iam",
        )
    if pages.ARCHER in settings.clusters:
        yield Mistake(
            f"clusters.{pages.ARCHER}",
            f"has the name of Archer's host, {settings.archer_host}; give it another",
        )


def tokens(settings: Environment) -> Iterator[Mistake]:
    """Tokens of no issuer, or such as pages have."""
    oidc = settings.archer.authentication.oidc if settings.archer else None
    login = settings.ingress.login
    if oidc is None:
        return
    at = "archer.authentication.oidc"
    if oidc.issuer is None and login is None:
        yield Mistake(
            f"{at}.issuer", "is left out, and there is no ingress.login whose issuer it could be; name one"
        )
    if login and oidc.audience == login.client_id and oidc.issuer in (None, login.issuer):
        yield Mistake(
            f"{at}.audience",
            f"is {oidc.audience!r}, that of the pages' login, so that a token of theirs would submit jobs; "
            "have the issuer give tokens of another audience",
        )


def plain_http(settings: Environment) -> Iterator[Mistake]:
    """Tokens of people in plain text."""
    if settings.archer and settings.archer.authentication.oidc and settings.ui_scheme != "https":
        yield Mistake(
            "archer.authentication.oidc",
            "needs TLS, or whoever is on the way reads tokens; set certificates of each foundation",
        )


def rights(settings: Environment) -> Iterator[Mistake]:
    """Rights and weights that name queues which are not there."""
    archer = settings.archer
    if archer is None:
        return
    for name, right in archer.rights.items():
        at = f"archer.rights.{name}"
        yield from repeated(f"{at}.who", right.who)
        yield from repeated(f"{at}.may", right.may)
        yield from repeated(f"{at}.tiers", map(str, right.tiers))
        yield from _place(settings, at, right.organization, right.project, right.tiers)
    yield from _weights(settings, archer)


def _place(
    settings: Environment, at: str, organization: str, project: str, tiers: Collection[int]
) -> Iterator[Mistake]:
    """What of a right names no queue."""
    organizations = settings.queues.organizations
    if organization != ANY and organization not in organizations:
        yield Mistake(
            f"{at}.organization",
            f"no organization of the queues is named {organization!r}; {near(organization, organizations)}",
        )
        return
    choice = organizations if organization == ANY else {organization: organizations[organization]}
    projects = {key: value for entry in choice.values() for key, value in entry.projects.items()}
    if project != ANY and project not in projects:
        yield Mistake(f"{at}.project", f"no project there is named {project!r}; {near(project, projects)}")
        return
    if len(tiers) == 3:
        return
    queue_tiers = {
        tier
        for entry in choice.values()
        for key, value in entry.projects.items()
        if project in (ANY, key)
        for tier in value.tiers
    }
    for tier in sorted(set(tiers) - queue_tiers):
        yield Mistake(
            f"{at}.tiers",
            f"has {tier}, and no queue there has that tier; name of "
            f"{', '.join(map(str, sorted(queue_tiers)))}",
        )


def _weights(settings: Environment, archer: Archer) -> Iterator[Mistake]:
    queues = [
        f"{organization}.{project}"
        for organization, entry in settings.queues.organizations.items()
        for project in entry.projects
    ]
    for queue in archer.weights:
        if queue not in queues:
            yield Mistake(f"archer.weights.{queue}", f"no queue is named {queue!r}; {near(queue, queues)}")


def ways(settings: Environment) -> Iterator[Mistake]:
    """Clusters whose private API servers the home cluster does not reach."""
    if settings.archer is None or settings.home not in settings.clusters:
        return
    home = settings.foundations.get(settings.home_foundation)
    for name, cluster in settings.clusters.items():
        foundation = settings.foundations.get(cluster.foundation)
        if home is None or foundation is None or name == settings.home or cluster.public_access:
            continue
        at = f"foundations.{cluster.foundation}"
        if foundation is home:
            # In a VPC that is there, nobody says which networks its pods have.
            if home.existing_network and not (home.api_access.cidrs or home.api_access.security_groups):
                yield Mistake(
                    f"{at}.api_access",
                    f"lets nobody in, and Archer on {settings.home!r} has to reach cluster {name!r}; name "
                    "the networks of nodes and pods in its cidrs",
                )
        elif gap := _gap(home, foundation):
            yield Mistake(
                f"{at}.network.transit_gateway",
                f"does not connect cluster {name!r} with {settings.home!r}, where Archer is: {gap}",
            )


def _gap(home: Foundation, foundation: Foundation) -> str | None:
    """What is missing on the way between two VPCs, as a clause; None where nothing is, or nobody knows."""
    if home.network is None or foundation.network is None:
        return None
    for network, other in ((foundation.network, home.network), (home.network, foundation.network)):
        if not _routes(network, other):
            return (
                f"the cidrs of {network.cidr} lack {other.cidr}; add that network to them, and have the "
                "transit gateways route it"
            )
    return None


def _routes(network: Network, other: Network) -> bool:
    gateway = network.transit_gateway
    return gateway is not None and any(other.cidr.subnet_of(cidr) for cidr in gateway.cidrs)


def role_names(settings: Environment) -> Iterator[Mistake]:
    """Names of its roles that IAM does not take."""
    if settings.archer is None:
        return
    for cluster in settings.clusters:
        name = archer_role_name(settings.prefix, cluster)
        if len(name) > LONGEST_ROLE_NAME:
            yield Mistake(
                f"clusters.{cluster}",
                f"gives Archer's role the name {name}, and IAM takes {LONGEST_ROLE_NAME} characters; shorten "
                "the name of the cluster, the organization or the environment",
            )
