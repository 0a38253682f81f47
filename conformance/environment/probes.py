"""Probes that need a cluster, put to that of an environment that is up."""

from collections.abc import Callable
from pathlib import Path

from conformance.environment.outside import Defect, Outside
from conformance.refusals.catalog import ON_CLUSTER
from conformance.refusals.comparison import DIFFERENT, compare
from conformance.refusals.probe import Cluster
from conformance.refusals.trial import answers


def refusals(outside: Outside, folder: Path, progress: Callable[[str], object]) -> str:
    """What EKS answers to them, in words: as the laptop does. Raises Defect.

    folder: an existing one, for the configuration of their stack.
    """
    place = outside.foundation
    cluster = _cluster(outside)
    messages = answers(ON_CLUSTER, place.account, place.region, folder, progress, cluster)
    differences = [
        f"{answer.probe} is {answer.outcome} ({answer.message or answer.rule})"
        for answer in compare(ON_CLUSTER, messages)
        if answer.outcome in DIFFERENT
    ]
    if differences:
        raise Defect("answered otherwise than the laptop does: " + "; ".join(differences))
    return f"{len(ON_CLUSTER)} probes are refused as on the laptop"


def _cluster(outside: Outside) -> Cluster:
    eks, network = outside.aws("eks"), outside.output("foundation")
    cluster = eks.describe_cluster(name=outside.eks_name)["cluster"]
    names = eks.list_nodegroups(clusterName=outside.eks_name)["nodegroups"]
    groups = [
        eks.describe_nodegroup(clusterName=outside.eks_name, nodegroupName=name)["nodegroup"]
        for name in names
    ]
    group = next((group for group in groups if group.get("launchTemplate")), None)
    if group is None or not network["public_subnets"]:
        raise Defect("there is no node group with a launch template, or no public subnet, to probe with")
    template = group["launchTemplate"]
    return Cluster(
        name=outside.eks_name,
        version=cluster["version"],
        subnet_ids=tuple(sorted(network["private_subnets"].values())),
        public_subnet_id=min(network["public_subnets"].values()),
        node_role_arn=group["nodeRole"],
        template={"id": template["id"], "version": str(template["version"])},
    )
