from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.usage import merge
from moka.usage.records import JOB_STATES, OUTCOMES, Application, Attempt, Gap, Interval, Job, Usage

TEXT = st.sampled_from(["", "a", "b"])
NUMBER = st.integers(0, 5)
MAYBE = st.none() | NUMBER

applications = st.builds(
    Application,
    cluster=st.just("spark-a"),
    application=st.sampled_from(["daily-1", "daily-2"]),
    submitted=st.integers(0, 1),
    started=MAYBE,
    finished=MAYBE,
    user_name=TEXT,
    workflow=TEXT,
    queue=TEXT,
    organization=TEXT,
    project=TEXT,
    tier=st.integers(0, 3),
    namespace=TEXT,
    usage=st.lists(
        st.builds(
            Usage,
            kind=st.sampled_from(["used", "preempted", "placeholder"]),
            instance_type=TEXT,
            cpu=NUMBER,
            memory=NUMBER,
            gpu=NUMBER,
        ),
        max_size=2,
    ).map(tuple),
    outcome=st.sampled_from(OUTCOMES),
    sources=st.lists(st.sampled_from(["summary", "completed", "archer"]), max_size=2).map(tuple),
)
intervals = st.builds(
    Interval,
    cluster=st.just("spark-a"),
    queue=TEXT,
    workflow=TEXT,
    began=NUMBER,
    ended=NUMBER,
    cpu=NUMBER,
    memory=NUMBER,
    gpu=NUMBER,
    applications=NUMBER,
    allocations=NUMBER,
)
jobs = st.builds(
    Job,
    cluster=TEXT,
    job=st.sampled_from(["0a", "0b"]),
    accepted=NUMBER,
    ended=NUMBER,
    name=TEXT,
    user_name=TEXT,
    workflow=TEXT,
    queue=TEXT,
    organization=TEXT,
    project=TEXT,
    tier=st.integers(1, 3),
    state=st.sampled_from(JOB_STATES),
    reason=TEXT,
    attempts=st.lists(
        st.builds(
            Attempt,
            number=st.integers(1, 2),
            cluster=TEXT,
            application=TEXT,
            submitted=NUMBER,
            started=MAYBE,
            ended=MAYBE,
            state=st.sampled_from(["", *JOB_STATES]),
            reason=TEXT,
        ),
        max_size=2,
    ).map(tuple),
)
gaps = st.builds(Gap, cluster=st.just("spark-a"), began=NUMBER, ended=NUMBER, says=TEXT)

KINDS = [
    (merge.applications, applications),
    (merge.intervals, intervals),
    (merge.gaps, gaps),
    (merge.jobs, jobs),
]


@pytest.mark.parametrize(("merged", "records"), KINDS)
def test_order_and_repetition_change_nothing(merged, records):
    @given(st.lists(records, max_size=5), st.randoms())
    def check(given_records, random):
        once = merged(given_records)
        again = given_records * 2
        random.shuffle(again)

        assert merged(again) == once == merged(once)
        assert [one.key for one in once] == sorted({record.key for record in given_records})

    check()


@pytest.mark.parametrize(("merged", "records"), KINDS)
def test_what_was_merged_before_is_merged_with_what_comes_late(merged, records):
    @given(st.lists(records, max_size=4), st.lists(records, max_size=4))
    def check(early, late):
        assert merged([*merged(early), *late]) == merged([*early, *late]) == merged([*merged(late), *early])

    check()


def test_each_column_keeps_what_says_more():
    one = Application(
        cluster="spark-a",
        application="daily-1",
        submitted=10,
        started=50,
        finished=90,
        queue="root.acme.etl.tier1",
        organization="acme",
        project="etl",
        tier=1,
        usage=(Usage(kind="used", instance_type="m5.xlarge", cpu=5, memory=1),),
        outcome="completed",
        sources=("summary",),
    )
    other = replace(
        one,
        started=20,
        finished=None,
        workflow="daily",
        usage=(Usage(kind="used", instance_type="m5.xlarge", cpu=3, memory=2),),
        outcome="failed",
        sources=("archer",),
    )

    [merged] = merge.applications([one, other])

    assert (merged.started, merged.finished, merged.waiting, merged.running) == (20, 90, 10, 70)
    assert (merged.workflow, merged.outcome, merged.sources) == ("daily", "failed", ("archer", "summary"))
    assert merged.usage == (Usage(kind="used", instance_type="m5.xlarge", cpu=5, memory=2),)


def test_an_id_that_comes_back_is_another_application():
    one = Application(cluster="spark-a", application="daily-1", submitted=10)

    assert len(merge.applications([one, replace(one, submitted=11), replace(one, cluster="spark-b")])) == 3
    with pytest.raises(ValueError, match="are two applications"):
        merge.application(one, replace(one, submitted=11))
