"""Names that AWS gives out once: of clusters in a region, of buckets in the world."""

from collections.abc import Iterator
from typing import Any, get_args

from doctor.account import Place, Unanswered
from doctor.finding import Finding, listed, ok, problem
from moka.names import ACCESS_LOGS, ENVIRONMENT_TAG, HOME_DATA, Data, bucket_name

PURPOSES = (*get_args(Data), ACCESS_LOGS)


def clusters(place: Place) -> Iterator[Finding]:
    """No cluster has the name of one of ours, but ours."""
    for name in place.clusters:
        where, called = f"{place.name}/{name}", place.cluster_name(name)
        found = cluster(place, called)
        if found is None:
            yield ok(where, f"Cluster name {called} is free.")
        elif (found.get("tags") or {}).get(ENVIRONMENT_TAG) == place.settings.environment:
            yield ok(where, f"Cluster {called} is there, of this environment.")
        else:
            yield problem(
                where,
                f"There is a cluster {called} already, and it is not of this environment.",
                "Rename the cluster in the settings, or remove that one.",
            )


def cluster(place: Place, called: str) -> dict[str, Any] | None:
    """The EKS cluster of a name, if there is one. Raises Unanswered."""
    try:
        found: dict[str, Any] = place.ask("eks", "describe_cluster", name=called)["cluster"]
    except Unanswered as error:
        if error.code == "ResourceNotFoundException":
            return None
        raise
    return found


def buckets(place: Place) -> Iterator[Finding]:
    """The names of our buckets are free, or taken by ourselves."""
    free, owned = [], []
    for purpose in PURPOSES:
        if purpose in HOME_DATA and not place.home:
            continue
        name = bucket_name(place.settings.prefix, place.account, place.region, purpose)
        holder = _holder(place, name)
        if holder == "nobody":
            free.append(name)
        elif holder == "us":
            owned.append(name)
        else:
            yield problem(
                place.name,
                f"Bucket {name} is there already, and {holder}.",
                "Names of buckets are taken in all of AWS: change the organization, or remove the bucket.",
            )
    if free:
        yield ok(place.name, f"{len(free)} bucket names are free: {free[0]} and so on.")
    if owned:
        yield ok(place.name, f"{len(owned)} buckets are there, of this environment.")


def others_buckets(place: Place) -> Iterator[Finding]:
    """The buckets of other environments that jobs here use are there."""
    if not place.home:
        return
    uses = place.settings.uses
    missing = [name for name, use in uses.items() if _status(place, use.bucket) == "404"]
    for name in missing:
        yield problem(
            place.name,
            f"uses.{name}: there is no bucket {uses[name].bucket}.",
            "Correct its name, or deploy the environment that owns it first.",
        )
    if uses and not missing:
        yield ok(place.name, f"The buckets of others that jobs use are there: {listed(uses)}.")


def _holder(place: Place, bucket: str) -> str:
    """`nobody`, `us`, or a clause that says who."""
    match _status(place, bucket):
        case "404":
            return "nobody"
        case "200":
            try:
                tags = place.ask("s3", "get_bucket_tagging", Bucket=bucket)["TagSet"]
            except Unanswered as error:
                if error.code != "NoSuchTagSet":
                    raise
                tags = []
            return "us" if place.ours(tags) else "is not of this environment, by its tags"
        case "301":
            return "is in another region"
        case _:
            return "is somebody else's, or closed to us"


def _status(place: Place, bucket: str) -> str:
    """HTTP status of a bucket: 200, 301, 403 or 404."""
    try:
        place.ask("s3", "head_bucket", Bucket=bucket)
    except Unanswered as error:
        if error.code in ("301", "403", "404"):
            return error.code
        raise
    return "200"
