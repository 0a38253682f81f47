"""A PostgreSQL database of Aurora: private, encrypted, entered by IAM or by a password that AWS rotates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import Statement
from moka.components.ordering import after, known_after
from moka.names import database_log_group
from moka.partition import partition

PORT = 5432

ENGINE = aws.rds.EngineType.AURORA_POSTGRESQL

SERVERLESS = "db.serverless"
"""The class of an instance whose size follows its load, between the bounds of its cluster."""

MASTER = "postgres"
"""The first user, which makes the others; only migrations and people in an emergency are it."""

CERTIFICATE_AUTHORITY = "rds-ca-rsa2048-g1"
"""Valid to 2061: https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.SSL.html"""

LOG_DAYS = 90

PARAMETERS: Mapping[str, str] = {
    # Up to PostgreSQL 16, Aurora takes connections without TLS otherwise:
    # https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/AuroraPostgreSQL.Security.html
    "rds.force_ssl": "1",
    "log_statement": "ddl",
    "log_min_duration_statement": "1000",
    "log_lock_waits": "1",
    # A client that is gone in the middle of a transaction keeps nothing locked.
    "idle_in_transaction_session_timeout": "60000",
}
"""Parameters of the cluster, beside Aurora's own; milliseconds. All of them apply without a restart."""


@dataclass(frozen=True, kw_only=True)
class CapacityRange:
    """Bounds of a serverless instance, in ACUs: 2 GiB of memory each, with CPU to match.

    minimum: 0 or more, in steps of a half; at 0 it pauses while nobody is connected.
    maximum: at most 256.
    """

    minimum: float
    maximum: float


@dataclass(frozen=True, kw_only=True)
class RestoreFrom:
    """What a new database begins with: a snapshot, or another cluster as it was at some time.

    snapshot: name of a cluster's snapshot, or its ARN where another account shares it.
    cluster: name of a cluster of the same account and region, which need not be there any more.
    time: that time in UTC, as 2026-11-24T01:05:00Z; by default the last one that there is.
    """

    snapshot: str | None = None
    cluster: str | None = None
    time: str | None = None


@dataclass(frozen=True, kw_only=True)
class DatabaseArgs:
    """What differs between databases.

    identifier: name of the cluster, unique in its account and region; a change replaces it.
    account, region: of the database.
    engine_version: PostgreSQL's, as Aurora has it, for example `16.11`.
    database_name: of the database that is there from the start.
    vpc_id: network of the database.
    subnets: private ones, zone -> id, of two zones at least.
    zones: in which its instances are, one after the other.
    key_arn: KMS key that encrypts data, backups, logs and the master's secret.
    clients: security groups that may connect, by a name for each.
    instances: one that writes, and others that stand by and can be read.
    instance_class: of all of them.
    capacity: of serverless ones.
    backup_days: 1 to 35, back to any second of which it can be restored.
    restore_from: what it begins with; later changes change nothing.
    retain: refuse to delete it, keep it when it is removed from the stack, and a last snapshot when it is
        deleted after all.
    tags: of every AWS resource that is made here.
    """

    identifier: str
    account: str
    region: str
    engine_version: str
    database_name: str
    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[Mapping[str, str]]
    zones: tuple[str, ...]
    key_arn: pulumi.Input[str]
    clients: Mapping[str, pulumi.Input[str]]
    instances: int = 2
    instance_class: str = SERVERLESS
    capacity: CapacityRange = CapacityRange(minimum=0.5, maximum=4)
    backup_days: int = 14
    restore_from: RestoreFrom | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Database(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Database`.

    Makes: rds.SubnetGroup; ec2.SecurityGroup with a vpc.SecurityGroupIngressRule for each of `clients`, and
    no way out; rds.ClusterParameterGroup (TLS only, slow statements and changes of tables logged);
    cloudwatch.LogGroup; rds.Cluster, whose master password Secrets Manager makes and rotates;
    rds.ClusterInstance, one or more.
    Outputs: `endpoint` and `reader_endpoint` (hosts), known only once an instance answers and clients may
    reach it; `port`; `database_name`; `resource_id`, by which IAM names the cluster; `secret_arn` of the
    master's user name and password (JSON); `security_group_id`.
    """

    endpoint: pulumi.Output[str]
    reader_endpoint: pulumi.Output[str]
    port: pulumi.Output[int]
    database_name: pulumi.Output[str]
    resource_id: pulumi.Output[str]
    secret_arn: pulumi.Output[str]
    security_group_id: pulumi.Output[str]

    def __init__(self, name: str, args: DatabaseArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Database", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        # A database that is kept stays where it is, and is reached as before.
        lasting = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)

        subnets = aws.rds.SubnetGroup(
            name,
            name=args.identifier,
            description=f"Private subnets of {args.identifier}",
            subnet_ids=pulumi.Output.from_input(args.subnets).apply(
                lambda zones: [zones[zone] for zone in sorted(zones)]
            ),
            tags=args.tags,
            opts=lasting,
        )
        group = aws.ec2.SecurityGroup(
            name,
            description=f"PostgreSQL of {args.identifier}",
            vpc_id=args.vpc_id,
            tags=args.tags | {"Name": args.identifier},
            opts=lasting,
        )
        ways_in = [
            aws.vpc.SecurityGroupIngressRule(
                # Carries the client: one more leaves the others as they are.
                f"{name}-{client}",
                security_group_id=group.id,
                ip_protocol="tcp",
                from_port=PORT,
                to_port=PORT,
                referenced_security_group_id=client_group,
                description=f"PostgreSQL from {client}",
                tags=args.tags,
                opts=child,
            )
            for client, client_group in args.clients.items()
        ]
        family = f"{ENGINE.value}{args.engine_version.partition('.')[0]}"
        parameters = aws.rds.ClusterParameterGroup(
            name,
            # Those of another major version are made beside them, while the cluster still has these.
            name=f"{args.identifier}-{family}",
            family=family,
            description=f"Parameters of {args.identifier}",
            parameters=[
                {"name": parameter, "value": value, "apply_method": "immediate"}
                for parameter, value in PARAMETERS.items()
            ],
            tags=args.tags,
            opts=lasting,
        )
        # RDS would make it when the first log is written, without an expiry and without the key.
        logs = aws.cloudwatch.LogGroup(
            name,
            name=database_log_group(args.identifier),
            retention_in_days=LOG_DAYS,
            kms_key_id=args.key_arn,
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
        )
        # What it holds is lost with it: never rename it.
        cluster = aws.rds.Cluster(
            name,
            cluster_identifier=args.identifier,
            engine=ENGINE,
            engine_version=args.engine_version,
            database_name=args.database_name,
            port=PORT,
            master_username=MASTER,
            manage_master_user_password=True,
            master_user_secret_kms_key_id=args.key_arn,
            iam_database_authentication_enabled=True,
            storage_encrypted=True,
            kms_key_id=args.key_arn,
            db_subnet_group_name=subnets.name,
            vpc_security_group_ids=[group.id],
            db_cluster_parameter_group_name=parameters.name,
            enabled_cloudwatch_logs_exports=["postgresql"],
            serverlessv2_scaling_configuration={
                "min_capacity": args.capacity.minimum,
                "max_capacity": args.capacity.maximum,
            }
            if args.instance_class == SERVERLESS
            else None,
            backup_retention_period=args.backup_days,
            copy_tags_to_snapshot=True,
            delete_automated_backups=not args.retain,
            deletion_protection=args.retain,
            skip_final_snapshot=not args.retain,
            final_snapshot_identifier=f"{args.identifier}-final" if args.retain else None,
            # What a preview has shown is there after the `up`, not after some night of AWS's choice.
            apply_immediately=True,
            allow_major_version_upgrade=True,
            tags=args.tags,
            **restored(args.restore_from),
            opts=after(
                pulumi.ResourceOptions(
                    parent=self,
                    protect=args.retain,
                    retain_on_delete=args.retain,
                    # Of its beginning only: to take them out of the settings must not replace it.
                    ignore_changes=["restoreToPointInTime", "snapshotIdentifier"],
                ),
                logs,
            ),
        )
        instances = [
            aws.rds.ClusterInstance(
                f"{name}-{number}",
                identifier=f"{args.identifier}-{number}",
                cluster_identifier=cluster.id,
                engine=ENGINE,
                engine_version=cluster.engine_version,
                instance_class=args.instance_class,
                availability_zone=args.zones[(number - 1) % len(args.zones)],
                publicly_accessible=False,
                ca_cert_identifier=CERTIFICATE_AUTHORITY,
                # The version is the settings' to say, and an `up`'s to change.
                auto_minor_version_upgrade=False,
                performance_insights_enabled=True,
                performance_insights_kms_key_id=args.key_arn,
                copy_tags_to_snapshot=True,
                apply_immediately=True,
                tags=args.tags,
                opts=lasting,
            )
            for number in range(1, args.instances + 1)
        ]

        dependencies = [*(instance.id for instance in instances), *(rule.id for rule in ways_in)]
        self.endpoint = known_after(cluster.endpoint, *dependencies)
        self.reader_endpoint = known_after(cluster.reader_endpoint, *dependencies)
        self.port = cluster.port
        self.database_name = cluster.database_name
        self.resource_id = cluster.cluster_resource_id
        self.secret_arn = cluster.master_user_secrets.apply(lambda secrets: str(secrets[0].secret_arn))
        self.security_group_id = group.id
        self.register_outputs(
            {
                "endpoint": self.endpoint,
                "reader_endpoint": self.reader_endpoint,
                "port": self.port,
                "database_name": self.database_name,
                "resource_id": self.resource_id,
                "secret_arn": self.secret_arn,
                "security_group_id": self.security_group_id,
            }
        )


def restored(source: RestoreFrom | None) -> dict[str, Any]:
    """Arguments of a cluster that begins with what there was; none for an empty one."""
    if source is None:
        return {}
    if source.snapshot is not None:
        return {"snapshot_identifier": source.snapshot}
    when = {"restore_to_time": source.time} if source.time else {"use_latest_restorable_time": True}
    return {"restore_to_point_in_time": {"source_cluster_identifier": source.cluster, **when}}


def connect_statement(region: str, account: str, resource_id: pulumi.Input[str], user: str) -> Statement:
    """Connect to a cluster as one of its users, with a token of IAM in place of a password.

    The user has to be granted `rds_iam` in the database:
    https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAMDBAuth.IAMPolicy.html
    """
    start = f"arn:{partition(region)}:rds-db:{region}:{account}:dbuser:"
    return Statement(
        sid="Database",
        actions=("rds-db:connect",),
        resources=[pulumi.Output.concat(start, resource_id, "/", user)],
    )
