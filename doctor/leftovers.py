"""What stands in AWS of an environment, by its tags, and no stack knows: what a teardown left."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doctor.account import Place
from doctor.log_groups import log_group
from moka.names import (
    ENVIRONMENT_TAG,
    cluster_log_group,
    database_identifier,
    database_log_group,
    role_path,
)

CLUSTER_TAGS = (
    "elbv2.k8s.aws/cluster",
    "cluster.k8s.amazonaws.com/name",
    "aws:eks:cluster-name",
    "ebs.csi.aws.com/cluster-name",
)
"""Tags whose value is the cluster that a thing belongs to: of load balancers, interfaces, machines, volumes.

Sources: kubernetes-sigs/aws-load-balancer-controller (docs/guide/ingress/annotations.md),
aws/amazon-vpc-cni-k8s (pkg/awsutils/awsutils.go),
https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html, and
https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEBSCSIDriverEKSClusterScopedPolicy.html
"""

OWNED = "kubernetes.io/cluster/"
"""Tag whose key ends with the cluster, with value `owned`: of machines, volumes, groups, interfaces."""

VOLUME_TAG = "ebs.csi.aws.com/cluster"
"""Tag, with value `true`, of every volume of the EBS driver: of whatever cluster.

Others name the cluster, where the driver was told it: kubernetes-sigs/aws-ebs-csi-driver, docs/tagging.md.
"""

CLAIM_TAGS = ("kubernetes.io/created-for/pvc/namespace", "kubernetes.io/created-for/pvc/name")
"""Tags of such a volume that say whose it is: kubernetes-sigs/aws-ebs-csi-driver, pkg/driver/constants.go."""

MAX_VALUES = 20
"""Values of a filter: https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_TagFilter.html"""

RETAINED = ("s3:", "kms:key/", "ecr:repository/", "eks:cluster/", "logs:log-group:", "ec2:vpc/")
"""Services, and what of theirs `retain` keeps when a stack lets go of it."""

CLUSTER = "aws:eks/cluster:Cluster"

BACKUP = re.compile(r"(?:cluster-)?snapshot:rds:(.+)-\d{4}(?:-\d\d){4}")
"""A snapshot that RDS makes by itself of a database, by its name:
https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.ARN.html
"""


@dataclass(frozen=True, order=True, kw_only=True)
class Tagged:
    """A thing in AWS.

    foundation: whose account and region it is in. cluster: EKS's name of the one that has it, or empty.
    name: its tag `Name`, or the claim of a volume, or empty.
    unsure: it may be of a cluster that this environment never had.
    """

    foundation: str
    arn: str
    cluster: str = ""
    name: str = ""
    unsure: bool = False

    @property
    def service(self) -> str:
        """As its ARN has it: `ec2`, `s3`."""
        return self.arn.split(":")[2]

    @property
    def what(self) -> str:
        """The rest of its ARN: `vpc/vpc-1`."""
        return self.arn.split(":", 5)[5]

    @property
    def database(self) -> str:
        """Identifier of the database of which it is an automated snapshot, or empty."""
        match = BACKUP.fullmatch(self.what) if self.service == "rds" else None
        return match[1] if match else ""

    @property
    def is_retained(self) -> bool:
        """Whether it stays on purpose, where settings have `retain`."""
        return f"{self.service}:{self.what}".startswith(RETAINED)


@dataclass(frozen=True)
class Known:
    """What states of stacks have. ids: ids and ARNs. clusters: EKS's names of clusters that stand."""

    ids: Collection[str]
    clusters: Collection[str]


def known(states: Iterable[Mapping[str, Any]]) -> Known:
    """What stacks have, by their states as `pulumi stack export` prints them."""
    ids, clusters = set(), set()
    for state in states:
        for resource in state["deployment"].get("resources") or ():
            # Components have no id: what they say of their parts stands for nothing.
            if not resource.get("id"):
                continue
            outputs = resource.get("outputs") or {}
            ids |= {
                text for text in (resource.get("id"), outputs.get("arn")) if text and isinstance(text, str)
            }
            if resource["type"] == CLUSTER:
                clusters.add(str(outputs.get("name") or resource.get("id")))
    return Known(ids, clusters)


def left(things: Iterable[Tagged], stacks: Known) -> list[Tagged]:
    """Of what stands in AWS, what no stack has, nor a cluster or database that stands."""
    return sorted(
        thing
        for thing in set(things)
        if thing.cluster not in stacks.clusters
        and not {thing.arn, thing.what, thing.what.rpartition("/")[2], thing.database} & set(stacks.ids)
    )


def standing(place: Place, former: Collection[str] = ()) -> Iterator[Tagged]:
    """What has tags of the environment or of its clusters; roles, log groups and volumes by other signs.

    former: names of clusters that the settings do not have any more. Raises NoAnswer.
    """
    settings = place.settings
    clusters = sorted(place.cluster_name(name) for name in {*place.clusters, *former})
    gateways = set(_deleted_gateways(place))
    for tag in _filters(settings.environment, clusters):
        for resource in place.items(
            "resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", TagFilters=[tag]
        ):
            tags = {tag["Key"]: tag["Value"] for tag in resource["Tags"]}
            thing = Tagged(
                foundation=place.name,
                arn=resource["ResourceARN"],
                cluster=_cluster(tags, clusters),
                name=tags.get("Name", ""),
            )
            if thing.what not in gateways and not _is_key_that_waits(place, thing):
                yield thing
    # The tagging API has no roles: https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/
    for role in place.items("iam", "list_roles", "Roles", PathPrefix=role_path(settings.prefix)):
        yield Tagged(foundation=place.name, arn=role["Arn"], name=role["RoleName"])
    yield from _log_groups(place, clusters)
    yield from _nameless_volumes(place)


def _log_groups(place: Place, clusters: Sequence[str]) -> Iterator[Tagged]:
    """Log groups of clusters and of the database, by name: as these go, EKS and RDS write once more.

    What they make then has no tags (terraform-aws-modules/terraform-aws-eks#2763, of EKS; RDS's role has the
    same right, AmazonRDSServiceRolePolicy).
    """
    settings = place.settings
    names = [cluster_log_group(cluster) for cluster in clusters]
    if place.home and settings.database:
        names.append(database_log_group(database_identifier(settings.prefix, settings.database.generation)))
    for group in filter(None, (log_group(place, name) for name in names)):
        yield Tagged(foundation=place.name, arn=group)


def _deleted_gateways(place: Place) -> Iterator[str]:
    """NAT gateways that are deleted: AWS shows them for an hour.

    https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html
    """
    states = [{"Name": "state", "Values": ["deleting", "deleted"]}]
    for gateway in place.items("ec2", "describe_nat_gateways", "NatGateways", Filters=states):
        yield f"natgateway/{gateway['NatGatewayId']}"


def _is_key_that_waits(place: Place, thing: Tagged) -> bool:
    """Whether it is a KMS key that AWS deletes by itself, after its waiting period."""
    if not f"{thing.service}:{thing.what}".startswith("kms:key/"):
        return False
    key = place.find("kms", "describe_key", "NotFound", KeyId=thing.arn)
    return key is None or key["KeyMetadata"]["KeyState"].startswith("Pending")


def _nameless_volumes(place: Place) -> Iterator[Tagged]:
    """Volumes of the EBS driver that nothing uses, whose tags name neither a cluster nor an environment."""
    filters = [
        {"Name": f"tag:{VOLUME_TAG}", "Values": ["true"]},
        {"Name": "status", "Values": ["available"]},
    ]
    for volume in place.items("ec2", "describe_volumes", "Volumes", Filters=filters):
        tags = {tag["Key"]: tag["Value"] for tag in volume["Tags"]}
        if not any(key in CLUSTER_TAGS or key == ENVIRONMENT_TAG or key.startswith(OWNED) for key in tags):
            yield Tagged(
                foundation=place.name,
                arn=f"arn:{place.partition}:ec2:{place.region}:{place.account}:volume/{volume['VolumeId']}",
                name="/".join(tags[key] for key in CLAIM_TAGS if key in tags),
                unsure=True,
            )


def _filters(environment: str, clusters: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {"Key": ENVIRONMENT_TAG, "Values": [environment]}
    for first in range(0, len(clusters), MAX_VALUES):
        for key in CLUSTER_TAGS:
            yield {"Key": key, "Values": clusters[first : first + MAX_VALUES]}
    for cluster in clusters:
        yield {"Key": f"{OWNED}{cluster}", "Values": ["owned"]}


def _cluster(tags: Mapping[str, str], clusters: Collection[str]) -> str:
    owners = {tags[key] for key in CLUSTER_TAGS if key in tags}
    owners |= {
        key.removeprefix(OWNED) for key, value in tags.items() if key.startswith(OWNED) and value == "owned"
    }
    return next(iter(sorted(owners & set(clusters))), "")
