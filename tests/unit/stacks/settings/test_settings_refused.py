"""Wrong settings files: the message says what is wrong, and nothing is registered.

Mistakes in what values are to each other are in `checks/`.
"""

import pytest

from tests.support.wrong_settings import REMOVED, Changes

GROUPS = "clusters.spark-a.node_groups"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
VALUES: dict[str, tuple[Changes, str]] = {
    "a misspelt key": (
        {f"{GROUPS}.system.rol": "system"},
        f"{GROUPS}.system.rol: unknown key; did you mean 'role'?",
    ),
    "an unknown key that is like no other": (
        {"kubernetes": {}},
        "kubernetes: unknown key; known here: allocation, archer, charts, ci,",
    ),
    "a key of another section": (
        {"minimum": 3},
        "minimum: unknown key",
    ),
    "a missing section": (
        {"queues": REMOVED},
        "queues: is missing",
    ),
    "a missing value": (
        {f"{GROUPS}.driver-arm64.minimum": REMOVED},
        "driver-arm64.minimum: is missing (Smallest number of nodes",
    ),
    "a text for a number": (
        {f"{GROUPS}.system.minimum": "two"},
        f"{GROUPS}.system.minimum: is 'two'; input should be a valid integer",
    ),
    "a number in quotes": (
        {f"{GROUPS}.system.minimum": "2"},
        "minimum: is '2'; input should be a valid integer (Smallest number of nodes, all zones together); "
        "remove the quotes.",
    ),
    "one of a list, without brackets": (
        {f"{GROUPS}.system.zones": "us-east-1a"},
        f"{GROUPS}.system.zones: is 'us-east-1a'; input should be a valid array (Zones of its nodes, by "
        "default all zones of the foundation); put it in brackets, [us-east-1a].",
    ),
    "a fraction of a machine": (
        {f"{GROUPS}.system.maximum": 4.5},
        "maximum: is 4.5; input should be a valid integer",
    ),
    "a text for yes or no": (
        {"retain": "maybe"},
        "retain: is 'maybe'; input should be a valid boolean",
    ),
    "a list for a mapping": (
        {"clusters": ["spark-a"]},
        "clusters: is ['spark-a']; input should be an object",
    ),
    "nothing where something has to be": (
        {"clusters": None},
        "clusters: is None; input should be an object (EKS clusters, by name); nothing is written there, so "
        "write {} or what it has.",
    ),
    "no clusters": (
        {"clusters": {}},
        "clusters: is {}; dictionary should have at least 1 item",
    ),
    "a version as a number": (
        {"clusters.spark-a.version": 1.34},
        "pins add-ons); put it in quotes.",
    ),
    "a version without add-ons": (
        {"clusters.spark-a.version": "1.12"},
        "clusters.spark-a.version: is '1.12'; moka/addon_versions.py pins add-ons for 1.",
    ),
    "a negative number of machines": (
        {f"{GROUPS}.system.minimum": -1},
        "system.minimum: is -1; input should be greater than or equal to 0",
    ),
    "a disk that gp3 does not offer": (
        {f"{GROUPS}.system.disk": {"mibps": 4000}},
        "disk.mibps: is 4000; input should be less than or equal to 2000 (Throughput, MiB a second)",
    ),
    "an account that is too short": (
        {"foundations.main.account": "12345"},
        "foundations.main.account: is '12345'; write all twelve digits, in quotes.",
    ),
    "an account without quotes": (
        {"foundations.main.account": 123456789012},
        "foundations.main.account: is 123456789012; input should be a valid string (AWS account id",
    ),
    "a name with capitals": (
        {"job_namespaces": {"Spark_Jobs": {}}},
        "job_namespaces.Spark_Jobs: the key 'Spark_Jobs'; write lower case, digits and dashes, at most 30, a "
        "letter first and no dash last.",
    ),
    "an unknown role": (
        {f"{GROUPS}.system.role": "master"},
        "system.role: is 'master'; input should be 'system', 'driver', 'executor' or 'shuffle'",
    ),
    "an instance type that is none": (
        {f"{GROUPS}.system.instance_types": ["large"]},
        "'large' is not the name of an EC2 instance type, such as m7g.2xlarge",
    ),
    "an image without a tag": (
        {"services": {"driver_finalizer": {"image": "registry.example/driver-finalizer"}}},
        "services.driver_finalizer.image: is 'registry.example/driver-finalizer'; without a tag or digest, "
        "nobody can say which image runs; add one.",
    ),
    "an image without a registry": (
        {"services": {"driver_finalizer": {"image": "driver-finalizer:1"}}},
        "services.driver_finalizer.image: is 'driver-finalizer:1'; write <registry>/<repository>:<tag>",
    ),
    "a service that does not exist": (
        {"services": {"driver-finalizer": {"image": "registry.example/driver-finalizer:1"}}},
        "services.driver-finalizer: unknown key; did you mean 'driver_finalizer'?",
    ),
    "the old place of a service's image": (
        {"spark": {"driver_finalizer_image": "registry.example/driver-finalizer:1"}},
        "spark.driver_finalizer_image: unknown key; write `services: {driver_finalizer: {image: ...}}` at "
        "the top of the file",
    ),
    "a slice of an unknown layer": (
        {"slices": {"all": {"layers": ["everything"]}}},
        "slices.all.layers.0: is 'everything'; layers are foundation, cluster,",
    ),
    "a slice of a layer by its former name": (
        {"slices": {"all": {"layers": ["access"]}}},
        "slices.all.layers.0: is 'access'; layer access is called ingress now: write ingress",
    ),
    "days that CloudWatch Logs does not count": (
        {"retention": {"control_plane_logs": 100}},
        "retention.control_plane_logs: is 100; input should be 1, 3, 5, 7, 14, 30, 60, 90,",
    ),
    "days without end": (
        {"retention": {"event_logs": 0}},
        "retention.event_logs: is 0; input should be greater",
    ),
}

# Files that are not even settings.
FILES: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "is empty: write keys and values, as in stacks/local.yaml"),
    "a file of comments": (b"# nothing yet\n", "is empty: write keys and values"),
    "a binary file": (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "is not text: byte 9 is not UTF-8"),
    "text with control characters": (b"environment: \x00\x01", "is not YAML: unacceptable character"),
    "a list": (b"- environment: local\n", "must have keys and values, as in stacks/local.yaml"),
    "a sentence": (b"bring up an environment", "must have keys and values"),
    "YAML that breaks off": (b"{environment: [", "is not YAML: while parsing"),
    "tabs": (b"foundations:\n\tmain: {}\n", "is not YAML: while scanning for the next token found character"),
    "a key twice": (
        b"environment: wrong\nhome: a\nhome: b\n",
        "line 3: home is a duplicate of line 2; rename or remove one of the two",
    ),
    "a cluster twice": (
        b"clusters:\n  spark-a: {}\n  spark-b: {}\n  spark-a: {}\n",
        "line 4: spark-a is a duplicate of line 2",
    ),
    "an alias of nothing": (b"clusters: *others\n", "is not YAML: found undefined alias 'others'"),
    "settings within themselves": (b"clusters: &all\n  spark-a: *all\n", "contains itself"),
    "a Python object": (
        b"environment: !!python/object/apply:os.getcwd []\n",
        "is not YAML: could not determine",
    ),
    "two documents": (b"environment: a\n---\nenvironment: b\n", "has 2 YAML documents: keep one of them"),
}


@pytest.mark.parametrize(("changes", "expected"), VALUES.values(), ids=VALUES)
def test_wrong_values_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)


@pytest.mark.parametrize(("content", "expected"), FILES.values(), ids=FILES)
def test_wrong_files_are_refused_before_anything_is_registered(content, expected, refusal):
    assert expected in refusal(content)
