from dataclasses import replace

from policies.pack.resource import UNKNOWN
from policies.pack.types import (
    CONFIG_MAP,
    DAEMON_SET,
    DEPLOYMENT,
    NAMESPACE,
    NETWORK_POLICY,
    PERSISTENT_VOLUME,
    QUOTA,
    RELEASE,
    SERVICE,
    STATEFUL_SET,
)
from tests.policies.cases.amounts import ADMISSION, AMOUNTS
from tests.policies.cases.case import Case, a, failing, passing, urn
from tests.policies.cases.queues import admission_policy

POD = "kubernetes:core/v1:Pod"
CRON_JOB = "kubernetes:batch/v1:CronJob"
CLUSTER_ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
REGISTRY = "444455556666.dkr.ecr.us-east-1.amazonaws.com"
DIGEST = "sha256:" + "0f" * 32
ENFORCE = "pod-security.kubernetes.io/enforce"


def pods(container: dict | None = None, **spec: object) -> dict:
    """A Deployment of pods with one container."""
    containers = [{"name": "main", "image": f"{REGISTRY}/tool:1.2.3", **(container or {})}]
    template = {"spec": {"containers": containers, **spec}}
    return {"metadata": {"name": "tool", "namespace": "tools"}, "spec": {"template": template}}


def secured(**context: object) -> dict:
    return pods({"securityContext": context})


def all_secured(**context: object) -> dict:
    """By the security context of the pods."""
    return pods(securityContext=context)


def with_host_path(path: str) -> dict:
    return pods(volumes=[{"name": "host", "hostPath": {"path": path}}])


def taking(requests: dict | None = None, limits: dict | None = None) -> dict:
    return pods({"resources": {"requests": requests or {}, "limits": limits or {}}})


def running(image: str) -> dict:
    return pods({"image": image})


def chart(name: str = f"oci://{REGISTRY}/charts/yunikorn", repository: str = "", **more: object) -> dict:
    options = {"repositoryOpts": {"repo": repository}} if repository else {}
    return {"chart": name, "version": "1.8.0", "namespace": "yunikorn", **options, **more}


def namespace(name: str = "spark-analytics", **labels: str):
    return a(NAMESPACE, {"metadata": {"name": name, "labels": labels}}, name)


def policy(name: str = "default-deny", place: str = "spark-analytics", **spec: object):
    content = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], **spec}
    return a(NETWORK_POLICY, {"metadata": {"name": name, "namespace": place}, "spec": content}, name)


def spark_pods(operator: str, *roles: str) -> dict:
    """A selector of Spark's pods, or of all others."""
    values = list(roles or ("driver", "executor"))
    return {"matchExpressions": [{"key": "spark-role", "operator": operator, "values": values}]}


def of_spark(**spec: object):
    """A policy that isolates Spark's pods."""
    return policy("spark", **{"podSelector": spark_pods("In"), "egress": [{"to": []}], **spec})


UI = {"matchLabels": {"app": "ui"}}


def let_in(**peer: object) -> dict:
    """A policy for drivers that lets somebody in."""
    return {"podSelector": {"matchLabels": {"spark-role": "driver"}}, "ingress": [{"from": [peer]}]}


def quota(place: str = "spark-analytics", **hard: str):
    return a(QUOTA, {"metadata": {"name": "jobs", "namespace": place}, "spec": {"hard": hard}}, "jobs")


def later(type: str, place: str, spec: dict):
    """In a namespace whose name is not known yet."""
    inputs = {"metadata": {"namespace": UNKNOWN}, "spec": spec}
    return a(type, inputs, "later", reads={"metadata": urn(NAMESPACE, place)})


SECURITY: list[Case] = [
    passing("no-privileged", a(DEPLOYMENT, secured(privileged=False))),
    passing("no-privileged", a(DEPLOYMENT, secured(privileged=True)), but=["tools/to*"]),
    failing(
        "no-privileged", a(DEPLOYMENT, secured(privileged=True)), says="Container main of Deployment tool"
    ),
    failing("no-privileged", a(DEPLOYMENT, secured(privileged=True)), but=["other/tool"]),
    failing(
        "no-privileged",
        a(DEPLOYMENT, pods(initContainers=[{"name": "prepare", "securityContext": {"privileged": True}}])),
        says="prepare",
    ),
    failing(
        "no-privileged",
        a(POD, {"spec": {"containers": [{"name": "main", "securityContext": {"privileged": True}}]}}),
    ),
    failing("no-privileged", a(CRON_JOB, {"spec": {"jobTemplate": secured(privileged=True)}})),
    #
    passing("no-host-namespaces", a(DEPLOYMENT, pods(hostNetwork=False))),
    passing("no-host-namespaces", a(DAEMON_SET, pods(hostNetwork=True)), but=["tools/tool"]),
    *(
        failing("no-host-namespaces", a(DAEMON_SET, pods(**{field: True})), says=field)
        for field in ("hostNetwork", "hostPID", "hostIPC")
    ),
    #
    passing("no-host-ports", a(DEPLOYMENT, pods({"ports": [{"containerPort": 8080}]}))),
    passing("no-host-ports", a(DEPLOYMENT, pods({"ports": [{"hostPort": 4317}]})), but=["tools/tool"]),
    failing("no-host-ports", a(DEPLOYMENT, pods({"ports": [{"hostPort": 4317}]})), says="4317"),
    #
    passing("no-host-paths", a(DEPLOYMENT, pods(volumes=[{"name": "scratch", "emptyDir": {}}]))),
    passing("no-host-paths", a(DAEMON_SET, with_host_path("/var/log/")), but=["tools/tool:/var/log"]),
    passing("no-host-paths", a(PERSISTENT_VOLUME, {"spec": {"csi": {"driver": "ebs.csi.aws.com"}}})),
    failing("no-host-paths", a(DAEMON_SET, with_host_path("/var/log")), says="/var/log"),
    failing("no-host-paths", a(DAEMON_SET, with_host_path("/")), but=["tools/tool:/var/log"]),
    failing("no-host-paths", a(PERSISTENT_VOLUME, {"spec": {"hostPath": {"path": "/etc"}}}), says="/etc"),
    #
    passing("no-privilege-escalation-in-pods", a(DEPLOYMENT, secured(allowPrivilegeEscalation=False))),
    passing("no-privilege-escalation-in-pods", a(DEPLOYMENT, pods()), but=["tools/tool"]),
    failing("no-privilege-escalation-in-pods", a(DEPLOYMENT, pods())),
    failing("no-privilege-escalation-in-pods", a(DEPLOYMENT, secured(allowPrivilegeEscalation=True))),
    #
    passing("runs-as-non-root", a(DEPLOYMENT, all_secured(runAsNonRoot=True))),
    passing("runs-as-non-root", a(DEPLOYMENT, secured(runAsUser=185))),
    passing("runs-as-non-root", a(DEPLOYMENT, secured(runAsUser=0)), but=["tools/tool"]),
    failing("runs-as-non-root", a(DEPLOYMENT, pods()), says="may run as root"),
    failing("runs-as-non-root", a(DEPLOYMENT, all_secured(runAsUser=0)), says="runs as root"),
    failing(
        "runs-as-non-root",
        a(DEPLOYMENT, pods({"securityContext": {"runAsUser": 0}}, securityContext={"runAsNonRoot": True})),
        says="runs as root",
    ),
    #
    passing("capabilities-dropped", a(DEPLOYMENT, secured(capabilities={"drop": ["ALL"]}))),
    passing("capabilities-dropped", a(DEPLOYMENT, pods()), but=["tools/tool"]),
    failing("capabilities-dropped", a(DEPLOYMENT, secured(capabilities={"drop": ["NET_RAW"]}))),
    failing("capabilities-dropped", a(DEPLOYMENT, pods())),
    #
    passing("capabilities-not-added", a(DEPLOYMENT, secured(capabilities={"add": ["NET_BIND_SERVICE"]}))),
    passing("capabilities-not-added", a(DEPLOYMENT, secured(capabilities={"add": ["BPF"]})), but=["*/tool"]),
    failing(
        "capabilities-not-added",
        a(DEPLOYMENT, secured(capabilities={"add": ["NET_BIND_SERVICE", "SYS_ADMIN"]})),
        says="SYS_ADMIN",
    ),
    #
    passing("seccomp-profile", a(DEPLOYMENT, all_secured(seccompProfile={"type": "RuntimeDefault"}))),
    passing("seccomp-profile", a(DEPLOYMENT, secured(seccompProfile={"type": "Localhost"}))),
    passing("seccomp-profile", a(DEPLOYMENT, pods()), but=["tools/tool"]),
    failing("seccomp-profile", a(DEPLOYMENT, pods())),
    failing("seccomp-profile", a(DEPLOYMENT, secured(seccompProfile={"type": "Unconfined"}))),
]

RESOURCES: list[Case] = [
    passing("requests-set", a(DEPLOYMENT, taking({"cpu": "100m", "memory": "256Mi"}))),
    passing("requests-set", a(DEPLOYMENT, taking({"cpu": "100m"}, {"memory": "256Mi"}))),
    passing("requests-set", a(DEPLOYMENT, pods()), but=["tools/tool"]),
    failing("requests-set", a(DEPLOYMENT, taking({"memory": "256Mi"})), says="cpu"),
    failing("requests-set", a(DEPLOYMENT, taking({"cpu": "1"})), says="memory"),
    #
    passing("memory-limited", a(DEPLOYMENT, taking(limits={"memory": "256Mi"}))),
    passing("memory-limited", a(DEPLOYMENT, pods()), but=["tools/tool"]),
    passing(
        "memory-limited",
        a(DEPLOYMENT, {"spec": {"template": {"spec": {"initContainers": [{"name": "prepare"}]}}}}),
    ),
    failing("memory-limited", a(DEPLOYMENT, taking({"memory": "256Mi"}))),
    failing(
        "memory-limited",
        a(
            DEPLOYMENT,
            {
                "spec": {
                    "template": {"spec": {"initContainers": [{"name": "sidecar", "restartPolicy": "Always"}]}}
                }
            },
        ),
        says="sidecar",
    ),
    #
    passing("probes-set", a(DEPLOYMENT, pods({"readinessProbe": {"httpGet": {"path": "/", "port": 80}}}))),
    passing("probes-set", a(STATEFUL_SET, pods()), but=["tools/tool"]),
    failing("probes-set", a(STATEFUL_SET, pods())),
    #
    passing("no-referenced-memory-scan", a(DAEMON_SET, running("ghcr.io/google/cadvisor:v0.52.1"))),
    passing("no-referenced-memory-scan", a(RELEASE, {"values": {"args": ["--enable_metrics=cpu,memory"]}})),
    failing(
        "no-referenced-memory-scan",
        a(
            DAEMON_SET,
            pods(
                {"image": "ghcr.io/google/cadvisor:v0.52.1", "args": ["--enable_metrics=referenced_memory"]}
            ),
        ),
        says="--enable_metrics=referenced_memory",
    ),
    failing(
        "no-referenced-memory-scan",
        a(RELEASE, {"values": {"cadvisor": {"args": ["--disable_metrics=tcp"]}}}),
        says="cadvisor.args",
    ),
]

IMAGES: list[Case] = [
    passing("image-not-latest", a(DEPLOYMENT, running("registry.k8s.io/pause:3.10"))),
    passing("image-not-latest", a(DEPLOYMENT, running(f"localhost:5000/tool@{DIGEST}"))),
    failing("image-not-latest", a(DEPLOYMENT, running("localhost:5000/tool")), says="localhost:5000/tool"),
    failing("image-not-latest", a(DEPLOYMENT, running("tool:latest"))),
    #
    passing("image-by-digest", a(DEPLOYMENT, running(f"ghcr.io/acme/tool:1.2@{DIGEST}"))),
    passing("image-by-digest", a(DEPLOYMENT, running(f"{REGISTRY}/tool:1.2"))),
    failing("image-by-digest", a(DEPLOYMENT, running("ghcr.io/acme/tool:1.2")), says="ghcr.io/acme/tool:1.2"),
    failing("image-by-digest", a(DEPLOYMENT, running(f"evil.example/{REGISTRY}/tool:1.2"))),
    #
    passing("image-from-allowed-registry", a(DEPLOYMENT, running(f"{REGISTRY}/tool:1.2"))),
    passing(
        "image-from-allowed-registry", a(DEPLOYMENT, running("redis:8")), registries=["docker.io/library/*"]
    ),
    failing("image-from-allowed-registry", a(DEPLOYMENT, running("redis:8")), says="redis:8"),
    failing("image-from-allowed-registry", a(DEPLOYMENT, running(f"evil.example/{REGISTRY}/tool:1.2"))),
    failing(
        "image-from-allowed-registry", a(DEPLOYMENT, running("a/b:1")), registries=["docker.io/library/*"]
    ),
    #
    passing("chart-pinned", a(RELEASE, chart(version="1.8.0"))),
    passing("chart-pinned", a(RELEASE, chart(version="v0.52.1-fix.1"))),
    *(
        failing("chart-pinned", a(RELEASE, chart(version=version)), says=version or "any version")
        for version in ("", "^1.8.0", ">=1.0.0 <2.0.0", "1.x", "1.8")
    ),
    #
    passing("chart-from-allowed-repository", a(RELEASE, chart())),
    passing(
        "chart-from-allowed-repository",
        a(RELEASE, chart("yunikorn", "https://charts.example/stable")),
        repositories=["https://charts.example/*"],
    ),
    passing(
        "chart-from-allowed-repository",
        a(RELEASE, chart("yunikorn", "https://charts.example")),
        repositories=["https://*"],
    ),
    failing("chart-from-allowed-repository", a(RELEASE, chart("yunikorn", "https://charts.example"))),
    failing(
        "chart-from-allowed-repository", a(RELEASE, chart("./charts/yunikorn")), says="./charts/yunikorn"
    ),
    failing(
        "chart-from-allowed-repository", a(RELEASE, chart(f"oci://evil.example/x{REGISTRY}/charts/yunikorn"))
    ),
    failing(
        "chart-from-allowed-repository",
        a(RELEASE, chart("yunikorn", "http://charts.example/stable")),
        repositories=["https://*"],
    ),
    #
    passing("chart-rendered", a(RELEASE, chart())),
    failing("chart-rendered", a(RELEASE, chart()), says="no such chart", chart=False),
]

NAMESPACES: list[Case] = [
    passing("not-in-default-namespace", a(DEPLOYMENT, pods())),
    passing("not-in-default-namespace", a(RELEASE, chart())),
    passing("not-in-default-namespace", a(CLUSTER_ROLE, {"metadata": {"name": "reader"}})),
    failing("not-in-default-namespace", a(SERVICE, {"metadata": {"name": "ui", "namespace": "default"}})),
    failing("not-in-default-namespace", a(CONFIG_MAP, {"metadata": {"name": "settings"}})),
    failing("not-in-default-namespace", a(RELEASE, {"chart": "yunikorn"})),
    #
    passing("namespace-pod-security", namespace(**{ENFORCE: "restricted"})),
    passing("namespace-pod-security", namespace("logging"), privileged=["logging"]),
    failing("namespace-pod-security", namespace(team="data")),
    failing("namespace-pod-security", namespace(**{ENFORCE: "privileged"})),
    #
    passing("default-deny", namespace(), policy()),
    passing(
        "default-deny",
        namespace(),
        policy("in", policyTypes=["Ingress"]),
        policy("out", policyTypes=["Egress"]),
    ),
    passing(
        "default-deny",
        namespace(),
        policy(),
        policy("driver", podSelector={"matchLabels": {"spark-role": "driver"}}, ingress=[{"from": []}]),
    ),
    passing(
        "default-deny",
        namespace(),
        later(NETWORK_POLICY, "spark-analytics", {"policyTypes": ["Ingress", "Egress"]}),
    ),
    passing("default-deny", namespace(), policy(podSelector=spark_pods("NotIn")), of_spark()),
    failing("default-deny", namespace(), policy(podSelector=spark_pods("NotIn")), says="Egress and Ingress"),
    failing(
        "default-deny",
        namespace(),
        policy(podSelector=spark_pods("NotIn")),
        of_spark(policyTypes=["Ingress"]),
        says="denies Egress",
    ),
    failing(
        "default-deny",
        namespace(),
        policy(podSelector=spark_pods("NotIn")),
        of_spark(podSelector=spark_pods("In", "driver")),
        says="Egress and Ingress",
    ),
    passing("default-deny", namespace("celeborn"), namespace("kube-system")),
    failing("default-deny", namespace(), says="Egress and Ingress"),
    failing("default-deny", namespace(), policy(place="other"), says="spark-analytics"),
    failing(
        "default-deny", namespace(), replace(policy(), provider="of another cluster"), says="spark-analytics"
    ),
    failing("default-deny", namespace(), policy(policyTypes=["Ingress"]), says="denies Egress"),
    failing("default-deny", namespace(), policy(podSelector={"matchLabels": {"a": "b"}})),
    failing(
        "default-deny", namespace(), policy(egress=[{"to": [{"podSelector": {}}]}]), says="denies Egress"
    ),
    failing("default-deny", namespace(), policy(), policy("open", egress=[{}]), says="open lets everything"),
    passing(
        "default-deny", namespace(), policy(), policy("ui", **let_in(namespaceSelector={}, podSelector=UI))
    ),
    failing(
        "default-deny", namespace(), policy(), policy("ui", **let_in(namespaceSelector={})), says="ui lets"
    ),
    failing(
        "default-deny",
        namespace(),
        policy(),
        policy("ui", **let_in(ipBlock={"cidr": "0.0.0.0/0"})),
        says="ui lets",
    ),
    failing(
        "default-deny",
        namespace(),
        namespace("other"),
        later(NETWORK_POLICY, "other", {"policyTypes": ["Ingress", "Egress"]}),
        says="Namespace spark-analytics",
    ),
    #
    passing("job-namespace-bounded", namespace(), quota(pods="20k")),
    passing("job-namespace-bounded", namespace(), quota(**{"count/pods": "100"})),
    passing("job-namespace-bounded", namespace(), later(QUOTA, "spark-analytics", {"hard": {"pods": "20k"}})),
    passing("job-namespace-bounded", namespace("monitoring")),
    passing("job-namespace-bounded", namespace(), admission_policy("spark-analytics", name="moka-job-size")),
    failing("job-namespace-bounded", namespace(), admission_policy("other", name="moka-job-size")),
    failing(
        "job-namespace-bounded", namespace(), admission_policy("spark-analytics", name="moka-queue-claims")
    ),
    failing("job-namespace-bounded", namespace(), quota("other", pods="20k")),
    failing("job-namespace-bounded", namespace(), quota(**{"services.nodeports": "0"})),
]

CASES: list[Case] = [*SECURITY, *RESOURCES, *IMAGES, *NAMESPACES, *AMOUNTS, *ADMISSION]
