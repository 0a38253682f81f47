"""Nothing overlaps, and nothing runs over, in the drawing of any environment."""

import re
from xml.etree import ElementTree

import pytest

from benchmarks.fleet import settings_of
from drawing.as_svg import as_svg
from drawing.folding import fold_alike
from drawing.from_previews import mark
from drawing.from_settings import picture
from stacks.slices import slices
from tests.support import pictures
from tests.support.pictures import environment
from tests.support.svg_geometry import lines, mistakes

LONG = "a-name-that-takes-all-that-is-allowed-of-it-and-then-some-more"


def fleet():
    def change(document):
        document.clear()
        document.update(settings_of(20))

    return environment("local", change)


@pytest.mark.parametrize("name", pictures.ENVIRONMENTS)
def test_every_environment_is_drawn_without_overlaps(name):
    assert mistakes(as_svg(picture(environment(name)))) == []


@pytest.mark.parametrize("name", ["prod", "staging"])
def test_every_stack_of_an_environment_is_drawn_without_overlaps(name):
    settings = environment(name)

    for piece in slices(settings).values():
        assert mistakes(as_svg(picture(settings, piece.stack))) == []


def test_twenty_clusters_are_drawn_without_overlaps_folded_or_not():
    many = picture(fleet())

    assert mistakes(as_svg(many)) == []
    assert mistakes(as_svg(fold_alike(many))) == []


def test_marks_overlap_nothing():
    drawn = as_svg(mark(picture(pictures.changed_settings()), [pictures.changed_preview()]))

    assert "removed" in drawn and mistakes(drawn) == []


def test_layers_in_slices_of_their_own_are_drawn_without_overlaps():
    def change(document):
        document["slices"] = {
            "base": {"layers": ["foundation", "cluster"]},
            "shuffle": {"layers": ["shuffle", "ingress"]},
            "rest": {"layers": ["scheduling", "spark", "logs", "metrics", "history", "database", "archer"]},
        }

    drawn = as_svg(picture(environment("two-accounts", change)))

    assert mistakes(drawn) == []
    assert "spark/spark-eu reads shuffle/spark-eu, of another stack" in drawn


def test_long_names_and_many_instance_types_stay_in_their_boxes():
    def change(document):
        cluster = document["clusters"].pop("spark-a")
        groups = cluster["node_groups"]
        groups["executor-arm64"]["instance_types"] = [
            f"r{generation}g{kind}.{size}xlarge"
            for generation in (6, 7, 8)
            for kind in ("", "d")
            for size in (4, 8, 16)
        ]
        groups["executor-arm64"]["disk"] = {"gib": 700, "mibps": 500}
        groups["executor-of-a-long-name-team-2"] = groups.pop("executor-amd64")
        gateway = document["foundations"]["main"]["network"]["transit_gateway"]
        gateway["cidrs"] += [f"10.{number}.0.0/16" for number in range(100, 130)]
        document["clusters"]["a-cluster-with-a-long-name"] = cluster
        document["home"] = "a-cluster-with-a-long-name"

    drawn = as_svg(picture(environment("local", change)))

    assert mistakes(drawn) == []
    assert "…" in drawn


def test_an_existing_network_and_retiring_generations_are_drawn_without_overlaps():
    zones = [f"us-east-1{letter}" for letter in "abc"]
    subnets = {zone: f"subnet-{number:017x}" for number, zone in enumerate(zones)}

    def change(document):
        foundation = document["foundations"]["main"]
        del foundation["network"]
        foundation["existing_network"] = {"vpc": f"vpc-{1:017x}", "private_subnets": subnets}
        group = document["clusters"]["spark-a"]["node_groups"]["driver-arm64"]
        group.update(generation=3, retiring={1: {"instance_types": ["r6g.2xlarge"]}})

    drawn = as_svg(picture(environment("local", change)))

    assert mistakes(drawn) == []
    assert "driver-arm64-g3" in drawn and "retiring" in drawn and "which exists already" in drawn


def test_no_line_runs_over_text_though_every_reading_has_one():
    drawn = as_svg(picture(environment("two-accounts")))

    assert len(list(lines(ElementTree.fromstring(drawn)))) > 40
    assert "spark/spark-eu reads foundation/us" in drawn


@pytest.mark.parametrize(
    ("pattern", "replacement", "message"),
    [
        (r">internet gateway</text>", f">{LONG}</text>", f"'{LONG}' is not in 'internet gateway'"),
        (r'(<rect class="area" x="[\d.]+" y=")', r"\g<1>9", "is not in"),
        (r'<text (x="[\d.]+" y="[\d.]+">driver-arm64)', r'<text dx="0" \1 and more and more', "is over"),
        (r'<path class="reads" d="M[\d.]+ ', '<path class="reads" d="M120 ', "is over 'cluster'"),
    ],
)
def test_what_would_be_wrong_is_noticed(pattern, replacement, message):
    drawn, number = re.subn(pattern, replacement, as_svg(picture(environment("local"))))

    assert number and any(message in mistake for mistake in mistakes(drawn))
