"""What of a preview is drawn: each resource that changes, once, in its layer."""

import pytest

from drawing.changes import changes_of
from previews import read
from tests.support.pictures import changed_preview
from tests.support.preview_texts import printed, root, step, streamed

BUCKET = "moka:aws:Bucket$aws:s3/bucket:Bucket"
NAMESPACE = "moka:kubernetes:Namespace"


def changed(*steps):
    changes = changes_of(read(printed(root("local"), *steps)))
    return [(resource.operation, resource.layer, resource.name) for resource in changes.changed]


def test_every_resource_of_a_real_preview_has_its_layer():
    changes = changes_of(changed_preview())

    assert (changes.stack, len(changes.changed)) == ("local", 75)
    assert [resource.title for resource in changes.changed if not resource.layer] == [
        "provider kubernetes spark-a"
    ]


@pytest.mark.parametrize(
    ("operations", "operation"),
    [
        (["create-replacement", "replace", "delete-replaced"], "replace"),
        (["import"], "create"),
        (["create"], "create"),
        (["update"], "update"),
        (["delete"], "delete"),
    ],
)
def test_a_resource_counts_once_whatever_steps_it_takes(operations, operation):
    steps = [step("local", name, "foundation", BUCKET, "main-staging") for name in operations]

    assert changed(*steps) == [(operation, "foundation", "main-staging")]


@pytest.mark.parametrize("operation", ["same", "read", "refresh", "discard"])
def test_what_stays_as_it_is_does_not_count(operation):
    assert changed(step("local", operation, "foundation", BUCKET, "main-staging")) == []


def test_a_resource_is_of_the_layer_that_registered_what_it_is_in():
    component = step("local", "create", "cluster", "moka:aws:NodeGroup", "spark-a-system")
    child = step("local", "create", "", "moka:aws:NodeGroup$eks:index:ManagedNodeGroup", "spark-a-system")
    component["newState"]["custom"] = False
    child["newState"] = {"parent": component["urn"], "custom": True}

    assert [layer for _, layer, _ in changed(component, child)] == ["cluster"]


def test_without_places_in_the_code_the_outputs_of_the_stack_tell_the_layer():
    stack = root("local")
    stack["oldState"]["outputs"] = {
        "logs/spark-a": {"resources": ["moka:kubernetes:Namespace::spark-a-logging"]},
        "spark/spark-a": {"resources": ["moka:kubernetes:Namespace::spark-a-logging-of-jobs"]},
    }
    child = step(
        "local", "delete", "", "moka:kubernetes:Namespace$kubernetes:core/v1:Namespace", "spark-a-logging"
    )
    child["oldState"] = {"custom": True}

    changes = changes_of(read(printed(stack, child)))

    assert [resource.layer for resource in changes.changed] == ["logs"]
    assert changes.deployed == {"logs/spark-a", "spark/spark-a"}


def test_in_a_stream_what_the_stack_would_have_tells_the_layer_of_what_is_new():
    text = streamed(
        root("local", "logs/spark-a"),
        step("local", "create", "", NAMESPACE, "spark-a-new"),
        step("local", "create", "", f"{NAMESPACE}$kubernetes:core/v1:Namespace", "spark-a-new"),
        outputs={"spark/spark-a": [f"{NAMESPACE}::spark-a-new"]},
    )

    changes = changes_of(read(text))

    assert {(resource.operation, resource.layer, resource.types[-1]) for resource in changes.changed} == {
        ("create", "spark", NAMESPACE),
        ("create", "spark", "kubernetes:core/v1:Namespace"),
    }
    assert changes.deployed == {"logs/spark-a"}
