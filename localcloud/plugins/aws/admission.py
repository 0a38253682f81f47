"""Whether an EKS cluster knows the role of machines: by an access entry, or by its ConfigMap `aws-auth`."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aws_rules.access import config_map
from aws_rules.access.entries import MODES
from aws_rules.access.identity import MACHINES, NODES
from localcloud.plugins.aws.api import Api

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane

PATH = f"/api/v1/namespaces/{config_map.NAMESPACE}/configmaps/{config_map.NAME}"


def admitted(api: Api, region: str, plane: "ControlPlane", role: str) -> bool:
    """Whether machines with this role become nodes of a cluster."""
    mode, store = _mode(api, region, plane.name), api.service("eks", region).store
    entry = store.get("access-entry", plane.name, role) if mode in MODES else None
    if entry:
        return entry["type"] in MACHINES
    if mode not in config_map.MODES:
        return False
    mapping = config_map.mapped(_data(plane), role)
    return mapping is not None and NODES in mapping["kubernetesGroups"]


def let_in(api: Api, region: str, plane: "ControlPlane", role: str) -> None:
    """Have `aws-auth` map a managed node group's role, as EKS does where there are no access entries."""
    _change(api, region, plane, lambda data: config_map.with_machines(data, role))


def keep_out(api: Api, region: str, plane: "ControlPlane", role: str) -> None:
    """Take the role of a managed node group, the last one with it, from `aws-auth`, as EKS does.

    https://docs.aws.amazon.com/eks/latest/userguide/delete-managed-node-group.html
    """
    _change(api, region, plane, lambda data: config_map.without(data, role))


def _change(
    api: Api, region: str, plane: "ControlPlane", change: Callable[[Mapping[str, str]], dict[str, str]]
) -> None:
    if _mode(api, region, plane.name) in MODES:
        return
    old = _data(plane)
    new = change(old)
    if new != old and plane.api().merge(PATH, {"data": new}) is None:
        metadata = {"name": config_map.NAME, "namespace": config_map.NAMESPACE}
        about = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        plane.api().create(PATH.rpartition("/")[0], {**about, "data": new})


def _mode(api: Api, region: str, cluster: str) -> str:
    cluster_data = api.service("eks", region).describe_cluster(name=cluster)["cluster"]
    return str(cluster_data["accessConfig"]["authenticationMode"])


def _data(plane: "ControlPlane") -> dict[str, Any]:
    return dict((plane.api().get(PATH) or {}).get("data") or {})
