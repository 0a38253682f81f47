"""What previews mark in a picture."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.from_previews import mark
from drawing.from_settings import picture
from drawing.model import count
from moka.mistakes import InvalidDocument
from tests.support import pictures
from tests.support.pictures import cluster_of, environment, read
from tests.support.preview_texts import root, step

SVG = "{http://www.w3.org/2000/svg}"
GROUP = "moka:aws:NodeGroup"


@pytest.fixture(scope="module")
def changed():
    """`local` as it would change."""
    return mark(picture(pictures.changed_settings()), [pictures.changed_preview()])


def marks(marked):
    return {address: count(changes) for address, changes in marked.marks.items()}


def edges(drawn):
    """First line of what a box says -> the kind of its edge."""
    boxes = [group for group in ElementTree.fromstring(drawn).iter(f"{SVG}g") if group.get("class") == "box"]
    return {
        box.findtext(f"{SVG}title").partition("\n")[0]: box.find(f"{SVG}rect").get("class").partition(" ")[2]
        for box in boxes
    }


def test_every_change_of_a_layer_is_counted_at_its_unit(changed):
    units = {address: numbers for address, numbers in marks(changed).items() if "#" not in address}

    assert units == {
        "foundation/main": {"update": 1},
        "cluster/spark-a": {"create": 2, "delete": 8},
        "scheduling/spark-a": {"update": 10},
        "ingress/spark-a": {"update": 4},
        "spark/spark-a": {"update": 23},
        "logs/spark-a": {"update": 2},
        "metrics/spark-a": {"update": 4},
        "history/spark-a": {"update": 6},
        "shuffle/spark-a": {"delete": 14},
    }


def test_buckets_and_node_groups_are_marked_for_themselves(changed):
    parts = {address: numbers for address, numbers in marks(changed).items() if "#" in address}

    assert parts == {
        "foundation/main#event-logs": {"update": 1},
        "cluster/spark-a#executor-x86": {"create": 2},
        "cluster/spark-a#executor-amd64": {"delete": 2},
        "cluster/spark-a#shuffle": {"delete": 6},
    }


def test_what_the_settings_have_no_more_is_drawn_as_removed(changed):
    cluster = cluster_of(changed, "spark-a")

    assert [group.name for group in cluster.node_groups if group.removed] == ["executor-amd64", "shuffle"]
    assert [layer.name for layer in cluster.layers if layer.removed] == ["shuffle"]


def test_the_edge_of_a_box_tells_what_becomes_of_it_as_a_whole(changed):
    kinds = edges(as_svg(changed))

    assert kinds["node group executor-x86"] == "create"
    assert kinds["node group executor-amd64"] == "delete"
    assert kinds["node group system"] == ""
    assert kinds["shuffle/spark-a"] == "delete"
    # Parts of it come and go, and it stays.
    assert kinds["cluster/spark-a"] == "update"
    assert kinds["event-logs"] == "update"


def test_text_and_drawing_tell_the_numbers(changed):
    assert as_text(changed).splitlines()[:3] == [
        "Environment local",
        "Preview of stack local: 2 created, 51 changed, 22 deleted.",
        "In no layer, and not drawn: provider kubernetes spark-a.",
    ]
    texts = [text.text for text in ElementTree.fromstring(as_svg(changed)).iter(f"{SVG}text")]
    assert Counter(texts)["−6"] == 1 and "~23" in texts


def test_the_parts_of_a_network_are_marked_for_themselves():
    network = "moka:aws:Network"
    preview = read(
        root("local"),
        step("local", "replace", "foundation", f"{network}$aws:ec2/subnet:Subnet", "main-pods-us-east-1b"),
        step("local", "create", "foundation", f"{network}$aws:ec2/vpcEndpoint:VpcEndpoint", "main-s3"),
        step("local", "update", "foundation", f"{network}$aws:ec2/vpc:Vpc", "main"),
        step("local", "update", "foundation", "moka:aws:FlowLogs$aws:ec2/flowLog:FlowLog", "main"),
        step(
            "local",
            "create",
            "foundation",
            f"{network}$aws:ec2transitgateway/vpcAttachment:VpcAttachment",
            "main",
        ),
    )

    numbers = marks(mark(picture(environment("local")), [preview]))

    assert numbers == {
        "foundation/main": {"create": 2, "update": 2, "replace": 1},
        "foundation/main#us-east-1b": {"replace": 1},
        "foundation/main#endpoints": {"create": 1},
        "foundation/main#network": {"update": 2},
        "foundation/main#transit-gateway": {"create": 1},
    }


def test_node_groups_of_all_zones_and_one_generation_are_one():
    names = [f"spark-a-driver-arm64-us-east-1{zone}" for zone in "abc"]

    def change(document):
        group = document["clusters"]["spark-a"]["node_groups"]["driver-arm64"]
        group.update(generation=2, retiring={1: {"instance_types": ["r6g.2xlarge"]}})

    preview = read(
        root("local"),
        *(step("local", "update", "cluster", GROUP, name) for name in names),
        *(step("local", "create", "cluster", GROUP, f"{name}-g2") for name in names),
    )

    numbers = marks(mark(picture(environment("local", change)), [preview]))

    assert numbers["cluster/spark-a#driver-arm64"] == {"update": 3}
    assert numbers["cluster/spark-a#driver-arm64-g2"] == {"create": 3}


def test_clusters_in_which_nothing_changes_are_folded_and_those_without_a_preview_say_so():
    settings = environment("prod")
    batch = step("prod.batch-a", "replace", "cluster", GROUP, "batch-a-executor-reserved")
    previews = [read(root("prod.batch-a"), batch), read(root("prod.batch-b")), read(root("prod.shared"))]

    drawn = mark(picture(settings), previews)

    assert [cluster_of(drawn, name).folded for name in settings.clusters] == [
        "",
        "7 node groups, 7 layers: nothing changes",
        "7 node groups, 7 layers: not previewed",
    ]
    assert drawn.remarks == (
        "Preview of stack prod.batch-a: 1 replaced.",
        "Preview of stack prod.batch-b: nothing changes.",
        "Preview of stack prod.shared: nothing changes.",
        "Not previewed: prod.adhoc-a.",
    )
    kinds = edges(as_svg(drawn))
    assert kinds["node group executor-reserved"] == "replace"
    assert kinds["cluster/batch-a"] == "update", "a cluster with a node group that is replaced is not"


def test_a_cluster_that_goes_is_drawn_on_the_foundation_whose_provider_made_it():
    provider = "urn:pulumi:world::moka::pulumi:providers:aws::eu::1234"
    preview = read(
        root("world", "cluster/old", "logs/old"),
        step(
            "world",
            "delete",
            "cluster",
            "moka:aws:Cluster$aws:iam/role:Role",
            "old-cluster",
            provider=provider,
        ),
        step("world", "delete", "cluster", GROUP, "old-system-eu-west-1a"),
        step("world", "delete", "logs", "moka:kubernetes:FluentBit", "old-fluent-bit"),
    )

    drawn = mark(picture(environment("two-accounts")), [preview])

    [_, eu] = drawn.foundations
    old = eu.clusters[-1]
    assert (old.name, old.removed, [layer.name for layer in old.layers]) == ("old", True, ["cluster", "logs"])
    assert [group.name for group in old.node_groups] == ["system"]
    assert edges(as_svg(drawn))["cluster old: removed"] == "delete"


def test_a_foundation_that_goes_is_drawn_too():
    deleted = step("local", "delete", "foundation", "moka:aws:Bucket", "ap-staging")

    drawn = mark(picture(environment("local")), [read(root("local", "foundation/ap"), deleted)])

    assert [account.name for account in drawn.accounts] == ["account 123456789012", "removed"]
    assert "foundation ap" in as_text(drawn) and "foundation ap" in as_svg(drawn)


def test_a_foundation_and_a_cluster_of_the_same_name_are_kept_apart():
    preview = read(
        root("test"),
        step("test", "create", "foundation", "moka:aws:Bucket", "main-staging"),
        step("test", "create", "cluster", "moka:aws:Cluster", "main"),
    )

    assert marks(mark(picture(environment("test")), [preview])).keys() == {
        "foundation/main",
        "foundation/main#staging",
        "cluster/main",
    }


def test_a_cluster_whose_name_begins_as_that_of_another_has_its_own_marks():
    def change(document):
        document["clusters"]["spark-a-b"] = document["clusters"]["spark-a"]

    preview = read(
        root("local"), step("local", "update", "logs", "moka:kubernetes:FluentBit", "spark-a-b-fluent-bit")
    )

    assert marks(mark(picture(environment("local", change)), [preview])) == {"logs/spark-a-b": {"update": 1}}


def test_a_preview_of_another_environment_is_refused():
    with pytest.raises(InvalidDocument) as refusal:
        mark(picture(environment("prod")), [read(root("local"))])

    assert str(refusal.value) == (
        "The preview is of stack local, and environment prod has prod.adhoc-a, prod.batch-a, prod.batch-b, "
        "prod.shared: give the previews of these, or draw local."
    )


@pytest.mark.parametrize(
    ("changed_step", "what"),
    [
        (
            step("local", "create", "cluster", GROUP, "spark-a-other-us-east-1a"),
            "cluster/spark-a, node group other",
        ),
        (step("local", "update", "logs", "moka:kubernetes:FluentBit", "spark-b-x"), "logs/spark-b"),
    ],
)
def test_a_preview_of_other_settings_is_refused(changed_step, what):
    preview = read(root("local", "cluster/spark-b"), changed_step)

    with pytest.raises(
        InvalidDocument, match=f"The preview has {what}, which the settings here do not have: draw"
    ):
        mark(picture(environment("local")), [preview])


def test_a_bucket_that_only_the_preview_knows_is_drawn_too():
    preview = read(root("local"), step("local", "create", "foundation", "moka:aws:Bucket", "main-notebooks"))

    [foundation] = mark(picture(environment("local")), [preview]).foundations

    assert (foundation.data[-1].name, foundation.data[-1].removed) == ("notebooks", False)


def test_two_previews_of_one_stack_are_refused():
    with pytest.raises(InvalidDocument, match=r"There are 2 previews of stack local: give one\."):
        mark(picture(environment("local")), [read(root("local")), read(root("local"))])


def test_without_a_change_everything_is_folded_and_the_picture_says_that_nothing_changes():
    drawn = mark(picture(environment("local")), [read(root("local"))])

    assert drawn.remarks == ("Preview of stack local: nothing changes.",)
    assert cluster_of(drawn, "spark-a").folded == "6 node groups, 10 layers: nothing changes"
