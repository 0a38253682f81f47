"""Node groups, clusters and access entries of EKS: values that have to fit each other."""

from collections.abc import Iterator, Mapping

from aws_rules.access import entries
from aws_rules.rule import Rule
from aws_rules.values.patterns import pattern
from aws_rules.values.request import Path, Request, ValueVerdict, partition

_API = "https://docs.aws.amazon.com/eks/latest/APIReference"

NODE_GROUP_RULE = Rule(
    name="node-group-settings",
    authority="EKS",
    decides="which name, image, bounds, update, labels, taints and number of instance types a node group has",
    source=f"{_API}/API_CreateNodegroup.html",
)
CLUSTER_RULE = Rule(
    name="cluster-settings",
    authority="EKS",
    decides="how a version of Kubernetes is written, and what may be encrypted",
    source=f"{_API}/API_CreateCluster.html",
)
RULES = (NODE_GROUP_RULE, CLUSTER_RULE)

CODE = "InvalidParameterException"

MOST_INSTANCE_TYPES = 20
MOST_TAINTS = 50
"""https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html"""
MOST_UNAVAILABLE = 100
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html"""

NEWEST_VERSIONS: Mapping[str, str] = dict.fromkeys(("AL2_x86_64", "AL2_x86_64_GPU", "AL2_ARM_64"), "1.32")
"""AMI type -> the newest version of Kubernetes that it is made for.
https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html"""

ENCRYPTED = "secrets"
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_EncryptionConfig.html"""

NODE_GROUP_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}"
"""https://docs.aws.amazon.com/eks/latest/userguide/create-managed-node-group.html"""
VERSION = r"1\.\d\d"

LABEL_PREFIXES = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
"""eksctl-io/eksctl, issue 4007: EKS's own words."""
LABEL_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
LABEL_PREFIX = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
LABEL_VALUE = r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
LONGEST_NAME, LONGEST_PREFIX = 63, 253
"""https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set"""

ROLE = r"arn:aws[a-z-]*:iam::\d{12}:role/.+"


def node_group(request: Request) -> Iterator[ValueVerdict]:
    """The settings of a node group that is made or changed."""
    yield from _scaling(request)
    yield from _update(request)
    yield from _labels(request)
    yield from _taints(request)
    yield from _version(request, NODE_GROUP_RULE)
    if request.operation != "CreateNodegroup":
        return
    role = request.value_at("nodeRole")
    if isinstance(role, str) and not _fits(ROLE, role):
        remedy = (
            f"name a role, arn:{partition(request.region)}:iam::<account>:role/<name>, that EKS makes an "
            "instance profile of"
        )
        yield request.misfit(NODE_GROUP_RULE, ("nodeRole",), CODE, f"Invalid Role Arn: '{role}'", remedy)
    yield from _image(request)
    name, types = request.value_at("nodegroupName"), request.value_at("instanceTypes")
    if isinstance(name, str) and not _fits(NODE_GROUP_NAME, name):
        message = f"The node group name {name} is not valid"
        remedy = "use at most 63 letters, digits, hyphens and underscores, and begin with a letter or a digit"
        yield request.misfit(NODE_GROUP_RULE, ("nodegroupName",), CODE, message, remedy)
    for type in sorted({type for type in types if types.count(type) > 1} if isinstance(types, list) else ()):
        yield request.gap(NODE_GROUP_RULE, f"whether EKS takes {type} twice")
    if isinstance(types, list) and len(types) > MOST_INSTANCE_TYPES:
        message = (
            f"A maximum of {MOST_INSTANCE_TYPES} instance types can be specified: there are {len(types)}"
        )
        remedy = f"leave out {len(types) - MOST_INSTANCE_TYPES}"
        yield request.misfit(NODE_GROUP_RULE, ("instanceTypes",), CODE, message, remedy)


def _image(request: Request) -> Iterator[ValueVerdict]:
    """The AMI type and the version of Kubernetes."""
    type, version = request.value_at("amiType"), request.value_at("version")
    newest = NEWEST_VERSIONS.get(str(type))
    if newest and isinstance(version, str) and _fits(VERSION, version) and version > newest:
        message = f"AMI Type {type} is only supported for kubernetes versions {newest} or earlier"
        yield request.misfit(NODE_GROUP_RULE, ("amiType",), CODE, message, "choose one of AL2023")


def cluster(request: Request) -> Iterator[ValueVerdict]:
    """The settings of a cluster.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_EncryptionConfig.html
    """
    yield from _version(request, CLUSTER_RULE)
    configs = request.value_at("encryptionConfig")
    for index, config in enumerate(configs if isinstance(configs, list) else ()):
        resources = config.get("resources") if isinstance(config, Mapping) else None
        if isinstance(resources, list) and resources != [ENCRYPTED]:
            message = f"The only supported value of encryptionConfig.resources is {ENCRYPTED}: {resources}"
            path: Path = ("encryptionConfig", index, "resources")
            yield request.misfit(CLUSTER_RULE, path, CODE, message, f'write ["{ENCRYPTED}"]')


def access_entry(request: Request) -> Iterator[ValueVerdict]:
    """An access entry, as far as it is known."""
    names = ["principalArn", "type", "username"]
    groups = request.value_at("kubernetesGroups")
    entry = {name: request.value_at(name) for name in names} | {
        "kubernetesGroups": [group for group in groups if isinstance(group, str)]
        if isinstance(groups, list)
        else []
    }
    for fault in entries.faults_of_entry(entry, "", partition(request.region)):
        yield request.misfit(entries.ACCESS_ENTRIES, fault.path, fault.code, fault.message, fault.remedy)


def access_policy(request: Request) -> Iterator[ValueVerdict]:
    """An access policy and its scope, as far as they are known."""
    scope = {"type": request.value_at("accessScope", "type")}
    if not request.has("accessScope", "namespaces"):
        scope["namespaces"] = []
    else:
        # What is known later may be some.
        scope["namespaces"] = request.value_at("accessScope", "namespaces")
        if scope["namespaces"] is None and scope["type"] == "namespace":
            scope["type"] = None
    association = {"policyArn": request.value_at("policyArn"), "accessScope": scope}
    for fault in entries.faults_of_policy(association, partition(request.region)):
        yield request.misfit(entries.ACCESS_ENTRIES, fault.path, fault.code, fault.message, fault.remedy)


def _scaling(request: Request) -> Iterator[ValueVerdict]:
    """Bounds of a group, in EKS's words.

    aws/aws-cdk: packages/aws-cdk-lib/aws-eks/lib/managed-nodegroup.ts
    """
    scaling = request.value_at("scalingConfig")
    if not isinstance(scaling, Mapping):
        return
    least, most, desired = (
        value if isinstance(value := scaling.get(name), int) else None
        for name in ("minSize", "maxSize", "desiredSize")
    )

    def misfit(member: str, message: str, remedy: str) -> ValueVerdict:
        return request.misfit(NODE_GROUP_RULE, ("scalingConfig", member), CODE, message, remedy)

    if least is not None and most is not None and least > most:
        message = f"Minimum capacity {least} can't be greater than max size {most}"
        yield misfit("minSize", message, "raise maxSize, or lower minSize")
    elif desired is not None and least is not None and desired < least:
        message = f"Minimum capacity {least} can't be greater than desired size {desired}"
        yield misfit("desiredSize", message, f"set it to {least} or more")
    elif desired is not None and most is not None and desired > most:
        message = f"Desired capacity {desired} can't be greater than max size {most}"
        yield misfit("desiredSize", message, f"set it to {most} or less")


def _update(request: Request) -> Iterator[ValueVerdict]:
    config = request.value_at("updateConfig")
    if not isinstance(config, Mapping):
        return
    number, share = "maxUnavailable", "maxUnavailablePercentage"
    if config.get(number) is not None and config.get(share) is not None:
        message = f"Only one of {number} and {share} can be specified"
        yield request.misfit(NODE_GROUP_RULE, ("updateConfig", share), CODE, message, "leave one out")
    machines = config.get(number)
    if isinstance(machines, int) and machines > MOST_UNAVAILABLE:
        message = f"{number} is {machines}: the maximum number is {MOST_UNAVAILABLE}"
        yield request.misfit(NODE_GROUP_RULE, ("updateConfig", number), CODE, message, "lower it")


def _labels(request: Request) -> Iterator[ValueVerdict]:
    path: Path = ("labels",)
    labels = request.value_at(*path)
    if isinstance(labels, Mapping) and "addOrUpdateLabels" in labels:
        path = (*path, "addOrUpdateLabels")
        labels = request.value_at(*path)
    for key, value in labels.items() if isinstance(labels, Mapping) else ():
        prefix, slash, name = key.rpartition("/")
        domain = f"{prefix}/"
        if slash and any(domain == prefix or domain.endswith(f".{prefix}") for prefix in LABEL_PREFIXES):
            message = f"Label cannot contain reserved prefixes [{', '.join(LABEL_PREFIXES)}]: {key}"
            remedy = "use a prefix of your own: kubelet may not set these, and the nodes would not join"
            yield request.misfit(NODE_GROUP_RULE, (*path, key), CODE, message, remedy)
        elif slash and (not _fits(LABEL_PREFIX, prefix) or len(prefix) > LONGEST_PREFIX):
            message = f"Invalid label key: {key}: {_PREFIX_SYNTAX}"
            yield request.misfit(NODE_GROUP_RULE, (*path, key), CODE, message, "name it otherwise")
        elif not _fits(LABEL_NAME, name) or len(name) > LONGEST_NAME:
            message = f"Invalid label key: {key}: {_SYNTAX}"
            yield request.misfit(NODE_GROUP_RULE, (*path, key), CODE, message, "name it otherwise")
        if isinstance(value, str) and (not _fits(LABEL_VALUE, value) or len(value) > LONGEST_NAME):
            message = f"Invalid value: {value}: {_SYNTAX}"
            yield request.misfit(NODE_GROUP_RULE, (*path, key), CODE, message, "write it otherwise")


_SYNTAX = (
    "field must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character, and be no more than 63 characters"
)


_PREFIX_SYNTAX = (
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character"
)


def _taints(request: Request) -> Iterator[ValueVerdict]:
    path: Path = ("taints",)
    taints = request.value_at(*path)
    if isinstance(taints, Mapping):
        path = (*path, "addOrUpdateTaints")
        taints = request.value_at(*path)
    entries = taints if isinstance(taints, list) else []
    if len(entries) > MOST_TAINTS:
        message = f"A maximum of {MOST_TAINTS} taints can be specified"
        yield request.misfit(NODE_GROUP_RULE, path, CODE, message, "leave some out")
    keys = [(taint.get("key"), taint.get("effect")) for taint in entries if isinstance(taint, Mapping)]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            message = f"Duplicate taint {key[0]} with effect {key[1]}"
            yield request.misfit(NODE_GROUP_RULE, (*path, index), CODE, message, "leave it out")


def _version(request: Request, rule: Rule) -> Iterator[ValueVerdict]:
    version = request.value_at("version")
    if isinstance(version, str) and not _fits(VERSION, version):
        message = f"unsupported Kubernetes version {version}"
        yield request.misfit(rule, ("version",), CODE, message, 'write it as "1.35"')


def _fits(text: str, value: str) -> bool:
    compiled = pattern(text)
    return compiled is None or compiled.fullmatch(value) is not None
