"""Who may do what in Kubernetes."""

from policies.identity import IDENTITY
from policies.pack.documents import texts
from policies.pack.objects import is_named, pod_spec, where
from policies.pack.resource import Resource, at, sequence, text
from policies.pack.rule import Parameters, Violations
from policies.pack.types import RBAC_BINDINGS, RBAC_ROLES, WORKLOADS

RBAC_GUIDE = "https://kubernetes.io/docs/concepts/security/rbac-good-practices/"

EVERYBODY = (
    "system:anonymous",
    "system:unauthenticated",
    "system:authenticated",
    "system:masters",
    "system:serviceaccounts",
)


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
    if is_named(role, parameters["but"]):
        return
    for rule in sequence(role.get("rules")):
        for field in ("resources", "verbs", "apiGroups"):
            if "*" in sequence(at(rule, field)):
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
    for rule in sequence(role.get("rules")) if not is_named(role, parameters["but"]) else ():
        for verb in ("bind", "escalate", "impersonate"):
            if verb in sequence(at(rule, "verbs")):
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
    for rule in sequence(role.get("rules")) if not is_named(role, parameters["but"]) else ():
        reads = {"get", "list", "watch", "*"} & set(texts(at(rule, "verbs")))
        if "secrets" in sequence(at(rule, "resources")) and reads and at(rule, "resourceNames", []) == []:
            yield f"{where(role)} reads the Secrets of all namespaces: give it a Role where it needs some."


@IDENTITY.rule(
    "rbac-no-way-into-pods",
    *RBAC_ROLES,
    severity="high",
    why="Who may run commands in a pod, or ask for its account's token, has all that the pod has.",
    references=("CIS 4.1.4", RBAC_GUIDE),
    but=[],
)
def rbac_no_way_into_pods(role: Resource, parameters: Parameters) -> Violations:
    """Roles of Kubernetes give nobody a shell in pods, or tokens of service accounts."""
    for rule in sequence(role.get("rules")) if not is_named(role, parameters["but"]) else ():
        if {"create", "get", "*"} & set(texts(at(rule, "verbs"))):
            for resource in sequence(at(rule, "resources")):
                if resource in ("pods/exec", "pods/attach", "serviceaccounts/token"):
                    yield f"{where(role)} gives {resource}: take it out."


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
    references=("CIS 4.1.1", RBAC_GUIDE),
)
def rbac_named_subjects(binding: Resource, _: Parameters) -> Violations:
    """Nothing is bound to everybody."""
    for subject in sequence(binding.get("subjects")):
        if (name := text(at(subject, "name"))) in EVERYBODY:
            yield f"{where(binding)} is for {name}: name a service account or a group of yours."


@IDENTITY.rule(
    "own-service-account",
    *WORKLOADS,
    severity="medium",
    why="What is given to the default account is given to every pod of the namespace.",
    references=("CIS 4.1.5", "CIS 4.1.6"),
)
def own_service_account(workload: Resource, _: Parameters) -> Violations:
    """Pods that ask the API server have a service account of their own."""
    spec = pod_spec(workload)
    account = at(spec, "serviceAccountName", at(spec, "serviceAccount", "default"))
    mounted = at(spec, "automountServiceAccountToken", True) is True
    if spec and mounted and account in ("", "default"):
        yield (
            f"{where(workload)} has the token of the default service account: name one of its own, or set "
            "automountServiceAccountToken to false."
        )
