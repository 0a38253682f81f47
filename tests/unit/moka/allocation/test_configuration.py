"""What the allocator is told of its environment."""

import gzip
import json

import pytest

from moka.allocation import configuration
from moka.allocation.configuration import Configuration
from moka.mistakes import InvalidDocument
from moka.queues import calendar_file, queue_file
from moka.queues.resources import Resources
from tests.support.plans import ETL1, QUEUES, settings

OURS = settings(schedule={"night": {"cron": "0 20 * * *", "maximum": 5}}, by_itself=True)


def make(**changes):
    place = {
        "machine": "m7g.4xlarge",
        "types": {
            "m7g.4xlarge": {"cpu": 10_000, "memory": 20 * 1024, "usd": 1.5},
            "big": {"cpu": 1, "memory": 1},
        },
        "machines": 10,
        "capacity": {"cpu": "100", "memory": "200Gi", "gpu": "2"},
        "zones": ("us-east-1a",),
        "calendar": calendar_file.dumps(OURS.calendar),
    }
    data = {
        "environment": "prod",
        "archer": {"url": "https://archer.example", "region": "us-east-1"},
        "history": {"bucket": "usage", "region": "us-east-1"},
        "night": {"cron": "0 3 * * *", "engine": "cp-sat", "days": 30, "seed": 1, "seconds": 120},
        "queues": queue_file.dumps(OURS.queues),
        "bounds": {"by_itself": True},
        "clusters": {"batch-a": place | changes.pop("place", {})},
    }
    return data | changes


def packed(data):
    return gzip.compress(json.dumps(data).encode())


def test_what_is_written_is_read_and_equal_ones_are_equal_bytes():
    ours = Configuration.model_validate(make())

    content = configuration.dumps(ours)
    read = configuration.loads(content, "file")

    assert read == ours and configuration.dumps(read) == content
    assert read.offers["batch-a"].settings == OURS
    assert read.offers["batch-a"].settings.digest == OURS.digest
    assert read.offers["batch-a"].cluster.capacity == Resources.of(cpu="100", memory="200Gi")


def test_a_report_is_held_against_what_the_queues_have():
    [size] = configuration.loads(packed(make()), "file").sizes.values()

    assert (size.name, size.machine, size.reference.usd) == ("batch-a", "m7g.4xlarge", 1.5)
    assert size.resources == Resources.of("100", "200Gi", 2)
    assert size.queues[ETL1].guaranteed == Resources.of(cpu="20", memory="40Gi")


def test_keys_of_a_later_version_are_read_over():
    later = make(place={"racks": 3}, forecast={"days": 7})
    later["night"] |= {"effort": "great"}

    assert configuration.loads(packed(later), "file") == Configuration.model_validate(make())


def test_two_thousand_queues_on_twenty_clusters_are_small_for_a_config_map():
    organizations = {
        f"org-{one}": {
            "projects": {
                f"project-{other}": {
                    "tiers": {
                        tier: {"guaranteed": {"cpu": str(other + 1), "memory": "7Gi"}} for tier in (1, 2, 3)
                    }
                }
                for other in range(35)
            }
        }
        for one in range(20)
    }
    queues = queue_file.dumps(type(OURS.queues).model_validate({"organizations": organizations}))
    place = make()["clusters"]["batch-a"]
    whole = Configuration.model_validate(
        make(queues=queues, clusters={f"batch-{one}": place for one in range(20)})
    )

    # Of 1 MiB, in base64 (https://kubernetes.io/docs/concepts/configuration/configmap/).
    assert len(configuration.dumps(whole)) * 4 / 3 < 2**20 / 10


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{}", r"file is no gzip \(.*\): deploy the platform again\."),
        (gzip.compress(b"{}")[:-6], "file is no gzip"),
        (gzip.compress(b"{}")[:12] + b"xxxxxxxxxxxxxxx", "file is no gzip"),
        (gzip.compress(b"{"), "file: it: Invalid JSON: .*; deploy the platform again"),
        (packed({}), "file: environment: Field required; deploy the platform again"),
        (packed(make(clusters={})), "file: clusters: .* at least 1 item"),
        (
            packed(make(night=make()["night"] | {"engine": "dice"})),
            "file: night.engine: Input",
        ),
        (packed(make(bounds={"most": 3})), "file: bounds.most: Extra inputs are not permitted"),
        (
            packed(make(place={"machine": "x"})),
            "file: clusters.batch-a: .* machine is 'x', which",
        ),
        (packed(make(place={"machines": 0})), "file: batch-a has a capacity of 0 machines"),
        (packed(make(queues="{}")), "file: queues"),
        (packed(make(place={"calendar": "{}"})), "file: clusters.batch-a.calendar: format: "),
    ],
    ids=[
        "no gzip",
        "cut off",
        "damaged",
        "half of it",
        "nothing",
        "no clusters",
        "an engine",
        "a bound",
        "a machine",
        "no machines",
        "queues",
        "a calendar",
    ],
)
def test_a_broken_file_is_a_sentence(content, says):
    with pytest.raises(InvalidDocument, match=says):
        configuration.loads(content, "file")


def test_queues_are_those_of_the_settings():
    assert set(configuration.loads(packed(make()), "file").offers["batch-a"].queues) == {
        f"root.{organization}.{project}.tier{tier}"
        for organization, projects in QUEUES["organizations"].items()
        for project, tiers in projects["projects"].items()
        for tier in tiers["tiers"]
    }
