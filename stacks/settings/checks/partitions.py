"""ARNs and registries: of the partition, account and region in which they are used."""

from collections.abc import Iterator

from moka.mistakes import Mistake, comma_list, near
from moka.partition import domain, partition
from moka.registries import ecr_host
from stacks.settings.aws_data import may_exist, regions
from stacks.settings.environment import Environment


def foundations(settings: Environment) -> Iterator[Mistake]:
    """Foundations in partitions between which AWS lets nobody see anything."""
    partitions = {partition(foundation.region) for foundation in settings.foundations.values()}
    if len(partitions) > 1:
        yield Mistake(
            "foundations",
            f"are in the partitions {comma_list(partitions)}, and none has access to another's data or "
            "images; make an environment for each",
        )


def arns(settings: Environment) -> Iterator[Mistake]:
    """ARNs of another partition than the region that they are used in."""
    for at, arn, region in _arns(settings):
        arn_partition, right = arn.split(":")[1], partition(region)
        place = arn.split(":")[3]
        if place and not may_exist(place):
            yield Mistake(at, f"is {arn!r}, but AWS has no region {place}; {near(place, regions())}")
        if arn_partition != right:
            yield Mistake(
                at,
                f"is {arn!r}, of partition {arn_partition}, but {region} is of {right}; write an ARN that "
                f"begins with arn:{right}:",
            )


def _arns(settings: Environment) -> Iterator[tuple[str, str, str]]:
    """Every ARN of the settings: its place, itself, and a region that it is used in."""
    for name, foundation in settings.foundations.items():
        for field in ("deployer", "permissions_boundary"):
            if arn := getattr(foundation, field):
                yield f"foundations.{name}.{field}", arn, foundation.region
    for name, cluster in settings.clusters.items():
        if cluster_foundation := settings.foundations.get(cluster.foundation):
            for entry, access in cluster.access.items():
                yield f"clusters.{name}.access.{entry}.principal", access.principal, cluster_foundation.region
    if settings.registry and (home := settings.foundations.get(settings.registry.foundation)):
        for upstream, cache in settings.registry.pull_through.items():
            if cache.secret:
                yield f"registry.pull_through.{upstream}.secret", cache.secret, home.region
    # Its one partition; where there are several, that is the mistake.
    region = next(iter(settings.foundations.values())).region
    if workspace := settings.metrics.workspace:
        yield "metrics.destination.remote_write.workspace", workspace, region
    if topic := settings.metrics.alerts_topic:
        yield "metrics.alerts_topic", topic, region
    for name, use in settings.uses.items():
        if use.key:
            yield f"uses.{name}.key", use.key, region


def principals(settings: Environment) -> Iterator[Mistake]:
    """Roles that EKS gives no access entry: those of AWS's services."""
    for name, foundation in settings.foundations.items():
        yield from _service_linked(f"foundations.{name}.deployer", foundation.deployer)
    for name, cluster in settings.clusters.items():
        for entry, access in cluster.access.items():
            yield from _service_linked(f"clusters.{name}.access.{entry}.principal", access.principal)


def _service_linked(at: str, arn: str) -> Iterator[Mistake]:
    # EKS User Guide, "Grant IAM users access to Kubernetes with EKS access entries".
    if ":role/aws-service-role/" in arn:
        yield Mistake(at, f"is {arn!r}, a service-linked role, which EKS gives no access; name another role")


def secrets(settings: Environment) -> Iterator[Mistake]:
    """Credentials of a pull-through cache that are elsewhere than the registry: ECR finds them only there."""
    if settings.registry is None or settings.registry.foundation not in settings.foundations:
        return
    foundation = settings.foundations[settings.registry.foundation]
    for upstream, cache in settings.registry.pull_through.items():
        region, account = (
            cache.secret.split(":")[3:5] if cache.secret else (foundation.region, foundation.account)
        )
        if (region, account) != (foundation.region, foundation.account):
            yield Mistake(
                f"registry.pull_through.{upstream}.secret",
                f"is in {region} of account {account}, but ECR looks for it beside the registry, in "
                f"{foundation.region} of {foundation.account}; make it there",
            )


def registries(settings: Environment) -> Iterator[Mistake]:
    """Registries of ECR in a region that is none, under another domain, or in another partition."""
    partitions = {partition(foundation.region) for foundation in settings.foundations.values()}
    mirror = settings.charts.mirror
    for at, reference in (*images(settings), *([("charts.mirror", mirror)] if mirror else [])):
        ecr = ecr_host(reference.partition("/")[0])
        if ecr is None:
            continue
        if not may_exist(ecr.region):
            yield Mistake(
                at, f"is {reference!r}, but AWS has no region {ecr.region}; {near(ecr.region, regions())}"
            )
        elif ecr.domain not in (None, domain(ecr.region)):
            yield Mistake(
                at,
                f"is {reference!r}, but registries in {ecr.region} end with {domain(ecr.region)}; correct it",
            )
        elif partition(ecr.region) not in partitions:
            yield Mistake(
                at,
                f"is {reference!r}, in partition {partition(ecr.region)}, where nodes in "
                f"{comma_list(partitions)} may not pull; copy it to a registry of their partition",
            )


def images(settings: Environment) -> Iterator[tuple[str, str]]:
    """Images of the settings: place, and reference."""
    for name, service in settings.services:
        if service:
            yield f"services.{name}.image", service.image
    yield "history.image", settings.history.image
    for version, image in settings.spark.images.items():
        yield f"spark.images.{version}", image
