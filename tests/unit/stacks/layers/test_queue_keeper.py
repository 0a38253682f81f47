"""Whole environments: who keeps the queues is there where the settings have it, with what those say."""

import pytest
import yaml

from moka.queues import config_map, keeper_input, queues_yaml
from stacks import settings

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
LOCAL = yaml.safe_load(settings.path_of("local").read_text())


@pytest.fixture(scope="module")
def layer(layers):
    """Layer scheduling of an environment that is `local` but for its section `services`."""

    def make(**services):
        services = {**LOCAL["services"], **services}
        text = yaml.safe_dump({**LOCAL, "services": {name: s for name, s in services.items() if s}})
        environment = settings.parse(text, "stacks/local.yaml")
        return layers(environment, "scheduling")

    return make


def config_maps(recorder):
    return {one["metadata"]["name"]: one.get("data") for one in recorder.inputs(CONFIG_MAP)}


def test_with_all_nodes_what_it_is_given_comes_to_what_the_scheduler_is_given(whole):
    loaded, recorder = settings.load("dev"), whole("dev")
    [cluster] = loaded.clusters

    queues, calendar = keeper_input.read(config_maps(recorder)["queue-calendar"])
    assert calendar.scheduled
    text = queues_yaml(calendar.tree(queues, calendar.all_nodes)[0])
    assert text == queues_yaml(loaded.queue_tree(cluster))
    assert text == config_maps(recorder)["yunikorn-configs"][config_map.KEY]


def test_where_the_settings_leave_it_out_it_is_not_deployed(layer):
    recorder = layer(queue_keeper=None, allocator=None)

    assert "moka:kubernetes:QueueKeeper" not in recorder.types()
    assert "moka:kubernetes:QueueKeeperRole" not in recorder.types()
    assert "queue-calendar" not in config_maps(recorder)
