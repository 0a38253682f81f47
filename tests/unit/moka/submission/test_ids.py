import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.submission.job_id import (
    NAME_LENGTH,
    application_name,
    attempt_in_name,
    id_text,
    lowest_id,
    new_id,
    parse_id,
    submitted_at,
)

TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,54}[a-z0-9])?", fullmatch=True)


@given(TIMES, st.integers(0, 2**74 - 1))
def test_an_id_is_a_uuid_of_version_7_and_its_text_is_read_back(at, random):
    job = lowest_id(at, random)

    assert (job.version, job.variant) == (7, "specified in RFC 4122")
    assert parse_id(id_text(job)) == job
    assert abs(submitted_at(job) - at) < timedelta(milliseconds=1)


@given(TIMES, TIMES, st.integers(0, 2**74 - 1))
def test_ids_and_their_texts_are_in_the_order_of_time(one, other, random):
    if one < other - timedelta(milliseconds=1):
        first, second = lowest_id(one, random), lowest_id(other)
        assert first < second
        assert id_text(first) < id_text(second)


@given(NAMES, st.integers(1, 999))
def test_an_application_has_a_name_that_kubernetes_takes_and_that_tells_its_attempt(name, attempt):
    job = new_id(datetime.now(UTC))

    made = application_name(name, job, attempt)

    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", made)
    assert len(made) <= NAME_LENGTH
    assert attempt_in_name(made) == (job, attempt)


@pytest.mark.parametrize("text", ["", "x", "w" * 26, "0" * 25 + "1", "0" * 27, "0" * 25 + "O", "../" * 9])
def test_what_is_no_id_is_none(text):
    assert parse_id(text) is None
    assert attempt_in_name(f"pi-{text}-1") is None
