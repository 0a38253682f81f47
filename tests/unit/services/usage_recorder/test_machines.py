"""Types of machines, from an API server that may be away."""

from services.usage_recorder.machines import PAUSE_SECONDS, Machines
from tests.unit.services.usage_recorder.stage import run


class Api:
    def __init__(self):
        self.asked, self.away = [], False

    async def get(self, path):
        self.asked.append(path)
        if self.away:
            raise OSError("nobody listens")
        node = path.rpartition("/")[2]
        return None if node == "gone" else {"metadata": {"labels": _labels(node)}}


def _labels(node):
    return {"node.kubernetes.io/instance-type": f"type of {node}"}


def test_each_node_is_asked_for_once_and_one_that_is_gone_is_of_no_type():
    api = Api()
    machines = Machines(api)
    for _ in "ab":
        run(machines.learn({"one", "gone", ""}))

    assert (machines.type_of("one"), machines.type_of("gone")) == ("type of one", "")
    assert sorted(api.asked) == ["/api/v1/nodes/gone", "/api/v1/nodes/one"]


def test_an_api_server_that_is_away_holds_up_no_events_and_is_asked_again():
    api, now = Api(), 0.0
    machines = Machines(api, clock=lambda: now)
    api.away = True
    run(machines.learn({"one", "two"}))
    asked = len(api.asked)
    run(machines.learn({"one", "two", "three"}))
    assert (len(api.asked), machines.type_of("one")) == (asked, "")

    api.away, now = False, PAUSE_SECONDS
    run(machines.learn({"one"}))
    assert machines.type_of("one") == "type of one"
