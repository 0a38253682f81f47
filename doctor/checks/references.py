"""What the settings name and somebody else has made: policies, secrets, principals."""

from collections.abc import Iterator

from doctor.account import Place, Unanswered
from doctor.credentials import Principal
from doctor.finding import Finding, not_checked, ok, problem


def boundary(place: Place) -> Iterator[Finding]:
    """The policy that bounds every role is there."""
    if arn := place.foundation.permissions_boundary:
        try:
            place.ask("iam", "get_policy", PolicyArn=arn)
        except Unanswered as error:
            if error.code != "NoSuchEntity":
                raise
            yield problem(
                place.name,
                f"There is no policy {arn}, the permissions boundary.",
                "Make it first, or correct its name: no role can be made without it.",
            )
        else:
            yield ok(place.name, f"There is the permissions boundary {arn}.")


def secrets(place: Place) -> Iterator[Finding]:
    """The secrets with which ECR asks other registries are there, and not on their way out."""
    registry = place.settings.registry
    if registry is None or registry.foundation != place.name:
        return
    for upstream, how in registry.pull_through.items():
        if how.secret is None:
            continue
        try:
            secret = place.ask("secretsmanager", "describe_secret", SecretId=how.secret)
        except Unanswered as error:
            if error.code != "ResourceNotFoundException":
                raise
            yield problem(
                place.name,
                f"There is no secret {how.secret}, with which ECR asks {upstream}.",
                f"Make it in {place.account}, {place.region}, with keys username and accessToken.",
            )
            continue
        if secret.get("DeletedDate"):
            yield problem(
                place.name,
                f"Secret {how.secret}, with which ECR asks {upstream}, is about to be deleted.",
                f"`aws secretsmanager restore-secret --region {place.region} --secret-id {how.secret}`.",
            )
        else:
            yield ok(place.name, f"There is the secret with which ECR asks {upstream}.")


def principals(place: Place) -> Iterator[Finding]:
    """Everybody who may enter a cluster exists: EKS refuses an access entry for nobody."""
    for cluster_name, cluster in place.clusters.items():
        where, existing = f"{place.name}/{cluster_name}", 0
        for name, access in cluster.access.items():
            who = Principal.of(access.principal)
            if who.account != place.account:
                yield not_checked(where, f"access.{name}: {access.principal} is of another account.")
                continue
            arn = _arn(place, who)
            if arn is None:
                yield problem(
                    where, f"access.{name}: there is no {access.principal}.", "Make it first, or correct it."
                )
            elif arn != access.principal:
                yield problem(
                    where,
                    f"access.{name}: {access.principal} is really {arn}.",
                    "Write it with its path.",
                )
            else:
                existing += 1
        if existing:
            yield ok(where, f"{existing} principals of access are there.")


def _arn(place: Place, who: Principal) -> str | None:
    """ARN of a role or user in this account, if it is there."""
    kind = "Role" if who.kind == "role" else "User"
    try:
        answer = place.ask("iam", f"get_{kind.lower()}", **{f"{kind}Name": who.name})
    except Unanswered as error:
        if error.code == "NoSuchEntity":
            return None
        raise
    return str(answer[kind]["Arn"])
