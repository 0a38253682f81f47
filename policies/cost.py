"""What is paid for: who it is for, and that it is not paid for ever."""

import re
from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase

from policies.nodes import are_certain, cluster_of, role_of
from policies.pack.objects import where
from policies.pack.resource import UNKNOWN, Resource, at, fully_known, mapping, parsed, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    AWS_PROVIDER,
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    REPOSITORY,
    REPOSITORY_LIFECYCLE,
    STORAGE_CLASS,
    VOLUME,
)

COST = Subject("cost", "What is paid for: who it is for, and that it is not paid for ever")

TAG_GUIDE = (
    "https://docs.aws.amazon.com/whitepapers/latest/tagging-best-practices/tagging-best-practices.html"
)
GP3_GUIDE = "https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"


@COST.rule(
    "required-tags",
    AWS_PROVIDER,
    severity="medium",
    why="Nobody knows whose bill it is, and policies by tag do not hold.",
    references=(TAG_GUIDE,),
    tags=["moka:environment", "moka:managed-by"],
)
def required_tags(provider: Resource, parameters: Parameters) -> Violations:
    """Everything in AWS has the tags that are required."""
    tags = at(parsed(provider.get("defaultTags")), "tags", {})
    if tags is UNKNOWN:
        return
    if missing := [tag for tag in parameters["tags"] if tag not in mapping(tags)]:
        yield (
            f"What provider {provider.name} makes lacks the tags {', '.join(missing)}: set `tags` in the "
            "settings."
        )


@COST.rule(
    "machines-tagged",
    LAUNCH_TEMPLATE,
    severity="medium",
    why="A provider's tags do not reach machines and volumes that a group starts by itself.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html", TAG_GUIDE),
    tags=["moka:environment"],
    kinds=["instance", "volume"],
)
def machines_tagged(template: Resource, parameters: Parameters) -> Violations:
    """Machines and their volumes have the tags that are required."""
    specifications = template.get("tagSpecifications", [])
    if not isinstance(specifications, list):
        return
    tags = {text(at(entry, "resourceType")): at(entry, "tags", {}) for entry in specifications}
    for kind in parameters["kinds"]:
        have = tags.get(kind, {})
        missing = [tag for tag in parameters["tags"] if isinstance(have, dict) and tag not in have]
        if missing and "" not in tags:
            names = ", ".join(missing)
            yield f"{where(template)} starts {kind}s without {names}: add them to tagSpecifications."


OLDER_VOLUMES = {"gp2": "gp3", "standard": "gp3", "io1": "io2"}


@COST.rule(
    "volumes-gp3",
    LAUNCH_TEMPLATE,
    VOLUME,
    STORAGE_CLASS,
    severity="low",
    why="A gp2 volume costs a fourth more, and is as fast as it is large.",
    references=(GP3_GUIDE,),
)
def volumes_gp3(resource: Resource, _: Parameters) -> Violations:
    """Volumes are of the newest type of their kind, gp3 instead of gp2."""
    # Without a type, EC2 makes gp2: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html
    kinds = [resource.get("type", "gp2" if resource.type == VOLUME else ""), resource.get("parameters.type")]
    kinds += [at(device, "ebs.volumeType") for device in sequence(resource.get("blockDeviceMappings"))]
    for kind in sorted({kind for kind in map(text, kinds) if kind in OLDER_VOLUMES}):
        yield f"{where(resource)} has volumes of type {kind}: take {OLDER_VOLUMES[kind]}."


@COST.rule(
    "instance-generation",
    NODE_GROUP,
    severity="low",
    why="Five years of newer machines do the same for less.",
    references=("https://aws.amazon.com/ec2/previous-generation/",),
    at_least=5,
    families=["c", "m", "r"],
)
def instance_generation(group: Resource, parameters: Parameters) -> Violations:
    """Machines of the common families are of a generation that is still made."""
    for kind in map(text, sequence(group.get("instanceTypes"))):
        generation = re.match(r"([a-z]+)(\d+)", kind)
        common = generation and generation[1] in parameters["families"]
        if generation and common and int(generation[2]) < parameters["at_least"]:
            yield (
                f"Node group {group.name} has {kind}: take a type of generation {parameters['at_least']} "
                "or later."
            )


@COST.stack_rule(
    "repository-has-lifecycle",
    REPOSITORY,
    REPOSITORY_LIFECYCLE,
    severity="low",
    why="Every build stays, and is paid for.",
    references=("https://docs.aws.amazon.com/AmazonECR/latest/userguide/LifecyclePolicies.html",),
)
def repository_has_lifecycle(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Every registry repository forgets old images."""
    repositories = {urn for policy in resources for urn in policy.reads.get("repository", ())}
    for repository in resources:
        if repository.type == REPOSITORY and repository.urn not in repositories:
            yield repository, f"Repository {repository.name} keeps every image: add a LifecyclePolicy."


@COST.stack_rule(
    "spot-share",
    NODE_GROUP,
    severity="medium",
    why="When a region runs out of spot machines, jobs would have nowhere to go.",
    references=("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html",),
    at_most_percent=80,
    but=[],
)
def spot_share(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """Some of the executors' machines are not spot ones, but where jobs can wait."""
    clusters: dict[str, list[Resource]] = defaultdict(list)
    for group in resources:
        # A new cluster's name is not known yet, that of its groups is.
        waits = any(fnmatchcase(group.name, pattern) for pattern in parameters["but"])
        if role_of(group) == "executor" and not waits:
            clusters[cluster_of(group)].append(group)
    # What is not known of one group may be what makes the share right.
    sizes = [[group.get("capacityType"), group.get("scalingConfig.maxSize")] for group in resources]
    if not are_certain(resources) or not fully_known(sizes):
        return
    most = parameters["at_most_percent"]
    for groups in clusters.values():
        spot = sum(_most(group) for group in groups if group.get("capacityType", "ON_DEMAND") == "SPOT")
        total = sum(map(_most, groups))
        if total and 100 * spot > most * total:
            names = ", ".join(group.name for group in groups)
            share = round(100 * spot / total)
            yield groups[0], f"Of the machines of {names}, {share}% are spot ones: {most}% at the most."


def _most(group: Resource) -> float:
    size = group.get("scalingConfig.maxSize", 0)
    return float(size) if isinstance(size, int | float) else 0.0


@COST.rule(
    "spot-many-types",
    NODE_GROUP,
    severity="medium",
    why="AWS takes back spot machines of one type together; among several it chooses those least in demand.",
    references=("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html",),
    at_least=3,
)
def spot_many_types(group: Resource, parameters: Parameters) -> Violations:
    """Spot groups choose among several types of machines."""
    types = group.get("instanceTypes", [])
    if (
        group.get("capacityType") == "SPOT"
        and isinstance(types, list)
        and 0 < len(types) < parameters["at_least"]
    ):
        least = parameters["at_least"]
        yield f"Spot group {group.name} has too few instance types: give it {least} at the least."
