"""What the Cluster Autoscaler does for a pod that finds no machine: a node group gets one more that takes it.

Only where it has an identity on the cluster, as without it nobody would add a machine. It takes none away.
"""

from typing import Any

from localcloud.cloud import Cloud
from localcloud.control_plane.api import Object
from localcloud.control_plane.fitting import takes
from localcloud.control_plane.nodes import apply_node_group, capped_count, node
from localcloud.plugins.aws.eks_backend import described_machines
from localcloud.plugins.aws.passing_time import groups, places

SERVICE_ACCOUNT = "cluster-autoscaler"
"""As the chart calls it, with a release of that name or not
(https://github.com/kubernetes/autoscaler/tree/master/charts/cluster-autoscaler)."""


def add_machine(cloud: Cloud, endpoint: str, cluster: str, pod: Object) -> str | None:
    """Have a node group of a cluster be one larger for a pod; its name, None where no group takes the pod.

    The group that would, of those below their maximum; of several the first, in place of `least-waste`.
    """
    for api, region in places(cloud, endpoint):
        eks, scaling = api.service("eks", region), api.service("autoscaling", region)
        for group, plane in groups(api, region):
            if plane.name != cluster or not _has_autoscaler(eks, cluster):
                continue
            sizes, name = group["scalingConfig"], group["nodegroupName"]
            size = sizes["desiredSize"] + 1
            if size > sizes["maxSize"] or size > capped_count(size):
                continue
            larger = {**group, "scalingConfig": {**sizes, "desiredSize": size}}
            machines = described_machines(api, region, larger)
            if any(takes(node(machines, place + 1), pod) for place in range(len(machines.zones))):
                for scaling_group in group["resources"]["autoScalingGroups"]:
                    scaling.set_desired_capacity(scaling_group["name"], size)
                apply_node_group(plane, machines)
                return str(name)
    return None


def _has_autoscaler(eks: Any, cluster: str) -> bool:
    associations = eks.list_pod_identity_associations(clusterName=cluster)["associations"]
    return any(SERVICE_ACCOUNT in association["serviceAccount"] for association in associations)
