"""Wrong settings files: each is told what is wrong with it, and nothing is registered."""

import copy
import runpy
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from stacks import settings
from stacks.settings import reading

GONE = object()
"""In place of a value: the key is taken out."""

GROUPS = "clusters.spark-a.node_groups"
SHUFFLE = "clusters.spark-a.shuffle"
ORGANIZATION = "queues.organizations.analytics"
PROJECT = f"{ORGANIZATION}.projects.reports"
TIERS = f"{PROJECT}.tiers"
NETWORK = "foundations.main.network"
OTHER = {
    "account": "210987654321",
    "region": "eu-west-1",
    "deployer": "arn:aws:iam::210987654321:role/deployer",
    "network": {"cidr": "10.1.0.0/16", "zones": ["eu-west-1a", "eu-west-1b"]},
}

CLUSTER = yaml.safe_load(settings.path_of("local").read_text())["clusters"]["spark-a"]


def nested(levels: int) -> dict[str, Any]:
    """Queues within each other."""
    return {"queues": nested(levels - 1)} if levels else {}


# What is changed in stacks/local.yaml, by its place there, and what has to be said of it.
CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a misspelt key": (
        {f"{GROUPS}.system.rol": "system"},
        f"{GROUPS}.system.rol: unknown key; did you mean 'role'?",
    ),
    "an unknown key that is like no other": (
        {"kubernetes": {}},
        "kubernetes: unknown key; known here: charts, clusters,",
    ),
    "a key of another section": ({"minimum": 3}, "minimum: unknown key"),
    "a missing section": ({"queues": GONE}, "queues: is missing"),
    "a missing value": (
        {f"{GROUPS}.driver-arm64.minimum": GONE},
        "driver-arm64.minimum: is missing; Machines",
    ),
    "a text for a number": (
        {f"{GROUPS}.system.minimum": "two"},
        f"{GROUPS}.system.minimum: is 'two'; input should be a valid integer",
    ),
    "a number in quotes": (
        {f"{GROUPS}.system.minimum": "2"},
        "minimum: is '2'; input should be a valid integer",
    ),
    "a fraction of a machine": (
        {f"{GROUPS}.system.maximum": 4.5},
        "maximum: is 4.5; input should be a valid integer",
    ),
    "a text for yes or no": ({"retain": "maybe"}, "retain: is 'maybe'; input should be a valid boolean"),
    "a list for a mapping": (
        {"clusters": ["spark-a"]},
        "clusters: is ['spark-a']; input should be an object",
    ),
    "nothing where something has to be": ({"clusters": None}, "clusters: is None; input should be an object"),
    "no clusters": ({"clusters": {}}, "clusters: is {}; dictionary should have at least 1 item"),
    "a version as a number": (
        {"clusters.spark-a.version": 1.34},
        "clusters.spark-a.version: is 1.34; input should be a valid string",
    ),
    "a version without add-ons": (
        {"clusters.spark-a.version": "1.12"},
        "clusters.spark-a.version: is '1.12'; moka/addon_versions.py pins add-ons for 1.",
    ),
    "a negative number of machines": (
        {f"{GROUPS}.system.minimum": -1},
        "system.minimum: is -1; input should be greater than or equal to 0",
    ),
    "sizes out of order": (
        {f"{GROUPS}.system.minimum": 5, f"{GROUPS}.system.desired": 3},
        f"{GROUPS}.system: sizes must be in order, minimum <= desired <= maximum, and are 5, 3, 4",
    ),
    "a disk that gp3 does not offer": (
        {f"{GROUPS}.system.disk": {"mibps": 4000}},
        "disk.mibps: is 4000; input should be less than or equal to 1000 (Throughput, MiB a second)",
    ),
    "an account that is too short": (
        {"foundations.main.account": "12345"},
        "foundations.main.account: is '12345'; string should match pattern",
    ),
    "an account without quotes": (
        {"foundations.main.account": 123456789012},
        "foundations.main.account: is 123456789012; input should be a valid string (AWS account id",
    ),
    "a name with capitals": (
        {"job_namespaces": {"Spark_Jobs": {}}},
        "job_namespaces.Spark_Jobs: the key 'Spark_Jobs'; string should match pattern",
    ),
    "an unknown role": (
        {f"{GROUPS}.system.role": "master"},
        "system.role: is 'master'; input should be 'system', 'driver', 'executor' or 'shuffle'",
    ),
    "an instance type that is none": (
        {f"{GROUPS}.system.instance_types": ["large"]},
        "'large' is not the name of an EC2 instance type, such as m7g.2xlarge",
    ),
    "an instance type of the other architecture": (
        {f"{GROUPS}.driver-amd64.instance_types": ["r6i.2xlarge", "r7g.2xlarge"]},
        f"{GROUPS}.driver-amd64.instance_types: r7g.2xlarge is arm64, and the group amd64",
    ),
    "machines with and without GPUs in one group": (
        {f"{GROUPS}.executor-amd64.instance_types": ["g5.4xlarge", "r6i.4xlarge"]},
        "g5.4xlarge with GPUs and r6i.4xlarge without share no machine image; make two groups",
    ),
    "shuffle nodes without disks": (
        {f"{GROUPS}.shuffle.instance_types": ["r6g.4xlarge"]},
        "r6g.4xlarge without instance storage cannot hold shuffle data",
    ),
    "shuffle data on instance storage, and once": (
        {f"{SHUFFLE}.replicate": False},
        f"{SHUFFLE}.replicate: is false, and data on instance storage is lost with a machine; leave it out",
    ),
    "more shuffle data than a node's instance storage holds": (
        {f"{SHUFFLE}.storage": {"instance": {"gib": 900}}},
        f"{SHUFFLE}.storage.instance.gib: is 900, and r6gd.4xlarge has 884 GiB, 50 of them for images and "
        "logs; give at most 834",
    ),
    "shuffle data in two kinds of places": (
        {f"{SHUFFLE}.storage.volumes": {"count": 2}},
        f"{SHUFFLE}.storage: is either `instance` or `volumes`; give one of them",
    ),
    "shuffle data nowhere": ({f"{SHUFFLE}.storage": {}}, f"{SHUFFLE}.storage: is either `instance` or"),
    "shuffle nodes too small for a worker": (
        {f"{GROUPS}.shuffle.instance_types": ["r6gd.medium"]},
        f"{SHUFFLE}.sizes.worker: is needed, as r6gd.medium is too small: 1 vCPUs and 8 GiB hold no worker",
    ),
    "shuffle nodes whose name does not say how large they are": (
        {f"{GROUPS}.shuffle.instance_types": ["c6gd.metal"]},
        f"{SHUFFLE}.sizes.worker: is needed, as the name of c6gd.metal does not say what cores and memory",
    ),
    "shuffle workers larger than their nodes": (
        {f"{SHUFFLE}.sizes": {"worker": {"cpus": 26, "heap_gib": 31, "off_heap_gib": 169}}},
        f"{SHUFFLE}.sizes.worker: makes 26 cores and 220 GiB, and r6gd.4xlarge has 13 and 110 for a worker",
    ),
    "shuffle nodes for nothing": (
        {SHUFFLE: None},
        f"{GROUPS}.shuffle: has role shuffle, and clusters.spark-a no Celeborn; give it `shuffle`, or",
    ),
    "an even number of masters": (
        {f"{SHUFFLE}.masters": 2},
        f"{SHUFFLE}.masters: is 2; input should be 1, 3 or 5",
    ),
    "a zone without a shuffle worker": (
        {f"{SHUFFLE}.workers": 2},
        f"{SHUFFLE}.workers: is 2, for nodes in us-east-1a, us-east-1b, us-east-1c; give each zone a worker",
    ),
    "a quota of nobody": (
        {f"{SHUFFLE}.quotas": {"analytic": {"gib": 100}}},
        f"{SHUFFLE}.quotas.analytic: is no organization of queues, so no job counts towards it",
    ),
    "a quota of nothing": (
        {f"{SHUFFLE}.quotas": {"analytics": {}}},
        f"{SHUFFLE}.quotas.analytics: limits nothing; give gib, files or both",
    ),
    "too few system nodes for Celeborn's masters": (
        {f"{GROUPS}.system": {"minimum": 1, "desired": 2, "maximum": 2}},
        f"{GROUPS}: have at most 2 nodes with role system, and Celeborn's 3 masters need one",
    ),
    "more shuffle workers than nodes": (
        {"clusters.spark-a.shuffle.workers": 9},
        "clusters.spark-a.shuffle.workers: is 9, one a node, and groups with role shuffle have at most 6",
    ),
    "a job namespace of no operator": (
        {
            "job_namespaces": {"jobs-b": {}},
            "spark": {"operators": {"spark-operator": {"namespaces": ["spark-jobs"]}}},
        },
        "job_namespaces.jobs-b: no release below spark.operators has it, so its jobs would wait for ever",
    ),
    "a job namespace of two operators": (
        {"spark": {"operators": {"a": {"namespaces": ["spark-jobs"]}, "b": {"namespaces": ["spark-jobs"]}}}},
        "spark.operators.b.namespaces: 'spark-jobs' is there in release 'a', too; two would submit each job",
    ),
    "an operator of a namespace that is none": (
        {"spark": {"operators": {"spark-operator": {"namespaces": ["spark-jobs", "spark-jbos"]}}}},
        "spark.operators.spark-operator.namespaces: no job namespace is named 'spark-jbos'; there are spark-",
    ),
    "two operators, one of them of all namespaces": (
        {"spark": {"operators": {"a": {"namespaces": ["spark-jobs"]}, "b": {}}}},
        "spark.operators.b.namespaces: is missing, and there are 2 releases",
    ),
    "an operator of no namespace": (
        {"spark": {"operators": {"spark-operator": {"namespaces": []}}}},
        "spark-operator.namespaces: is []; list should have at least 1 item",
    ),
    "no operator": ({"spark": {"operators": {}}}, "spark.operators: is {}; dictionary should have at least"),
    "more applications a minute than a system node has cores for": (
        {"spark": {"operators": {"spark-operator": {"applications_per_minute": 90}}}},
        "applications_per_minute: is 90, which takes a pod with 12.5 cores, and a system node of cluster "
        "'spark-a' has ",
    ),
    "more operators than the system nodes have cores for": (
        {
            "job_namespaces": {"jobs-b": {}, "jobs-c": {}},
            "spark": {
                "operators": {
                    "a": {"namespaces": ["spark-jobs"], "applications_per_minute": 40},
                    "b": {"namespaces": ["jobs-b"], "applications_per_minute": 40},
                    "c": {"namespaces": ["jobs-c"], "applications_per_minute": 40},
                }
            },
        },
        "spark.operators: take 40.8 cores in all, with 2 pods each and one more while it is replaced",
    ),
    "an image without a tag": (
        {"services": {"driver_finalizer": {"image": "registry.example/driver-finalizer"}}},
        "services.driver_finalizer.image: is 'registry.example/driver-finalizer'; it names neither tag nor",
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
    "no applications a minute": (
        {"spark": {"operators": {"spark-operator": {"applications_per_minute": 0}}}},
        "applications_per_minute: is 0; input should be greater than or equal to 1",
    ),
    "a quota without a unit": (
        {"job_namespaces.spark-jobs": {"quota": {"memory": "400"}}},
        "job_namespaces.spark-jobs.quota.memory: is '400'; string should match pattern",
    ),
    "a quota that is not text": (
        {"job_namespaces.spark-jobs": {"quota": {"cpu": 400}}},
        "job_namespaces.spark-jobs.quota.cpu: is 400; input should be a valid string",
    ),
    "folders of nodes where pod security keeps pods from them": (
        {"job_namespaces.spark-jobs": {"host_paths": ["/mnt/models"]}},
        "job_namespaces.spark-jobs.host_paths: /mnt/models cannot be mounted with pod_security 'baseline'",
    ),
    "a level of pod security that keeps gangs out": (
        {"job_namespaces.spark-jobs": {"pod_security": "restricted"}},
        "spark-jobs.pod_security: is 'restricted'; input should be 'baseline' or 'privileged'",
    ),
    "a way out that leads nowhere": (
        {"job_namespaces.spark-jobs": {"egress": {"hive": {"ports": [9083]}}}},
        "job_namespaces.spark-jobs.egress.hive: has neither of cidrs and namespace; give one",
    ),
    "a way out to two kinds of places": (
        {
            "job_namespaces.spark-jobs": {
                "egress": {"hive": {"ports": [9083], "namespace": "hive", "cidrs": ["10.0.0.0/8"]}}
            }
        },
        "job_namespaces.spark-jobs.egress.hive: has both of cidrs and namespace; give one",
    ),
    "a way out by no port": (
        {"job_namespaces.spark-jobs": {"egress": {"hive": {"namespace": "hive", "ports": [0]}}}},
        "egress.hive.ports.0: is 0; input should be greater than or equal to 1",
    ),
    "a way out where nothing is closed": (
        {
            "job_namespaces.spark-jobs": {
                "isolated": False,
                "egress": {"hive": {"namespace": "hive", "ports": [9083]}},
            }
        },
        "job_namespaces.spark-jobs.egress.hive: nothing is closed, as isolated is false",
    ),
    "nodes that go before their executors do": (
        {"charts": {"values": {"cluster-autoscaler": {"extraArgs": {"scale-down-unneeded-time": "1m"}}}}},
        "charts.values.cluster-autoscaler.extraArgs.scale-down-unneeded-time: is 1m, and executors without "
        "work stay for 60s by default; take longer than that, or nodes go before their executors do.",
    ),
    "a delay that is no duration": (
        {"charts": {"values": {"cluster-autoscaler": {"extraArgs": {"scale-down-unneeded-time": 600}}}}},
        "scale-down-unneeded-time: is 600, which is no duration; write one such as 10m or 1h30m.",
    ),
    "a service account that has no Pod Identity": (
        {"charts": {"values": {"fluent-bit": {"serviceAccount": {"name": "logger"}}}}},
        "charts.values.fluent-bit.serviceAccount.name: is 'logger', and what its pods may do in AWS is for",
    ),
    "a role that no group has": (
        {f"{GROUPS}.driver-arm64": GONE, f"{GROUPS}.driver-amd64": GONE},
        f"{GROUPS}: has no group with role driver; its pods would wait for ever",
    ),
    "drivers on spot": (
        {f"{GROUPS}.driver-arm64.spot": True},
        "driver-arm64.spot: a driver node may be taken back at any time, and the job goes with it",
    ),
    "spot in a batch cluster": (
        {"clusters.spark-a.profile": "batch"},
        "executor-arm64.spot: a batch cluster has on-demand or reserved machines",
    ),
    "a batch cluster whose size moves": (
        {"clusters.spark-a.profile": "batch"},
        "system.maximum: is 4, and minimum 2; a batch cluster is fixed in size",
    ),
    "a zone that the foundation lacks": (
        {f"{GROUPS}.system.zones": ["us-east-1f"]},
        f"{GROUPS}.system.zones: the foundation has no zone us-east-1f; it has us-east-1a,",
    ),
    "executors away from their shuffle workers": (
        {f"{GROUPS}.shuffle.zones": ["us-east-1b"]},
        "executor-arm64.zones: are us-east-1a, us-east-1b, us-east-1c, and shuffle workers are in us-east-1b",
    ),
    "fewer machines than zones with a group each": (
        {f"{GROUPS}.executor-arm64": {"per_zone": True, "maximum": 2, "desired": 1}},
        "executor-arm64.maximum: is 2 for 3 zones with a group each",
    ),
    "more nodes in a group than EKS takes": (
        {f"{GROUPS}.executor-arm64.maximum": 600},
        "executor-arm64.maximum: is 600, and EKS takes 450 nodes a group; make several groups, or one a zone",
    ),
    "more groups in a cluster than EKS takes": (
        {f"{GROUPS}.{f'more-{number}'}": "copy of executor-amd64" for number in range(25)},
        f"{GROUPS}: make 31 managed node groups with zones and generations, and EKS takes 30 a cluster",
    ),
    "a schedule above the maximum": (
        {f"{GROUPS}.executor-arm64.schedule": {"night": {"cron": "0 20 * * *", "minimum": 100}}},
        "schedule.night.minimum: is 100, above the group's maximum of 8",
    ),
    "a schedule that is no cron": (
        {f"{GROUPS}.executor-arm64.schedule": {"night": {"cron": "at eight", "minimum": 1}}},
        "schedule.night.cron: is 'at eight'; string should match pattern",
    ),
    "a time zone that is none": (
        {f"{GROUPS}.executor-arm64.time_zone": "Mars/Olympus"},
        "executor-arm64.time_zone: is 'Mars/Olympus', not known; write one such as Europe/Berlin",
    ),
    "a reservation for spot machines": (
        {f"{GROUPS}.executor-arm64.capacity_reservations": {"us-east-1a": "cr-0123456789abcdef0"}},
        "executor-arm64.capacity_reservations: spot machines use no reservation",
    ),
    "a reservation for several zones": (
        {f"{GROUPS}.system.capacity_reservations": {"us-east-1a": "cr-0123456789abcdef0"}},
        "system.capacity_reservations: a reservation is for one zone; set per_zone: true, or zones to one",
    ),
    "a generation that retires before it was there": (
        {f"{GROUPS}.system.retiring": {1: {"instance_types": ["m6g.2xlarge"]}}},
        f"{GROUPS}.system.retiring.1: the group's generation is 1; those that retire are from 1",
    ),
    "a machine image for another Kubernetes": (
        {f"{GROUPS}.system.ami_release": "1.30.4-20260101"},
        "system.ami_release: is '1.30.4-20260101', for another Kubernetes version than the cluster's, 1.34",
    ),
    "labels of Kubernetes": (
        {f"{GROUPS}.system.labels": {"node.kubernetes.io/pool": "a"}},
        "labels.node.kubernetes.io/pool: labels under that domain are set by Kubernetes, EKS or moka",
    ),
    "an API server open to the world": (
        {"clusters.spark-a.public_access": ["0.0.0.0/0"]},
        "clusters.spark-a.public_access: is 0.0.0.0/0, the whole internet; name the networks that need it",
    ),
    "a home that is no cluster": (
        {"home": "spark-z"},
        "home: no cluster is named 'spark-z'; there are spark-a",
    ),
    "a cluster on no foundation": (
        {"clusters.spark-a.foundation": "mian"},
        "clusters.spark-a.foundation: no foundation is named 'mian'; there are main",
    ),
    "a foundation that nothing stands on": (
        {"foundations.spare": OTHER},
        "foundations.spare: nothing stands on it",
    ),
    "two foundations in one place": (
        {"foundations.second": "copy of main"},
        "foundations.second: account 123456789012 in us-east-1 has the foundation 'main' already",
    ),
    "two accounts with one set of credentials": (
        {"foundations.other": OTHER},
        "foundations: accounts 123456789012, 210987654321 are all used with the credentials at hand",
    ),
    "a user that is to be taken as a role": (
        {"foundations.main.assume": True},
        "foundations.main.assume: 'arn:aws:iam::123456789012:user/laptop' is no role",
    ),
    "a deployer of another account": (
        {"foundations.main.deployer": "arn:aws:iam::999999999999:role/deployer"},
        "foundations.main.deployer: is 'arn:aws:iam::999999999999:role/deployer', of another account",
    ),
    "a network both made and there": (
        {
            "foundations.main.existing_network": {
                "vpc": "vpc-0123456789abcdef0",
                "private_subnets": {"us-east-1a": "subnet-1", "us-east-1b": "subnet-2"},
            }
        },
        "foundations.main: has both of network (made here) and existing_network (by ids); give one",
    ),
    "no network": ({NETWORK: GONE}, "foundations.main: has neither of network"),
    "a zone of another region": (
        {f"{NETWORK}.zones": ["eu-west-1a", "us-east-1b"]},
        f"{NETWORK}.zones: 'eu-west-1a' is no zone of us-east-1, as us-east-1a is",
    ),
    "a zone twice": (
        {f"{NETWORK}.zones": ["us-east-1a", "us-east-1a"]},
        f"{NETWORK}.zones: 'us-east-1a' is there 2 times",
    ),
    "a network that is no network": (
        {f"{NETWORK}.cidr": "10.0.0.0/33"},
        f"{NETWORK}.cidr: is '10.0.0.0/33'; '33' is not a valid netmask",
    ),
    "an address within a network": (
        {f"{NETWORK}.cidr": "10.0.0.1/16"},
        f"{NETWORK}.cidr: is '10.0.0.1/16'; 10.0.0.1/16 has host bits set",
    ),
    "a network larger than a VPC": (
        {f"{NETWORK}.cidr": "10.0.0.0/8"},
        f"{NETWORK}.cidr: is 10.0.0.0/8; AWS and the zones need /16 to /20",
    ),
    "a network of public addresses": ({f"{NETWORK}.cidr": "8.8.0.0/16"}, "is 8.8.0.0/16, public addresses"),
    "pods in the nodes' range": (
        {f"{NETWORK}.pod_cidrs": ["10.0.128.0/17"]},
        f"{NETWORK}.pod_cidrs.0: is 10.0.128.0/17, and overlaps cidr, 10.0.0.0/16",
    ),
    "pod ranges for some of the zones": (
        {f"{NETWORK}.pod_cidrs": ["100.64.0.0/16", "100.65.0.0/16"]},
        f"{NETWORK}.pod_cidrs: has 2 ranges for 3 zones; give one for all, or one for each",
    ),
    "subnets that do not hold the pods": (
        {f"{NETWORK}.pod_cidrs": ["100.64.0.0/20"], f"{GROUPS}.executor-arm64.maximum": 200},
        f"{NETWORK}.pod_cidrs: has 1019 addresses in us-east-1a for",
    ),
    "subnets that do not hold the nodes, whose pods are elsewhere": (
        {
            f"{NETWORK}.cidr": "10.0.0.0/20",
            f"{NETWORK}.pod_cidrs": [f"100.{n}.0.0/16" for n in (64, 65, 66)],
            f"{GROUPS}.executor-arm64.maximum": 3063,
        },
        f"{NETWORK}.cidr: has 1019 addresses in us-east-1a for 1032 that nodes take with every node group at "
        "its maximum; widen it, or lower maximum.",
    ),
    "networks that overlap": (
        {"foundations.other": {**OTHER, "network": {**OTHER["network"], "cidr": "10.0.0.0/16"}}},
        "foundations.other.network.cidr: is 10.0.0.0/16, and overlaps foundation 'main', 10.0.0.0/16",
    ),
    "names too long for a bucket": (
        {"organization": "a-company-with-a-very-long-name"[:30]},
        "organization: with the environment's name it makes bucket names such as",
    ),
    "names too long for a role": (
        {
            "clusters.a-cluster-whose-name-is-long-x": CLUSTER,
            "job_namespaces": {"a-namespace-whose-name-is-long": {}},
        },
        "clusters.a-cluster-whose-name-is-long-x: with namespace 'a-namespace-whose-name-is-long' it makes",
    ),
    "a namespace that is called as a role of the platform is": (
        {"job_namespaces": {"history": {}}},
        "job_namespaces.history: is a name of the platform's own; jobs need another",
    ),
    "a namespace of the platform": (
        {"job_namespaces": {"yunikorn": {}}},
        "job_namespaces.yunikorn: is a name of the platform's own; jobs need another",
    ),
    "two groups that make one name": (
        {"clusters.spark": "copy of spark-a", "clusters.spark.node_groups.a-system": "copy of system"},
        "makes the name spark-a-system, as clusters.spark.node_groups.a-system does; rename one of the two",
    ),
    "the deployer's entry once more": (
        {
            "clusters.spark-a.access": {
                "me": {"principal": "arn:aws:iam::123456789012:user/laptop", "policy": "admin"}
            }
        },
        "access.me.principal: is 'arn:aws:iam::123456789012:user/laptop', as the deployer; EKS",
    ),
    "tags that are ours": (
        {"tags": {"moka:environment": "prod"}},
        "tags.moka:environment: tags that begin with",
    ),
    "a queue with more promised than allowed": (
        {f"{TIERS}.1.guaranteed.cpu": "100"},
        f"{TIERS}.1.guaranteed.cpu: is 100, more than the maximum of 64; lower it, or raise the maximum",
    ),
    "queues with more promised than their organization": (
        {f"{ORGANIZATION}.guaranteed": {"cpu": "20", "memory": "192Gi"}},
        f"{ORGANIZATION}.guaranteed.cpu: is 20, less than its queues are promised together, 24; raise it",
    ),
    "a queue that may have more than its project": (
        {f"{PROJECT}.maximum": {"memory": "256Gi"}},
        f"{TIERS}.1.maximum.memory: is 512Gi, more than the maximum of root.analytics.reports, 256Gi; lower",
    ),
    "a queue that is promised nothing": (
        {f"{TIERS}.1.guaranteed.cpu": "0"},
        f"{TIERS}.1.guaranteed.cpu: is 0; it has to be more, or left out",
    ),
    "a queue that is promised less than nothing": (
        {f"{TIERS}.1.guaranteed.cpu": "-4"},
        f"{TIERS}.1.guaranteed.cpu: is '-4'; string should match pattern",
    ),
    "half a core": (
        {f"{TIERS}.1.guaranteed.cpu": "0.5"},
        "(Cores, as Kubernetes writes them: 4, 500m)",
    ),
    "a queue promised in two ways": (
        {f"{TIERS}.1.weight": 2},
        f"{TIERS}.1: has guaranteed and weight; give one of them",
    ),
    "a weight of nothing": (
        {f"{ORGANIZATION}.weight": 0},
        f"{ORGANIZATION}.weight: is 0; input should be greater",
    ),
    "a weight without a capacity": (
        {"queues.capacity": GONE, f"{ORGANIZATION}.weight": 2},
        f"{ORGANIZATION}.weight: is of the capacity of the cluster, and there is none; set `capacity` of",
    ),
    "a weight in a project that is promised nothing": (
        {f"{TIERS}.3": {"weight": 1}},
        f"{TIERS}.3.weight: is of what the project is guaranteed, and there is none; give it `guaranteed`",
    ),
    "a weight of what others have": (
        {"queues.capacity": {"cpu": "10", "memory": "1Ti"}, f"{ORGANIZATION}.weight": 2},
        f"{ORGANIZATION}.weight: is of what queues beside it leave of the capacity of the cluster, and of",
    ),
    "a percentage without a capacity": (
        {"queues.capacity": GONE, f"{ORGANIZATION}.maximum": {"percent": 50}},
        f"{ORGANIZATION}.maximum.percent: is of the capacity of the cluster, and there is none",
    ),
    "a percentage that is too little for its queues": (
        {"queues.capacity": {"cpu": "100", "memory": "1Ti"}, f"{ORGANIZATION}.maximum": {"percent": 10}},
        f"{ORGANIZATION}.maximum.percent: its cpu is 10, less than its queues are promised together, 24",
    ),
    "a maximum in two ways": (
        {f"{TIERS}.1.maximum": {"percent": 10}},
        f"{TIERS}.1.maximum: has percent and amounts; give one of them",
    ),
    "a maximum of nothing": (
        {f"{ORGANIZATION}.maximum": {}},
        f"{ORGANIZATION}.maximum: names nothing; give cpu, memory, gpu or percent, or leave it out",
    ),
    "more jobs in a queue than in its project": (
        {f"{PROJECT}.max_applications": 4, f"{TIERS}.1.max_applications": 5},
        f"{TIERS}.1.max_applications: is 5, more than the 4 of root.analytics.reports; lower it",
    ),
    "a limit of nobody": (
        {f"{PROJECT}.limits": [{"max_applications": 1}]},
        f"{PROJECT}.limits.0: is for nobody; name users or groups",
    ),
    "a user with more jobs than there may be": (
        {f"{PROJECT}.max_applications": 4, f"{PROJECT}.limits": [{"users": ["ann"], "max_applications": 9}]},
        f"{PROJECT}.limits.0.max_applications: is 9, more than the 4 of root.analytics.reports; lower it",
    ),
    "a capacity that no nodes have": (
        {"queues.capacity": {"cpu": "100", "memory": "100Ti"}},
        "queues.capacity.memory: is 100Ti, and nodes for drivers and executors of cluster 'spark-a'",
    ),
    "a capacity of the cluster's own that no nodes have": (
        {"clusters.spark-a.capacity": {"cpu": "1000", "memory": "1Ti"}},
        "clusters.spark-a.capacity.cpu: is 1000, and nodes for drivers and executors of cluster",
    ),
    "more promised than there is": (
        {"queues.capacity": {"cpu": "20", "memory": "1Ti"}},
        "queues.organizations: are promised 34 of cpu together, and cluster 'spark-a' has 20",
    ),
    "a tier one that may be preempted": (
        {"queues.tiers": {1: {"preemption": "default"}}},
        "queues.tiers.1.preemption: is 'default', and nothing may ever be taken from tier 1; leave it out",
    ),
    "a tier one that waits longest": (
        {"queues.tiers": {1: {"delay_seconds": 40}}},
        "queues.tiers.1.delay_seconds: makes tier 1 wait 40 s, longer than the 30 s of tier 2; the more",
    ),
    "a policy that YuniKorn lacks": (
        {"queues.tiers": {2: {"sort": "stateaware"}}},
        "queues.tiers.2.sort: is 'stateaware'; input should be 'fifo' or 'fair'",
    ),
    "queues of a hundred levels": (
        {f"{TIERS}.1.queues": nested(100)["queues"]},
        f"{TIERS}.1.queues: unknown key; queues are organization, project and tier, and no deeper",
    ),
    "an organization without projects": (
        {f"{ORGANIZATION}.projects": {}},
        f"{ORGANIZATION}.projects: is {{}}; dictionary should have at least 1 item",
    ),
    "an organization in upper case": (
        {"queues.organizations.Analytics": "copy of analytics"},
        "queues.organizations.Analytics: the key 'Analytics'; string should match pattern",
    ),
    "queues and a file of them": (
        {"queues_from": "local.queues.yaml"},
        "queues_from: is there beside `queues`; give one of them",
    ),
    "a file of queues that is not there": (
        {"queues": GONE, "queues_from": "lcal.queues.yaml"},
        "queues_from: is 'lcal.queues.yaml', and no such file is beside it; give a name such as",
    ),
    "a file of queues elsewhere": (
        {"queues": GONE, "queues_from": "../local.queues.yaml"},
        "queues_from: is '../local.queues.yaml', and no such file is beside it",
    ),
    "a fourth tier": (
        {f"{TIERS}.4": "copy of 1"},
        f"{TIERS}.4: the key '4'; input should be less than or equal to 3",
    ),
    "memory in no unit": (
        {f"{TIERS}.1.maximum.memory": "512"},
        "tiers.1.maximum.memory: is '512'; string should match pattern",
    ),
    "a wave with an unknown cluster": (
        {"waves": {"canary": ["spark-b"], "rest": ["spark-a"]}},
        "waves.canary: no cluster is named 'spark-b'; there are spark-a",
    ),
    "a cluster in two waves": (
        {"waves": {"canary": ["spark-a"], "rest": ["spark-a"]}},
        "waves: cluster 'spark-a' is in 2 waves; leave it in one",
    ),
    "a slice of an unknown layer": (
        {"slices": {"all": {"layers": ["everything"]}}},
        "slices.all.layers.0: is 'everything'; layers are foundation, cluster,",
    ),
    "a grant to oneself": (
        {"grants": {"self": {"environment": "local", "account": "123456789012", "data": ["event-logs"]}}},
        "grants.self.environment: is 'local', this one; it needs no grant of its own",
    ),
    "data that nobody has": (
        {"grants": {"x": {"environment": "dev", "account": "123456789012", "data": ["secrets"]}}},
        "grants.x.data.0: is 'secrets'; input should be 'event-logs',",
    ),
    "an upstream registry without credentials": (
        {"registry": {"foundation": "main", "pull_through": {"docker.io": {}}}},
        "registry.pull_through.docker.io.secret: is missing; docker.io is asked with credentials only",
    ),
    "a registry on no foundation": (
        {"registry": {"foundation": "elsewhere"}},
        "registry.foundation: no foundation is named 'elsewhere'; there are main",
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
    "an empty file": (b"", "is empty: write keys and values, as stacks/local.yaml has them"),
    "a file of comments": (b"# nothing yet\n", "is empty: write keys and values"),
    "a binary file": (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "is not text: byte 9 is no UTF-8"),
    "text with control characters": (b"environment: \x00\x01", "is not YAML: unacceptable character"),
    "a list": (b"- environment: local\n", "must hold keys and values, as stacks/local.yaml does"),
    "a sentence": (b"bring up an environment", "must hold keys and values"),
    "YAML that breaks off": (b"{environment: [", "is not YAML: while parsing"),
    "tabs": (b"foundations:\n\tmain: {}\n", "is not YAML: while scanning for the next token found character"),
    "a key twice": (
        b"environment: wrong\nhome: a\nhome: b\n",
        "line 3: home is there already, on line 2; give one of the two another name, or take it out",
    ),
    "a cluster twice": (
        b"clusters:\n  spark-a: {}\n  spark-b: {}\n  spark-a: {}\n",
        "line 4: spark-a is there already, on line 2",
    ),
    "an alias of nothing": (b"clusters: *others\n", "is not YAML: found undefined alias 'others'"),
    "settings within themselves": (b"clusters: &all\n  spark-a: *all\n", "holds itself"),
    "a Python object": (
        b"environment: !!python/object/apply:os.getcwd []\n",
        "is not YAML: could not determine",
    ),
    "two documents": (b"environment: a\n---\nenvironment: b\n", "holds 2 YAML documents: leave one of them"),
}


def changed(changes: dict[str, Any]) -> bytes:
    """stacks/local.yaml with other values at some places."""
    written = yaml.safe_load(settings.path_of("local").read_text())
    written["environment"] = "wrong" if "grants" not in changes else "local"
    for place, value in changes.items():
        *folders, name = place.split(".")
        holder = written
        for part in folders:
            holder = holder[int(part) if part.isdigit() and part not in holder else part]
        if value is GONE:
            del holder[name]
        elif isinstance(value, str) and value.startswith("copy of "):
            source = value.removeprefix("copy of ")
            holder[int(name) if name.isdigit() else name] = copy.deepcopy(
                holder[int(source) if source.isdigit() else source]
            )
        elif isinstance(value, dict) and isinstance(holder.get(name), dict) and value and name != "clusters":
            holder[name] = {**holder[name], **value}
        else:
            holder[name] = value
    return yaml.safe_dump(written).encode()


ALL = {what: (changed(changes), says) for what, (changes, says) in CHANGES.items()} | FILES


@pytest.mark.parametrize("what", ALL)
def test_it_is_refused_before_anything_is_registered(what, deploy, tmp_path, monkeypatch):
    content, says = ALL[what]
    (tmp_path / "wrong.yaml").write_bytes(content.replace(b"environment: local", b"environment: wrong"))
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    pulumi.runtime.set_all_config({"moka:environment": "wrong"})
    told = []

    def program() -> None:
        try:
            runpy.run_path(str(Path(reading.__file__).parents[2] / "__main__.py"))
        except pulumi.RunError as error:
            told.append(str(error))

    made = deploy(program)

    assert made.resources == []
    [message] = told
    assert says in message.replace("'wrong'", "'local'")
    assert all(line.startswith("stacks/wrong.yaml") for line in message.splitlines())
    assert "Traceback" not in message
