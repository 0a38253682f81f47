"""Layer archer: jobs are taken, placed and followed to their end, and plans made of what they used; once per
environment, at home."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import pulumi

from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.database import connect_statement
from moka.components.aws.pod_identity import PodIdentity
from moka.components.aws.policy import Statement
from moka.components.kubernetes import allocator
from moka.components.kubernetes.allocator import Allocator, AllocatorArgs
from moka.components.kubernetes.archer import (
    DATABASE_AUTHORITIES,
    Archer,
    ArcherArgs,
    ArcherKeeper,
    ArcherWorker,
    ArcherWorkerArgs,
    PodSize,
    ProgramArgs,
    ProxyAccess,
)
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.names import (
    ALLOCATOR,
    ALLOCATOR_IDENTITY,
    ALLOCATOR_NAMESPACE,
    ARCHER,
    ARCHER_IDENTITY,
    ARCHER_KEEPER,
    ARCHER_KEEPER_IDENTITY,
    ARCHER_NAMESPACE,
    ARCHER_WORKER,
    ARCHER_WORKER_IDENTITY,
    INGRESS_NAMESPACE,
    bucket_name,
)
from moka.partition import domain, partition
from moka.submission.configuration import HISTORY_PREFIX, Configuration, DatabaseAccess
from moka.usage import places
from moka.usage.records import JOBS
from stacks.allocator import file_content
from stacks.archer import (
    collector_port,
    issuer_port,
    keeper_configuration,
    service_configuration,
    worker_configuration,
)
from stacks.layer_table import HOME
from stacks.layers import database, foundation, ingress
from stacks.settings import Environment
from stacks.settings.archer import Archer as ArcherSettings
from stacks.settings.archer import Program
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between environments.

    image: of all three programs. archer: as the settings have it.
    host, url: by which the service is reached. ingress_class: of the pages of the home cluster.
    database: how PostgreSQL is reached. key_arn: that encrypts its master's secret, and the next.
    history_bucket_arn: of the bucket with jobs of long ago, and with what was used.
    roles: ARNs of the roles that lead into the clusters.
    issuer_port: of the issuer of tokens; None without one.
    collector_port: of the collector of traces; None without one.
    allocator_image: of the service that makes plans; None without one.
    """

    image: str
    archer: ArcherSettings
    host: str
    url: str
    ingress_class: pulumi.Input[str]
    database: database.Outputs
    key_arn: pulumi.Input[str]
    history_bucket_arn: pulumi.Input[str]
    roles: list[str]
    issuer_port: int | None
    collector_port: int | None
    allocator_image: str | None


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """url: of the service, known once it serves. namespace: of its workers, known once they work."""

    url: pulumi.Input[str]
    namespace: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on the home cluster."""
    settings = site.settings
    assert settings.archer is not None, "without the section there is no layer"
    assert settings.services.archer is not None, "the settings are refused without it"
    home = site.outputs(HOME, foundation.Outputs)
    return Inputs(
        image=settings.services.archer.image,
        archer=settings.archer,
        host=settings.archer_host,
        url=settings.archer_url,
        ingress_class=site.outputs("ingress", ingress.Outputs).ingress_class,
        database=site.outputs("database", database.Outputs),
        key_arn=home.key_arn,
        history_bucket_arn=foundation.at_home(home.resource_usage_bucket_arn),
        roles=[settings.archer_role(name) for name in settings.clusters],
        issuer_port=issuer_port(settings, settings.archer),
        collector_port=collector_port(settings.archer),
        allocator_image=settings.services.allocator.image if settings.services.allocator else None,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the keeper, then the service and the workers, which need the schema that it makes; then what makes
    plans, whose role the service knows."""
    namespace = Namespace(
        f"{site.name}-{ARCHER}",
        NamespaceArgs(name=ARCHER_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    # Pods that start before their identity is there run without it.
    keeper = ArcherKeeper(
        f"{site.name}-{ARCHER}",
        ProgramArgs(
            image=inputs.image,
            namespace=namespace.name,
            configuration=_configuration(
                inputs.database, partial(keeper_configuration, site.settings), master=True
            ),
        ),
        site.after(
            site.allow(
                ARCHER_KEEPER_IDENTITY, ARCHER_NAMESPACE, ARCHER_KEEPER, keeper_statements(site, inputs)
            )
        ),
    )
    planner = _allocator_identity(site, inputs) if inputs.allocator_image else None
    enter = connect_statement(site.region, site.foundation.account, inputs.database.resource_id, ARCHER)
    service = Archer(
        f"{site.name}-{ARCHER}",
        ArcherArgs(
            image=inputs.image,
            namespace=INGRESS_NAMESPACE,
            configuration=_configuration(
                inputs.database,
                partial(service_configuration, site.settings, inputs.archer),
                more={"allocator_role": planner.role_arn} if planner else {},
            ),
            size=_size(inputs.archer.service),
            host=inputs.host,
            ingress_class=inputs.ingress_class,
            issuer_port=inputs.issuer_port,
            collector_port=inputs.collector_port,
            proxies=_proxies(inputs.archer),
            callers={ALLOCATOR: ALLOCATOR_NAMESPACE} if planner else {},
        ),
        site.after(
            keeper,
            site.allow(
                ARCHER_IDENTITY, INGRESS_NAMESPACE, ARCHER, [enter, *log_statements(site.settings, inputs)]
            ),
        ),
    )
    worker = ArcherWorker(
        f"{site.name}-{ARCHER}",
        ArcherWorkerArgs(
            image=inputs.image,
            namespace=namespace.name,
            configuration=_configuration(
                inputs.database, partial(worker_configuration, site.settings, inputs.archer)
            ),
            size=_size(inputs.archer.worker),
            collector_port=inputs.collector_port,
        ),
        site.after(
            keeper,
            site.allow(
                ARCHER_WORKER_IDENTITY,
                ARCHER_NAMESPACE,
                ARCHER_WORKER,
                [
                    enter,
                    Statement(
                        sid="Clusters", actions=("sts:AssumeRole", "sts:TagSession"), resources=inputs.roles
                    ),
                ],
            ),
        ),
    )
    if planner and inputs.allocator_image:
        _allocator(site, inputs.allocator_image, planner, service)
    url = inputs.url
    return Outputs(url=service.namespace.apply(lambda _: url), namespace=worker.namespace)


def log_statements(settings: Environment, inputs: Inputs) -> list[Statement]:
    """To read the logs of jobs, of every foundation that has clusters.

    The key of another foundation than home is not known here: any key there, for this bucket only.
    """
    statements: list[Statement] = []
    for name in sorted({cluster.foundation for cluster in settings.clusters.values()}):
        place = settings.foundations[name]
        arn = f"arn:{partition(place.region)}"
        bucket = bucket_name(settings.prefix, place.account, place.region, "job-logs")
        key = inputs.key_arn
        if name != settings.home_foundation:
            key = f"{arn}:kms:{place.region}:{place.account}:key/*"
        data = f"JobLogs{''.join(part.capitalize() for part in name.split('-'))}"
        statements += bucket_statements(data, "read", f"{arn}:s3:::{bucket}", key)
    return statements


def keeper_statements(site: ClusterSite, inputs: Inputs) -> list[Statement]:
    """To read the password of the database's first user, and to bring to S3 jobs of long ago, and those that
    have ended to what was used."""
    by = {"StringEquals": {"kms:ViaService": f"secretsmanager.{site.region}.{domain(site.region)}"}}
    return [
        Statement(
            sid="Master",
            actions=("secretsmanager:GetSecretValue",),
            resources=[inputs.database.secret_arn],
        ),
        Statement(sid="MasterKey", actions=("kms:Decrypt",), resources=[inputs.key_arn], conditions=by),
        *bucket_statements(
            "History", "keep", inputs.history_bucket_arn, inputs.key_arn, under=f"{HISTORY_PREFIX}/"
        ),
        # It is the same key.
        *bucket_statements("Jobs", "add", inputs.history_bucket_arn, None, under=places.prefix(JOBS.name)),
    ]


def _allocator_identity(site: ClusterSite, inputs: Inputs) -> PodIdentity:
    return site.allow(
        ALLOCATOR_IDENTITY,
        ALLOCATOR_NAMESPACE,
        ALLOCATOR,
        allocator.permissions(inputs.history_bucket_arn, inputs.key_arn),
    )


def _allocator(site: ClusterSite, image: str, identity: PodIdentity, service: Archer) -> None:
    name = f"{site.name}-{ALLOCATOR}"
    namespace = Namespace(name, NamespaceArgs(name=ALLOCATOR_NAMESPACE, pod_security="restricted"), site.opts)
    Allocator(
        name,
        AllocatorArgs(image=image, namespace=namespace.name, configuration=file_content(site.settings)),
        # Pods that start before their identity is there run without it.
        site.after(identity, service),
    )


def _configuration(
    outputs: database.Outputs,
    configuration: Callable[..., Configuration],
    master: bool = False,
    more: Mapping[str, pulumi.Input[str]] = MappingProxyType({}),
) -> pulumi.Output[str]:
    """What a program is told, as JSON.

    configuration: of how the database is reached, and of `more`.
    master: it enters the database as the first user, too.
    """

    def text(values: dict[str, Any]) -> str:
        access = DatabaseAccess(
            url=database_url(values["endpoint"], values["port"]),
            region=values["secret_arn"].split(":")[3],
            master_secret=values["secret_arn"] if master else None,
            first_database=values["database_name"],
        )
        document = configuration(access, **{name: values[name] for name in more})
        return document.model_dump_json(indent=2, exclude_none=True)

    return pulumi.Output.all(**vars(outputs), **more).apply(text)


def database_url(host: str, port: int) -> str:
    """Of Archer's database, as its own user: over TLS, of a server that is what it says."""
    return (
        f"postgresql://{ARCHER}@{host}:{int(port)}/{ARCHER}"
        f"?sslmode=verify-full&sslrootcert={DATABASE_AUTHORITIES}"
    )


def _size(program: Program) -> PodSize:
    return PodSize(replicas=program.replicas, cpu=program.cpu, memory_mib=program.memory_mib)


def _proxies(archer: ArcherSettings) -> ProxyAccess | None:
    proxy = archer.authentication.proxy
    return ProxyAccess(secret=proxy.secret, namespaces=[proxy.namespace]) if proxy else None
