from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localcloud.cloud import REPOSITORY
from moka.usage import places
from moka.usage.places import Part
from moka.usage.records import HOUR, Attempt, Job

DAY = date(2026, 11, 25)


def test_a_part_is_under_its_table_day_and_cluster():
    part = Part(table="profiles", day=DAY, cluster="spark-a", number=17)

    assert part.key == "usage/v1/profiles/day=2026-11-25/cluster=spark-a/part-00000017.parquet"
    assert part.key.startswith(places.prefix("profiles", DAY, "spark-a"))
    assert places.prefix("profiles", DAY).startswith(places.prefix("profiles"))


@given(
    st.builds(
        Part,
        table=st.sampled_from(["applications", "profiles", "gaps", "jobs"]),
        day=st.dates(min_value=date(2000, 1, 1)),
        cluster=st.from_regex(r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?", fullmatch=True),
        number=st.integers(1, 2**63 - 1),
    )
)
def test_a_key_tells_its_part(part):
    assert places.part(part.key) == part


@pytest.mark.parametrize(
    "key",
    [
        "usage/v2/profiles/day=2026-11-25/cluster=spark-a/part-00000017.parquet",
        "usage/v1/profiles/day=2026-02-30/cluster=spark-a/part-00000017.parquet",
        "usage/v1/profiles/day=2026-11-25/cluster=spark-a/part-17.parquet",
        "archer/history/v1/jobs/month=2026-01/part-01.parquet",
    ],
)
def test_other_keys_are_of_no_part(key):
    assert places.part(key) is None


def test_a_part_that_is_staged_is_in_no_table_and_tells_the_number_of_its_state():
    key = places.staged_key("spark-a", 17, "0a1b", 2)

    assert key == "usage/v1/recorders/spark-a/staged/00000017-0a1b-2.parquet"
    assert (places.part(key), places.staged_number(key)) == (None, 17)
    assert places.staged_number(Part(table="gaps", day=DAY, cluster="a", number=1).key) is None
    assert places.staged_number(places.state_key("spark-a")) is None


def test_all_that_a_recorder_writes_is_under_its_own_patterns():
    keys = [
        Part(table="gaps", day=DAY, cluster="spark-a", number=1).key,
        places.state_key("acme-prod-spark-a"),
        places.staged_key("acme-prod-spark-a", 1, "0a1b", 0),
    ]
    own, other = (
        [f"{pattern}*" for pattern in places.record_prefixes(cluster, f"acme-prod-{cluster}")]
        for cluster in ("spark-a", "spark-b")
    )

    assert all(any(fnmatchcase(key, pattern) for pattern in own) for key in keys)
    assert not any(fnmatchcase(key, pattern) for pattern in other for key in keys)
    # Jobs are Archer's.
    jobs = Part(table="jobs", day=DAY, cluster="spark-a", number=1).key
    assert not any(fnmatchcase(jobs, pattern) for pattern in own)


def job(name, **changes):
    return Job(cluster="spark-a", job=name, **{"accepted": 0, "ended": 1, "state": "failed", **changes})


def test_parts_of_jobs_have_one_number_only_if_they_have_the_same_jobs():
    one, other, third = (job(name) for name in ("0a", "0b", "0c"))

    assert places.number_of([one, other]) == places.number_of([other, one]) < 2**63
    numbers = [places.number_of(jobs) for jobs in ([one], [other], [one, other], [one, other, third])]
    assert len(set(numbers)) == 4


def test_a_job_is_beside_the_applications_that_it_had():
    attempt = Attempt(number=1, cluster="spark-a", application="a-1", submitted=2 * HOUR)
    ended = 50 * HOUR

    def days(*attempts):
        return [day.day for day in places.days_of(job("0a", ended=ended, attempts=attempts))]

    assert days() == [1]
    assert days(replace(attempt, started=3 * HOUR, ended=ended)) == [1]
    assert days(replace(attempt, started=25 * HOUR, ended=ended)) == [1, 2]
    # YuniKorn may have taken it until it ended, which nobody saw.
    assert days(attempt) == [1, 2, 3]
    assert days(replace(attempt, ended=HOUR * 3), replace(attempt, submitted=49 * HOUR, ended=ended)) == [
        1,
        3,
    ]


def test_fluent_bit_writes_summaries_where_they_are_looked_for():
    pipeline = (REPOSITORY / "charts-values" / "fluent-bit" / "pipeline.yaml").read_text()
    form = "/${CLUSTER}/yunikorn/%Y/%m/%d/%H%M%S-$UUID.jsonl.gz"
    assert f"s3_key_format: {form}\n" in pipeline

    key = f"{DAY:{form.removeprefix('/')}}".replace("${CLUSTER}", "acme-prod-a").replace("$UUID", "aB3dE6gH")

    assert key.startswith(places.summaries_prefix("acme-prod-a", DAY))
    assert places.summaries_of(key) == ("acme-prod-a", DAY)
    assert places.summaries_of(key.replace("/11/", "/13/")) is None


def test_a_day_is_utc():
    assert places.day_of(1_795_651_199_999) == date(2026, 11, 25)
    assert places.day_of(1_795_651_200_000) == date(2026, 11, 26)
