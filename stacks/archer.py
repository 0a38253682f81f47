"""What Archer's programs are told, by the settings: each what it needs, and no more."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from moka.components.kubernetes.archer import CERTIFICATE, KEY, PROXIES, PROXY_PORT
from moka.names import Data, bucket_name
from moka.submission.configuration import (
    Authentication,
    ClusterAccess,
    Configuration,
    DatabaseAccess,
    HistoryPlace,
    IamWay,
    LogsPlace,
    OidcWay,
    PlanDays,
    ProxyWay,
    RateLimit,
    RightEntry,
    Tls,
    TracesPlace,
)
from stacks.job_logs import job_logs
from stacks.settings import Environment
from stacks.settings.archer import Archer
from stacks.settings.archer import Oidc as OidcSettings

HISTORY_DATA: Data = "resource-usage"
"""The bucket with jobs of long ago."""


def service_configuration(
    settings: Environment, archer: Archer, database: DatabaseAccess, allocator_role: str | None = None
) -> Configuration:
    """Of the service.

    allocator_role: ARN of the role of the service `allocator`; None without one.
    """
    proxy = archer.authentication.proxy
    return Configuration(
        environment=settings.environment,
        database=database,
        logs=dict(_logs(settings)),
        rights=[*_rights(archer), *([_allocator_right(allocator_role)] if allocator_role else [])],
        rate=RateLimit(a_second=archer.rate.a_second, at_once=archer.rate.at_once),
        authentication=_authentication(settings, archer),
        tls=Tls(port=PROXY_PORT, certificate=CERTIFICATE, key=KEY, proxies=PROXIES) if proxy else None,
        history=_history(settings),
        traces=_traces(archer),
    )


def worker_configuration(settings: Environment, archer: Archer, database: DatabaseAccess) -> Configuration:
    """Of the workers, which enter every cluster by its role for Archer."""
    return Configuration(
        environment=settings.environment,
        database=database,
        weights=dict(archer.weights),
        clusters={
            name: ClusterAccess(
                eks=settings.eks_name(name),
                region=settings.foundation_of(name).region,
                role=settings.archer_role(name),
            )
            for name in settings.clusters
        },
        traces=_traces(archer),
    )


def keeper_configuration(settings: Environment, database: DatabaseAccess) -> Configuration:
    """Of the keeper."""
    return Configuration(
        environment=settings.environment,
        database=database,
        history=_history(settings),
        plans=PlanDays(in_force=settings.retention.plans, proposed=settings.retention.jobs),
    )


def issuer_port(settings: Environment, archer: Archer) -> int | None:
    """TCP port of the issuer of tokens, if there is one."""
    oidc = archer.authentication.oidc
    return urlsplit(_oidc(settings, oidc).issuer).port or 443 if oidc else None


def collector_port(archer: Archer) -> int | None:
    """TCP port of the collector of traces, if there is one."""
    if archer.traces is None:
        return None
    url = urlsplit(archer.traces.endpoint)
    return url.port or (443 if url.scheme == "https" else 80)


def _traces(archer: Archer) -> TracesPlace | None:
    traces = archer.traces
    return TracesPlace(endpoint=traces.endpoint, share=traces.share) if traces else None


def _history(settings: Environment) -> HistoryPlace:
    """Where jobs of long ago go: to what else is kept of jobs, at home."""
    home = settings.foundations[settings.home_foundation]
    return HistoryPlace(
        bucket=bucket_name(settings.prefix, home.account, home.region, HISTORY_DATA),
        region=home.region,
        days=settings.retention.jobs,
    )


def _logs(settings: Environment) -> Iterator[tuple[str, LogsPlace]]:
    for cluster in settings.clusters:
        logs = job_logs(settings, cluster)
        yield (
            cluster,
            LogsPlace(
                bucket=logs.bucket,
                region=logs.region,
                folder=logs.folder,
                drivers_behind_seconds=settings.logs.drivers_behind_seconds,
                executors_behind_seconds=settings.logs.executors_behind_seconds,
            ),
        )


def _rights(archer: Archer) -> Iterator[RightEntry]:
    for right in archer.rights.values():
        for holder in right.who:
            yield RightEntry(
                who=holder,
                may=right.may,
                organization=right.organization,
                project=right.project,
                tiers=right.tiers,
            )


def _allocator_right(role: str) -> RightEntry:
    """To propose plans and workflows, and to apply plans within their bounds: no job is its business.

    Archer knows the session of a role by the role's ARN without its path, as STS has it
    (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html, "assumed-role").
    """
    account, _, path = role.partition(":role/")
    return RightEntry(who=f"group:{account}:role/{path.rpartition('/')[2]}", may=["operate"])


def _authentication(settings: Environment, archer: Archer) -> Authentication:
    ways = archer.authentication
    return Authentication(
        oidc=_oidc(settings, ways.oidc) if ways.oidc else None,
        proxy=ProxyWay(
            certificate_name=ways.proxy.certificate_name,
            user_header=ways.proxy.user_header,
            groups_header=ways.proxy.groups_header,
        )
        if ways.proxy
        else None,
        iam=IamWay(region=settings.foundation_of(settings.home).region) if ways.iam else None,
    )


def _oidc(settings: Environment, oidc: OidcSettings) -> OidcWay:
    """What is not said is the login's."""
    login = settings.ingress.login
    issuer = oidc.issuer or (login.issuer if login else None)
    assert issuer is not None, "the settings are refused without one"
    return OidcWay(
        issuer=issuer,
        audience=oidc.audience,
        name_claim=oidc.name_claim,
        groups_claim=oidc.groups_claim or (login.groups_claim if login else "groups"),
    )
