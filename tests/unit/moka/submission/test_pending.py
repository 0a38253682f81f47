"""Why pods wait, by the words of YuniKorn 1.8.0, as its scheduler said them of pods that could not be placed
(tests/local/control_plane/test_archer_waits.py has it say them again).
"""

import pytest
import yaml

from moka.queues import Leaf, Resources, grow, queues_yaml
from moka.submission.pending import ApplicationLimit, application_limits, pending
from moka.submission.waiting import Wait

FULL = (
    "Request '1b0e875e-6c82-4b06-8393-3474d0504dac' does not fit in queue 'root.acme.full' (requested "
    "map[memory:104857600 pods:1 vcore:2000], available map[ephemeral-storage:127775277056 "
    "memory:469339471872 pods:768 vcore:0])"
)
USER = (
    "Request '2b18c622-27fd-459e-9316-cfb65d7f4bbe' exceeds the available user quota (requested "
    "map[memory:104857600 pods:1 vcore:2000], available map[vcore:0])"
)
BIG = (
    "Request '5cbc27c1-bfce-4ca6-a409-8f78cef0fda8' does not fit in queue 'root.acme.free' (requested "
    "map[memory:104857600 pods:1 vcore:200000], available map[ephemeral-storage:127775277056 "
    "memory:469129756672 pods:766 vcore:105230])"
)
NO_NODE = (
    "Unschedulable request '5b342357-f810-44d9-a566-61d8414feb5e': failed plugin: 'NodeAffinity'\n"
    "node(s) didn't match Pod's node affinity/selector (7x); "
)
UNSCHEDULABLE = {
    "type": "PodScheduled",
    "status": "False",
    "lastProbeTime": None,
    "lastTransitionTime": "2026-11-25T15:49:46Z",
    "reason": "Unschedulable",
    "message": "request is waiting for cluster resources become available",
}
NO_LIMITS: list[ApplicationLimit] = []
LIMITS = [ApplicationLimit("root.acme.apps", 1)]


def pod(*conditions, node=None, waits=None, container="spark-kubernetes-driver"):
    status = {"phase": "Pending", "conditions": list(conditions) or None}
    if waits:
        status["containerStatuses"] = [{"name": container, "image": "acme/x:1", "state": {"waiting": waits}}]
    spec = {"containers": [{"name": container}], **({"nodeName": node} if node else {})}
    return {"metadata": {"name": "pi-driver"}, "spec": spec, "status": status}


def event(note, at="2026-11-25T15:49:46.123456Z", reason="Informational"):
    return {"metadata": {}, "reason": reason, "message": note, "eventTime": at, "series": None}


SCENES = {
    "its queue is full": (
        [pod()],
        [event(FULL)],
        LIMITS,
        Wait.QUEUE_FULL,
        "queue root.acme.full is full: it has 0 cores left, and a pod takes 2 cores",
    ),
    "its user has all that he may have": (
        [pod()],
        [event(USER)],
        LIMITS,
        Wait.USER_LIMIT,
        "its user has 0 cores left in its queue, and a pod takes 2 cores",
    ),
    "the cluster is too small": (
        [pod(UNSCHEDULABLE)],
        [event(BIG)],
        LIMITS,
        Wait.NO_MACHINE,
        "no machine takes a pod of it: the machines have 105.23 cores left, and a pod takes 200 cores",
    ),
    "no machine is such": (
        [pod(UNSCHEDULABLE)],
        [event(NO_NODE)],
        LIMITS,
        Wait.NO_MACHINE,
        "no machine takes a pod of it: failed plugin: 'NodeAffinity' node(s) didn't match Pod's node "
        "affinity/selector (7x)",
    ),
    "placeholders of a gang": (
        [pod(), pod(UNSCHEDULABLE), pod(UNSCHEDULABLE)],
        [event(NO_NODE)],
        NO_LIMITS,
        Wait.NO_MACHINE,
        "no machine takes 3 of its pods: failed plugin",
    ),
    "the autoscaler says why it makes none": (
        [pod(UNSCHEDULABLE)],
        [
            event(NO_NODE),
            event("pod didn't trigger scale-up: 1 max node group size reached", reason="NotTriggerScaleUp"),
        ],
        NO_LIMITS,
        Wait.NO_MACHINE,
        "; autoscaler: pod didn't trigger scale-up: 1 max node group size reached",
    ),
    "there was no machine, and now its queue is full": (
        [pod(UNSCHEDULABLE)],
        [event(NO_NODE), event(FULL, "2026-11-25T15:52:00.000000Z")],
        NO_LIMITS,
        Wait.QUEUE_FULL,
        "queue root.acme.full is full",
    ),
    "its queue was full, and now there is no machine": (
        [pod({**UNSCHEDULABLE, "lastTransitionTime": "2026-11-25T15:52:00Z"})],
        [event(FULL)],
        NO_LIMITS,
        Wait.NO_MACHINE,
        "no machine takes a pod of it",
    ),
    "others run": (
        [pod()],
        [],
        LIMITS,
        Wait.MAX_APPLICATIONS,
        "max_applications is 1 in root.acme.apps",
    ),
    "nobody said anything": ([pod()], [], NO_LIMITS, Wait.SCHEDULER, "has not said why"),
    "what limits there are is not known": ([pod()], [], None, Wait.SCHEDULER, "has not said why"),
    "its image is not there": (
        [
            pod(
                node="arm-1",
                waits={"reason": "ImagePullBackOff", "message": 'Back-off pulling "acme/x:1"'},
            )
        ],
        [],
        LIMITS,
        Wait.IMAGE,
        'ImagePullBackOff: Back-off pulling "acme/x:1"',
    ),
    "it starts": (
        [pod(node="arm-1", waits={"reason": "ContainerCreating"})],
        [],
        LIMITS,
        Wait.START,
        "its driver is on machine arm-1, and starts",
    ),
    "it has no pod": ([], [], LIMITS, Wait.SUBMISSION, "the operator has it"),
}


@pytest.mark.parametrize("scene", SCENES)
def test_what_an_application_waits_for(scene):
    pods, events, limits, word, words = SCENES[scene]

    seen = pending(pods, events, limits)

    assert seen.word is word
    assert words in seen.message
    assert "\n" not in seen.message


def test_the_limits_of_a_queue_are_those_on_the_way_to_it_that_hold_for_the_user():
    def leaf(project, most):
        return Leaf(
            organization="acme", project=project, tier=3, maximum=Resources.of(cpu="9"), max_applications=most
        )

    queues = yaml.safe_load(queues_yaml(grow([leaf("reports", 2), leaf("adhoc", 7)])))
    [partition] = queues["partitions"]
    partition["queues"][0]["limits"] = [
        {"limit": "", "users": ["bob"], "maxapplications": 3},
        {"limit": "", "groups": ["data"], "maxapplications": 5},
    ]

    of_ann = application_limits(queues, "root.acme.reports.tier3", "ann", ["data"])
    of_bob = application_limits(queues, "root.acme.reports.tier3", "bob", [])

    assert of_ann == [
        ApplicationLimit("root", 5, "group data"),
        ApplicationLimit("root.acme.reports.tier3", 2),
    ]
    assert of_bob[0] == ApplicationLimit("root", 3, "bob")


@pytest.mark.parametrize("queues", [None, "", [], {}, {"partitions": None}])
def test_queues_that_could_not_be_read_have_no_limits(queues):
    assert application_limits(queues, "root.acme", "ann", []) == []
