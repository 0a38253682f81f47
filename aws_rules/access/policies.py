"""EKS's access policies: the rules of each, as EKS documents them.

A policy that grants what another one does, and more, is written so; AWS writes all rows of each.
"""

from collections.abc import Mapping
from typing import NamedTuple

SOURCE = "https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html"

ANY = "*"


class Grant(NamedTuple):
    """Verbs on resources of an API group, or on paths of the API server that are no resources."""

    group: str
    resources: frozenset[str]
    verbs: frozenset[str]
    paths: frozenset[str] = frozenset()


def _grant(group: str, resources: str, verbs: str) -> Grant:
    return Grant(group, frozenset(resources.split()), frozenset(verbs.split()))


_READ = "get list watch"
_WRITE = "create delete deletecollection patch update"

_CLUSTER_ADMIN = (
    _grant(ANY, ANY, ANY),
    Grant("", frozenset(), frozenset({ANY}), paths=frozenset({ANY})),
)

_VIEW = (
    _grant(
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status "
        "replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale "
        "statefulsets/status",
        _READ,
    ),
    _grant("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", _READ),
    _grant("batch", "cronjobs cronjobs/status jobs jobs/status", _READ),
    _grant("discovery.k8s.io", "endpointslices", _READ),
    _grant(
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses "
        "ingresses/status networkpolicies replicasets replicasets/scale replicasets/status "
        "replicationcontrollers/scale",
        _READ,
    ),
    _grant("networking.k8s.io", "ingresses ingresses/status networkpolicies", _READ),
    _grant("policy", "poddisruptionbudgets poddisruptionbudgets/status", _READ),
    _grant(
        "",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods "
        "replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
        _READ,
    ),
    _grant(
        "",
        "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status "
        "resourcequotas resourcequotas/status",
        _READ,
    ),
    _grant("", "namespaces", _READ),
)

_EDIT = (
    *_VIEW,
    _grant(
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale "
        "statefulsets statefulsets/scale",
        _WRITE,
    ),
    _grant("autoscaling", "horizontalpodautoscalers", _WRITE),
    _grant("batch", "cronjobs jobs", _WRITE),
    _grant(
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets "
        "replicasets/scale replicationcontrollers/scale",
        _WRITE,
    ),
    _grant("networking.k8s.io", "ingresses networkpolicies", _WRITE),
    _grant("policy", "poddisruptionbudgets", _WRITE),
    _grant("", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", _READ),
    _grant("", "serviceaccounts", "impersonate"),
    _grant("", "pods pods/attach pods/exec pods/portforward pods/proxy", _WRITE),
    _grant(
        "",
        "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale "
        "secrets serviceaccounts services services/proxy",
        _WRITE,
    ),
)

_ADMIN = (
    *_EDIT,
    _grant("authorization.k8s.io", "localsubjectaccessreviews", "create"),
    _grant("rbac.authorization.k8s.io", "rolebindings roles", f"{_READ} {_WRITE}"),
)

POLICIES: Mapping[str, tuple[Grant, ...]] = {
    "AmazonEKSAdminPolicy": _ADMIN,
    "AmazonEKSAdminViewPolicy": (_grant(ANY, ANY, _READ),),
    "AmazonEKSClusterAdminPolicy": _CLUSTER_ADMIN,
    "AmazonEKSEditPolicy": _EDIT,
    "AmazonEKSSecretAdminPolicy": (_grant("", "secrets", ANY),),
    "AmazonEKSSecretReaderPolicy": (_grant("", "secrets", _READ),),
    "AmazonEKSViewPolicy": _VIEW,
}
"""Policies whose rules EKS documents row by row -> these."""

SERVICE_LINKED = frozenset(
    {
        "AmazonEKSBlockStorageClusterPolicy",
        "AmazonEKSBlockStoragePolicy",
        "AmazonEKSClusterInsightsPolicy",
        "AmazonEKSComputeClusterPolicy",
        "AmazonEKSComputePolicy",
        "AmazonEKSHybridPolicy",
    }
)
"""Policies that are for AWS's service-linked roles only."""

UNWRITTEN = frozenset(
    {
        "AmazonEKSAutoNodePolicy",
        "AmazonEKSLoadBalancingClusterPolicy",
        "AmazonEKSLoadBalancingPolicy",
        "AmazonEKSNetworkingClusterPolicy",
        "AmazonEKSNetworkingPolicy",
    }
)
"""Further policies that EKS has, without their rules row by row."""
