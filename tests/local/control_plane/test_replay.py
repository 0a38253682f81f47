"""A small history on the real scheduler ends as its replay says: in which order, and what is in time."""

import itertools
import time
import urllib.error
from dataclasses import dataclass, field

import pytest

from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import GROUP, NodeGroup, apply_node_group, remove_node_group
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.allocation.cluster import Cluster
from moka.allocation.fleet import HOURS, Amounts, FleetCluster, QueueHours
from moka.allocation.replay.runs import Run
from moka.allocation.replay.simulator import replay
from moka.names import priority_class
from moka.queues import Leaf, Resources, grow, queues_yaml
from tests.local.control_plane.test_queues_in_force import ask, names
from tests.support.priority_classes import apply_priority_classes

MACHINE = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
MACHINES, CORES = 3, 5
"""A pod takes a third of what a machine has for pods: there are nine places."""

CLEAR = 7_000
"""Milliseconds between two moments of the replay whose order has to be that of the real ones: placing a pod
takes some time there, and none in the replay."""

ORDERS, ADHOC_2, ADHOC_3, REPORTS = (
    "root.acme.orders.tier1",
    "root.acme.adhoc.tier2",
    "root.acme.adhoc.tier3",
    "root.acme.reports.tier3",
)
QUEUES = {
    # Path: places that are guaranteed, applications at a time.
    ORDERS: (2, 9),
    ADHOC_2: (0, 9),
    ADHOC_3: (1, 9),
    REPORTS: (6, 2),
}
HISTORY = {
    # Name: queue, second of submission, pods, seconds that it takes, seconds of its SLO.
    "first-report": (REPORTS, 0, 4, 50, 70),
    "second-report": (REPORTS, 8, 2, 70, 90),
    # Fills the cluster, and is preempted down to what is guaranteed: by itself it would be in time.
    "adhoc": (ADHOC_3, 16, 3, 50, 57),
    # Waits for one of the two reports to end.
    "third-report": (REPORTS, 18, 1, 20, 40),
    # Takes two places of the one that has more than it is guaranteed.
    "orders": (ORDERS, 24, 2, 30, 50),
    # Is guaranteed nothing, and waits for places; before tier 3, which has waited longer.
    "question": (ADHOC_2, 32, 1, 30, 60),
}
IN_TIME = {"first-report", "second-report", "orders", "question"}


def resources(places):
    return Resources.of(cpu=str(places * CORES), memory=f"{places}Gi") if places else Resources()


def replayed():
    """Outcomes of the replay, by name."""
    machine = Resources.of(cpu=str(3 * CORES), memory="60Gi")
    there = FleetCluster(cluster=Cluster(name="spark-a", instance=machine, instances=MACHINES))
    queues = [
        QueueHours(
            cluster="spark-a",
            queue=path,
            hours=(Amounts(guaranteed=resources(places), maximum=None, max_applications=most),) * HOURS,
        )
        for path, (places, most) in QUEUES.items()
    ]
    runs = [
        Run(
            workflow=name,
            queue=queue,
            submitted=at * 1000,
            pods=pods,
            cpu=CORES * 1000,
            memory=1024,
            lasts=lasts * 1000,
        )
        for name, (queue, at, pods, lasts, _) in HISTORY.items()
    ]
    return {one.run.workflow: one for one in replay(there, queues, runs, until=3_600_000)}


@dataclass
class RealRun:
    """A run in the world.

    Its pods are asked for again when they are gone, as Spark does; those there are work, once all were there.
    """

    name: str
    jobs: "RealJobs"
    started: int | None = None
    finished: int | None = None
    work: float = 0
    counted: int = 0
    made: int = 0
    lost: int = 0
    pods: set[str] = field(default_factory=set)

    def step(self, now, live):
        """What has become of it by now, in milliseconds from the start of the history."""
        queue, at, wanted, lasts, _ = HISTORY[self.name]
        if self.finished is not None or now < at * 1000:
            return
        gone = {pod for pod in self.pods if pod not in live}
        self.lost += len(gone)
        self.pods -= gone
        running = sum(live[pod]["status"].get("phase") == "Running" for pod in self.pods)
        if self.started is None and running == wanted:
            self.started, self.work = now, wanted * lasts * 1000
        elif self.started is not None:
            self.work -= (now - self.counted) * running
        self.counted = now
        if self.started is not None and self.work <= 0:
            for pod in self.pods:
                self.jobs.end(pod)
            self.finished = now
            return
        while len(self.pods) < wanted:
            self.made += 1
            self.pods.add(self.jobs.make(f"{self.name}-{self.made}", self.name, queue))


@dataclass
class RealJobs:
    """Pods of a namespace."""

    api: object
    namespace: str

    @property
    def path(self):
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def live(self):
        """Those that are not on their way out, by name."""
        return {
            pod["metadata"]["name"]: pod
            for pod in self.api.list(self.path)
            if "deletionTimestamp" not in pod["metadata"]
        }

    def make(self, name, application, queue):
        requests = {"cpu": str(CORES), "memory": "1Gi"}
        labels = {
            "yunikorn.apache.org/app-id": f"{application}-{self.namespace}",
            "yunikorn.apache.org/queue": queue,
        }
        self.api.create(
            self.path,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "labels": labels},
                "spec": {
                    "schedulerName": "yunikorn",
                    "priorityClassName": priority_class(int(queue[-1])),
                    "nodeSelector": {GROUP: "replayed"},
                    "containers": [{"name": "main", "image": "any", "resources": {"requests": requests}}],
                },
            },
        )
        return name

    def end(self, pod):
        self.api.merge(f"{self.path}/{pod}/status", {"status": {"phase": "Succeeded"}})


@pytest.fixture
def jobs(plane, api, other_queues, namespace, eventually):
    """Machines and queues of the history."""
    leaves = [
        Leaf(
            organization="acme",
            project=path.split(".")[2],
            tier=int(path[-1]),
            guaranteed=resources(places) if places else None,
            max_applications=most,
        )
        for path, (places, most) in QUEUES.items()
    ]
    zones = ("us-east-1a", "us-east-1b", "us-east-1c")
    group = NodeGroup(name="replayed", instance_types=(MACHINE,), zones=zones, count=MACHINES)
    apply_node_group(plane, group)
    apply_priority_classes(api)
    other_queues(queues_yaml(grow(leaves)))

    def in_force():
        try:
            return names(ask(f"{yunikorn_url(plane)}/ws/v1/partition/default/queues"))
        except urllib.error.HTTPError:
            return set()

    eventually(lambda: set(QUEUES) <= in_force())
    jobs = RealJobs(api, namespace)
    yield jobs
    api.delete(jobs.path, gracePeriodSeconds=0)
    eventually(lambda: not api.list(jobs.path))
    remove_node_group(plane, "replayed")


def in_time(ends):
    """Names of the runs that end, at milliseconds by name, within their SLOs."""
    return {name for name, (_, at, _, _, slo) in HISTORY.items() if ends[name] <= (at + slo) * 1000}


def test_the_real_scheduler_does_what_the_replay_says(jobs, eventually):
    outcomes = replayed()
    real = {name: RealRun(name, jobs) for name in HISTORY}
    began = time.monotonic()

    def over():
        live = jobs.live()
        for run in real.values():
            run.step(int((time.monotonic() - began) * 1000), live)
        return all(run.finished is not None for run in real.values())

    eventually(over, within=600)

    moments = {
        **{f"{name} starts": (outcomes[name].started, real[name].started) for name in HISTORY},
        **{f"{name} ends": (outcomes[name].finished, real[name].finished) for name in HISTORY},
    }
    print(moments)
    for (one, (said, seen)), (other, (said_later, seen_later)) in itertools.permutations(moments.items(), 2):
        if said + CLEAR <= said_later:
            assert seen < seen_later, f"{one} before {other}: {moments}"
    assert {name: run.lost for name, run in real.items()} == {name: outcomes[name].lost for name in HISTORY}
    assert in_time({name: run.finished for name, run in real.items()}) == IN_TIME
    assert in_time({name: outcomes[name].finished for name in HISTORY}) == IN_TIME
