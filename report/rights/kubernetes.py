"""Rights by Kubernetes' RBAC: https://kubernetes.io/docs/reference/access-authn-authz/rbac/."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from previews import Preview, State, Step
from previews.values import at, mapping, sequence, text
from report.rights.rights import Actions, Rights, Scope

GROUP = "kubernetes:rbac.authorization.k8s.io/v1:"
ROLES = (f"{GROUP}Role", f"{GROUP}ClusterRole")
BINDINGS = (f"{GROUP}RoleBinding", f"{GROUP}ClusterRoleBinding")

VERBS = frozenset({"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"})

Key = tuple[str, str, str]
"""Provider (a cluster), namespace (empty for the whole cluster), name."""


def add(
    add_rights: Callable[[str, Rights], None], preview: Preview, side: Callable[[Step], State | None]
) -> None:
    """Give each subject what its bindings let it do."""
    roles = {_key(state): state for state in filter(None, map(side, preview.of(*ROLES)))}
    for state in filter(None, map(side, preview.of(*BINDINGS))):
        reference = mapping(state.inputs.get("roleRef"))
        namespace = _namespace(state) if reference.get("kind") == "Role" else ""
        role = roles.get((state.provider, namespace, text(reference.get("name"))))
        rights = (
            Rights(allowed=dict(_rules(role, _namespace(state))), denied={}) if role else _role_rights(state)
        )
        for subject in sequence(state.inputs.get("subjects")):
            add_rights(_subject(mapping(subject), state), rights)


def _key(state: State) -> Key:
    return state.provider, _namespace(state), text(at(state.inputs, "metadata.name"))


def _namespace(state: State) -> str:
    if state.type.startswith(f"{GROUP}Cluster"):
        return ""
    return text(at(state.inputs, "metadata.namespace"), "default")


def _subject(subject: Mapping[str, Any], binding: State) -> str:
    name = text(subject.get("name"))
    if subject.get("kind") != "ServiceAccount":
        return f"{str(subject.get('kind')).lower()} {name}"
    return f"service account {text(subject.get('namespace'), _namespace(binding))}/{name}"


def _rules(role: State, namespace: str) -> Iterator[tuple[Scope, Actions]]:
    rules: dict[Scope, Actions] = {}
    for rule in map(mapping, sequence(role.inputs.get("rules"))):
        verbs = frozenset(map(str, sequence(rule.get("verbs"))))
        verbs = VERBS | {"*"} if "*" in verbs else verbs
        for kind in _kinds(rule):
            scope = Scope(resource=f"{kind} in {namespace or '*'}")
            rules[scope] = rules.get(scope, frozenset()) | verbs
    yield from rules.items()


def _kinds(rule: Mapping[str, Any]) -> Iterator[str]:
    """Resources and URLs of a rule, as patterns: `core/pods named *`."""
    yield from map(str, sequence(rule.get("nonResourceURLs")))
    for group in sequence(rule.get("apiGroups")):
        for kind in sequence(rule.get("resources")):
            for name in sequence(rule.get("resourceNames")) or ["*"]:
                yield f"{group or 'core'}/{kind} named {name}"


def _role_rights(binding: State) -> Rights:
    """What a role that the preview does not show gives: itself."""
    reference = mapping(binding.inputs.get("roleRef"))
    resource = f"{reference.get('kind')} {text(reference.get('name'))} in {_namespace(binding) or '*'}"
    return Rights(allowed={Scope(resource=resource): frozenset({"have"})}, denied={})


def in_words(resource: str) -> str:
    """A resource of these rules as people say it."""
    words = resource.replace(" named * in", " in")
    return f"{words.removesuffix(' in *')} in the whole cluster" if words.endswith(" in *") else words
