"""Wrong changes that settings refuse, before anything is registered."""

from tests.wrong_changes.change import Wrong, put, renamed, without, written

GROUPS = "clusters.spark-a.node_groups"
QUEUES = "queues.organizations"
JOBS = "job_namespaces.spark-jobs"
CELEBORN = "clusters.spark-a.shuffle"


def refused(subject: str, change: str, says: str, settings=None, text=None) -> Wrong:
    return Wrong(subject, change, "settings", says, settings=settings, text=text)


CHANGES: list[Wrong] = [
    refused("YAML", "`version: 1.35` without quotes", "put it in quotes", text=written('"1.35"', "1.35")),
    refused("YAML", "a region `no`", "region: is False", text=written("region: us-east-1", "region: no")),
    refused(
        "YAML",
        "an account that begins with 0, unquoted",
        "a valid string",
        text=written('"123456789012"', "012345670123"),
    ),
    refused(
        "YAML",
        "a key twice",
        "is a duplicate of line",
        text=written("retain: false", "retain: false\nretain: true"),
    ),
    refused(
        "YAML",
        "an anchor that nothing defines",
        "undefined alias",
        text=written("home: spark-a", "home: *home"),
    ),
    refused("YAML", "a key beside its section", "flow_logs: unknown key", put("flow_logs", 14)),
    refused(
        "YAML", "a misspelt key", "did you mean 'minimum'?", renamed(f"{GROUPS}.system.minimum", "minimun")
    ),
    refused(
        "units",
        "memory `64` for `64Gi`",
        "write memory as 512Mi, 64Gi or 2Ti",
        put(f"{JOBS}.largest_container.memory", "64"),
    ),
    refused(
        "units",
        "memory `64Mi` for `64Gi`, in which no driver fits",
        "too little for a driver",
        put(f"{JOBS}.largest_container.memory", "64Mi"),
    ),
    refused(
        "units", "a capacity of `1Gi` for `1Ti`", "which no machine has", put("queues.capacity.memory", "1Gi")
    ),
    refused(
        "units",
        "cores `1m` for `1k`",
        "too little for a driver and an executor",
        put(f"{JOBS}.quota.cpu", "1m"),
    ),
    refused(
        "units",
        "17 GiB for 1,700 of a worker's disks",
        "which nothing else uses",
        put(f"{CELEBORN}.storage.instance.gib", 17),
    ),
    refused(
        "network",
        "a network with an address within it",
        "has host bits set",
        put("foundations.main.network.cidr", "10.0.0.1/16"),
    ),
    refused(
        "network",
        "pods in a range that does not hold them",
        "but pods need",
        put("foundations.main.network.pod_cidrs", ["100.64.0.0/20"]),
    ),
    refused(
        "network",
        "another generation of drivers beside one that fills the range for pods",
        "generations that retire",
        put(
            f"{GROUPS}.driver-arm64",
            {
                **{"role": "driver", "architecture": "arm64", "minimum": 1, "maximum": 270},
                **{"instance_types": ["r8g.2xlarge"], "generation": 2},
                "retiring": {1: {"instance_types": ["r7g.2xlarge"]}},
            },
        ),
    ),
    refused(
        "network",
        "the API server for all of the internet, in halves",
        "the whole internet",
        put("clusters.spark-a.public_access", ["0.0.0.0/1", "128.0.0.0/1"]),
    ),
    refused("network", "CI where no route leads", "has no route", put("deployer_network", "10.251.16.0/24")),
    refused(
        "places",
        "another region and the zones of before",
        "is no zone of us-west-2",
        put("foundations.main.region", "us-west-2"),
    ),
    refused(
        "places",
        "another account and the role of before",
        "is of another account",
        put("foundations.main.account", "210987654321"),
    ),
    refused(
        "identity",
        "the root of an account as deployer",
        ":role/<name>",
        put("foundations.main.deployer", "arn:aws:iam::123456789012:root"),
    ),
    refused(
        "identity",
        "a boundary that bounds nothing",
        "write arn:aws:iam::<account>:policy/<name>",
        put("foundations.main.permissions_boundary", "arn:aws:iam::aws:policy/AdministratorAccess"),
    ),
    refused("nodes", "drivers on spot machines", "spot", put(f"{GROUPS}.driver-arm64.spot", True)),
    refused(
        "nodes",
        "an instance type of the other architecture",
        "is amd64, but the group is arm64",
        put(f"{GROUPS}.system.instance_types", ["m7i.2xlarge"]),
    ),
    refused(
        "nodes", "no system node at the least", "have no system node", put(f"{GROUPS}.system.minimum", 0)
    ),
    refused(
        "nodes",
        "a nightly minimum that no morning ends",
        "never to anything else",
        put(f"{GROUPS}.executor-arm64.schedule", {"night": {"cron": "0 21 * * *", "minimum": 4}}),
    ),
    refused(
        "nodes",
        "a cron expression of six fields",
        "cron has five fields",
        put(f"{GROUPS}.executor-arm64.schedule", {"night": {"cron": "0 0 21 * * *", "minimum": 4}}),
    ),
    refused("nodes", "Celeborn without nodes for it", "would wait for ever", without(f"{GROUPS}.shuffle")),
    refused(
        "shuffle",
        "one copy of what is on instance storage",
        "is lost with its machine",
        put(f"{CELEBORN}.replicate", False),
    ),
    refused("shuffle", "more workers than nodes", "raise their maximum", put(f"{CELEBORN}.workers", 30)),
    refused(
        "queues",
        "tier 1 that may be preempted",
        "must never be preempted",
        put("queues.tiers", {1: {"preemption": "default"}}),
    ),
    refused(
        "queues",
        "tier 3 that nobody takes from, while others take from tier 2",
        "which is more critical",
        put("queues.tiers", {3: {"preemption": "disabled"}}),
    ),
    refused(
        "queues",
        "a guarantee above the maximum",
        "more than the maximum",
        put(f"{QUEUES}.analytics.projects.reports.tiers.1.guaranteed", {"cpu": "96", "memory": "768Gi"}),
    ),
    refused(
        "queues",
        "a schedule that leaves less than queues may have",
        "use weights, or raise the maximum",
        put(
            f"{GROUPS}.executor-arm64.schedule",
            {
                "night": {"cron": "0 20 * * *", "minimum": 0, "maximum": 8},
                "day": {"cron": "0 6 * * *", "minimum": 0, "maximum": 1},
            },
        ),
    ),
    refused(
        "jobs",
        "the node's own folders for jobs",
        "jobs would have the node",
        put(JOBS, {"pod_security": "privileged", "host_paths": ["/var/run"]}),
    ),
    refused(
        "jobs",
        "jobs in kube-system",
        "a name that the platform uses itself",
        put("job_namespaces.kube-system", {}),
    ),
    refused(
        "images",
        "`latest`",
        "another image every day",
        put("services.driver_finalizer.image", "registry.example/driver-finalizer:latest"),
    ),
    refused(
        "images",
        "a public image beside a mirror",
        "charts.mirror says",
        lambda file: (
            put("charts.mirror", "registry.example/mirror")(file),
            put("spark.images", {"4.1": "docker.io/apache/spark:4.1.2"})(file),
        ),
    ),
    refused(
        "images",
        "Spark 3.5 as 4.1",
        "an image of Spark 3.5",
        put("spark.images", {"4.1": "registry.example/spark:3.5.5"}),
    ),
    refused(
        "charts",
        "values of a release that there is none of",
        "did you mean 'yunikorn'?",
        put("charts.values", {"yunikor": {}}),
    ),
    refused(
        "charts",
        "nodes that go before executors do",
        "nodes go before their executors do",
        put("charts.values", {"cluster-autoscaler": {"extraArgs": {"scale-down-unneeded-time": "30s"}}}),
    ),
    refused(
        "slices",
        "a cluster in no slice",
        "is in none; add it to one",
        put("slices", {"shared": {"layers": ["foundation"]}}),
    ),
    refused(
        "slices",
        "a wave of a cluster that was renamed",
        "no cluster is named",
        put("waves", {"canary": ["spark-b"]}),
    ),
    refused("tags", "the environment's own tag", "are reserved", put("tags", {"moka:environment": "prod"})),
]
