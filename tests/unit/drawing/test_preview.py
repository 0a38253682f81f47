"""What is taken from a preview, and which files are none."""

import contextlib
import copy
import json
from xml.etree import ElementTree

import pytest

from drawing import preview
from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.from_previews import mark
from drawing.from_settings import picture
from moka.mistakes import InvalidDocument
from tests.support.pictures import changed_preview, environment, printed, root, step, streamed

BUCKET = "moka:aws:Bucket$aws:s3/bucket:Bucket"


def changed(*steps):
    read = preview.read(printed(root("local"), *steps), "preview.json")
    return [(resource.operation, resource.layer, resource.name) for resource in read.changed]


def test_every_resource_of_a_real_preview_has_its_layer():
    read = changed_preview()

    assert (read.stack, len(read.changed)) == ("local", 88)
    assert [resource.title for resource in read.changed if not resource.layer] == [
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


@pytest.mark.parametrize("operation", ["same", "read", "refresh"])
def test_what_stays_as_it_is_does_not_count(operation):
    assert changed(step("local", operation, "foundation", BUCKET, "main-staging")) == []


def test_a_resource_is_of_the_layer_that_registered_what_it_is_in():
    component = step("local", "create", "cluster", "moka:aws:NodeGroup", "spark-a-system")
    child = step("local", "create", "", "moka:aws:NodeGroup$eks:index:ManagedNodeGroup", "spark-a-system")
    child["newState"] = {"parent": component["urn"]}

    assert [layer for _, layer, _ in changed(component, child)] == ["cluster", "cluster"]


def test_without_places_in_the_code_the_outputs_of_the_stack_tell_the_layer():
    stack = root("local")
    stack["oldState"]["outputs"] = {
        "logs/spark-a": {"resources": ["moka:kubernetes:Namespace::spark-a-logging"]},
        "spark/spark-a": {"resources": ["moka:kubernetes:Namespace::spark-a-logging-of-jobs"]},
    }
    child = step(
        "local", "delete", "", "moka:kubernetes:Namespace$kubernetes:core/v1:Namespace", "spark-a-logging"
    )
    child["oldState"] = {}

    read = preview.read(printed(stack, child), "preview.json")

    assert [resource.layer for resource in read.changed] == ["logs"]
    assert read.deployed == {"logs/spark-a", "spark/spark-a"}


NAMESPACE = "moka:kubernetes:Namespace"
STREAM = streamed(
    root("local", "logs/spark-a"),
    step("local", "create", "", NAMESPACE, "spark-a-new"),
    step("local", "create", "", f"{NAMESPACE}$kubernetes:core/v1:Namespace", "spark-a-new"),
    outputs={"spark/spark-a": [f"{NAMESPACE}::spark-a-new"]},
)


WHOLE = printed(
    root("local", "logs/spark-a"),
    step("local", "create", "logs", NAMESPACE, "spark-a-new", provider="urn:pulumi:a::b::c::d::1"),
    step("local", "delete", "foundation", BUCKET, "main-old"),
    diagnostics=[{"severity": "warning", "message": "x"}],
)
LOCAL = environment("local")


def test_the_stream_of_events_tells_the_same():
    read = preview.read(STREAM, "preview.json")

    assert [(resource.operation, resource.layer, resource.types[-1]) for resource in read.changed] == [
        ("create", "spark", NAMESPACE),
        ("create", "spark", "kubernetes:core/v1:Namespace"),
    ]
    assert (read.stack, read.deployed) == ("local", {"logs/spark-a"})


def test_what_a_policy_refuses_is_drawn_and_what_failed_otherwise_is_not():
    refused = {"diagnosticEvent": ERROR | {"message": "error: preview failed"}}
    violation = {"policyEvent": {"enforcementLevel": "mandatory", "message": "no"}}

    assert preview.read(streamed(root("local"), outputs={}, **refused, **violation), "x.json").changed == ()
    with pytest.raises(InvalidDocument, match="of a preview that failed"):
        preview.read(streamed(root("local"), outputs={}, **refused), "x.json")


ERROR = {"severity": "error", "message": "error: update failed\nwith more lines"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "x.json is no whole JSON document"),
        (printed(root("local"))[:60], "x.json is no whole JSON document"),
        (b"\xff\xfe", "x.json is no whole JSON document"),
        ("[" * 100_000, "x.json is no whole JSON document"),
        (f"{printed(root('local'))}\n{printed(root('local'))}", "x.json is no preview of the engine"),
        ("{}", "x.json is no preview of the engine, or it is one without steps: write it with"),
        ("[]", "x.json is no preview of the engine"),
        (
            printed(root("local"), changeSummary=None),
            "x.json has no summary, so the preview did not end: preview",
        ),
        (
            "\n".join(STREAM.splitlines()[:-1]),
            "x.json has no summary, so the preview did not end: preview again.",
        ),
        (
            printed(root("local"), changeSummary={"create": 2}),
            "x.json has 0 of 2 steps to create: it was cut off",
        ),
        (
            printed(root("local"), changeSummary={"create": "2"}),
            "x.json has no summary, so the preview did not",
        ),
        (STREAM[:-9], "x.json is no whole JSON document"),
        (
            '{"steps": [{"op": "same", "urn": "urn:pulumi:a::b::c::d", "newState": 7}]}',
            "x.json is no preview",
        ),
        (printed(), "x.json is no preview of the engine, or it is one without steps"),
        ('{"steps": [{"op": "create"}]}', "x.json is no preview of the engine"),
        ('{"steps": [{"op": "create", "urn": "urn:other"}]}', "x.json is no preview of the engine"),
        ('{"steps": {"0": 1}}', "x.json is no preview of the engine"),
        (
            printed(root("local"), diagnostics=[ERROR]),
            "x.json is of a preview that failed, put that right first: update failed",
        ),
        (
            printed(root("local"), step("local", "transmute", "spark", BUCKET, "x")),
            "x.json has operation 'transmute', which only another engine knows: preview with the one that",
        ),
        (
            printed(root("local"), root("prod.shared")),
            "x.json has steps of local, prod.shared: give a file for each stack.",
        ),
    ],
)
def test_what_is_no_preview_is_refused_in_one_sentence(content, message):
    with pytest.raises(InvalidDocument) as refusal:
        preview.read(content, "x.json")

    assert str(refusal.value).startswith(message) and "\n" not in str(refusal.value)


def places(value, path=()):
    """The way to everything in a document."""
    yield path
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


def put(document, path, junk):
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = junk
    return changed


@pytest.mark.parametrize("junk", [None, 7, "x", "\ud800", [], [[]], {}, {"a": {}}], ids=repr)
@pytest.mark.parametrize("form", ["document", "events"])
def test_whatever_stands_in_a_preview_it_is_drawn_or_refused(form, junk):
    text = WHOLE if form == "document" else STREAM
    lines = [json.loads(line) for line in text.splitlines()]

    for path in places(lines):
        if len(path) > 1:
            content = "\n".join(map(json.dumps, put(lines, path, junk)))
            with contextlib.suppress(InvalidDocument):
                drawn = mark(picture(LOCAL), [preview.read(content, "x.json")])
                ElementTree.fromstring(as_svg(drawn).encode())
                assert drawn.previewed and as_text(drawn).encode()


def test_warnings_are_no_failure():
    warning = {"severity": "warning", "message": "warning: unknown inputs"}

    assert preview.read(printed(root("local"), diagnostics=[warning]), "x.json").changed == ()
