"""What the settings name and must exist before: policies, secrets, principals."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.credentials import Principal
from doctor.finding import Finding, not_checked, ok, problem


def boundary(place: Place) -> Iterator[Finding]:
    """The policy that bounds every role exists."""
    if arn := place.foundation.permissions_boundary:
        if place.find("iam", "get_policy", "NoSuchEntity", PolicyArn=arn):
            yield ok(place.name, f"The permissions boundary {arn} exists.")
        else:
            yield problem(
                place.name,
                f"The permissions boundary {arn} does not exist.",
                "Create it first, or correct its name: no role can be created without it.",
            )


def secrets(place: Place) -> Iterator[Finding]:
    """The secrets that the settings name exist, and are not about to be deleted."""
    registry = place.settings.registry
    if registry is not None and registry.foundation == place.name:
        for upstream, pull_through in registry.pull_through.items():
            if pull_through.secret:
                purpose = f"with which ECR asks {upstream}"
                yield _secret(place, pull_through.secret, purpose, "keys username and accessToken")
    if (login := place.settings.ingress.login) and place.clusters:
        yield _secret(place, login.secret, "of the login", "keys client_secret and session_keys")


def _secret(place: Place, secret: str, purpose: str, content: str) -> Finding:
    """Whether a secret, by its ARN or name, is there. content: what has to be in it."""
    description = place.find(
        "secretsmanager", "describe_secret", "ResourceNotFoundException", SecretId=secret
    )
    if description is None:
        return problem(
            place.name,
            f"Secret {secret}, {purpose}, does not exist.",
            f"Create it in {place.account}, {place.region}, with {content}.",
        )
    if description.get("DeletedDate"):
        return problem(
            place.name,
            f"Secret {secret}, {purpose}, is about to be deleted.",
            f"`aws secretsmanager restore-secret --region {place.region} --secret-id {secret}`.",
        )
    return ok(place.name, f"The secret {purpose} exists.")


def principals(place: Place) -> Iterator[Finding]:
    """All principals that may enter a cluster exist: EKS refuses an access entry for another."""
    for cluster_name, cluster in place.clusters.items():
        where, existing = f"{place.name}/{cluster_name}", 0
        for name, access in cluster.access.items():
            principal = Principal.of(access.principal)
            if principal.account != place.account:
                yield not_checked(where, f"access.{name}: {access.principal} is of another account.")
                continue
            arn = _arn(place, principal)
            if arn is None:
                yield problem(
                    where,
                    f"access.{name}: {access.principal} does not exist.",
                    "Create it first, or correct it.",
                )
            elif arn != access.principal:
                yield problem(
                    where,
                    f"access.{name}: the ARN of {access.principal} is {arn}.",
                    "Write it with its path.",
                )
            else:
                existing += 1
        if existing:
            yield ok(where, f"{existing} principals of access exist.")


def _arn(place: Place, principal: Principal) -> str | None:
    """ARN of a role or user in this account, if it exists."""
    kind = "Role" if principal.kind == "role" else "User"
    answer = place.find("iam", f"get_{kind.lower()}", "NoSuchEntity", **{f"{kind}Name": principal.name})
    return answer and str(answer[kind]["Arn"])
