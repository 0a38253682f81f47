"""Service accounts with a Role, for API servers on which no stack makes them."""

from collections.abc import Iterable

from localcloud.control_plane.api import Object
from moka.components.kubernetes.rbac import Right

RBAC = "rbac.authorization.k8s.io"


def bound_role(name: str, namespace: str, rights: Iterable[Right], account_namespace: str) -> list[Object]:
    """A Role, bound to the service account of the same name in a namespace."""
    metadata = {"name": name, "namespace": namespace}
    rules = [
        {"apiGroups": [r.group], "resources": r.resource.split(), "verbs": list(r.verbs)} for r in rights
    ]
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": rules},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": account_namespace}],
        },
    ]
