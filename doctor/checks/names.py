"""Names that must be unique: of clusters and log groups in a region, of buckets in all of AWS."""

from collections.abc import Iterator
from typing import Any

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, ok, problem, series
from doctor.log_groups import log_group
from moka.names import ACCESS_LOGS, ENVIRONMENT_TAG, HOME_DATA, bucket_name, cluster_log_group


def clusters(place: Place) -> Iterator[Finding]:
    """The names of the clusters are free, or taken by the environment itself."""
    for name in place.clusters:
        where, eks_name = f"{place.name}/{name}", place.cluster_name(name)
        existing = cluster(place, eks_name)
        if existing is None:
            yield ok(where, f"Cluster name {eks_name} is free.")
        elif (existing.get("tags") or {}).get(ENVIRONMENT_TAG) == place.settings.environment:
            yield ok(where, f"Cluster {eks_name} exists and belongs to this environment.")
        else:
            yield problem(
                where,
                f"Cluster {eks_name} exists already and does not belong to this environment.",
                "Rename the cluster in the settings, or remove that one.",
            )


def log_groups(place: Place) -> Iterator[Finding]:
    """No log group of a control plane is there already, unless it is the environment's own."""
    for name in place.clusters:
        group_name = cluster_log_group(place.cluster_name(name))
        arn = log_group(place, group_name)
        if arn is None:
            continue
        tags = place.ask("logs", "list_tags_for_resource", resourceArn=arn)["tags"]
        if tags.get(ENVIRONMENT_TAG) != place.settings.environment:
            yield problem(
                f"{place.name}/{name}",
                f"Log group {group_name} exists already and by its tags does not belong to this environment: "
                "EKS makes it anew where it has something to log after a teardown.",
                f"Delete it: aws logs delete-log-group --log-group-name {group_name}",
            )


def cluster(place: Place, eks_name: str) -> dict[str, Any] | None:
    """The EKS cluster of a name, if there is one. Raises NoAnswer."""
    answer = place.find("eks", "describe_cluster", "ResourceNotFoundException", name=eks_name)
    return answer and dict(answer["cluster"])


def buckets(place: Place) -> Iterator[Finding]:
    """The names of the buckets are free, or taken by the environment itself."""
    free, own_names = [], []
    for purpose in _purposes(place):
        if purpose in HOME_DATA and not place.home:
            continue
        name = bucket_name(place.settings.prefix, place.account, place.region, purpose)
        owner = _owner(place, name)
        if owner == "none":
            free.append(name)
        elif owner == "environment":
            own_names.append(name)
        else:
            yield problem(
                place.name,
                f"Bucket {name} exists already and {owner}.",
                "Bucket names are unique in all of AWS: change the organization, or remove the bucket.",
            )
    if free:
        yield ok(place.name, f"{len(free)} bucket names are free: {free[0]} and so on.")
    if own_names:
        yield ok(place.name, f"{len(own_names)} buckets exist and belong to this environment.")


def _purposes(place: Place) -> Iterator[str]:
    """Last parts of the names of the environment's buckets in an account and region."""
    yield from (*place.settings.bucket_purposes, ACCESS_LOGS)


def used_buckets(place: Place) -> Iterator[Finding]:
    """The buckets of other environments that jobs here use exist."""
    if not place.home:
        return
    uses = place.settings.uses
    missing = [name for name, use in uses.items() if _status(place, use.bucket) == "404"]
    for name in missing:
        yield problem(
            place.name,
            f"uses.{name}: bucket {uses[name].bucket} does not exist.",
            "Correct its name, or deploy the environment that owns it first.",
        )
    if uses and not missing:
        yield ok(place.name, f"The buckets of other environments that jobs use exist: {series(uses)}.")


def _owner(place: Place, bucket: str) -> str:
    """`none`, `environment`, or a clause on the other owner."""
    match _status(place, bucket):
        case "404":
            return "none"
        case "200":
            tagging = place.find("s3", "get_bucket_tagging", "NoSuchTagSet", Bucket=bucket)
            owned = tagging and place.owns(tagging["TagSet"])
            return "environment" if owned else "by its tags does not belong to this environment"
        case "301":
            return "is in another region"
        case _:
            return "belongs to another account, or may not be read"


def _status(place: Place, bucket: str) -> str:
    """HTTP status of a bucket: 200, 301, 403 or 404."""
    try:
        place.ask("s3", "head_bucket", Bucket=bucket)
    except NoAnswer as error:
        if error.code in ("301", "403", "404"):
            return error.code
        raise
    return "200"
