"""A preview of the real engine, drawn."""

import pytest

from drawing.from_previews import mark
from drawing.from_settings import picture
from drawing.model import count
from previews import read
from stacks import settings
from tests.support.pulumi_stack import PulumiStack


@pytest.mark.parametrize("stream", ["false", "true"], ids=["document", "events"])
def test_every_unit_and_part_of_an_environment_that_is_not_there_yet_is_drawn_as_created(engine, stream):
    engine.select("local")
    copy = str(engine.config_file("local"))
    printed = PulumiStack(engine, "local").run(
        "preview", "--json", "--config-file", copy, PULUMI_ENABLE_STREAMING_JSON_PREVIEW=stream
    )

    drawn = mark(picture(settings.load("local")), [read(printed)])

    [foundation] = drawn.foundations
    [cluster] = foundation.clusters
    parts = [*foundation.data, *foundation.network.zones, *foundation.network.ways, *cluster.node_groups]
    addresses = {part.address for part in (*drawn.layers, *parts, foundation.network)}
    assert drawn.marks.keys() == addresses
    assert {tuple(count(changes)) for changes in drawn.marks.values()} == {("create",)}
    assert drawn.remarks[1:] == (
        "In no layer, and not drawn: provider aws main, provider kubernetes spark-a.",
    )
