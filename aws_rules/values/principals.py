"""Roles and users that policies name: AWS refuses a policy with one that does not exist.

Which roles an account has beside those of the program is not known here, so that nothing is refused for it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aws_rules.iam.evaluation import listed
from aws_rules.rule import Rule
from aws_rules.values.policies import DOCUMENTS
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="policy-principals",
    authority="AWS",
    decides="whether the roles and users that a policy names as principals exist: never refused, listed",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
    further=(
        "https://repost.aws/knowledge-center/s3-invalid-principal-in-policy-error",
        # The service-linked role of Auto Scaling, in accounts that never had a group.
        "https://github.com/lightspin-tech/eks-creation-engine/issues/4",
    ),
)

RULES = (RULE,)

NAMED = re.compile(r"arn:[a-z-]+:iam::\d{12}:(role|user)/\S+")


def existence(request: Request, exists: Callable[[str], bool]) -> Iterator[ValueVerdict]:
    """Principals of the policy in a call that are not there, so that AWS may refuse it as an invalid one."""
    place = DOCUMENTS[request.service, request.operation]
    for arn in sorted(_principals(request.value_at(*place.path))):
        if not exists(arn):
            lacks = f"whether principal {arn} exists, and AWS refuses a policy with one that does not"
            yield request.gap(RULE, f"{lacks} ({place.malformed})")


def _principals(policy: Any) -> set[str]:
    try:
        document = json.loads(policy)
    except (TypeError, ValueError):
        return set()
    statements = listed(document.get("Statement")) if isinstance(document, Mapping) else []
    return {
        arn
        for statement in statements
        if isinstance(statement, Mapping)
        for principals in (statement.get("Principal"), statement.get("NotPrincipal"))
        if isinstance(principals, Mapping)
        for arn in listed(principals.get("AWS"))
        if NAMED.fullmatch(str(arn))
    }
