"""Trust policies: who may take the roles of CI.

Sources: "OpenID Connect reference",
https://docs.github.com/en/actions/reference/security/oidc, for the subject of a job with an environment;
"Available keys for AWS OIDC federation", IAM User Guide,
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html
"""

from collections.abc import Sequence
from typing import Any

from accounts.names import AUDIENCE, GITHUB_ISSUER
from accounts.permissions.grant import policy


def github_subject(repository: str, environment: str) -> str:
    """Subject of the tokens of jobs that name a GitHub environment; no other job has it.

    repository: with the ids of owner and repository where GitHub's tokens have them, as by default those of
    repositories made since July 15, 2026 do:
    https://github.blog/changelog/2026-04-23-immutable-subject-claims-for-github-actions-oidc-tokens/

    A workflow of a fork's pull request cannot ask for a token: it has no `id-token: write`.
    """
    return f"repo:{repository}:environment:{environment}"


def trust(
    provider_arn: str,
    repository: str,
    environment: str,
    roles: Sequence[str] = (),
    people: Sequence[str] = (),
) -> dict[str, Any]:
    """Trust policy for jobs of one repository that name one GitHub environment, and for further roles.

    roles: ARNs; the same role at home, by which one job reaches all accounts of an environment. people: ARNs
    of their roles.
    """
    jobs = {
        "Sid": "GitHub",
        "Effect": "Allow",
        "Principal": {"Federated": provider_arn},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
            "StringEquals": {
                f"{GITHUB_ISSUER}:aud": AUDIENCE,
                f"{GITHUB_ISSUER}:sub": github_subject(repository, environment),
            }
        },
    }
    others = [
        {"Sid": sid, "Effect": "Allow", "Principal": {"AWS": list(arns)}, "Action": "sts:AssumeRole"}
        for sid, arns in (("Home", roles), ("People", people))
        if arns
    ]
    return policy([jobs, *others])
