import json

from policies.pack.types import (
    AWS_PROVIDER,
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    REPOSITORY,
    REPOSITORY_LIFECYCLE,
    STORAGE_CLASS,
    VOLUME,
)
from tests.policies.cases.case import Case, a, failing, passing, urn

TAGS = {"moka:environment": "prod", "moka:managed-by": "pulumi"}


def tagged(*kinds: str, tags: dict | None = None) -> dict:
    return {"tagSpecifications": [{"resourceType": kind, "tags": tags or TAGS} for kind in kinds]}


def disk(kind: str) -> dict:
    return {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeType": kind}}]}


def executors(name: str, capacity: str, size: int, cluster: str = "spark-a"):
    inputs = {
        "clusterName": cluster,
        "labels": {"moka.dev/role": "executor"},
        "capacityType": capacity,
        "scalingConfig": {"minSize": 0, "maxSize": size},
    }
    return a(NODE_GROUP, inputs, name)


def of_types(*types: str, capacity: str = "SPOT") -> dict:
    return {"capacityType": capacity, "instanceTypes": list(types)}


CASES: list[Case] = [
    passing("required-tags", a(AWS_PROVIDER, {"defaultTags": json.dumps({"tags": TAGS})})),
    passing("required-tags", a(AWS_PROVIDER, {"defaultTags": {"tags": TAGS}})),
    failing(
        "required-tags", a(AWS_PROVIDER, {"region": "us-east-1"}), says="moka:environment, moka:managed-by"
    ),
    failing("required-tags", a(AWS_PROVIDER, {"defaultTags": '{"tags": {"moka:environment": "prod"}}'})),
    failing("required-tags", a(AWS_PROVIDER, {"defaultTags": "tags"})),
    failing(
        "required-tags",
        a(AWS_PROVIDER, {"defaultTags": {"tags": TAGS}}),
        says="cost-center",
        tags=["cost-center"],
    ),
    #
    passing("machines-tagged", a(LAUNCH_TEMPLATE, tagged("instance", "volume"))),
    failing(
        "machines-tagged", a(LAUNCH_TEMPLATE, tagged("instance")), says="volumes without moka:environment"
    ),
    failing("machines-tagged", a(LAUNCH_TEMPLATE, tagged("instance", "volume", tags={"team": "data"}))),
    failing("machines-tagged", a(LAUNCH_TEMPLATE, {"updateDefaultVersion": True}), says="instances"),
    #
    passing("volumes-gp3", a(LAUNCH_TEMPLATE, disk("gp3"))),
    passing("volumes-gp3", a(VOLUME, {"type": "gp3"})),
    passing("volumes-gp3", a(STORAGE_CLASS, {"parameters": {"type": "gp3"}})),
    failing("volumes-gp3", a(LAUNCH_TEMPLATE, disk("gp2")), says="gp2"),
    failing("volumes-gp3", a(VOLUME, {"size": 100}), says="gp2"),
    failing("volumes-gp3", a(VOLUME, {"type": "io1"}), says="take io2"),
    failing("volumes-gp3", a(STORAGE_CLASS, {"parameters": {"type": "gp2"}})),
    #
    passing(
        "instance-generation", a(NODE_GROUP, of_types("r7gd.8xlarge", "m5.large", "g4dn.xlarge", "t3.large"))
    ),
    failing("instance-generation", a(NODE_GROUP, of_types("m7g.large", "m4.large")), says="m4.large"),
    #
    passing(
        "repository-has-lifecycle",
        a(REPOSITORY, {}, "spark"),
        a(REPOSITORY_LIFECYCLE, reads={"repository": urn(REPOSITORY, "spark")}),
    ),
    failing("repository-has-lifecycle", a(REPOSITORY, {}, "spark"), says="spark"),
    #
    passing("spot-share", executors("spot", "SPOT", 80), executors("kept", "ON_DEMAND", 20)),
    passing("spot-share", executors("spot", "SPOT", 80), at_most_percent=100),
    passing("spot-share", executors("adhoc-a-spot", "SPOT", 80), but=["adhoc-*"]),
    failing("spot-share", executors("batch-a-spot", "SPOT", 80), but=["adhoc-*"], says="100%"),
    failing("spot-share", executors("spot", "SPOT", 90), executors("kept", "ON_DEMAND", 10), says="90%"),
    failing(
        "spot-share", executors("spot", "SPOT", 9), executors("kept", "ON_DEMAND", 9, "spark-b"), says="100%"
    ),
    #
    passing("spot-many-types", a(NODE_GROUP, of_types("r7g.8xlarge", "r6g.8xlarge", "r7gd.8xlarge"))),
    passing("spot-many-types", a(NODE_GROUP, of_types("m7i.8xlarge", capacity="ON_DEMAND"))),
    failing("spot-many-types", a(NODE_GROUP, of_types("r7g.8xlarge")), says="too few"),
]
