"""Names that more than one part of the code needs, each of them once.

It imports only the standard library, so that the image of any service can contain it.
"""

import re
from typing import Literal

# Labels, taints, annotations and finalizers of Kubernetes objects.

LABEL_PREFIX = "moka.dev/"
"""Prefix of the keys that are ours."""

ROLE_LABEL = f"{LABEL_PREFIX}role"
"""Label, and taint, of a node: its role."""

GPU = "nvidia.com/gpu"
"""GPUs as Kubernetes counts them, and the taint of nodes that have some."""

NODE_GROUP_LABEL = f"{LABEL_PREFIX}node-group"
"""Label of a node: its group's name in the settings, the same in all zones and generations."""

GENERATION_LABEL = f"{LABEL_PREFIX}generation"
"""Label of a node: the number of its generation."""

GPU_LABEL = "nvidia.com/gpu.present"
"""Label of a node that has NVIDIA GPUs; the one that NVIDIA's own charts look for."""

RETIRING_TAINT = f"{LABEL_PREFIX}retiring"
"""Taint of the nodes of a generation that waits for its drivers to finish."""

STARTUP_TAINT = "startup-taint.cluster-autoscaler.kubernetes.io/"
"""Prefix of taints with which nodes begin: the Cluster Autoscaler takes such a node for one that is still to
come (kubernetes/autoscaler: cluster-autoscaler/utils/taints/taints.go, StartupTaintPrefix)."""

JOB_NAMESPACE_LABEL = f"{LABEL_PREFIX}job-namespace"
"""Label and taint of nodes that are for the jobs of one namespace; label of a ConfigMap in the driver
finalizer's namespace: a job namespace that it serves."""

INGRESS_CONTROLLER_LABEL = f"{LABEL_PREFIX}ingress-controller"
"""Label of the pods of an ingress controller, with its name."""

DRIVER_FINALIZER = f"{LABEL_PREFIX}driver"
"""Finalizer of driver pods, from their template."""

YUNIKORN_ID_LABEL = "yunikorn.apache.org/app-id"
"""Label of a pod: its application in YuniKorn, where it is not Spark's own. It comes before Spark's
(apache/yunikorn-k8shim, pkg/common/utils: GetApplicationIDFromPod). Placeholders have no other."""

LIFETIME = f"{LABEL_PREFIX}ttl-seconds"
"""Annotation of an application: its `timeToLiveSeconds`, which is off while a driver runs that
the operator has given up."""

USER_INFO = "yunikorn.apache.org/user.info"
"""Annotation of a pod: the user, with groups, to whose limits in the queues it counts."""

ALLOW_PREEMPTION = "yunikorn.apache.org/allow-preemption"
"""Annotation of a priority class; `false` makes its pods the last choice of YuniKorn's preemption."""

QUEUE_CLAIMS = "moka-queue-claims"
"""Admission policy that keeps the jobs of a namespace in the queues that it claims, and its binding."""

JOB_SIZE = "moka-job-size"
"""Admission policy that bounds the executors of a job, and its binding."""

DRIVER_SELECTOR = "spark-role=driver"
"""Label selector of driver pods; Spark sets the label."""

APPLICATION_LABEL = "sparkoperator.k8s.io/app-name"
"""Label of a driver pod: its SparkApplication; the operator has Spark put it there."""

APPLICATION_ID_LABEL = "spark-app-selector"
"""Label of a driver and of its executors: Spark's id of the run."""

ZONE_LABEL = "topology.kubernetes.io/zone"
"""Kubernetes' own, of nodes."""

DRIVER_CONTAINER = "spark-kubernetes-driver"
"""Spark's container in a driver pod, among those that templates and others add."""

UPLOADER_CONTAINER = "event-log-uploader"
"""The sidecar in a driver pod that uploads its event log."""

EVENT_LOG_FOLDER = "/var/moka/event-logs"
"""Where a driver writes its event log and the sidecar finds it."""

EVENT_LOG_PORT = 7090
"""Of the sidecar's health and metrics."""

SCHEDULER = "yunikorn"
"""Scheduler of the pods of jobs."""

WORKFLOW_LABEL = f"{LABEL_PREFIX}workflow"
"""Label of an application and of its pods: its workflow, where that can be a label. YuniKorn tells it."""

# Namespaces of the platform: network policies let them in, or out to them, and no jobs run there.

ALLOCATOR_NAMESPACE = "allocator"
ARCHER_NAMESPACE = "archer"
CELEBORN_NAMESPACE = "celeborn"
AUTOSCALER_NAMESPACE = "cluster-autoscaler"
BOOTSTRAP_NAMESPACE = "bootstrap"
"""What has to be ready on a node before other pods come."""

DRIVER_FINALIZER_NAMESPACE = "driver-finalizer"
INGRESS_NAMESPACE = "ingress"
FORMER_INGRESS_NAMESPACE = "ingress-nginx"
"""Until it is removed, after the controller has come to the other one."""

LOAD_BALANCER_NAMESPACE = "aws-load-balancer-controller"
LOGGING_NAMESPACE = "logging"
MONITORING_NAMESPACE = "monitoring"
MONITORING_NODES_NAMESPACE = "monitoring-nodes"
"""What reads nodes' own folders, apart from the rest, which needs no privilege."""

NVIDIA_NAMESPACE = "nvidia-device-plugin"
QUEUE_KEEPER_NAMESPACE = "queue-keeper"
SPARK_HISTORY_NAMESPACE = "spark-history"
SPARK_OPERATOR_NAMESPACE = "spark-operator"
SYSTEM_NAMESPACE = "kube-system"
USAGE_RECORDER_NAMESPACE = "usage-recorder"
YUNIKORN_NAMESPACE = "yunikorn"
YUNIKORN_CONFIGS = "yunikorn-configs"
"""Its ConfigMap of queues: it knows it by this name."""

QUEUE_CALENDAR = "queue-calendar"
"""ConfigMap with what the queues are shares of at which time, for the service that keeps them."""

QUEUE_AMOUNTS = "queue-amounts"
"""ConfigMap beside it, with what a plan has for the queues: Archer's workers bring it."""


def startup_taint(daemon_set: str) -> str:
    """Taint of nodes on which a DaemonSet has yet to be ready, which it takes off."""
    return f"{STARTUP_TAINT}{daemon_set}"


PLATFORM_NAMESPACES = frozenset(
    {
        ALLOCATOR_NAMESPACE,
        ARCHER_NAMESPACE,
        CELEBORN_NAMESPACE,
        AUTOSCALER_NAMESPACE,
        BOOTSTRAP_NAMESPACE,
        DRIVER_FINALIZER_NAMESPACE,
        FORMER_INGRESS_NAMESPACE,
        INGRESS_NAMESPACE,
        LOAD_BALANCER_NAMESPACE,
        LOGGING_NAMESPACE,
        MONITORING_NAMESPACE,
        MONITORING_NODES_NAMESPACE,
        NVIDIA_NAMESPACE,
        QUEUE_KEEPER_NAMESPACE,
        SPARK_HISTORY_NAMESPACE,
        SPARK_OPERATOR_NAMESPACE,
        SYSTEM_NAMESPACE,
        USAGE_RECORDER_NAMESPACE,
        YUNIKORN_NAMESPACE,
    }
)

# The History Server, and what stands before it: of their pods, Services and service accounts.

HISTORY_SERVER = "history-server"
HISTORY_PORT = 18080
HISTORY_GATE = "history-gate"

# Archer: its programs, which are also the names of their Deployments and service accounts.

ARCHER = "archer"
"""The service, and the way to it."""

ARCHER_WORKER = "archer-worker"
ARCHER_KEEPER = "archer-keeper"

ALLOCATOR = "allocator"
"""The service that makes plans, and all that it has."""

# Service accounts: pods have the permissions of the Pod Identity that names theirs.

AUTOSCALER_ACCOUNT = "cluster-autoscaler"
FLUENT_BIT_ACCOUNT = "fluent-bit"
GATEWAY_ACCOUNT = "opentelemetry-gateway"
LOAD_BALANCER_ACCOUNT = "aws-load-balancer-controller"
SPARK_ACCOUNT = "spark"
"""Of drivers and executors, in every job namespace."""

GRAFANA = "grafana"

UI_GATEWAY = "ui-gateway"
"""Of the gateway to UIs; also the name of its pods' label."""

USAGE_RECORDER = "usage-recorder"
"""The service that records what was used, and all that it has."""

HISTORY_GATE_SERVER = "http://history-gate.spark-history:8080"
"""What answers for the History Server, within the cluster."""

# People.

JobsLevel = Literal["edit", "view"]
"""What somebody may do with the jobs of a namespace."""


def jobs_group(namespace: str, level: JobsLevel) -> str:
    """Kubernetes group of those who may do this in a job namespace; not one that EKS keeps to itself."""
    return f"moka:jobs:{namespace}:{level}"


ARCHER_GROUP = "moka:archer"
"""Kubernetes group of Archer's role on each cluster."""

PREVIEWS_GROUP = "moka:previews"
"""Kubernetes group of the role that previews: what it may read, and nothing that is secret."""

# Pod Identities of layers; those of jobs are called as their namespaces are.

ALLOCATOR_IDENTITY = ALLOCATOR
ARCHER_IDENTITY = ARCHER
ARCHER_WORKER_IDENTITY = ARCHER_WORKER
ARCHER_KEEPER_IDENTITY = ARCHER_KEEPER
AUTOSCALER_IDENTITY = "autoscaler"
FLUENT_BIT_IDENTITY = "fluent-bit"
GRAFANA_IDENTITY = "grafana"
HISTORY_IDENTITY = "history"
HISTORY_GATE_IDENTITY = "history-gate"
LOAD_BALANCER_IDENTITY = "load-balancing"
METRICS_IDENTITY = "metrics"
UI_GATEWAY_IDENTITY = "ui-gateway"
USAGE_RECORDER_IDENTITY = USAGE_RECORDER

PLATFORM_IDENTITIES = frozenset(
    {
        ALLOCATOR_IDENTITY,
        ARCHER_IDENTITY,
        ARCHER_WORKER_IDENTITY,
        ARCHER_KEEPER_IDENTITY,
        AUTOSCALER_IDENTITY,
        FLUENT_BIT_IDENTITY,
        GRAFANA_IDENTITY,
        HISTORY_IDENTITY,
        HISTORY_GATE_IDENTITY,
        LOAD_BALANCER_IDENTITY,
        METRICS_IDENTITY,
        UI_GATEWAY_IDENTITY,
        USAGE_RECORDER_IDENTITY,
    }
)

# Queues, and the priority classes of their tiers.

ROOT_QUEUE = "root"


def tier_queue(tier: int) -> str:
    """Name of a tier's leaf queue."""
    return f"tier{tier}"


def queue_path(project: str, tier: int) -> str:
    """Path of a leaf queue; `project` is `<organization>.<project>`."""
    return f"{ROOT_QUEUE}.{project}.{tier_queue(tier)}"


def priority_class(tier: int) -> str:
    """Priority class of the pods of a tier."""
    return f"moka-tier-{tier}"


# AWS. The prefix is `<organization>-<environment>`.

TAG_PREFIX = "moka:"
ENVIRONMENT_TAG = f"{TAG_PREFIX}environment"
MANAGED_BY_TAG = f"{TAG_PREFIX}managed-by"
RESOURCE_TAG = f"{TAG_PREFIX}resource"


def resource_tag(logical_name: str) -> str:
    """What the tag says of a resource's logical name: tags of EC2 have 256 of some characters.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
    """
    return re.sub(r"[^\w +\-=.:/@]", "_", logical_name)[:256]


Data = Literal["event-logs", "resource-usage", "staging", "code", "job-logs", "system-logs"]
"""What buckets are for: a foundation has one of each."""

HOME_DATA: frozenset[Data] = frozenset({"event-logs", "resource-usage"})
"""Data that an environment has once, in its home foundation."""

JOB_DATA: tuple[Data, ...] = ("staging", "code")
"""Data of which each job namespace has a folder of its name."""


def own_data(data: Data, namespace: str) -> str:
    """Purpose of the bucket of a job namespace that has its own, in names of buckets."""
    return f"{data}-{namespace}"


ACCESS_LOGS = "access-logs"
"""Purpose of the bucket with records that AWS writes: who used a bucket, what went through the network."""


def environment_prefix(organization: str, environment: str) -> str:
    """Prefix of an environment's names in AWS."""
    return f"{organization}-{environment}"


def deploy_role_name(prefix: str) -> str:
    """Name of the role with which CI deploys an environment, in each of its accounts."""
    return f"{prefix}-deploy"


def preview_role_name(prefix: str) -> str:
    """Name of the role with which CI previews an environment, in each of its accounts."""
    return f"{prefix}-preview"


def eks_cluster_name(prefix: str, cluster: str) -> str:
    """Name in EKS of a cluster of the settings."""
    return f"{prefix}-{cluster}"


def archer_role_name(prefix: str, cluster: str) -> str:
    """Name of the role that Archer takes on to enter a cluster, in that cluster's account."""
    return f"{eks_cluster_name(prefix, cluster)}-{ARCHER}"


def bucket_name(prefix: str, account: str, region: str, purpose: str) -> str:
    """Name of a bucket, unique in AWS; `purpose` is a kind of data, or `access-logs`."""
    return f"{prefix}-{account}-{region}-{purpose}"


DATABASE = "database"
DATABASE_NAME = "moka"
"""Of the database of the platform's services, in its cluster of PostgreSQL."""


def database_identifier(prefix: str, generation: int) -> str:
    """Identifier of an environment's cluster of PostgreSQL."""
    return f"{prefix}-{DATABASE}-{generation}"


def cluster_log_group(eks_name: str) -> str:
    """Name of the log group of a cluster's control plane, which EKS chooses.

    https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
    """
    return f"/aws/eks/{eks_name}/cluster"


def database_log_group(identifier: str) -> str:
    """Name of the log group of a database cluster, which RDS chooses.

    https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/AuroraPostgreSQL.CloudWatch.html
    """
    return f"/aws/rds/cluster/{identifier}/postgresql"


NO_BUCKET_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
NO_BUCKET_SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3", "-an")
"""Of the name of a bucket: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""


def bucket_problem(name: str) -> str | None:
    """Why S3 cannot have a bucket of that name, as a clause; None where it can."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name):
        return "but S3 takes 3 to 63 lower case letters, digits, dots and dashes, no sign first or last"
    if ".." in name or re.fullmatch(r"[0-9]+(\.[0-9]+){3}", name):
        return "but S3 takes no two dots beside each other, and no IP address"
    if name.startswith(NO_BUCKET_PREFIXES):
        return f"but S3 keeps names that begin with {' or '.join(NO_BUCKET_PREFIXES)} for itself"
    if name.endswith(NO_BUCKET_SUFFIXES):
        return f"but S3 keeps names that end with {' or '.join(NO_BUCKET_SUFFIXES)} for itself"
    return None


def use_sid(use: str) -> str:
    """A Sid, which has letters and digits only, for a bucket that jobs use: UseProdEvents for prod-events."""
    return "Use" + "".join(part.capitalize() for part in use.split("-"))


def role_path(prefix: str) -> str:
    """Path of all IAM roles of an environment; policies tell environments apart by it."""
    return f"/{prefix}/"
