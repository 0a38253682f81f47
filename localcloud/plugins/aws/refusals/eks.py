"""EKS's own refusals, at a preview already where the values are known."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.eks import configuration, endpoint, sizes, subnets, versions
from aws_rules.rule import Verdict
from localcloud import clock, unknowns
from localcloud.plugins.aws.api import Api, not_found
from localcloud.plugins.provider import Target
from localcloud.plugins.values import UNKNOWN, Properties, reveal, unknown_in


@dataclass(frozen=True)
class Plan:
    """A resource that is to be made or changed.

    region: of the resource. name: logical. inputs, old: those that are known, after and before; `old` is
    empty for a new one. cluster_versions: of clusters that this run makes or changes, by region and name: at
    a preview they still have another one.
    """

    api: Api
    region: str
    name: str
    inputs: Mapping[str, Any]
    old: Mapping[str, Any]
    cluster_versions: dict[tuple[str, str], str]

    def call(self, operation: str, **members: Any) -> dict[str, Any] | None:
        """An answer of EKS; None when the thing is not there yet."""
        if any(value is None for value in members.values()):
            return None
        try:
            answer: dict[str, Any] = self.api.call("eks", operation, members, self.region)
        except Exception as error:
            if not_found(error):
                return None
            raise
        return answer

    def cluster_version(self) -> str | None:
        """Version of the cluster that it belongs to."""
        name = self.inputs.get("clusterName")
        if plan_version := self.cluster_versions.get((self.region, str(name))):
            return plan_version
        answer = self.call("describe_cluster", name=name)
        return answer["cluster"]["version"] if answer else None


def cluster(plan: Plan) -> Iterator[Verdict]:
    """A cluster: its version, its subnets, and access to its endpoint."""
    name, today = plan.inputs.get("name", plan.name), clock.now(plan.api.cloud).date()
    about = f"EKS cluster {name}"
    version, old = plan.inputs.get("version"), plan.old.get("version")
    if version:
        plan.cluster_versions[plan.region, name] = version
    if version and not plan.old:
        yield from versions.new_cluster(about, version, today)
    elif version and old and version != old:
        yield from versions.other_cluster_version(about, old, version, _group_versions(plan, name), today)
    config = plan.inputs.get("vpcConfig") or {}
    if plan.old:
        yield from _other_subnets(plan, about, config, plan.old.get("vpcConfig") or {})
    else:
        yield from _subnets(plan, about, name, config)
    yield from endpoint.endpoint(about, config)


def _subnets(plan: Plan, about: str, name: str, config: Mapping[str, Any]) -> Iterator[Verdict]:
    ids, group_ids = list(config.get("subnetIds") or []), list(config.get("securityGroupIds") or [])
    if not ids:
        return
    own = _selection(plan, "describe_subnets", "subnet-id", ids)["Subnets"]
    groups = _selection(plan, "describe_security_groups", "group-id", group_ids)["SecurityGroups"]
    no_subnets = sorted({*ids} - {subnet["SubnetId"] for subnet in own})
    no_groups = sorted({*group_ids} - {group["GroupId"] for group in groups})
    if no_subnets or no_groups:
        yield from subnets.absent(about, no_subnets, no_groups)
    else:
        yield from subnets.cluster_subnets(about, name, own, groups)


def _other_subnets(
    plan: Plan, about: str, config: Mapping[str, Any], old_config: Mapping[str, Any]
) -> Iterator[Verdict]:
    ids, old_ids = (sorted({*(place.get("subnetIds") or ())}) for place in (config, old_config))
    if not ids or not old_ids or ids == old_ids:
        return
    own = _selection(plan, "describe_subnets", "subnet-id", ids)["Subnets"]
    old = _selection(plan, "describe_subnets", "subnet-id", old_ids)["Subnets"]
    if absent := sorted({*ids} - {subnet["SubnetId"] for subnet in own}):
        yield from subnets.absent(about, absent, [])
    elif len(old) == len(old_ids):
        yield from subnets.other_subnets(about, {subnet["AvailabilityZone"] for subnet in old}, own)


def _selection(plan: Plan, operation: str, name: str, values: list[str]) -> dict[str, Any]:
    """What EC2 has of these ids; it refuses a call that names one that it has not."""
    filters = [{"Name": name, "Values": values or ["none"]}]
    answer: dict[str, Any] = plan.api.call("ec2", operation, {"Filters": filters}, plan.region)
    return answer


def _group_versions(plan: Plan, cluster: str) -> dict[str, str]:
    names = (plan.call("list_nodegroups", clusterName=cluster) or {}).get("nodegroups", ())
    groups = (plan.call("describe_nodegroup", clusterName=cluster, nodegroupName=name) for name in names)
    return {group["nodegroup"]["nodegroupName"]: group["nodegroup"]["version"] for group in groups if group}


def node_group(plan: Plan) -> Iterator[Verdict]:
    """A node group: its sizes, its version."""
    cluster_name, name = plan.inputs.get("clusterName"), plan.inputs.get("nodeGroupName")
    about = f"EKS node group {name or plan.name} of {cluster_name or 'a new cluster'}"
    live = plan.call("describe_nodegroup", clusterName=cluster_name, nodegroupName=name) if plan.old else None
    group = live["nodegroup"] if live else {}
    scaling = plan.inputs.get("scalingConfig") or {}
    if scaling != plan.old.get("scalingConfig"):
        yield from sizes.sizes(about, scaling, group.get("scalingConfig") if plan.old else None)
    version, release = plan.inputs.get("version"), plan.inputs.get("releaseVersion")
    unchanged = plan.old and (version, release) == (plan.old.get("version"), plan.old.get("releaseVersion"))
    if not unchanged and (cluster_version := plan.cluster_version()):
        yield from versions.node_group_version(about, version, release, cluster_version, group.get("version"))


def addon(plan: Plan) -> Iterator[Verdict]:
    """An add-on: its version, its configuration."""
    name, version = plan.inputs.get("addonName"), plan.inputs.get("addonVersion")
    about = f"EKS add-on {name or plan.name} of {plan.inputs.get('clusterName') or 'a new cluster'}"
    yield from configuration.configuration(about, plan.inputs.get("configurationValues") or "")
    if not (version and name) or version == plan.old.get("addonVersion"):
        return
    if cluster_version := plan.cluster_version():
        yield from versions.addon_version(about, name, version, cluster_version)


CHECKS: Mapping[str, Callable[[Plan], Iterator[Verdict]]] = {
    "aws:eks/cluster:Cluster": cluster,
    "aws:eks/nodeGroup:NodeGroup": node_group,
    "aws:eks/addon:Addon": addon,
}
"""Type -> what EKS decides of it."""


def refuse(
    api: Api,
    cluster_versions: dict[tuple[str, str], str],
    target: Target,
    inputs: Properties,
    old: Properties | None = None,
) -> None:
    """Raise Refusal when EKS would not make a resource, or change it so. Values not known yet are left out.

    cluster_versions: as in `Plan`; this adds the cluster's.
    """
    if check := CHECKS.get(target.type):
        known_inputs = _known_inputs(reveal(inputs))
        region = known_inputs.get("region") or api.region
        plan = Plan(
            api, region, target.name, known_inputs, _known_inputs(reveal(old or {})), cluster_versions
        )
        unknowns.refuse(api.cloud, check(plan))


def _known_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs, without those that are not known yet, or not wholly."""
    return {name: value for name, value in inputs.items() if value is not UNKNOWN and not unknown_in(value)}
