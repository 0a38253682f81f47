"""What is looked at from outside, of one cluster: a table, and a question a row."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from conformance.environment import jobs
from conformance.environment.jobs import SubmittedJob, submitted
from conformance.environment.outside import Defect, Outside, path_of
from moka.addon_versions import ADDON_VERSIONS
from moka.machines.node_roles import kubelet_config
from moka.names import NODE_GROUP_LABEL

NODE_GROUP = "eks.amazonaws.com/nodegroup"
PI, KILLED = "conformance-pi", "conformance-kill"
READS, REFUSED = "conformance-reads", "conformance-refused"
"""Jobs: one that comes to its end, one that does not, and two that read what they may and may not."""

CREDENTIALS = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
"""What EKS adds to the pods of an association, https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html"""

Question = Callable[[Outside], str]
"""What was seen, in words; raises Defect."""

DENIED = "AccessDeniedException"
"""Of S3A, for what S3 answers with 403: https://hadoop.apache.org/docs/stable/hadoop-aws/tools/hadoop-aws/troubleshooting_s3a.html"""


@dataclass(frozen=True)
class Check:
    """Something that is looked at.

    asked: who is asked, and how. question: asks.
    """

    name: str
    asked: str
    question: Question


def control_plane(outside: Outside) -> str:
    """The cluster serves, and is reached from where the settings say."""
    cluster = _cluster(outside)
    if cluster["status"] != "ACTIVE":
        raise Defect(f"EKS has it as {cluster['status']}")
    access = cluster["resourcesVpcConfig"]
    expected = sorted(str(network) for network in outside.cluster.public_access)
    networks = sorted(access.get("publicAccessCidrs") or []) if access.get("endpointPublicAccess") else []
    if networks != expected:
        raise Defect(
            f"its endpoint is open to {networks or 'nobody'}, and the settings say {expected or 'nobody'}"
        )
    git = outside.ask("GET", "/version")["gitVersion"]
    return f"ACTIVE; its API server answers as {git}"


def version(outside: Outside) -> str:
    """The cluster and its nodes have the version of the settings."""
    expected, has = outside.cluster.version, _cluster(outside)["version"]
    if has != expected:
        raise Defect(f"it has version {has}, and the settings {expected}")
    for node in outside.ask("GET", "/api/v1/nodes")["items"]:
        kubelet = node["status"]["nodeInfo"]["kubeletVersion"]
        if not kubelet.startswith(f"v{expected}.") and not node["spec"].get("taints"):
            raise Defect(
                f"node {node['metadata']['name']} has kubelet {kubelet}, and the settings {expected}"
            )
    return str(has)


def _cluster(outside: Outside) -> dict[str, Any]:
    return dict(outside.aws("eks").describe_cluster(name=outside.eks_name)["cluster"])


def nodes(outside: Outside) -> str:
    """Each node group has the nodes that it asks for, of its architecture, and they are ready."""
    eks, all_nodes = outside.aws("eks"), outside.ask("GET", "/api/v1/nodes")["items"]
    groups = eks.list_nodegroups(clusterName=outside.eks_name)["nodegroups"]
    if not groups:
        raise Defect("EKS has no node group of it")
    for name in groups:
        group = eks.describe_nodegroup(clusterName=outside.eks_name, nodegroupName=name)["nodegroup"]
        size = group["scalingConfig"]["desiredSize"]
        ready = [
            node for node in all_nodes if node["metadata"]["labels"].get(NODE_GROUP) == name and _ready(node)
        ]
        if group["status"] != "ACTIVE":
            raise Defect(f"node group {name} is {group['status']}")
        if len(ready) < size:
            raise Defect(f"node group {name} has {len(ready)} ready nodes of {size}")
    return f"{len(all_nodes)} nodes in {len(groups)} groups are ready"


def pods_a_node(outside: Outside) -> str:
    """A node takes as many pods as its launch template says: EKS adds its own number to the user data."""
    nodes_of_groups = [
        node
        for node in outside.ask("GET", "/api/v1/nodes")["items"]
        if node["metadata"]["labels"].get(NODE_GROUP_LABEL) in outside.cluster.node_groups
    ]
    for node in nodes_of_groups:
        group = outside.cluster.node_groups[node["metadata"]["labels"][NODE_GROUP_LABEL]]
        expected = kubelet_config(group.role, group.max_pods)["maxPods"]
        capacity = int(node["status"]["capacity"]["pods"])
        if capacity != expected:
            raise Defect(
                f"node {node['metadata']['name']} takes {capacity} pods, and its launch template says "
                f"{expected}, by which addresses are counted: name an image of EKS in `ami`"
            )
    return f"{len(nodes_of_groups)} nodes take as many as their groups say"


def _ready(node: dict[str, Any]) -> bool:
    conditions = node["status"].get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def addons(outside: Outside) -> str:
    """Each add-on is there, in the version for the cluster's Kubernetes, and active."""
    eks, pins = outside.aws("eks"), ADDON_VERSIONS[outside.cluster.version]
    names = eks.list_addons(clusterName=outside.eks_name)["addons"]
    if missing := sorted(pins.keys() - set(names)):
        raise Defect(f"EKS has no add-on {' and '.join(missing)} of it")
    for name in names:
        addon = eks.describe_addon(clusterName=outside.eks_name, addonName=name)["addon"]
        if addon["status"] != "ACTIVE":
            issues = (addon.get("health") or {}).get("issues")
            raise Defect(f"add-on {name} is {addon['status']}: {json.dumps(issues, default=str)}")
        if addon["addonVersion"] != pins.get(name, addon["addonVersion"]):
            raise Defect(f"add-on {name} has version {addon['addonVersion']}, and {pins[name]} is pinned")
    return f"{len(names)} are ACTIVE"


def identities(outside: Outside) -> str:
    """Each association of EKS Pod Identity is of a service account that is there."""
    answer = outside.aws("eks").list_pod_identity_associations(clusterName=outside.eks_name)
    for association in answer["associations"]:
        namespace, account = association["namespace"], association["serviceAccount"]
        if outside.ask("GET", path_of("api/v1/serviceaccounts", namespace, account)) is None:
            raise Defect(f"the association of {namespace}/{account} is of no service account")
    return f"{len(answer['associations'])} service accounts have a role"


def roles(outside: Outside) -> str:
    """Each running pod of a service account with a role is told where its credentials are."""
    answer, number = outside.aws("eks").list_pod_identity_associations(clusterName=outside.eks_name), 0
    for association in answer["associations"]:
        namespace, account = association["namespace"], association["serviceAccount"]
        query = f"spec.serviceAccountName={account},status.phase=Running"
        for pod in outside.ask("GET", path_of("api/v1/pods", namespace), fieldSelector=query)["items"]:
            number += 1
            for container in pod["spec"]["containers"]:
                if CREDENTIALS not in {variable["name"] for variable in container.get("env") or ()}:
                    raise Defect(
                        f"container {container['name']} of pod {namespace}/{pod['metadata']['name']} is not "
                        f"told where the credentials of {association['associationArn']} are"
                    )
    if not number:
        raise Defect("no pod runs whose service account has a role")
    return f"{number} pods are given the credentials of their role"


def workloads(outside: Outside) -> str:
    """Everything that the platform runs on the cluster is there in the number that it asks for."""
    number = 0
    for plural, have, want in (
        ("deployments", "readyReplicas", "replicas"),
        ("statefulsets", "readyReplicas", "replicas"),
        ("daemonsets", "numberReady", "desiredNumberScheduled"),
    ):
        for thing in outside.ask("GET", f"/apis/apps/v1/{plural}")["items"]:
            status = thing.get("status") or {}
            replicas = status.get(want, thing["spec"].get("replicas", 0))
            number += 1
            if status.get(have, 0) < replicas:
                at = f"{thing['metadata']['namespace']}/{thing['metadata']['name']}"
                raise Defect(f"{at} has {status.get(have, 0)} pods ready of {replicas}")
    return f"{number} have all of their pods"


def pages(outside: Outside) -> str:
    """The History Server's page answers at its address, or asks who one is."""
    url = str(outside.outputs[f"history/{outside.settings.home}"]["url"])
    try:
        with urlopen(url, timeout=30) as answer:
            status, address = answer.status, answer.url
    except HTTPError as refusal:
        status, address = refusal.code, url
    except OSError as error:
        raise Defect(f"{url} does not answer ({error})") from None
    if status not in (200, 401, 403):
        raise Defect(f"{url} answers {status}")
    if outside.settings.ingress.login and status == 200 and address.startswith(url):
        raise Defect(f"{url} shows its page to who has not signed in")
    return f"{url} answers {status}"


def job(outside: Outside) -> str:
    """A job comes from its submission to its end."""
    spark_job = submitted(outside, PI, jobs.PI, "100")
    state = outside.wait(f"the end of {PI}", spark_job.end, minutes=15)
    if state != "COMPLETED":
        raise Defect(f"{PI} ended as {state}")
    return f"{PI} is COMPLETED, as {spark_job.spark_id}"


def bucket(outside: Outside) -> str:
    """A job reads its namespace's part of the staging bucket, and nothing of another namespace's."""
    namespace, staging = (
        SubmittedJob(outside, READS).namespace,
        outside.output("foundation")["staging_bucket"],
    )
    for name, place, end in (
        (READS, namespace, "COMPLETED"),
        (REFUSED, f"{namespace}-of-others", "FAILED"),
    ):
        key = f"{place}/moka-conformance.txt"
        outside.aws("s3").put_object(Bucket=staging, Key=key, Body=b"to be or not to be\n")
        try:
            spark_job = submitted(outside, name, jobs.COUNT, f"s3a://{staging}/{key}", retries=False)
            state = outside.wait(f"the end of {name}", spark_job.end, minutes=15)
        finally:
            outside.aws("s3").delete_object(Bucket=staging, Key=key)
        if state != end:
            raise Defect(f"{name}, which reads {key} of {staging}, ended as {state}")
    spark_id = SubmittedJob(outside, REFUSED).spark_id

    def reason() -> bool:
        return DENIED in outside.moka("logs", outside.settings.environment, spark_id).stdout

    outside.wait(f"{DENIED} in the logs of {spark_id}", reason, minutes=5)
    return f"a job reads {namespace}/ of {staging}, and is refused {namespace}-of-others/"


def history(outside: Outside) -> str:
    """The event log of the job that ran is in its bucket."""
    spark_id, bucket = SubmittedJob(outside, PI).spark_id, outside.output("foundation")["event_logs_bucket"]

    def keys() -> list[str]:
        pages = outside.aws("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return [
            thing["Key"] for page in pages for thing in page.get("Contents", ()) if spark_id in thing["Key"]
        ]

    objects = outside.wait(f"an event log of {spark_id} in {bucket}", keys, minutes=3)
    return f"{len(objects)} objects of {spark_id} are in {bucket}"


def logs(outside: Outside) -> str:
    """What the driver printed is read by `moka logs`."""
    spark_id = SubmittedJob(outside, PI).spark_id

    def lines() -> list[str]:
        return outside.moka("logs", outside.settings.environment, spark_id).stdout.splitlines()

    output = outside.wait(f"a line of {spark_id} in the bucket of job logs", lines, minutes=5)
    return f"{len(output)} lines of {spark_id}'s driver"


def metrics(outside: Outside) -> str:
    """The metrics store has seen the pods of jobs."""
    outputs = outside.output("metrics")
    if not outputs.get("store_url"):
        return "they go to a destination of yours, which is not asked"
    namespace, port = outputs["namespace"], str(outputs["store_url"]).rpartition(":")[2]
    path = f"{path_of('api/v1/services', namespace, f'prometheus:{port}')}/proxy/api/v1/query"

    def drivers() -> list[Any]:
        answer = outside.ask(
            "GET", path, query='last_over_time(kube_pod_labels{label_spark_role="driver"}[1h])'
        )
        return list(answer["data"]["result"]) if answer else []

    return f"the store has {len(outside.wait('a driver in the metrics store', drivers, minutes=5))} drivers"


def kill(outside: Outside) -> str:
    """A job whose driver is deleted runs again in another pod."""
    spark_job = submitted(outside, KILLED, jobs.PI, "1000000")
    try:
        first = outside.wait(f"a driver of {KILLED}", spark_job.driver, minutes=10)
        spark_job.delete_driver()

        def new_driver() -> bool:
            driver = spark_job.driver()
            return driver not in (None, first)

        outside.wait(f"another driver of {KILLED}", new_driver, minutes=10)
    finally:
        spark_job.delete()
    return f"{KILLED} runs again after its driver was deleted"


CHECKS = (
    Check("control plane", "EKS, and the API server", control_plane),
    Check("version", "EKS, and the API server", version),
    Check("nodes", "EKS, and the API server", nodes),
    Check("pods a node", "the API server", pods_a_node),
    Check("add-ons", "EKS", addons),
    Check("identities", "EKS, and the API server", identities),
    Check("roles", "EKS, and the API server", roles),
    Check("workloads", "the API server", workloads),
    Check("pages", "the History Server's address", pages),
    Check("job", "the operator, by a SparkApplication", job),
    Check("history", "S3", history),
    Check("logs", "S3, by `moka logs`", logs),
    Check("bucket", "S3, by jobs", bucket),
    Check("metrics", "the metrics store, through the API server", metrics),
    Check("kill", "the operator, by its driver's pod", kill),
)
"""In the order in which they are made: what is said of a job is of the one that ran before."""
