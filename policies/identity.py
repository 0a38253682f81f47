"""Who may do what, in AWS and in Kubernetes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache

from aws_rules.iam import definitions
from policies.pack.documents import granted, trust
from policies.pack.objects import where
from policies.pack.resource import Resource, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    POD_IDENTITY,
    POLICY,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
    USER_CREDENTIALS,
)

IDENTITY = Subject("identity", "Who may do what, in AWS and in Kubernetes")

IAM_GUIDE = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html"
NODES_SERVICE = "ec2.amazonaws.com"

RIGHTS = (
    ROLE_POLICY,
    POLICY,
    ROLE,
    "aws:iam/userPolicy:UserPolicy",
    "aws:iam/groupPolicy:GroupPolicy",
)
"""Types of what says what an identity may do."""

FIRM_KEYS = frozenset({"aws:currenttime", "aws:epochtime", "aws:requestedregion", "aws:securetransport"})
"""Condition keys that leave as many resources as there were."""

ATTACHMENTS = (
    ROLE_ATTACHMENT,
    "aws:iam/policyAttachment:PolicyAttachment",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
)


@IDENTITY.rule(
    "no-wildcard-action",
    *RIGHTS,
    severity="critical",
    why="A service's next action is allowed on the day on which AWS adds it.",
    references=(
        IAM_GUIDE,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/iam-controls.html#iam-21",
    ),
)
def no_wildcard_action(policy: Resource, _: Parameters) -> Violations:
    """No statement allows all actions of a service."""
    for statement in granted(policy):
        for action in statement.actions if statement.allows else ():
            if action.rpartition(":")[2].strip("*?") == "":
                yield f"Statement {statement.name} of {where(policy)} allows {action}: list what is called."
        if statement.allows and "NotAction" in statement.content:
            yield f"Statement {statement.name} of {where(policy)} allows all but some: list what is called."


@IDENTITY.rule(
    "no-wildcard-resource",
    *RIGHTS,
    severity="high",
    why="What is meant for one bucket, role or key reaches all of the account.",
    references=(IAM_GUIDE,),
)
def no_wildcard_resource(policy: Resource, _: Parameters) -> Violations:
    """No statement is for all resources where its actions take one."""
    for statement in granted(policy):
        if not statement.allows or set(statement.required) - FIRM_KEYS:
            continue
        actions = statement.actions if any(map(is_everything, statement.resources)) else ()
        narrowable = sorted({action for action in actions if takes_resources(action)})
        if narrowable:
            yield (
                f"Statement {statement.name} of {where(policy)} allows {', '.join(narrowable)} on all "
                "there is: name resources."
            )
        elif "NotResource" in statement.content:
            yield (
                f"Statement {statement.name} of {where(policy)} is for all resources but some: name those "
                "that it is for."
            )


@cache
def takes_resources(action: str) -> bool:
    """Whether AWS lets an action, or one of a pattern, be allowed on some resources only; if known to it."""
    kinds = {kind for name in definitions.expanded(action) for kind in definitions.resource_types(name)}
    return bool(kinds - {"", "*"})


def is_everything(resource: str) -> bool:
    """Whether a pattern of ARNs is every one of an account: `*`, `arn:aws:s3:::*`."""
    return resource.split(":", 5)[-1].strip("*?/") == ""


@IDENTITY.rule(
    "no-administrators",
    *ATTACHMENTS,
    ROLE,
    severity="critical",
    why="Whatever takes such a role owns the account.",
    references=(IAM_GUIDE,),
    policies=["AdministratorAccess", "PowerUserAccess", "IAMFullAccess", "*FullAccess"],
)
def no_administrators(resource: Resource, parameters: Parameters) -> Violations:
    """Nothing has AWS's policies for administrators."""
    arns = [resource.get("policyArn"), *sequence(resource.get("managedPolicyArns"))]
    for arn in filter(None, map(text, arns)):
        name = arn.rpartition("/")[2]
        if ":aws:policy/" in arn and any(fnmatchcase(name, pattern) for pattern in parameters["policies"]):
            yield f"{where(resource)} has {name}: write a policy with what is called."


@IDENTITY.rule(
    "no-privilege-escalation",
    *RIGHTS,
    severity="critical",
    why="Who may change policies, or pass any role on, may do everything in two steps.",
    references=("https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html",),
)
def no_privilege_escalation(policy: Resource, _: Parameters) -> Violations:
    """No identity of the platform can give itself more rights."""
    for statement in granted(policy):
        if not statement.allows or not any(map(_is_any_identity, statement.resources)):
            continue
        for action in filter(escalates, statement.actions):
            yield (
                f"Statement {statement.name} of {where(policy)} allows {action} on all identities: name "
                "those that it is for."
            )


def _is_any_identity(resource: str) -> bool:
    kind, slash, name = resource.split(":", 5)[-1].partition("/")
    named = slash and kind in ("group", "policy", "role", "user")
    return is_everything(resource) or bool(named and name.strip("*?/") == "")


def escalates(action: str) -> bool:
    """Whether an action gives rights: https://github.com/RhinoSecurityLabs/AWS-IAM-Privilege-Escalation."""
    return any(fnmatchcase(escalation, action.lower()) for escalation in ESCALATIONS)


ESCALATIONS = frozenset(
    f"iam:{name}".lower()
    for name in [
        "AddUserToGroup",
        "AttachGroupPolicy",
        "AttachRolePolicy",
        "AttachUserPolicy",
        "CreateAccessKey",
        "CreateLoginProfile",
        "CreatePolicyVersion",
        "PassRole",
        "PutGroupPolicy",
        "PutRolePolicy",
        "PutUserPolicy",
        "SetDefaultPolicyVersion",
        "UpdateAssumeRolePolicy",
        "UpdateLoginProfile",
    ]
)


@IDENTITY.rule(
    "no-users",
    *USER_CREDENTIALS,
    severity="critical",
    why="Keys of users do not end, and are found in repositories.",
    references=(IAM_GUIDE,),
)
def no_users(user: Resource, _: Parameters) -> Violations:
    """Nothing has keys that do not end."""
    yield f"{user.kind} {user.name} has credentials that do not end: make a role, and a way to take it."


@IDENTITY.rule(
    "role-boundary",
    ROLE,
    severity="medium",
    why="A boundary holds whatever a later policy allows.",
    references=("https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html",),
    required=True,
)
def role_boundary(role: Resource, parameters: Parameters) -> Violations:
    """Roles have a permissions boundary."""
    boundary = role.get("permissionsBoundary", "")
    if parameters["required"] and boundary == "":
        yield f"Role {role.name} has no boundary: set `permissions_boundary` of its foundation."
    elif ":aws:policy/" in text(boundary):
        yield f"Role {role.name} is bounded by {boundary}, a policy of AWS's: name the account's own."


@IDENTITY.rule(
    "role-path",
    ROLE,
    severity="medium",
    why="Policies tell environments apart by the path of roles; one without it belongs to none.",
    references=("docs/decisions/0007-identity-and-isolation.md",),
)
def role_path(role: Resource, _: Parameters) -> Violations:
    """Roles are under the path of their environment."""
    if role.get("path", "/") == "/":
        yield (
            f"Role {role.name} is under no path: give it that of the environment, "
            "/<organization>-<environment>/."
        )


@IDENTITY.stack_rule(
    "node-role-without-data",
    ROLE,
    ROLE_POLICY,
    ROLE_ATTACHMENT,
    severity="critical",
    why="When tokens of Pod Identity are throttled, pods fall back to the node's role.",
    references=("CIS 5.1.3", "apache/datafusion-comet#6025", "docs/decisions/0020-node-role.md"),
    services=["s3", "dynamodb", "secretsmanager", "ssm", "sqs", "kinesis", "athena", "glue", "lakeformation"],
    managed=[
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    ],
)
def node_role_without_data(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """The roles of nodes reach no data."""
    nodes = {role.urn for role in resources if role.type == ROLE and _is_taken_by_nodes(role)}
    for resource in resources:
        if not nodes & {resource.urn, *resource.reads.get("role", ())}:
            continue
        actions = [
            action for statement in granted(resource) if statement.allows for action in statement.actions
        ]
        data = [action for action in actions if _service(action) in (*parameters["services"], "*")]
        arns = [resource.get("policyArn"), *sequence(resource.get("managedPolicyArns"))]
        names = [name for arn in arns if (name := text(arn).rpartition("/")[2])]
        for right in (*data, *(name for name in names if name not in parameters["managed"])):
            yield (
                resource,
                f"{where(resource)} gives nodes {right}: give it to a service account by Pod Identity.",
            )


def _is_taken_by_nodes(role: Resource) -> bool:
    return any(NODES_SERVICE in statement.principals for statement in trust(role))


def _service(action: str) -> str:
    return action.partition(":")[0].lower()


@IDENTITY.stack_rule(
    "identity-of-one-namespace",
    POD_IDENTITY,
    severity="high",
    why="Teams would have each other's data by a role that they share.",
    references=("CIS 5.2.1", "docs/decisions/0007-identity-and-isolation.md"),
)
def identity_of_one_namespace(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """A role is for the service accounts of one namespace."""
    namespaces: dict[str, set[str]] = defaultdict(set)
    for association in resources:
        namespace = association.get("namespace")
        for role in _roles_of(association):
            if isinstance(namespace, str):
                namespaces[role].add(namespace)
                if len(namespaces[role]) > 1:
                    names = " and ".join(sorted(namespaces[role]))
                    yield (
                        association,
                        f"{where(association)} shares its role between {names}: make a role for each.",
                    )


def _roles_of(association: Resource) -> Iterator[str]:
    arn = association.get("roleArn")
    roles = [urn for urn in association.reads.get("roleArn", ()) if f"{ROLE}::" in urn]
    yield from [arn] if isinstance(arn, str) else roles
