"""Layer database: PostgreSQL of the platform's services, once per environment, beside the home cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from moka.components.aws.database import CapacityRange, DatabaseArgs, RestoreFrom
from moka.components.aws.database import Database as DatabaseCluster
from moka.names import DATABASE, DATABASE_NAME, database_identifier
from stacks.layer_table import HOME
from stacks.layers import cluster, foundation
from stacks.settings.database import Database as DatabaseSettings
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between environments.

    identifier: of the database cluster.
    database: as the settings have it.
    vpc_id, subnets, zones: network of the home cluster; subnets by zone, and the zones in their order.
    key_arn: key that encrypts what the database holds.
    nodes_group: security group of the home cluster's nodes and pods, which may connect.
    """

    identifier: str
    database: DatabaseSettings
    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[Mapping[str, str]]
    zones: Sequence[str]
    key_arn: pulumi.Input[str]
    nodes_group: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """How services reach it, known once they can.

    endpoint, reader_endpoint: hosts, of the instance that writes and of those that only read.
    database_name: of the database in it.
    resource_id: by which IAM names it.
    secret_arn: of the master's user name and password, which AWS rotates.
    """

    endpoint: pulumi.Input[str]
    reader_endpoint: pulumi.Input[str]
    port: pulumi.Input[int]
    database_name: pulumi.Input[str]
    resource_id: pulumi.Input[str]
    secret_arn: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on the home cluster."""
    assert site.settings.database is not None, "without the section there is no layer"
    home = site.outputs(HOME, foundation.Outputs)
    return Inputs(
        identifier=database_identifier(site.settings.prefix, site.settings.database.generation),
        database=site.settings.database,
        vpc_id=home.vpc_id,
        subnets=home.private_subnets,
        zones=site.foundation.zones,
        key_arn=home.key_arn,
        nodes_group=site.outputs("cluster", cluster.Outputs).security_group_id,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the database, which the pods of the home cluster may reach and nobody else."""
    settings = inputs.database
    name = f"{DATABASE}-{settings.generation}"
    # Versions before named it after the home cluster.
    aliases = [pulumi.Alias(name=f"{cluster}-{name}") for cluster in site.settings.clusters]
    database = DatabaseCluster(
        # It holds what is nowhere else: of another generation there is another, and this one stays. It stays
        # where another cluster of the foundation becomes home, too.
        f"{site.settings.home_foundation}-{name}",
        DatabaseArgs(
            identifier=inputs.identifier,
            account=site.foundation.account,
            region=site.region,
            engine_version=settings.version,
            database_name=DATABASE_NAME,
            vpc_id=inputs.vpc_id,
            subnets=inputs.subnets,
            zones=tuple(inputs.zones),
            key_arn=inputs.key_arn,
            clients={"nodes": inputs.nodes_group},
            instances=settings.instances,
            instance_class=settings.instance_class,
            capacity=CapacityRange(minimum=settings.minimum_capacity, maximum=settings.maximum_capacity),
            backup_days=settings.backup_days,
            restore_from=RestoreFrom(**dict(settings.restore_from)) if settings.restore_from else None,
            retain=site.settings.retain,
        ),
        pulumi.ResourceOptions.merge(site.opts, pulumi.ResourceOptions(aliases=aliases)),
    )
    return Outputs(
        endpoint=database.endpoint,
        reader_endpoint=database.reader_endpoint,
        port=database.port,
        database_name=database.database_name,
        resource_id=database.resource_id,
        secret_arn=database.secret_arn,
    )
