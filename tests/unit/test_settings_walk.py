"""The changes that the walk of the soak makes: each is one that the settings take, and all are made."""

from copy import deepcopy
from itertools import islice

import pytest
import yaml

from stacks import settings
from tests.support.settings_walk import ENTRIES, MACHINES, TOGETHER, VALUES, legal, put, steps, walk

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
CHANGES = [*((place, value) for place, values in VALUES.items() for value in values), *ENTRIES.items()]


@pytest.mark.parametrize(("place", "value"), CHANGES, ids=[f"{place}={value}" for place, value in CHANGES])
def test_every_change_is_legal(place, value):
    changed = deepcopy(LOCAL)
    put(changed, place, deepcopy(value))

    assert legal(changed)


@pytest.mark.parametrize("words", TOGETHER)
def test_entries_that_belong_together_are_legal(words):
    changed = deepcopy(LOCAL)
    for place, entry in TOGETHER[words].items():
        put(changed, place, deepcopy(entry))

    assert legal(changed)


def test_a_walk_is_the_same_for_its_seed_and_another_for_others():
    one, again, other = (steps(LOCAL, seed, 10) for seed in (1, 1, 2))

    assert one == again
    assert [step.change for step in one] != [step.change for step in other]


def test_a_hundred_steps_are_changes_of_every_sort():
    places = {step.change.partition(": ")[0] for step in steps(LOCAL, 19, 100)}

    assert places & VALUES.keys() and places & ENTRIES.keys() and places & MACHINES.keys()
    assert places & TOGETHER.keys()
    assert "clusters.spark-b" in places
    assert len(places) > 40


def test_a_group_with_other_machines_is_a_generation_beside_the_one_before():
    [place] = [place for place in MACHINES if "executor" in place]
    changes = [*islice((step for step in walk(LOCAL, 17) if step.change.startswith(place + ": ")), 2)]
    first = changes[0].settings["clusters"]["spark-a"]["node_groups"]["executor-amd64"]

    assert first["generation"] == 2
    assert first["retiring"] == {"1": {"instance_types": ["r6i.4xlarge", "r5.4xlarge"]}}
    assert changes[1].change == f"{place}: without its generation before"
