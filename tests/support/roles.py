"""Service accounts with a Role, for API servers on which no stack makes them."""

from collections.abc import Iterable

from localcloud.control_plane.api import Object
from moka.components.kubernetes.rbac import Right

RBAC = "rbac.authorization.k8s.io"


def bound_role(name: str, namespace: str, rights: Iterable[Right], account_namespace: str) -> list[Object]:
    """A Role, bound to the service account of the same name in a namespace."""
    return _bound("Role", {"name": name, "namespace": namespace}, rights, account_namespace)


def bound_cluster_role(name: str, rights: Iterable[Right], account_namespace: str) -> list[Object]:
    """A ClusterRole, bound to the service account of the same name in a namespace."""
    return _bound("ClusterRole", {"name": name}, rights, account_namespace)


def _bound(kind: str, metadata: Object, rights: Iterable[Right], account_namespace: str) -> list[Object]:
    rules = [
        {
            "apiGroups": [r.group],
            "resources": r.resource.split(),
            "verbs": list(r.verbs),
            **({"resourceNames": list(r.names)} if r.names else {}),
        }
        for r in rights
    ]
    name = metadata["name"]
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata, "rules": rules},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": f"{kind}Binding",
            "metadata": metadata,
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": account_namespace}],
        },
    ]
