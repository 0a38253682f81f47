"""What tiers promise, kept by the real scheduler on machines that are full."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest

from localcloud.control_plane.api import Api
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import GROUP, NodeGroup, apply_node_group, remove_node_group
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.names import ROOT_QUEUE, USER_INFO, priority_class
from moka.queues import Leaf, Limit, Queue, QueueTree, Resources, grow, queues_yaml
from moka.queues.problems import problems
from tests.support.priority_classes import apply_priority_classes

MACHINE = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
MACHINES, SLOTS = 3, 9
"""A pod of these tests takes a third of what a machine has left for pods."""

CORES = 5
WITHIN = 60
"""Seconds in which tier 1 has what it is guaranteed."""


def slots(number: int) -> Resources:
    return Resources.of(cpu=str(number * CORES))


def leaf(project: str, number: int, guaranteed: int = 0, applications: int | None = None) -> Leaf:
    """A tier that may have every slot, and is guaranteed some; `project` is of acme, or names its own."""
    organization, _, name = project.rpartition(".")
    return Leaf(
        organization=organization or "acme",
        project=name,
        tier=number,
        guaranteed=slots(guaranteed) if guaranteed else None,
        maximum=slots(SLOTS),
        max_applications=applications,
    )


ORDERS, BILLING = "root.acme.orders.tier1", "root.acme.billing.tier1"
ADHOC_2, ADHOC_3, REPORTS = "root.acme.adhoc.tier2", "root.acme.adhoc.tier3", "root.acme.reports.tier3"
DUE_2, DUE_3 = "root.acme.due.tier2", "root.acme.due.tier3"

FULL, ROOMY = "root.acme.full", "root.acme.roomy"
"""Projects with a bound of jobs: tier 3 can fill the first, and leaves room in the second."""

MANY, LARGE = "root.acme.many", "root.acme.large"
"""Projects with a bound for each user, of jobs and of cores, which the user's tier 3 can fill."""

TEAM = "root.acme.team"
"""A project that is guaranteed something, of which its tiers have no parts."""

SMALL, SMALL_1, SMALL_3 = "root.small", "root.small.shop.tier1", "root.small.shop.tier3"
"""An organization that may have a part of the slots."""

LEAVES = [
    leaf("orders", 1, guaranteed=3),
    leaf("billing", 1, guaranteed=2),
    leaf("adhoc", 2, guaranteed=2),
    leaf("adhoc", 3, guaranteed=1),
    leaf("reports", 3, applications=2),
    *(leaf("due", 2, guaranteed=1), leaf("due", 3, guaranteed=1)),
    *(leaf("full", 1), leaf("full", 3)),
    *(leaf("roomy", 1), leaf("roomy", 2, applications=1), leaf("roomy", 3, applications=2)),
    *(leaf("many", 1, guaranteed=1), leaf("many", 3)),
    *(leaf("large", 1, guaranteed=1), leaf("large", 3)),
    *(leaf("team", 1), leaf("team", 3)),
    replace(leaf("small.shop", 1, guaranteed=1), maximum=None),
    replace(leaf("small.shop", 3), maximum=None),
]

CHANGES: Mapping[str, Mapping[str, Any]] = {
    FULL: {"max_applications": 2},
    ROOMY: {"max_applications": 4},
    MANY: {"limits": (Limit(users=("*",), max_applications=2),)},
    LARGE: {"limits": (Limit(users=("*",), maximum=slots(2)),)},
    SMALL: {"maximum": slots(4)},
    TEAM: {"guaranteed": slots(2)},
}
"""Fields of queues, by path."""

DELAYS = {"tier3": 1, DUE_2: 2, DUE_3: 8}
"""Seconds after which a tier, or one queue, takes back what it is guaranteed; by default 30 and 60."""


def changed(path: str, queue: Queue) -> Queue:
    """A queue and those below it with other fields and delays."""
    delay = DELAYS.get(path) or DELAYS.get(queue.name)
    policy = replace(queue.policy, delay_seconds=delay) if queue.policy and delay else queue.policy
    below = tuple(changed(f"{path}.{child.name}", child) for child in queue.queues)
    return replace(queue, policy=policy, queues=below, **CHANGES.get(path, {}))


TREE = QueueTree(
    organizations=tuple(changed(f"{ROOT_QUEUE}.{queue.name}", queue) for queue in grow(LEAVES).organizations)
)


@dataclass(frozen=True)
class Jobs:
    """The jobs of a test, in a namespace of its own."""

    api: Api
    namespace: str
    url: str

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def submit(
        self,
        queue: str,
        pods: int = 1,
        *,
        application: str = "",
        priority: str = "",
        machine: str = "",
        user: str = "ann",
    ) -> str:
        """Make an application's pods, on the full machines or on one of them; its name."""
        name = application or f"{queue.rpartition('.')[2]}-{uuid4().hex[:8]}"
        for _ in range(pods):
            pod = self.pod(name, queue)
            pod["metadata"]["annotations"] = {USER_INFO: json.dumps({"user": user})}
            pod["spec"]["priorityClassName"] = priority or priority_class(int(queue[-1]))
            pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": machine} if machine else {GROUP: "full"}
            self.api.create(self.path, pod)
        return name

    def end(self, pod: str) -> None:
        """Let a pod succeed."""
        self.api.merge(f"{self.path}/{pod}/status", {"status": {"phase": "Succeeded"}})

    def pod(self, application: str, queue: str) -> dict[str, Any]:
        requests = {"cpu": str(CORES), "memory": "1Gi"}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"{application}-{uuid4().hex[:8]}",
                "labels": {
                    "yunikorn.apache.org/app-id": application,
                    "yunikorn.apache.org/queue": queue,
                },
            },
            "spec": {
                "schedulerName": "yunikorn",
                "containers": [{"name": "main", "image": "any", "resources": {"requests": requests}}],
            },
        }

    def running(self, queue: str = "") -> set[str]:
        """Names of pods that run, of a queue or of all."""
        return {
            pod["metadata"]["name"]
            for pod in self.api.list(self.path)
            if pod["metadata"]["labels"]["yunikorn.apache.org/queue"].startswith(queue)
            and pod["status"]["phase"] == "Running"
            and "deletionTimestamp" not in pod["metadata"]
        }

    def queue(self, queue: str) -> Any:
        """What the scheduler says of a queue."""
        return ask(f"{self.url}/ws/v1/partition/default/queue/{queue}")

    def state(self, queue: str, application: str) -> str:
        """The scheduler's word for an application; empty while it knows none."""
        known = ask(f"{self.url}/ws/v1/partition/default/queue/{queue}/applications") or []
        return next((one["applicationState"] for one in known if one["applicationID"] == application), "")

    def preemptions_tried(self) -> int:
        """How often the scheduler has looked for pods to preempt, with or without finding some."""
        with urllib.request.urlopen(f"{self.url}/ws/v1/metrics", timeout=10) as answer:
            text = answer.read().decode()
        [count] = re.findall(
            r"^yunikorn_scheduler_trypreemption_latency_milliseconds_count (\d+)", text, re.M
        )
        return int(count)

    def history(self) -> list[str]:
        """What the scheduler's events say, of all applications."""
        records = ask(f"{self.url}/ws/v1/events/batch")["EventRecords"]
        return [record.get("message", "") for record in records]

    def events(self) -> set[str]:
        """What Kubernetes' events say of the pods."""
        path = f"/apis/events.k8s.io/v1/namespaces/{self.namespace}/events"
        return {event.get("note", "") for event in self.api.list(path)}


def ask(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def full(plane, api, other_queues, eventually):
    """Machines to be filled, and our tree of queues and tiers in force."""
    zones = ("us-east-1a", "us-east-1b", "us-east-1c")
    apply_node_group(plane, NodeGroup(name="full", instance_types=(MACHINE,), zones=zones, count=MACHINES))
    apply_priority_classes(api)
    other_queues(queues_yaml(TREE))
    leaves = {path for path, _ in TREE.leaves()}
    eventually(lambda: leaves <= in_force(yunikorn_url(plane)))
    yield
    remove_node_group(plane, "full")


def in_force(url: str) -> set[str]:
    """Paths of the scheduler's queues; none while it is about to start."""
    try:
        return names(ask(f"{url}/ws/v1/partition/default/queues"))
    except urllib.error.HTTPError:
        return set()


def names(queue: dict[str, Any]) -> set[str]:
    """Paths of a queue and all below it."""
    return {queue["queuename"]}.union(*(names(child) for child in queue.get("children") or []))


@pytest.fixture
def jobs(plane, api, full, namespace, eventually):
    jobs = Jobs(api, namespace, yunikorn_url(plane))
    yield jobs
    api.delete(jobs.path, gracePeriodSeconds=0)
    eventually(lambda: not api.list(jobs.path))


def test_tier_1_gets_what_it_is_guaranteed_on_full_machines(jobs, eventually):
    jobs.submit(ADHOC_2, 5)
    jobs.submit(ADHOC_3, 4)
    eventually(lambda: len(jobs.running()) == SLOTS)

    name = jobs.submit(ORDERS, 3)
    eventually(lambda: len(jobs.running(ORDERS)) == 3, within=WITHIN)

    assert len(jobs.running()) == SLOTS
    assert len(jobs.running(ADHOC_2)) >= 2, "below what is guaranteed nobody is pushed"
    assert len(jobs.running(ADHOC_3)) >= 1
    # Of a pod that is gone, its events tell nothing; the scheduler's do.
    message = rf"Preempted by \S+ from application {name} in {ORDERS}"
    assert len([line for line in jobs.history() if re.fullmatch(message, line)]) == 3


def test_tier_3_gets_what_it_is_guaranteed_back_from_others_of_its_tier(jobs, eventually):
    jobs.submit(REPORTS, SLOTS)
    eventually(lambda: len(jobs.running(REPORTS)) == SLOTS)

    jobs.submit(ADHOC_3)
    eventually(lambda: jobs.running(ADHOC_3), within=WITHIN)

    assert len(jobs.running(REPORTS)) == SLOTS - 1


def test_tier_3_gets_nothing_back_from_tier_2(jobs, eventually):
    jobs.submit(ADHOC_2, SLOTS)
    eventually(lambda: len(jobs.running(ADHOC_2)) == SLOTS)
    attempts = jobs.preemptions_tried()

    jobs.submit(ADHOC_3)
    eventually(lambda: jobs.preemptions_tried() > attempts, within=WITHIN)

    assert len(jobs.running(ADHOC_2)) == SLOTS
    assert not jobs.running(ADHOC_3)


def test_tier_2_takes_back_before_tier_3_that_has_waited_longer(jobs, eventually):
    jobs.submit(REPORTS, SLOTS)
    eventually(lambda: len(jobs.running(REPORTS)) == SLOTS)

    third, began = jobs.submit(DUE_3), int(time.time())
    # Pods know the second in which they were made.
    eventually(lambda: int(time.time()) > began)
    second = jobs.submit(DUE_2)
    eventually(lambda: jobs.running(DUE_2) and jobs.running(DUE_3), within=WITHIN)

    by_whom = [re.match(r"Preempted by \S+ from application (\S+) in", line) for line in jobs.history()]
    assert [by[1] for by in by_whom if by and by[1] in (second, third)] == [second, third]


def test_tier_1_gets_its_guarantee_back_in_an_organization_that_is_full_while_machines_are_not(
    jobs, eventually
):
    jobs.submit(SMALL_3, 4)
    eventually(lambda: len(jobs.running(SMALL)) == 4)

    jobs.submit(SMALL_1)
    eventually(lambda: jobs.running(SMALL_1), within=WITHIN)

    assert len(jobs.running(SMALL)) == 4


def test_in_an_organization_that_is_full_tier_1_ends_pods_of_others_for_nothing(jobs, eventually):
    """As YuniKorn 1.8 has it, whose victims are the newest pods of all organizations (YUNIKORN-3241)."""
    for machine in ("full-1", "full-2"):
        jobs.submit(SMALL_3, 2, machine=machine)
    eventually(lambda: len(jobs.running(SMALL)) == 4)
    began = int(time.time())
    eventually(lambda: int(time.time()) > began)
    # Of two: the first pod of an application is a late choice.
    jobs.submit(REPORTS, 2, machine="full-3")
    eventually(lambda: len(jobs.running(REPORTS)) == 2)

    jobs.submit(SMALL_1, machine="full-3")
    eventually(lambda: len(jobs.running(REPORTS)) == 1, within=WITHIN)

    assert not jobs.running(SMALL_1)
    jobs.end(min(jobs.running(SMALL_3)))
    eventually(lambda: jobs.running(SMALL_1))


def test_tier_1_without_a_guarantee_gets_back_that_of_its_project(jobs, eventually):
    jobs.submit(REPORTS, SLOTS)
    eventually(lambda: len(jobs.running(REPORTS)) == SLOTS)

    jobs.submit(f"{TEAM}.tier1")
    eventually(lambda: jobs.running(TEAM), within=WITHIN)


def test_tier_1_without_a_guarantee_gets_nothing_of_what_tier_3_beside_it_has_of_that(jobs, eventually):
    jobs.submit(f"{TEAM}.tier3", 2)
    eventually(lambda: len(jobs.running(TEAM)) == 2)
    jobs.submit(REPORTS, SLOTS - 2)
    eventually(lambda: len(jobs.running()) == SLOTS)
    attempts = jobs.preemptions_tried()

    jobs.submit(f"{TEAM}.tier1")
    eventually(lambda: jobs.preemptions_tried() > attempts, within=WITHIN)

    assert len(jobs.running(f"{TEAM}.tier3")) == 2
    assert len(jobs.running(REPORTS)) == SLOTS - 2


def test_nothing_of_tier_1_is_preempted_though_only_that_would_make_room(jobs, eventually):
    jobs.submit(ORDERS, SLOTS - 1)
    jobs.submit(REPORTS)
    eventually(lambda: len(jobs.running()) == SLOTS)
    running, attempts = jobs.running(ORDERS), jobs.preemptions_tried()

    # Both are due; the first takes the place of tier 3's, and nothing is left for the second but tier 1's,
    # which has far more than it is guaranteed.
    jobs.submit(BILLING, 2)
    eventually(lambda: len(jobs.running(BILLING)) == 1, within=WITHIN)
    eventually(lambda: jobs.preemptions_tried() >= attempts + 2, within=WITHIN)

    assert jobs.running(ORDERS) == running
    assert not jobs.running(REPORTS)
    assert len(jobs.running(BILLING)) == 1


def test_a_pod_of_a_class_that_is_not_to_be_preempted_is_the_last_choice(jobs, eventually):
    name = jobs.submit(ADHOC_2, 2, machine="full-1")
    eventually(lambda: len(jobs.running()) == 2)
    before, began = jobs.running(), int(time.time())
    eventually(lambda: int(time.time()) > began)
    # The newest would go first; the queue spares none of them.
    jobs.submit(ADHOC_2, application=name, priority=priority_class(1), machine="full-1")
    eventually(lambda: len(jobs.running()) == 3)
    [spared] = jobs.running() - before

    jobs.submit(ORDERS, machine="full-1")
    eventually(lambda: jobs.running(ORDERS), within=WITHIN)

    assert spared in jobs.running(ADHOC_2)
    assert len(jobs.running(ADHOC_2)) == 2


def test_no_more_applications_run_than_a_queue_may_have(jobs, eventually):
    names = {jobs.submit(REPORTS) for _ in range(10)}
    ran: set[str] = set()

    def as_many_as_may() -> bool:
        queue, running = jobs.queue(REPORTS), jobs.running(REPORTS)
        assert queue["maxRunningApps"] == 2
        assert queue.get("runningApps", 0) <= 2 and len(running) <= 2
        return len(running) == queue.get("runningApps", 0) == min(2, len(names - ran))

    while ran != names:
        eventually(as_many_as_may)
        for pod in jobs.running(REPORTS):
            ran.add(pod.rpartition("-")[0])
            jobs.end(pod)


@pytest.mark.parametrize("project", [FULL, MANY, LARGE])
def test_a_bound_that_tier_3_can_fill_keeps_tier_1_out_and_so_is_refused(jobs, eventually, project):
    """As YuniKorn has it: the bound is for all tiers alike, and nothing is preempted for it."""
    assert project in [problem.path for problem in problems(TREE)]

    for _ in range(2):
        jobs.submit(f"{project}.tier3")
    eventually(lambda: len(jobs.running(project)) == 2)
    name = jobs.submit(f"{project}.tier1")
    eventually(lambda: jobs.state(f"{project}.tier1", name) == "Accepted")
    attempts = jobs.preemptions_tried()
    # The scheduler has gone over all queues since, in which it places another.
    jobs.submit(ORDERS)
    eventually(lambda: jobs.running(ORDERS))

    assert not jobs.running(f"{project}.tier1")
    assert jobs.preemptions_tried() == attempts
    jobs.end(min(jobs.running(f"{project}.tier3")))
    eventually(lambda: jobs.running(f"{project}.tier1"))


def test_where_the_bound_leaves_room_for_tier_1_its_jobs_start_however_many_others_wait(jobs, eventually):
    for tier in (2, 3):
        for _ in range(3):
            jobs.submit(f"{ROOMY}.tier{tier}")
    eventually(lambda: len(jobs.running(ROOMY)) == 3)

    jobs.submit(f"{ROOMY}.tier1")
    eventually(lambda: jobs.running(f"{ROOMY}.tier1"), within=WITHIN)

    assert len(jobs.running(ROOMY)) == 4


def test_whoever_names_a_queue_that_is_not_there_reads_why_nothing_runs(jobs, eventually):
    name = jobs.submit("root.acme.nowhere.tier3")

    [pod] = eventually(lambda: [p for p in jobs.api.list(jobs.path) if p["status"]["phase"] == "Failed"])

    # What `kubectl describe pod` shows: the pod's own status, and the event.
    assert pod["status"]["reason"] == "ApplicationRejected"
    assert f"failed to place application {name}" in pod["status"]["message"]
    message = (
        f"Application {name} scheduling failed, reason: ApplicationRejected: "
        f"failed to place application {name}: application rejected: no placement rule matched"
    )
    assert eventually(lambda: message in jobs.events())
