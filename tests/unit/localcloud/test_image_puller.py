"""What the image puller does for marked pods, on an API server of dictionaries."""

from aws_rules.images.pull import IMAGE_PLATFORM
from aws_rules.rule import Unknown, Violation
from localcloud.control_plane.image_pulls import LABEL, PULLED, REFUSED, UNDECIDED
from localcloud.image_puller import Puller, events, images, waiting_status

REFUSAL = Violation(
    rule=IMAGE_PLATFORM,
    resource="image bad:1 on node group arm",
    code="ErrImagePull",
    message="no match for platform in manifest: not found",
    remedy="take another",
)
GROUP_LABEL = "eks.amazonaws.com/nodegroup"


class Api:
    """Nodes of two groups, and the ConfigMap of pulled images."""

    def __init__(self):
        self.merged, self.created = [], []
        self.known = {"metadata": {"resourceVersion": "1"}, "data": {"images": "", "round": "a"}}
        self.pods = []

    def get(self, path):
        if path == PULLED:
            return self.known
        name = path.rpartition("/")[2]
        return {"metadata": {"name": name, "labels": {GROUP_LABEL: name.rpartition("-")[0]}}}

    def list(self, path, **query):
        return self.pods

    def merge(self, path, change):
        self.merged.append((path, change))
        if path == PULLED:
            self.known["data"] |= change["data"]

    def create(self, path, manifest):
        self.created.append(manifest)


def pod(*names, node="arm-1", state=UNDECIDED, inits=()):
    def containers(names):
        return [{"name": f"c{number}", "image": name} for number, name in enumerate(names)]

    return {
        "metadata": {"name": "p", "namespace": "n", "uid": "u", "labels": {LABEL: state}},
        "spec": {"nodeName": node, "containers": containers(names), "initContainers": containers(inits)},
        "status": {"conditions": [{"type": "PodScheduled", "status": "True"}]},
    }


def puller(api, asked=None, noted=None):
    def decide(image, group, others):
        if asked is not None:
            asked.append((image, group))
        if image == "unknown:1":
            return [Unknown(rule=IMAGE_PLATFORM, resource="image unknown:1", lacks="its architectures")]
        return [REFUSAL] if (image, group) == ("bad:1", "arm") else []

    return Puller(api, decide, lambda: ["arm", "intel"], (noted if noted is not None else []).append)


def labels(api):
    return [c["metadata"]["labels"][LABEL] for p, c in api.merged if "labels" in c.get("metadata", {})]


def test_a_pod_whose_images_every_group_can_pull_runs_and_so_do_all_later_ones():
    api = Api()

    puller(api).pod(pod("good:1"))

    assert labels(api) == [None]
    assert api.known["data"]["images"] == "good:1"


def test_a_pod_whose_image_cannot_be_pulled_waits_with_kubelets_words():
    api = Api()

    puller(api).pod(pod("bad:1"))

    assert labels(api) == [REFUSED]
    [(_, change)] = [(p, c) for p, c in api.merged if p.endswith("/status")]
    [container] = change["status"]["containerStatuses"]
    assert container["state"]["waiting"] == {
        "reason": "ImagePullBackOff",
        "message": 'Back-off pulling image "bad:1": ErrImagePull: no match for platform in manifest: not '
        "found (take another)",
    }
    assert [event["reason"] for event in api.created] == ["Pulling", "Failed", "Failed", "BackOff", "Failed"]
    assert api.known["data"]["images"] == ""


def test_on_another_group_the_same_image_may_be_fine():
    api = Api()

    puller(api).pod(pod("bad:1", node="intel-1"))

    assert labels(api) == [None]
    assert api.known["data"]["images"] == ""


def test_a_pod_without_a_machine_is_left_to_wait():
    api = Api()

    puller(api).pod(pod("bad:1", node=None))

    assert api.merged == []


def test_what_a_rule_does_not_know_is_noted_and_the_pod_runs():
    api, noted = Api(), []

    puller(api, noted=noted).pod(pod("unknown:1"))

    assert labels(api) == [None]
    assert {unknown.lacks for unknown in noted} == {"its architectures"}


def test_each_image_is_decided_once_for_each_group_until_all_is_decided_anew():
    api, asked = Api(), []
    decider = puller(api, asked)

    decider.pod(pod("bad:1"))
    decider.pod(pod("bad:1"))
    assert asked == [("bad:1", "arm")]

    api.known["data"]["round"] = "b"
    decider.pod(pod("bad:1"))
    assert asked == [("bad:1", "arm")] * 2


def test_a_refused_pod_is_tried_again_and_runs_once_it_can():
    api = Api()
    decider = puller(api)
    decider.pod(pod("bad:1"))
    api.pods = [pod("bad:1", state=REFUSED)]

    decider._decide = lambda image, group, others: []
    decider.retry()

    assert labels(api)[-1] is None


def test_a_pod_waits_in_the_first_init_container_whose_image_is_refused():
    waiting = waiting_status(pod("good:1", inits=("good:1", "bad:1")), {"bad:1": REFUSAL}, "now")

    assert [c["state"]["waiting"]["reason"] for c in waiting["initContainerStatuses"]] == [
        "PodInitializing",
        "ImagePullBackOff",
    ]
    assert waiting["containerStatuses"][0]["state"]["waiting"]["reason"] == "PodInitializing"
    assert waiting["conditions"][0] == {"type": "PodScheduled", "status": "True"}


def test_an_image_of_several_containers_is_one_pull():
    assert images(pod("a:1", "a:1", inits=("b:1",))) == ["b:1", "a:1"]


def test_events_are_those_of_kubelet_on_the_pods_node():
    first = events(pod("bad:1"), {"bad:1": REFUSAL}, "now")[0]

    assert first["source"] == {"component": "kubelet", "host": "arm-1"}
    assert first["message"] == 'Pulling image "bad:1"'
