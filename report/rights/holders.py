"""Who holds which rights, before and after: from the resources of a preview that give any."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_rules.iam.evaluation import listed
from previews import Preview, State, Step
from previews.values import at, known, mapping, sequence, text
from report.rights import kubernetes
from report.rights.managed_policies import managed_policy
from report.rights.rights import Rights, Scope, joined, rights_of
from report.words import short_type

Sides = tuple[State | None, State | None]

IDENTITIES = {"role": "role", "user": "user", "group": "group"}
"""Input that names an identity -> what it is."""

POLICIES = {
    "aws:iam/rolePolicy:RolePolicy": "role",
    "aws:iam/userPolicy:UserPolicy": "user",
    "aws:iam/groupPolicy:GroupPolicy": "group",
}
ATTACHMENTS = {
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": "role",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": "user",
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment": "group",
}
ROLE, POLICY = "aws:iam/role:Role", "aws:iam/policy:Policy"

RESOURCE_POLICIES = {
    "aws:s3/bucketPolicy:BucketPolicy": "policy",
    "aws:kms/key:Key": "policy",
    "aws:kms/keyPolicy:KeyPolicy": "policy",
    "aws:ecr/repositoryPolicy:RepositoryPolicy": "policy",
    "aws:ecr/registryPolicy:RegistryPolicy": "policy",
    "aws:secretsmanager/secretPolicy:SecretPolicy": "policy",
    "aws:sns/topicPolicy:TopicPolicy": "policy",
    "aws:sqs/queuePolicy:QueuePolicy": "policy",
}
"""Type -> the input with the policy that says who may use the resource."""

ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ENTRY, ENTRY_POLICY = (
    "aws:eks/accessEntry:AccessEntry",
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
)


SOURCES = (
    *POLICIES,
    *ATTACHMENTS,
    *RESOURCE_POLICIES,
    *kubernetes.ROLES,
    *kubernetes.BINDINGS,
    ROLE,
    POLICY,
    ASSOCIATION,
    ENTRY,
    ENTRY_POLICY,
)
"""Types that give rights."""


@dataclass
class Holders:
    """Rights by who holds them.

    unjudged: URN of what gives rights that are not known -> who has them, and why they are not known.
    boundaries: role -> its permissions boundary.
    """

    rights: dict[str, list[Rights]] = field(default_factory=dict)
    unjudged: dict[str, tuple[str, str]] = field(default_factory=dict)
    boundaries: dict[str, str] = field(default_factory=dict)

    def add(self, holder: str, rights: Rights) -> None:
        """Give a holder more rights."""
        self.rights.setdefault(holder, []).append(rights)

    def of(self, holder: str) -> Rights:
        """All rights of a holder."""
        return joined(self.rights.get(holder, ()))


def holders(preview: Preview, side: Callable[[Step], State | None]) -> Holders:
    """Who holds what on one side of a preview; `side` gives a step's state there."""
    result = Holders()
    names = _role_names(preview)
    documents = _documents(preview, side)
    for step in preview.steps:
        state = side(step)
        if state is not None:
            _add(result, step, state, names, documents)
    kubernetes.add(result.add, preview, side)
    return result


def _add(
    holders: Holders, step: Step, state: State, names: Mapping[str, str], documents: Mapping[str, Any]
) -> None:
    if state.type in POLICIES:
        holder = _holder(step, state, POLICIES[state.type], names)
        _policy(holders, step, holder, state.inputs.get("policy"))
    elif state.type in ATTACHMENTS:
        holder = _holder(step, state, ATTACHMENTS[state.type], names)
        _attachment(holders, step, holder, state.inputs.get("policyArn"), documents)
    elif state.type == ROLE:
        _role(holders, step, state, documents)
    elif state.type in RESOURCE_POLICIES:
        document = state.inputs.get(RESOURCE_POLICIES[state.type])
        if document is not None:
            _resource_policy(holders, step, document)
    elif state.type == ASSOCIATION:
        _association(holders, step, state, names)
    elif state.type in (ENTRY, ENTRY_POLICY):
        _access_entry(holders, step, state)


def _role_names(preview: Preview) -> Mapping[str, str]:
    """Name of a role in AWS -> its logical name, which stays when the role is replaced."""
    return {
        name: step.name
        for step in preview.of(ROLE)
        for state in (step.old, step.new)
        if state is not None and (name := text(state.inputs.get("name")) or state.id)
    }


def _documents(preview: Preview, side: Callable[[Step], State | None]) -> Mapping[str, Any]:
    """ARN of a policy of the account -> its document."""
    states = filter(None, map(side, preview.of(POLICY)))
    return {text(state.outputs.get("arn")): state.inputs.get("policy") for state in states}


def _holder(step: Step, state: State, kind: str, names: Mapping[str, str]) -> str:
    # Where a role is not there yet, its policies are named like it, or like a part of it.
    name = text(state.inputs.get(kind)) or step.name
    return f"{IDENTITIES[kind]} {names.get(name, name)}"


def _policy(holders: Holders, step: Step, holder: str, document: Any) -> None:
    try:
        holders.add(holder, rights_of([_document(document)]))
    except ValueError as error:
        holders.unjudged[step.urn] = (holder, str(error))


def _document(document: Any) -> Any:
    """A policy. Raises ValueError where it is not known, or none."""
    if not known(document):
        raise ValueError("its policy is known only once it is up")
    return json.loads(document) if isinstance(document, str) else document


def _attachment(holders: Holders, step: Step, holder: str, arn: Any, documents: Mapping[str, Any]) -> None:
    name = text(arn)
    if name in documents:
        _policy(holders, step, holder, documents[name])
    elif (policy := managed_policy(name)) is not None:
        holders.add(holder, rights_of([policy]))
    else:
        what = f"policy {name.rpartition('/')[2]}" if name else "a policy that is known only once it is up"
        holders.unjudged[step.urn] = (holder, f"what {what} allows is not known here")


def _role(holders: Holders, step: Step, state: State, documents: Mapping[str, Any]) -> None:
    holder = f"role {step.name}"
    for inline in sequence(state.inputs.get("inlinePolicies")):
        _policy(holders, step, holder, mapping(inline).get("policy"))
    for arn in sequence(state.inputs.get("managedPolicyArns")):
        _attachment(holders, step, holder, arn, documents)
    holders.boundaries[step.name] = text(state.inputs.get("permissionsBoundary"))
    document = state.inputs.get("assumeRolePolicy")
    if document is not None:
        _resource_policy(holders, step, document)


def _resource_policy(holders: Holders, step: Step, document: Any) -> None:
    """What a resource's own policy gives to whom; where it names no resource, or any, it means itself."""
    itself = {"Resource": f"{short_type(step.type).lower()} {step.name}"}
    try:
        policy = _document(document)
        for statement in listed(policy["Statement"]):
            for holder in _principals(statement):
                about = itself if statement.get("Resource", "*") in ("*", ["*"]) else {}
                holders.add(holder, rights_of([{**policy, "Statement": [{**statement, **about}]}]))
    except (ValueError, KeyError, TypeError) as error:
        holders.unjudged[step.urn] = (f"{short_type(step.type)} {step.name}", str(error))


def _principals(statement: Mapping[str, Any]) -> Iterator[str]:
    if "NotPrincipal" in statement:
        yield f"all but {json.dumps(statement['NotPrincipal'], sort_keys=True)}"
        return
    principal = statement.get("Principal")
    kinds = {"AWS": "*"} if principal == "*" else mapping(principal)
    for names in kinds.values():
        for name in listed(names):
            yield "anybody" if name == "*" else str(name)


def _association(holders: Holders, step: Step, state: State, names: Mapping[str, str]) -> None:
    inputs = state.inputs
    arn = text(inputs.get("roleArn"))
    role = names.get(arn.rpartition("/")[2], arn.rpartition("/")[2]) if arn else step.name
    account = f"{text(inputs.get('namespace'))}/{text(inputs.get('serviceAccount'))}"
    cluster = text(inputs.get("clusterName"), "its cluster")
    _grant(holders, f"service account {account} of {cluster}", "take", f"role {role}")


def _access_entry(holders: Holders, step: Step, state: State) -> None:
    inputs = state.inputs
    holder = text(inputs.get("principalArn"), step.name)
    cluster = text(inputs.get("clusterName"), "its cluster")
    for group in sequence(inputs.get("kubernetesGroups")):
        _grant(holders, holder, "be", f"group {group} in {cluster}")
    arn = text(inputs.get("policyArn"))
    if state.type == ENTRY_POLICY and arn:
        namespaces: Iterable[Any] = sequence(at(inputs, "accessScope.namespaces")) or ["*"]
        for namespace in namespaces:
            where = "all namespaces" if namespace == "*" else f"namespace {namespace}"
            _grant(holders, holder, arn.rpartition("/")[2], f"{where} of {cluster}")


def _grant(holders: Holders, holder: str, action: str, resource: str) -> None:
    holders.add(holder, Rights(allowed={Scope(resource=resource): frozenset({action})}, denied={}))
