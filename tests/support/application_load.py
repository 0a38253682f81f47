"""Many Spark applications at once: twenty in a test, hundreds in soak.

Real are the API server and its controllers, YuniKorn, the Spark Operator with `spark-submit`, and what takes
the finalizer off driver pods. Simulated are machines, drivers, and the executors that drivers ask for.
"""

import contextlib
import itertools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import psutil
import yaml

from localcloud.cloud import REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, Taint, apply_node_group
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release, merge
from localcloud.errors import Refusal
from localcloud.processes import Process
from moka.components.kubernetes.job_namespace import DRIVER_VERBS
from moka.components.kubernetes.rbac import Right
from moka.components.kubernetes.spark_operator import SUBMISSION_FILES, SparkOperatorArgs, hadoop_config_map
from moka.components.kubernetes.spark_operator import release_values as operator_values
from moka.jobs.application import spark_application
from moka.jobs.job import Executor, Job, Restart
from moka.jobs.job_target import EventLogUploader, JobTarget
from moka.machines.machine_capacity import MachineCapacity
from moka.names import DRIVER_FINALIZER, priority_class
from tests.support.priority_classes import apply_priority_classes
from tests.support.roles import bound_role

ROLES = ("driver", "executor")
ARCHITECTURES = ("arm64", "amd64")
PROJECTS = ("etl", "ml")
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
APPLICATIONS = "/apis/sparkoperator.k8s.io/v1beta2/sparkapplications"
TERMINAL_STATES = ("COMPLETED", "FAILED")
UNTIL_ENDED = 100_000
"""Seconds that a driver runs which a test ends."""

RUNS_FOR = "localcloud/runs-for"
ENDS = "localcloud/ends"
TASK_GROUP = "yunikorn.apache.org/task-group-name"
PLACEHOLDER = "internal.yunikorn.apache.org/placeholder"
APPLICATION = "sparkoperator.k8s.io/app-name"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One application, and how it is to end.

    runs_for: seconds that its driver takes.
    protected: its driver has the finalizer.
    """

    name: str
    project: str
    tier: int
    architecture: str
    executors: int
    runs_for: int
    fails: bool = False
    retries: int = 0
    protected: bool = True

    @property
    def state(self) -> str:
        """The state that it ends in."""
        return "FAILED" if self.fails else "COMPLETED"

    def manifest(self) -> Object:
        """As its owner would render it, with annotations that tell the laptop cloud how it ends."""
        job = Job(
            name=self.name,
            namespace=self.project,
            queue=f"acme.{self.project}",
            tier=self.tier,
            architecture=self.architecture,
            main_file="local:///opt/spark/examples/jars/spark-examples.jar",
            main_class="org.apache.spark.examples.SparkPi",
            executor=Executor(instances=self.executors, memory="1g"),
            restart=Restart(policy="on-failure", retries=self.retries, seconds=1)
            if self.retries
            else Restart(),
        )
        finalizer = DRIVER_FINALIZER if self.protected else None
        application = spark_application(job, replace(TARGET, finalizer=finalizer))
        application["spec"]["driver"]["annotations"] |= {
            RUNS_FOR: str(self.runs_for),
            ENDS: "Failed" if self.fails else "Succeeded",
        }
        return application


TARGET = JobTarget(
    cluster="many",
    environment="test",
    region="us-east-1",
    queues={
        f"root.acme.{project}.tier{number}": {"cpu": "100000", "memory": "1000Ti"}
        for project in PROJECTS
        for number in (1, 2, 3)
    },
    namespaces=PROJECTS,
    priority_classes={number: priority_class(number) for number in (1, 2, 3)},
    machines=[
        MachineCapacity(
            role=role, architecture=architecture, millicores=15_000, memory_mib=60_000, local_disks=False
        )
        for role in ROLES
        for architecture in ARCHITECTURES
    ],
    event_log_uploader=EventLogUploader(image="uploader:1", bucket="events", region="us-east-1", seconds=10),
    staging={project: f"s3a://staging/{project}/" for project in PROJECTS},
    images={"4.1": "spark:4.1"},
    ui_domain="spark.localhost",
    history_url="http://history.localhost",
    finalizer=DRIVER_FINALIZER,
)


def cases(number: int, *, first: int = 0, runs_for: int, retries: int = 0) -> list[Case]:
    """A number of cases of every architecture, project, tier and outcome.

    first: number in the name of the first. retries: of one in two of those that fail.
    """
    return [
        Case(
            name=f"job-{index}",
            project=PROJECTS[index // 2 % 2],
            tier=1 + index % 3,
            architecture=ARCHITECTURES[index % 2],
            executors=1 + index % 2,
            runs_for=runs_for,
            fails=index % 5 in (2, 4),
            retries=retries if index % 5 == 4 else 0,
        )
        for index in range(first, first + number)
    ]


@contextlib.contextmanager
def load_cluster(cloud: Cloud, machines: int, per_minute: int, finished_pods: int) -> Iterator["Cluster"]:
    """A cluster for many applications; ended, with all that it has.

    machines: in each node group, of which there is one a role and architecture; 64 vCPUs each.
    per_minute: applications that the operator is sized for.
    finished_pods: that Kubernetes keeps; 12,500 by default.
    """
    plane = ControlPlane(cloud, "many")
    cluster = Cluster(plane)
    try:
        plane.start()
        cluster.keep_finished_pods(finished_pods)
        cluster.fill(machines)
        cluster.run(per_minute)
        yield cluster
    finally:
        cluster.remover.stop()
        # It would wait for those who watch it.
        plane.process("kube-apiserver").stop(timeout=1)
        plane.remove()


@dataclass(frozen=True)
class Cluster:
    """A control plane with node groups, job namespaces, queues, and all that runs Spark applications."""

    plane: ControlPlane

    @property
    def api(self) -> Api:
        return self.plane.api()

    @property
    def remover(self) -> Process:
        """Takes the finalizer off driver pods."""
        return Process(self.plane.folder, "driver-finalizer")

    @property
    def remover_port(self) -> int:
        """Where that serves its metrics."""
        return self.plane.ports.keep("driver-finalizer")

    @property
    def operator(self) -> Process:
        """The Spark Operator."""
        return self.plane.process(_release("spark-operator").key)

    @property
    def scheduler(self) -> Process:
        """YuniKorn."""
        return self.plane.process(_release("yunikorn").key)

    def keep_finished_pods(self, number: int) -> None:
        """Restart the controller manager with a number of finished pods past which it deletes some."""
        process = self.plane.process("kube-controller-manager")
        argv, environment = json.loads(process.pid_file.read_text())["as"]
        process.stop()
        process.start([*argv, f"--terminated-pod-gc-threshold={number}"], environment)

    def fill(self, machines: int) -> None:
        """Node groups, namespaces, accounts, priority classes."""
        for role, architecture in itertools.product(ROLES, ARCHITECTURES):
            kind = InstanceType(name="m.16xlarge", architecture=architecture, vcpus=64, memory=262_144)
            group = NodeGroup(
                name=f"{role}-{architecture}",
                instance_types=(kind,),
                zones=ZONES,
                count=machines,
                labels={"moka.dev/role": role},
                taints=(Taint(key="moka.dev/role", value=role, effect="NoSchedule"),),
                disk=500,
            )
            apply_node_group(self.plane, group)
        self.api.apply_all(_namespace(name) for name in ("yunikorn", "spark-operator", *PROJECTS))
        self.api.apply_all(itertools.chain.from_iterable(map(_account, PROJECTS)))
        apply_priority_classes(self.api)

    def run(self, per_minute: int) -> None:
        """YuniKorn, the Spark Operator as the stack sizes it, and the remover of finalizers."""
        tiers = [{"name": f"tier{number}"} for number in (1, 2, 3)]
        queues = {"name": "acme", "queues": [{"name": name, "queues": tiers} for name in PROJECTS]}
        root = {"name": "root", "submitacl": "*", "queues": [queues]}
        text = yaml.safe_dump({"partitions": [{"name": "default", "queues": [root]}]})
        metadata = {"name": "yunikorn-configs", "namespace": "yunikorn"}
        self.api.apply_all(
            [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"queues.yaml": text}}]
        )
        charts.apply(self.plane, _release("yunikorn"))
        self.start_operator(per_minute)
        self.start_remover()

    def start_operator(
        self, per_minute: int, namespaces: Sequence[str] = PROJECTS, name: str = "spark-operator"
    ) -> Process:
        """A release of this name, with the values of this project."""
        values = yaml.safe_load((REPOSITORY / "charts-values" / "spark-operator.yaml").read_text())
        arguments = SparkOperatorArgs(
            catalog=None,
            namespace="spark-operator",
            job_namespaces=namespaces,
            release=name,
            applications_per_minute=per_minute,
        )
        metadata = {"name": hadoop_config_map(name), "namespace": "spark-operator"}
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        self.api.apply_all([{**config_map, "data": SUBMISSION_FILES}])
        release = replace(_release("spark-operator", merge(values, operator_values(arguments))), name=name)
        charts.apply(self.plane, release)
        return self.plane.process(release.key)

    def stop_operator(self, name: str = "spark-operator") -> None:
        """End a release."""
        charts.remove(self.plane, "spark-operator", name)

    def start_remover(self) -> None:
        """The service that takes the finalizer off, with an account that may do only what it needs."""
        folder = self.plane.folder / "remover"
        folder.mkdir(exist_ok=True)
        (folder / "ca.crt").write_bytes(self.plane.credentials.authority.read_bytes())
        (folder / "token").write_text(self.plane.token_file.read_text())
        (folder / "namespace").write_text("spark-operator")
        port = self.remover_port
        namespaces = itertools.chain.from_iterable(("--namespace", name) for name in PROJECTS)
        # fmt: off
        self.remover.start(
            [
                sys.executable, "-m", "services.driver_finalizer", "--listen", f"127.0.0.1:{port}",
                "--service-account", str(folder), *namespaces,
            ],
            {
                "PYTHONPATH": str(REPOSITORY),
                "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                "KUBERNETES_SERVICE_PORT": self.plane.endpoint.rpartition(":")[2],
            },
        )
        # fmt: on

    def submit(self, cases: list[Case]) -> None:
        """Create all at once."""
        path = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/{}/sparkapplications"
        api = self.api
        parallel_map(lambda case: api.create(path.format(case.project), case.manifest()), cases)

    def end_drivers(self, cases: list[Case]) -> None:
        """End drivers that run until they are ended."""
        patch = {"metadata": {"annotations": {RUNS_FOR: "0"}}}
        api = self.api
        parallel_map(lambda case: api.merge(driver(case), patch), cases)

    def terminating(self, cases: list[Case]) -> int:
        """How many of their drivers are deleted, and only their finalizer keeps them."""
        drivers = [self.api.get(driver(case)) for case in cases]
        return sum("deletionTimestamp" in pod["metadata"] for pod in drivers if pod)

    def delete(self, cases: list[Case]) -> None:
        """Delete applications."""
        api = self.api
        parallel_map(lambda case: api.delete(application(case)), cases)

    def cpu(self) -> dict[str, float]:
        """Seconds of CPU that each program has used; for the operator, also what its submissions used."""
        seconds = {}
        for note in self.plane.folder.glob("*.pid"):
            if not self.plane.process(note.stem).alive():
                continue
            times = psutil.Process(json.loads(note.read_text())["pid"]).cpu_times()
            seconds[note.stem] = times.user + times.system
            if children := times.children_user + times.children_system:
                seconds[f"{note.stem}'s children"] = children
        return seconds

    def leftovers(self) -> list[str]:
        """Objects of applications in the job namespaces, pods and their finalizers first."""
        api = self.api
        lists = ("api/v1:pods", "api/v1:services", "api/v1:configmaps", "apis/networking.k8s.io/v1:ingresses")
        return [
            f"{project} {kind} {thing['metadata']['name']} {thing['metadata'].get('finalizers', '')}"
            for kind in lists
            for project in PROJECTS
            for thing in api.list(
                "/{}/namespaces/{}/{}".format(*kind.split(":")[:1], project, kind.split(":")[1])
            )
            if thing["metadata"]["name"] != "kube-root-ca.crt"
        ]


@dataclass
class Pod:
    """A pod as a watch saw it; moments are in seconds since the watch began.

    application: Spark's own id of it. role: driver or executor. placeholder: it reserves room for such a pod.
    sidecars: name -> what it requests.
    """

    name: str
    application: str
    role: str
    placeholder: bool
    sidecars: dict[str, Object]
    began: float
    node: str = ""
    simulated: str = ""
    ran: float | None = None
    ended: float | None = None
    gone: bool = False


@dataclass
class Watch:
    """Watches the pods and applications of a cluster.

    pods: by uid. statuses: of applications, by name. running: pods now, by kind. peak: most pods at a time.
    """

    api: Api
    pods: dict[str, Pod] = field(default_factory=dict)
    statuses: dict[str, Object] = field(default_factory=dict)
    running: Counter[str] = field(default_factory=Counter)
    peak: Counter[str] = field(default_factory=Counter)
    _began: float = field(default_factory=time.monotonic)

    def start(self) -> "Watch":
        """Begin to watch, until the API server is gone."""
        for path, record in (("/api/v1/pods", self._record_pod), (APPLICATIONS, self._record_application)):
            threading.Thread(target=self._follow, args=(path, record), daemon=True).start()
        return self

    def now(self) -> float:
        return time.monotonic() - self._began

    def state(self, case: Case) -> str:
        return str(self.statuses.get(case.name, {}).get("applicationState", {}).get("state", "NEW"))

    def all_over(self, cases: list[Case]) -> bool:
        return all(self.state(case) in TERMINAL_STATES for case in cases)

    def states(self) -> Counter[str]:
        """How many applications are in each state."""
        states = (s.get("applicationState", {}).get("state", "NEW") for s in self.statuses.values())
        return Counter(map(str, states))

    def pods_of(self, case: Case, role: str, *, placeholder: bool = False) -> list[Pod]:
        """Pods of an application, of all its attempts."""
        pods = list(self.pods.values())
        drivers = {pod.application for pod in pods if pod.name == f"{case.name}-driver"}
        return [
            pod
            for pod in pods
            if (pod.role, pod.placeholder) == (role, placeholder) and pod.application in drivers
        ]

    def runs(self, case: Case) -> bool:
        """Whether an application runs, with all of its executors."""
        ran = [pod for pod in self.pods_of(case, "executor") if pod.ran is not None]
        return self.state(case) == "RUNNING" and len(ran) == case.executors

    def _follow(self, path: str, record: Callable[[Object], None]) -> None:
        with contextlib.suppress(Refusal):
            for thing in self.api.follow(path):
                record(thing)

    def _record_application(self, thing: Object) -> None:
        self.statuses[thing["metadata"]["name"]] = thing.get("status") or {}

    def _record_pod(self, thing: Object) -> None:
        metadata, status = thing["metadata"], thing.get("status") or {}
        labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
        if TASK_GROUP not in annotations:
            return
        new = Pod(
            name=metadata["name"],
            application=labels.get("spark-app-selector") or labels.get("yunikorn.apache.org/app-id", ""),
            role=annotations[TASK_GROUP].removeprefix("spark-"),
            placeholder=PLACEHOLDER in annotations,
            sidecars={
                container["name"]: container["resources"]["requests"]
                for container in thing["spec"].get("initContainers", [])
                if container.get("restartPolicy") == "Always"
            },
            simulated=annotations.get("localcloud/simulated", ""),
            began=self.now(),
        )
        pod = self.pods.setdefault(metadata["uid"], new)
        pod.node = thing["spec"].get("nodeName", "")
        kind = f"{pod.role} placeholders" if pod.placeholder else f"{pod.role}s"
        phase, gone = status.get("phase"), "deletionTimestamp" in metadata
        if phase == "Running" and not gone and pod.ran is None:
            pod.ran = self.now()
            self._count(kind, 1)
        elif (phase in ("Succeeded", "Failed") or gone) and pod.ended is None:
            pod.ended = self.now()
            self._count(kind, -1 if pod.ran is not None else 0)
        pod.gone = gone

    def _count(self, kind: str, change: int) -> None:
        self.running[kind] += change
        self.peak[kind] = max(self.peak[kind], self.running[kind])


def until(
    ask: Callable[[], object], what: str, patience: float, progress: Callable[[], object] | None = None
) -> None:
    """Ask until the answer is yes; `progress` is printed from time to time. patience: seconds."""
    began = printed = time.monotonic()
    while not ask():
        now = time.monotonic()
        assert now - began < patience, f"not so after {patience:.0f} s: {what}; {progress and progress()}"
        if progress and now - printed > 15:
            printed = now
            print(f"{now - began:5.0f} s: {progress()}", flush=True)
        time.sleep(0.2)


def driver(case: Case) -> str:
    """Path of a case's driver pod."""
    return f"/api/v1/namespaces/{case.project}/pods/{case.name}-driver"


def application(case: Case) -> str:
    """Path of a case's SparkApplication."""
    return f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{case.project}/sparkapplications/{case.name}"


def _release(chart: str, values: Object | None = None) -> Release:
    return Release(name=chart, namespace=chart, chart=chart, values=values or {})


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _account(namespace: str) -> list[Object]:
    """Service account and rights that a job namespace has for its drivers."""
    name = TARGET.service_account
    rights = [Right("", resource, verbs) for resource, verbs in DRIVER_VERBS.items()]
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace},
    }
    return [account, *bound_role(name, namespace, rights, namespace)]
