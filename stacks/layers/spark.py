"""Layer spark: the Spark Operator, and the namespaces in which jobs run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal

import pulumi

from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.glue_access import glue_statements
from moka.components.aws.pod_identity import OF_NAMESPACE
from moka.components.aws.policy import Statement
from moka.components.kubernetes.application_quota import ApplicationQuota, ApplicationQuotaArgs
from moka.components.kubernetes.archer_access import (
    ArcherAccess,
    ArcherAccessArgs,
    ArcherClusterRole,
    ArcherRole,
    ArcherRoleArgs,
)
from moka.components.kubernetes.archer_deadline import ArcherDeadline, ArcherDeadlineArgs
from moka.components.kubernetes.archer_only import ArcherOnly, ArcherOnlyArgs
from moka.components.kubernetes.driver_finalizer import (
    DriverFinalizer,
    DriverFinalizerArgs,
    DriverFinalizerRole,
    DriverFinalizerRoleArgs,
)
from moka.components.kubernetes.job_access import JobAccess, JobAccessArgs
from moka.components.kubernetes.job_namespace import (
    ContainerSize,
    JobNamespace,
    JobNamespaceArgs,
    Quota,
)
from moka.components.kubernetes.job_network import Egress
from moka.components.kubernetes.job_size import JobSize, JobSizeArgs
from moka.components.kubernetes.job_submission import JobSubmission, JobSubmissionArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.queue_claims import QueueClaims, QueueClaimsArgs
from moka.components.kubernetes.spark_operator import CHART, SparkOperator, SparkOperatorArgs, release_name
from moka.components.kubernetes.ui_gateway import UiGatewayRole, UiGatewayRoleArgs
from moka.components.kubernetes.yunikorn import service_account_pattern
from moka.components.ordering import after_outputs
from moka.jobs.job_target import JobTarget
from moka.names import (
    ARCHER,
    DRIVER_FINALIZER_NAMESPACE,
    INGRESS_NAMESPACE,
    SPARK_ACCOUNT,
    SPARK_OPERATOR_NAMESPACE,
    YUNIKORN_NAMESPACE,
    use_sid,
)
from moka.partition import partition
from moka.submission.cluster_document import ClusterDocument, OperatorShare
from stacks.job_target import job_target
from stacks.layer_table import HOME
from stacks.layers import archer, foundation, shuffle
from stacks.settings.metastore import Metastore
from stacks.settings.network_use import pod_networks
from stacks.settings.services import Service as ServiceSettings
from stacks.settings.spark import JobNamespace as JobNamespaceSettings
from stacks.settings.spark import Operator as OperatorSettings
from stacks.settings.spark import executor_bounds, queue_patterns
from stacks.settings.uses import Use
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    job_namespaces: namespaces in which jobs run, by name, as the settings have them.
    operators: releases of the Spark Operator, by name, as the settings have them.
    event_logs_bucket_arn, event_logs_key_arn: bucket that jobs put their event logs into, and its key.
    data: namespace -> buckets in which it has the folder of its name, and their key, as
        `foundation.job_data` has them.
    uses: name -> bucket that jobs may use besides the environment's own, where their namespace names it; its
        owner has to grant that.
    metastores: name -> metastore, as the settings have it; namespaces name theirs.
    packages, repositories: of Maven, that jobs may name.
    driver_finalizer: the service that keeps drivers until they have been read; None for none.
    ui_gateway: whether a gateway leads to the UIs of drivers.
    jobs: the cluster's `moka.jobs.job_target.JobTarget`.
    pod_networks: in which the cluster's pods have their addresses, where that is known.
    archer: whether Archer submits here. archer_workers: known once its workers are, on their own cluster.
    """

    job_namespaces: Mapping[str, JobNamespaceSettings]
    operators: Mapping[str, OperatorSettings]
    event_logs_bucket_arn: pulumi.Input[str]
    event_logs_key_arn: pulumi.Input[str]
    data: Mapping[str, pulumi.Output[Mapping[str, str]]]
    jobs: pulumi.Input[Mapping[str, Any]]
    uses: Mapping[str, Use] = field(default_factory=dict)
    metastores: Mapping[str, Metastore] = field(default_factory=dict)
    packages: Sequence[str] = ()
    repositories: Sequence[str] = ()
    driver_finalizer: ServiceSettings | None = None
    ui_gateway: bool = False
    pod_networks: Sequence[str] = ()
    archer: bool = False
    archer_workers: Sequence[pulumi.Input[str]] = ()


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What those who submit jobs need.

    job_namespaces: known once jobs can be submitted there.
    service_account: of drivers, in each of them.
    jobs: the cluster's `moka.jobs.job_target.JobTarget`, from which SparkApplications are rendered.
    """

    job_namespaces: pulumi.Input[Sequence[str]]
    service_account: pulumi.Input[str]
    jobs: pulumi.Input[Mapping[str, Any]]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    settings = site.settings
    celeborn = site.outputs_if_there("shuffle", shuffle.Outputs)
    workers = site.outputs_if_there("archer", archer.Outputs)
    base, home = (site.outputs(source, foundation.Outputs) for source in ("foundation", HOME))
    data = {name: foundation.job_data(base, name) for name in settings.job_namespaces}
    return Inputs(
        job_namespaces=settings.job_namespaces,
        pod_networks=pod_networks(settings.foundation_of(site.name)),
        operators=settings.spark.operators,
        packages=settings.spark.packages,
        repositories=settings.spark.repositories,
        driver_finalizer=settings.services.driver_finalizer,
        ui_gateway=settings.services.ui_gateway is not None,
        archer=settings.archer is not None,
        archer_workers=[workers.namespace] if workers else [],
        event_logs_bucket_arn=foundation.at_home(home.event_logs_bucket_arn),
        event_logs_key_arn=home.key_arn,
        data=data,
        jobs=pulumi.Output.all(
            foundation.at_home(home.event_logs_bucket),
            data,
            None if celeborn is None else pulumi.Output.all(**vars(celeborn)),
        ).apply(lambda values: job_target(settings, site.name, *values).as_outputs()),
        uses=settings.uses,
        metastores=settings.metastores,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the job namespaces with what jobs and people may do there, the operators that run the jobs, and
    what keeps their drivers until they have been read.
    """
    finalizer = _driver_finalizer(site, inputs)
    # Namespaces are deleted before those who remove finalizers there.
    removers: list[pulumi.Resource] = [finalizer] if finalizer else []
    if inputs.archer:
        removers.append(ArcherClusterRole(f"{site.name}-{ARCHER}", site.opts))
    namespace_opts = after_outputs(site.after(*removers), *inputs.archer_workers)
    spaces: dict[str, JobNamespace] = {}
    identities = []
    for name, space in inputs.job_namespaces.items():
        metastore = inputs.metastores[space.metastore] if space.metastore else None
        arguments = job_namespace(name, space, inputs.pod_networks, metastore)
        spaces[name] = JobNamespace(f"{site.name}-{name}", arguments, namespace_opts)
        statements = [
            *job_statements(inputs, name, space.uses, partition(site.region)),
            *_table_statements(site, inputs, space),
        ]
        identities.append(site.allow(name, name, SPARK_ACCOUNT, statements))
    people = [
        JobAccess(
            f"{site.name}-{name}",
            JobAccessArgs(name=name, namespace=space.name),
            pulumi.ResourceOptions.merge(site.opts, pulumi.ResourceOptions(deleted_with=space)),
        )
        for name, space in spaces.items()
    ]
    namespace = Namespace(
        f"{site.name}-spark-operator", NamespaceArgs(name=SPARK_OPERATOR_NAMESPACE), site.opts
    )
    operators = _operators(site, inputs, spaces, namespace)
    _archer_only(site, inputs)
    if inputs.archer:
        ArcherDeadline(
            f"{site.name}-archer-deadline",
            ArcherDeadlineArgs(namespaces=list(inputs.job_namespaces)),
            site.opts,
        )
    _queue_claims(site, inputs)
    _job_size(site, inputs)
    JobSubmission(
        f"{site.name}-job-submission",
        JobSubmissionArgs(
            namespaces=list(inputs.job_namespaces),
            packages=inputs.packages,
            repositories=inputs.repositories,
        ),
        site.opts,
    )
    quotas = [
        ApplicationQuota(
            f"{site.name}-{name}",
            ApplicationQuotaArgs(namespace=spaces[name].name, applications=space.quota.applications),
            site.after(operators[0]),
        )
        for name, space in inputs.job_namespaces.items()
        if space.quota.applications is not None
    ]
    ready = pulumi.Output.all(
        *[operator.namespace for operator in operators],
        *[quota.namespace for quota in quotas],
        *[access.namespace for access in people],
        *[
            _finalizer_role(site, name, space, finalizer).job_namespace
            for name, space in spaces.items()
            if finalizer
        ],
        *[
            _gateway_role(site, name, space).job_namespace
            for name, space in spaces.items()
            if inputs.ui_gateway
        ],
        *[_archer_role(site, name, space).job_namespace for name, space in spaces.items() if inputs.archer],
        *[identity.association_id for identity in identities],
    )
    if inputs.archer:
        # Not the release's: what is in a namespace that a changing release has yet to tell would be replaced.
        _archer_access(site, inputs, namespace.name, ready)
    names = list(inputs.job_namespaces)
    return Outputs(
        job_namespaces=ready.apply(lambda _: names),
        service_account=ready.apply(lambda _: SPARK_ACCOUNT),
        jobs=pulumi.Output.all(inputs.jobs, ready).apply(itemgetter(0)),
    )


def _archer_only(site: ClusterSite, inputs: Inputs) -> None:
    """Keep out of some namespaces what does not come from Archer."""
    namespaces = [name for name, space in inputs.job_namespaces.items() if space.archer_only]
    if not namespaces:
        return
    makers = [
        service_account_pattern(SPARK_OPERATOR_NAMESPACE),
        service_account_pattern(YUNIKORN_NAMESPACE),
        *(service_account_pattern(name, SPARK_ACCOUNT) for name in namespaces),
    ]
    ArcherOnly(f"{site.name}-archer-only", ArcherOnlyArgs(namespaces=namespaces, trusted=makers), site.opts)


def _queue_claims(site: ClusterSite, inputs: Inputs) -> None:
    """Keep jobs of some namespaces out of queues that are not for them."""
    if claims := queue_patterns(inputs.job_namespaces):
        QueueClaims(f"{site.name}-queue-claims", QueueClaimsArgs(claims=claims), site.opts)


def _job_size(site: ClusterSite, inputs: Inputs) -> None:
    """Keep out applications that ask for more executors than a job may have."""
    if executors := executor_bounds(inputs.job_namespaces):
        JobSize(f"{site.name}-job-size", JobSizeArgs(executors=executors), site.opts)


def _driver_finalizer(site: ClusterSite, inputs: Inputs) -> DriverFinalizer | None:
    """The service that removes the finalizer of drivers, where there is one."""
    if inputs.driver_finalizer is None:
        return None
    namespace = Namespace(
        f"{site.name}-driver-finalizer",
        NamespaceArgs(name=DRIVER_FINALIZER_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    return DriverFinalizer(
        f"{site.name}-driver-finalizer",
        DriverFinalizerArgs(
            image=inputs.driver_finalizer.image,
            namespace=namespace.name,
            job_namespaces=list(inputs.job_namespaces),
        ),
        site.opts,
    )


def _finalizer_role(
    site: ClusterSite, name: str, space: JobNamespace, finalizer: DriverFinalizer
) -> DriverFinalizerRole:
    """What the controller may do in a job namespace, as long as that exists."""
    return DriverFinalizerRole(
        f"{site.name}-{name}",
        DriverFinalizerRoleArgs(job_namespace=space.name, namespace=finalizer.namespace),
        pulumi.ResourceOptions.merge(site.opts, pulumi.ResourceOptions(deleted_with=space)),
    )


def _gateway_role(site: ClusterSite, name: str, space: JobNamespace) -> UiGatewayRole:
    """What the gateway to UIs, of layer ingress, may read in a job namespace."""
    return UiGatewayRole(
        f"{site.name}-{name}",
        UiGatewayRoleArgs(job_namespace=space.name, namespace=INGRESS_NAMESPACE),
        pulumi.ResourceOptions.merge(site.opts, pulumi.ResourceOptions(deleted_with=space)),
    )


def _archer_role(site: ClusterSite, name: str, space: JobNamespace) -> ArcherRole:
    """What Archer, of the environment's home, may do in a job namespace."""
    return ArcherRole(
        f"{site.name}-{name}",
        ArcherRoleArgs(job_namespace=space.name),
        pulumi.ResourceOptions.merge(site.opts, pulumi.ResourceOptions(deleted_with=space)),
    )


def _archer_access(
    site: ClusterSite, inputs: Inputs, namespace: pulumi.Input[str], ready: pulumi.Output[Any]
) -> ArcherAccess:
    """What the cluster says of itself to Archer, once jobs can be submitted."""
    shares = operator_shares(inputs.operators, list(inputs.job_namespaces))

    def document(values: Sequence[Any]) -> Mapping[str, str]:
        return ClusterDocument(target=JobTarget.from_outputs(values[0]), operators=shares).as_data()

    return ArcherAccess(
        f"{site.name}-{ARCHER}",
        ArcherAccessArgs(namespace=namespace, document=pulumi.Output.all(inputs.jobs, ready).apply(document)),
        site.opts,
    )


def operator_shares(
    operators: Mapping[str, OperatorSettings], job_namespaces: Sequence[str]
) -> list[OperatorShare]:
    """Releases of the operator, each with its namespaces and what it starts in a minute."""
    return [
        OperatorShare(
            name=release_name(name),
            namespaces=list(settings.namespaces or job_namespaces),
            applications_per_minute=settings.applications_per_minute,
        )
        for name, settings in operators.items()
    ]


def _operators(
    site: ClusterSite, inputs: Inputs, spaces: Mapping[str, JobNamespace], namespace: Namespace
) -> list[SparkOperator]:
    """The releases of the operator, in one namespace; the first owns the CRDs, and the others wait for it."""
    operators: list[SparkOperator] = []
    for name in by_change_order(inputs.operators):
        release, settings = release_name(name), inputs.operators[name]
        operators.append(
            SparkOperator(
                f"{site.name}-{release}",
                SparkOperatorArgs(
                    catalog=site.catalog,
                    namespace=namespace.name,
                    job_namespaces=[
                        spaces[space].name for space in settings.namespaces or inputs.job_namespaces
                    ],
                    release=release,
                    applications_per_minute=settings.applications_per_minute,
                    owns_crds=not operators,
                ),
                site.after(*operators[:1]),
            )
        )
    return operators


def by_change_order(operators: Iterable[str]) -> list[str]:
    """Releases in the order in which they change: the one of the default name first.

    When it is split into several, it gives its namespaces up before another release takes them.
    """
    return sorted(operators, key=lambda name: (name != CHART, name))


def job_namespace(
    name: str,
    settings: JobNamespaceSettings,
    pod_networks: Sequence[str] = (),
    metastore: Metastore | None = None,
) -> JobNamespaceArgs:
    """What the settings say of a job namespace and of the metastore of its jobs.

    pod_networks: of the cluster, where they are known.
    """
    quota, largest = settings.quota, settings.largest_container
    return JobNamespaceArgs(
        name=name,
        quota=Quota(pods=quota.pods, cpu=quota.cpu, memory=quota.memory),
        largest=ContainerSize(cpu=largest.cpu, memory=largest.memory),
        pod_security=settings.pod_security,
        isolated=settings.isolated,
        pod_networks=tuple(pod_networks) if settings.peer_ports == "spark" else (),
        egress={
            key: Egress(
                ports=tuple(egress.ports),
                cidrs=tuple(str(cidr) for cidr in egress.cidrs),
                namespace=egress.namespace,
            )
            for key, egress in settings.egress.items()
        }
        | _way_to(metastore),
    )


def _way_to(metastore: Metastore | None) -> dict[str, Egress]:
    """Where jobs find Hive's servers; Glue they reach as all of AWS."""
    if metastore is None or metastore.thrift is None:
        return {}
    thrift = metastore.thrift
    # No name of the settings has a space.
    return {
        "of the metastore": Egress(
            ports=tuple(thrift.ports),
            cidrs=tuple(str(cidr) for cidr in thrift.cidrs),
            namespace=thrift.namespace,
        )
    }


def _table_statements(site: ClusterSite, inputs: Inputs, settings: JobNamespaceSettings) -> list[Statement]:
    """What jobs of a namespace may do with tables in Glue."""
    glue = inputs.metastores[settings.metastore].glue if settings.metastore else None
    if glue is None:
        return []
    return glue_statements(
        glue.access,
        glue.account or site.foundation.account,
        glue.region or site.region,
        glue.databases,
        partition(site.region),
    )


def job_statements(
    inputs: Inputs, namespace: str, uses: Mapping[str, Literal["read", "write"]], partition: str
) -> list[Statement]:
    """What jobs of a namespace may do in AWS.

    uses: name of one of the inputs' `uses` -> what they may do there.
    """
    data = inputs.data[namespace]
    statements = [
        # A job puts its event logs there, and reads those of no other.
        *bucket_statements("EventLogs", "log", inputs.event_logs_bucket_arn, inputs.event_logs_key_arn),
        *bucket_statements(
            "Staging", "write", data["staging_bucket_arn"], data["key_arn"], under=f"{OF_NAMESPACE}/"
        ),
        *bucket_statements(
            "Code", "read", data["code_bucket_arn"], data["key_arn"], under=f"{OF_NAMESPACE}/"
        ),
    ]
    for name, access in sorted(uses.items()):
        use = inputs.uses[name]
        arn = f"arn:{partition}:s3:::{use.bucket}"
        statements += bucket_statements(
            use_sid(name), access, arn, use.key, under=use.prefixes, openable=True
        )
    return statements
