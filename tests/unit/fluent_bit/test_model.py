"""What is lost of logs, and what is not, in a model of a node: tests/support/fluent_bit_model.py.

Fluent Bit is not run here. A line of the model stands for a KiB or so; settings are ours, but for their size.
"""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moka.sizes.fluent_bit import behind_seconds, timer_seconds, upload_seconds
from tests.support.fluent_bit_model import Node, Settings

UPLOAD = upload_seconds(60)
OURS = Settings(upload=UPLOAD, timer=timer_seconds(UPLOAD), store=4000, queue=2000)
SMALL = replace(OURS, store=400, queue=200)
BEFORE = Settings(
    upload=300, timer=50, store=4000, queue=2000, refresh=10, rotate_wait=30, retry_limit=10, newest_only=True
)
"""What the configuration was before: links, and `Retry_Limit 10`."""

CONTAINERS = ("driver", "sidecar")
quick = settings(max_examples=40, deadline=None)

RATES = st.tuples(st.integers(0, 2), st.integers(0, 1))
PHASES = st.lists(st.tuples(st.integers(1, 90), RATES), min_size=1, max_size=8)
"""Seconds, and lines a second of each container."""


def run(node, seconds, rates=(0, 0)):
    for _ in range(seconds):
        node.step(dict(zip(CONTAINERS, rates, strict=True)))


def end(node):
    """S3 answers and Fluent Bit runs for as long as it takes to send all of it."""
    node.s3_answers = True
    node.start()
    run(node, 2 * node.settings.upload + 2 * int(node.second**0.5) + 400)
    assert node.kept == 0


def arrived(node):
    return Counter(line for line, _ in node.arrived)


@quick
@given(PHASES)
def test_while_s3_answers_no_line_is_further_behind_than_the_settings_say(phases):
    node = Node(OURS)
    for seconds, rates in phases:
        run(node, seconds, rates)
    end(node)

    assert arrived(node) == Counter(node.written)
    assert all(second - line.written <= behind_seconds(UPLOAD) for line, second in node.arrived)


@quick
@given(PHASES, st.lists(st.integers(1, 30), min_size=8, max_size=8), st.lists(st.booleans(), min_size=8))
def test_neither_restarts_nor_outages_within_the_bounds_lose_or_repeat_a_line(phases, absences, outages):
    node = Node(replace(OURS, queue=3000))
    for (seconds, rates), absence, answers in zip(phases, absences, outages, strict=False):
        node.s3_answers = answers
        run(node, seconds, rates)
        node.stop()
        run(node, absence, rates)
        node.start()
        run(node, OURS.refresh + 2)
    end(node)

    # Eight phases of 90 s and 30 s, 3 lines a second: less than the queue holds.
    assert arrived(node) == Counter(node.written)
    assert not node.evicted


@quick
@given(PHASES, st.lists(st.booleans(), min_size=8))
def test_a_kill_costs_one_open_record_of_each_file_at_most(phases, saved):
    node = Node(OURS)
    for (seconds, rates), offset_saved in zip(phases, saved, strict=False):
        run(node, seconds, rates)
        node.kill(offset_saved=offset_saved)
        run(node, 3, rates)
        node.start()
        run(node, OURS.refresh + 2)
    end(node)

    missing = set(node.written) - set(arrived(node))
    assert missing <= set(node.torn)
    assert len(missing) <= len(phases) * len(CONTAINERS)
    if not any(saved[: len(phases)]):
        assert not missing


@quick
@given(
    st.lists(
        st.tuples(
            st.integers(1, 150), st.tuples(st.integers(0, 30), st.integers(0, 9)), st.booleans(),
            st.sampled_from(["", "stop", "kill", "kill unsaved", "start", "remove"]),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_whatever_happens_each_line_arrives_or_is_counted_and_the_buffers_stay_within_their_bound(events):
    node = Node(SMALL)
    for seconds, rates, answers, event in events:
        node.s3_answers = answers
        run(node, seconds, rates)
        match event:
            case "stop":
                node.stop()
            case "kill" | "kill unsaved":
                node.kill(offset_saved=event == "kill")
            case "start":
                node.start()
            case "remove":
                node.remove("driver")
    end(node)

    lost = set(node.written) - set(arrived(node))
    assert lost <= {*node.evicted, *node.torn, *node.never_read}
    assert not node.given_up
    assert node.most_kept <= SMALL.store + SMALL.queue


def test_beyond_the_bound_the_oldest_lines_in_the_queue_go_and_are_counted():
    node = Node(SMALL)
    node.s3_answers = False
    run(node, 2 * (SMALL.store + SMALL.queue), (2, 0))
    end(node)

    assert len(node.evicted) > 0
    assert arrived(node) == Counter(node.written) - Counter(node.evicted)
    # What was in files before stays, and what came last.
    assert node.written[0] not in node.evicted
    assert node.written[-1] not in node.evicted


def test_an_outage_of_the_whole_bound_loses_nothing_and_the_first_upload_is_soon_after_it():
    node = Node(SMALL)
    node.s3_answers = False
    bound = SMALL.store + SMALL.queue
    run(node, bound // 2 - 10, (2, 0))
    back, node.s3_answers = node.second, True
    run(node, 2 * int(back**0.5) + OURS.timer)

    assert node.arrived
    end(node)
    assert arrived(node) == Counter(node.written)


def test_a_restart_in_an_outage_leaves_the_queue_only_for_what_comes_after_it():
    node = Node(SMALL)
    node.s3_answers = False
    run(node, 30, (2, 0))
    node.stop()
    node.start()
    before = len(node.written)
    run(node, (SMALL.store + SMALL.queue - before) // 2, (2, 0))
    end(node)

    missing = set(node.written) - set(arrived(node))
    assert missing == set(node.evicted)
    assert len(node.written) - before - len(missing) == pytest.approx(SMALL.queue, abs=10)


def test_two_rotations_while_it_is_away_lose_what_was_not_read_and_one_does_not():
    def absent(seconds):
        node = Node(OURS)
        run(node, 30, (2, 0))
        node.stop()
        run(node, seconds, (2, 0))
        end(node)
        return node

    assert not absent(OURS.log_size // 2 - 10).never_read
    node = absent(2 * OURS.log_size)
    assert len(node.never_read) > 0
    assert set(node.written) - set(arrived(node)) == set(node.never_read)


def test_logs_of_a_pod_that_is_deleted_while_it_is_away_are_lost_and_known_as_such():
    node = Node(OURS)
    node.stop()
    run(node, 10, (1, 0))
    node.remove("driver")
    end(node)

    assert node.never_read == node.written != []


@pytest.mark.parametrize("outage", [900, 3600])
def test_with_the_old_values_an_outage_loses_what_failed_ten_times(outage):
    losses = {}
    for name, values in {"old": BEFORE, "ours": OURS}.items():
        node = Node(values)
        run(node, 60, (1, 0))
        node.s3_answers = False
        run(node, outage, (1, 0))
        end(node)
        losses[name] = len(set(node.written) - set(arrived(node)))
        assert len(node.given_up) == losses[name]

    assert losses["ours"] == 0 < losses["old"]


def test_with_the_old_values_one_rotation_during_a_restart_loses_lines():
    losses = {}
    for name, values in {"old": BEFORE, "ours": OURS}.items():
        node = Node(values)
        run(node, 49, (2, 0))
        node.stop()
        run(node, 30, (2, 0))
        end(node)
        losses[name] = len(set(node.written) - set(arrived(node)))

    assert losses["ours"] == 0 < losses["old"]
