"""Steps of a ledger that end anywhere, and two writers that meet anywhere, with moto's S3."""

import itertools

import pytest

from moka.usage import places
from moka.usage.places import Part
from moka.usage.records import GAPS, Gap
from services.usage_recorder import parquet
from services.usage_recorder.bucket import FAILURES, Bucket, PreconditionFailed
from services.usage_recorder.ledger import Addition, InvalidState, Ledger, Superseded
from tests.unit.services.usage_recorder.stage import BEGAN, CLUSTER, EKS_CLUSTER, Cut, Killed

DAY = places.day_of(BEGAN)
DEATHS, MEETINGS = 18, 11
"""Requests of what is cut off in tests, and one more, which is none."""


@pytest.fixture
def ledger(stage):
    writers = itertools.count()
    return lambda client=None: Ledger(stage.bucket(client), EKS_CLUSTER, f"w{next(writers)}")


@pytest.fixture
def addition(tmp_path):
    """A part with rows of its own, of a table that is easy to count."""
    numbers = itertools.count()

    def make(number, *began, replaces=()):
        file = tmp_path / f"{next(numbers)}.parquet"
        gaps = [Gap(cluster=CLUSTER, began=at, ended=at + 1, says="") for at in began]
        parquet.write(GAPS, (gap.row() for gap in gaps), file)
        return Addition(Part(table="gaps", day=DAY, cluster=CLUSTER, number=number).key, file, replaces)

    return make


def began(stage):
    return [row["began"] for row in stage.rows(GAPS)]


def test_what_is_saved_is_found_by_the_next_one(stage, ledger, addition):
    one = ledger()
    assert one.open() == {}
    one.complete(one.step({"at": 1}, [addition(1, 10), addition(2, 20)]))

    assert ledger().open() == {"at": 1}
    assert began(stage) == [10, 20]
    assert not stage.keys(places.staged_prefix(EKS_CLUSTER))


def test_before_the_state_is_saved_no_question_sees_its_parts(stage, ledger, addition):
    cut = Cut(stage.client)
    one = ledger(cut)
    one.open()
    cut.after = cut.requests + 1
    with pytest.raises(Killed):
        one.complete(one.step({"at": 1}, [addition(1, 10)]))

    assert stage.keys(places.staged_prefix(EKS_CLUSTER))
    assert began(stage) == []


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("dies", range(DEATHS))
def test_wherever_a_writer_ends_its_successor_has_all_of_a_step_or_nothing(
    stage, ledger, addition, dies, late
):
    cut = Cut(stage.client)
    cut.after, cut.late = dies, late
    try:
        one = ledger(cut)
        one.open()
        one.complete(one.step({"rows": [10, 11, 12]}, [addition(1, 10, 11), addition(2, 12)]))
        parts = [Part(table="gaps", day=DAY, cluster=CLUSTER, number=n).key for n in (1, 2)]
        one.complete(one.step({"rows": [10, 11, 12, 13]}, [addition(3, 10, 11, 12, 13, replaces=parts)]))
        one.complete(one.step({"rows": [10, 11, 12, 13, 14]}, [addition(4, 14)]))
        assert cut.requests == dies == DEATHS - 1
    except Killed:
        pass

    content = ledger().open()

    assert began(stage) == content.get("rows", [])
    assert not stage.keys(places.staged_prefix(EKS_CLUSTER))


@pytest.mark.parametrize("told", range(4))
def test_a_step_whose_answers_are_lost_is_done_once(stage, ledger, addition, told):
    cut = Cut(stage.client)
    one = ledger(cut)
    one.open()
    step = one.step({"at": 1}, [addition(1, 10)])
    cut.requests, cut.after, cut.told, cut.late = 0, told, True, True
    try:
        one.complete(step)
    except FAILURES:
        cut.after = None
        one.complete(step)
    cut.after = None

    one.complete(one.step({"at": 2}, [addition(2, 20)]))
    assert began(stage) == [10, 20]
    assert ledger().open() == {"at": 2}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("meets", range(MEETINGS))
def test_wherever_two_writers_meet_one_saves_and_nothing_is_there_twice(
    stage, ledger, addition, meets, after
):
    """The other one does all of its work while a request of the first one is held up."""
    other = ledger()

    class Held(Cut):
        def __getattr__(self, name):
            real = super().__getattr__(name)
            if name == "get_paginator":
                return real

            def request(**arguments):
                if self.requests != meets:
                    return real(**arguments)
                if not after:
                    self.requests += 1
                    _work(other, addition, 3)
                    return getattr(self._client, name)(**arguments)
                answer = real(**arguments)
                _work(other, addition, 3)
                return answer

            return request

    one, rows = ledger(Held(stage.client)), []
    try:
        one.open()
        for number in (1, 2):
            step = one.step({"rows": [*rows, number]}, [addition(number, number)])
            one.complete(step)
            rows.append(number)
    except Superseded:
        with pytest.raises(Superseded):
            one.complete(one.step({"rows": []}, [addition(9, 9)]))

    assert began(stage) == ledger().open()["rows"]
    assert not stage.keys(places.staged_prefix(EKS_CLUSTER))


def _work(ledger, addition, number):
    rows = ledger.open().get("rows", [])
    for more in (number, number + 1):
        ledger.complete(ledger.step({"rows": [*rows, more]}, [addition(more, more)]))
        rows = [*rows, more]


def test_what_was_moved_and_put_together_is_not_moved_once_more(stage, ledger, addition):
    """The first one wakes up between its save and its move, after the other one has put parts together."""
    one = ledger()
    one.open()
    step = one.step({"rows": [1]}, [addition(1, 1)])
    for move, part in zip(step.moves, step.additions, strict=True):
        stage.bucket().put(move.staged, part.file)
    one._put(step.body, step.number)
    step.saved = True

    other = ledger()
    assert other.open() == {"rows": [1]}
    [old] = stage.keys(places.prefix("gaps"))
    other.complete(other.step({"rows": [1, 2]}, [addition(5, 1, 2, replaces=[old])]))
    one.complete(step)

    assert began(stage) == [1, 2]
    with pytest.raises(Superseded):
        one.complete(one.step({}, []))


def test_a_later_writers_staged_parts_are_left_alone(stage, ledger, addition):
    late = ledger()
    late.open()
    other = ledger()
    other.open()
    step = other.step({"at": 1}, [addition(1, 10)])
    stage.bucket().put(step.moves[0].staged, step.additions[0].file)

    assert places.staged_number(step.moves[0].staged) > late.number
    other.complete(step)
    assert began(stage) == [10]


@pytest.mark.parametrize(
    ("body", "says"),
    [(b"{}", "is no state of a recorder"), (b"", "is no state of a recorder")],
)
def test_what_is_no_state_is_not_written_over(stage, ledger, body, says):
    stage.client.put_object(Bucket=stage.name, Key=places.state_key(EKS_CLUSTER), Body=body)

    with pytest.raises(InvalidState, match=says):
        ledger().open()
    assert stage.bucket().read(places.state_key(EKS_CLUSTER))[0] == body


def test_conditions_of_writes_are_those_of_s3(stage):
    """What moto answers is what AWS says: docs of `bucket.py`."""
    bucket: Bucket = stage.bucket()
    with pytest.raises(PreconditionFailed):
        bucket.put_over("key", b"a", '"0123"')
    tag = bucket.put_over("key", b"a", None)
    with pytest.raises(PreconditionFailed):
        bucket.put_over("key", b"b", None)
    assert bucket.put_over("key", b"b", tag) != tag
    with pytest.raises(PreconditionFailed):
        bucket.put_over("key", b"c", tag)
    bucket.delete(["key", "none"])
    bucket.put_over("key", b"d", None)
    assert bucket.read("key")[0] == b"d"
