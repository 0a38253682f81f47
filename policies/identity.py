"""Who may do what, in AWS and in Kubernetes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache

from aws_rules.iam import definitions
from policies.pack.documents import Statement, statements, texts
from policies.pack.objects import pod_spec, where
from policies.pack.resource import Resource, mapping, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    POD_IDENTITY,
    POLICY,
    RBAC_BINDINGS,
    RBAC_ROLES,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
    USER_CREDENTIALS,
    WORKLOADS,
)

IDENTITY = Subject("identity", "Who may do what, in AWS and in Kubernetes")

IAM_GUIDE = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html"
POD_IDENTITY_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html"
RBAC_GUIDE = "https://kubernetes.io/docs/concepts/security/rbac-good-practices/"
PODS_SERVICE = "pods.eks.amazonaws.com"
NODES_SERVICE = "ec2.amazonaws.com"
ATTACHMENTS = (
    ROLE_ATTACHMENT,
    "aws:iam/policyAttachment:PolicyAttachment",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
)


@IDENTITY.rule(
    "no-wildcard-action",
    ROLE_POLICY,
    POLICY,
    severity="critical",
    why="A service's next action is allowed on the day on which AWS adds it.",
    references=(
        IAM_GUIDE,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/iam-controls.html#iam-21",
    ),
)
def no_wildcard_action(policy: Resource, _: Parameters) -> Violations:
    """No statement allows all actions of a service."""
    for statement in statements(policy):
        for action in statement.actions if statement.allows else ():
            if action == "*" or action.partition(":")[2].strip("*?") == "":
                yield f"Statement {statement.name} of {policy.name} allows {action}: list what is called."
        if statement.allows and "NotAction" in statement.content:
            yield f"Statement {statement.name} of {policy.name} allows all but some: list what is called."


@IDENTITY.rule(
    "no-wildcard-resource",
    ROLE_POLICY,
    POLICY,
    severity="high",
    why="What is meant for one bucket, role or key reaches all of the account.",
    references=(IAM_GUIDE,),
)
def no_wildcard_resource(policy: Resource, _: Parameters) -> Violations:
    """No statement is for all resources where its actions take one."""
    for statement in statements(policy):
        if not statement.allows or statement.condition:
            continue
        if "*" in statement.resources:
            if narrowable := sorted({action for action in statement.actions if takes_resources(action)}):
                yield (
                    f"Statement {statement.name} of {policy.name} allows {', '.join(narrowable)} on all "
                    "there is: name resources."
                )
        elif "NotResource" in statement.content:
            yield (
                f"Statement {statement.name} of {policy.name} is for all resources but some: name those "
                "that it is for."
            )


@cache
def takes_resources(action: str) -> bool:
    """Whether AWS lets an action be allowed on some resources only; an action that it does not know, no."""
    return bool(set(definitions.resource_types(action)) - {"", "*"})


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
    attached = [resource.get("policyArn"), *sequence(resource.get("managedPolicyArns"))]
    for arn in filter(None, map(text, attached)):
        name = arn.rpartition("/")[2]
        if ":aws:policy/" in arn and any(fnmatchcase(name, pattern) for pattern in parameters["policies"]):
            yield f"{resource.name} has {name}: write a policy with what is called."


@IDENTITY.rule(
    "no-privilege-escalation",
    ROLE_POLICY,
    POLICY,
    severity="critical",
    why="Who may change policies, or pass any role on, may do everything in two steps.",
    references=("https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html",),
)
def no_privilege_escalation(policy: Resource, _: Parameters) -> Violations:
    """No identity of the platform can give itself more rights."""
    for statement in statements(policy):
        for action in statement.actions if statement.allows else ():
            if escalates(action) and (
                "*" in statement.resources or any(r.endswith(":role/*") for r in statement.resources)
            ):
                yield (
                    f"Statement {statement.name} of {policy.name} allows {action} on all roles: name the "
                    "roles."
                )


def escalates(action: str) -> bool:
    """Whether an action gives rights: https://github.com/RhinoSecurityLabs/AWS-IAM-Privilege-Escalation."""
    return any(fnmatchcase(known, action.lower()) or known == action.lower() for known in ESCALATIONS)


ESCALATIONS = frozenset(
    f"iam:{name}".lower()
    for name in [
        "AttachRolePolicy",
        "AttachUserPolicy",
        "CreateAccessKey",
        "CreateLoginProfile",
        "CreatePolicyVersion",
        "PassRole",
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
    "trust-names-principals",
    ROLE,
    severity="critical",
    why="A role that everybody may take is everybody's.",
    references=(
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
    ),
)
def trust_names_principals(role: Resource, _: Parameters) -> Violations:
    """Roles say who may take them."""
    for statement in _trust(role):
        if statement.allows and "*" in statement.principals and not statement.condition:
            yield f"Everybody may take role {role.name}: name a service, an account or a role."


@IDENTITY.rule(
    "pod-role-trust",
    ROLE,
    severity="high",
    why="Without it, any association in the account may hand the role to any pod.",
    references=(POD_IDENTITY_GUIDE, "docs/decisions/0007-identity-and-isolation.md"),
)
def pod_role_trust(role: Resource, _: Parameters) -> Violations:
    """Roles of pods are for one cluster, namespace and service account."""
    for statement in _trust(role):
        if statement.allows and PODS_SERVICE in statement.principals:
            wanted = {f"aws:requesttag/{tag}" for tag in ("eks-cluster-name", "kubernetes-namespace")}
            if missing := sorted(wanted - statement.condition_keys):
                names = " and ".join(key.rpartition("/")[2] for key in missing)
                yield (
                    f"Role {role.name} is for pods of any {names}: ask for it in the condition of its "
                    "trust policy."
                )


@IDENTITY.rule(
    "federation-narrow",
    ROLE,
    severity="critical",
    why="Every repository of GitHub could take the role: its provider is one for all.",
    references=("https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_create_oidc.html",),
)
def federation_narrow(role: Resource, _: Parameters) -> Violations:
    """Roles for OIDC identities say whose."""
    for statement in _trust(role):
        if statement.allows and "sts:AssumeRoleWithWebIdentity" in statement.actions:
            asked = [key for key in statement.condition_keys if key.endswith(":sub")]
            if not asked or "*" in _values_of(statement, ":sub"):
                yield (
                    f"Role {role.name} can be taken by any identity of its provider: ask for :sub in the "
                    "condition."
                )


def _values_of(statement: Statement, ending: str) -> list[str]:
    return [
        value
        for keys in statement.condition.values()
        for key, values in mapping(keys).items()
        if str(key).lower().endswith(ending)
        for value in texts(values)
    ]


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
    if parameters["required"] and role.get("permissionsBoundary", "") == "":
        yield f"Role {role.name} has no boundary: set `permissions_boundary` of its foundation."


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
    references=("apache/datafusion-comet#6025", "docs/decisions/0020-node-role.md"),
    services=["s3", "dynamodb", "secretsmanager", "ssm", "sqs", "kinesis", "athena", "glue", "lakeformation"],
    managed=[
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    ],
)
def node_role_without_data(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """The roles of nodes reach no data."""
    nodes = {
        role.urn
        for role in resources
        if role.type == ROLE and any(NODES_SERVICE in statement.principals for statement in _trust(role))
    }
    for resource in resources:
        if not nodes & set(resource.reads.get("role", ())):
            continue
        for action in (action for s in statements(resource) if s.allows for action in s.actions):
            if action.partition(":")[0].lower() in (*parameters["services"], "*"):
                yield (
                    resource,
                    f"{resource.name} gives nodes {action}: give it to a service account by Pod Identity.",
                )
        name = text(resource.get("policyArn")).rpartition("/")[2]
        if name and name not in parameters["managed"]:
            yield (
                resource,
                f"{resource.name} gives nodes {name}: give it to a service account by Pod Identity.",
            )


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
                        f"{association.name} shares its role between {names}: make a role for each.",
                    )


def _roles_of(association: Resource) -> Iterator[str]:
    arn = association.get("roleArn")
    roles = [urn for urn in association.reads.get("roleArn", ()) if f"{ROLE}::" in urn]
    yield from [arn] if isinstance(arn, str) else roles


# Kubernetes.


@IDENTITY.rule(
    "rbac-no-wildcards",
    *RBAC_ROLES,
    severity="high",
    why="A wildcard holds for kinds that are not installed yet, and for verbs such as escalate.",
    references=("CIS 4.1.3", RBAC_GUIDE),
    but=[],
)
def rbac_no_wildcards(role: Resource, parameters: Parameters) -> Violations:
    """Roles of Kubernetes name resources and verbs."""
    if _listed(role, parameters):
        return
    for rule in sequence(role.get("rules")):
        for field in ("resources", "verbs", "apiGroups"):
            if "*" in sequence(mapping(rule).get(field)):
                yield f"{where(role)} has * in {field}: name them."


@IDENTITY.rule(
    "rbac-no-escalation",
    *RBAC_ROLES,
    severity="critical",
    why="Who may bind or escalate gives itself any role; who may impersonate is anybody.",
    references=("CIS 4.1.8", RBAC_GUIDE),
    but=[],
)
def rbac_no_escalation(role: Resource, parameters: Parameters) -> Violations:
    """Roles of Kubernetes give no way to more rights."""
    for rule in sequence(role.get("rules")) if not _listed(role, parameters) else ():
        for verb in ("bind", "escalate", "impersonate"):
            if verb in sequence(mapping(rule).get("verbs")):
                yield f"{where(role)} may {verb}: take the verb out."


@IDENTITY.rule(
    "rbac-no-secrets",
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
    severity="high",
    why="Whoever reads Secrets of all namespaces has the tokens of all service accounts in them.",
    references=("CIS 4.1.2", RBAC_GUIDE),
    but=[],
)
def rbac_no_secrets(role: Resource, parameters: Parameters) -> Violations:
    """Nothing reads the Secrets of all namespaces."""
    for rule in sequence(role.get("rules")) if not _listed(role, parameters) else ():
        reads = {"get", "list", "watch", "*"} & set(texts(list(sequence(mapping(rule).get("verbs")))))
        named = sequence(mapping(rule).get("resourceNames"))
        if "secrets" in sequence(mapping(rule).get("resources")) and reads and not named:
            yield f"{where(role)} reads the Secrets of all namespaces: give it a Role where it needs some."


@IDENTITY.rule(
    "rbac-no-cluster-admin",
    *RBAC_BINDINGS,
    severity="critical",
    why="An administrator reads every Secret of the cluster and may change whatever it runs.",
    references=("CIS 4.1.1", RBAC_GUIDE),
)
def rbac_no_cluster_admin(binding: Resource, _: Parameters) -> Violations:
    """Nothing is bound to cluster-admin."""
    if binding.get("roleRef.name") == "cluster-admin":
        yield f"{where(binding)} gives cluster-admin away: bind a role with what is needed."


@IDENTITY.rule(
    "rbac-named-subjects",
    *RBAC_BINDINGS,
    severity="critical",
    why="Everybody who has a token, or has none, gets what is bound to such a group.",
    references=("CIS 4.1.7", RBAC_GUIDE),
)
def rbac_named_subjects(binding: Resource, _: Parameters) -> Violations:
    """Nothing is bound to everybody."""
    everybody = ("system:anonymous", "system:unauthenticated", "system:authenticated", "system:masters")
    for subject in sequence(binding.get("subjects")):
        name = text(mapping(subject).get("name"))
        if name in everybody or name == "system:serviceaccounts":
            yield f"{where(binding)} is for {name}: name a service account or a group of yours."


@IDENTITY.rule(
    "own-service-account",
    *WORKLOADS,
    severity="medium",
    why="What is given to the default account is given to every pod of the namespace.",
    references=("CIS 4.1.5", "CIS 5.2.1"),
)
def own_service_account(workload: Resource, _: Parameters) -> Violations:
    """Pods that ask the API server have a service account of their own."""
    spec = pod_spec(workload)
    account = spec.get("serviceAccountName", "default")
    if not spec or spec.get("automountServiceAccountToken", True) is False:
        return
    if account == "default":
        yield (
            f"{where(workload)} has the token of the default service account: name one of its own, or set "
            "automountServiceAccountToken to false."
        )


def _listed(resource: Resource, parameters: Parameters) -> bool:
    return any(fnmatchcase(resource.object_name, pattern) for pattern in parameters["but"])


def _trust(role: Resource) -> Iterator[Statement]:
    return statements(role, "assumeRolePolicy")
