import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.usage.records import Usage
from moka.usage.summaries import COMPLETING_MILLIS, UNKNOWN, summaries
from tests.unit.moka.usage.recordings import CLUSTER, document, log_lines

PREFIX = (
    "2026-11-25T10:15:00.123Z\tINFO\tcore.scheduler.application.usage\tobjects/application_summary.go:60\t"
)
BEGAN = 1_764_065_000_000


def line(**changes):
    values = {
        "ApplicationID": "nightly-1",
        "SubmissionTime": BEGAN,
        "StartTime": BEGAN + 5_000,
        "FinishTime": BEGAN + 95_000,
        "User": "ada",
        "Queue": "root.acme.etl.tier2",
        "State": "Completed",
        "RmID": "mycluster",
        "ResourceUsage": "TrackedResource{r8g.4xlarge:vcore=240000,r8g.4xlarge:memory=480000000000}",
        "PreemptedResource": "TrackedResource{}",
        "PlaceholderResource": "TrackedResource{}",
        **changes,
    }
    return f"{PREFIX}YK_APP_SUMMARY: {{{', '.join(f'{key}: {value}' for key, value in values.items())}}}"


def read(*lines):
    return list(summaries(lines, CLUSTER))


def only(text):
    [summary] = read(text)
    return summary


def test_what_yunikorn_wrote_is_read_and_other_lines_are_left_out():
    daily, hourly, gang = (summary.record for summary in read(*log_lines()))

    assert (daily.application, daily.submitted, daily.user_name) == ("daily-1", 1795694815000, "ada")
    assert (daily.queue, daily.organization, daily.project, daily.tier) == (
        "root.acme.etl.tier1",
        "acme",
        "etl",
        1,
    )
    assert daily.usage == (Usage(kind="used", instance_type="UNKNOWN", cpu=84_000, memory=330_712_481_792),)
    assert hourly.waiting == 279
    # What placeholders held for the gang is apart.
    assert [(part.kind, part.cpu) for part in gang.usage] == [("placeholder", 28_000), ("used", 42_000)]


def test_the_end_is_that_of_the_last_pod_which_the_events_of_the_same_run_told():
    removals = [
        record["timestampNano"] // 1_000_000
        for record in document("events")["EventRecords"]
        if record["objectID"] == "daily-1" and record.get("eventChangeDetail") == 500
    ]

    assert read(*log_lines())[0].record.finished == max(removals)


def test_an_application_that_failed_has_ended_when_it_says():
    record = only(line(State="Failed")).record

    assert (record.outcome, record.finished) == ("failed", BEGAN + 95_000)


def test_amounts_are_by_type_of_machine_and_by_what_became_of_them():
    used = "m7g.4xlarge:memory=3,r8g.4xlarge:vcore=2,r8g.4xlarge:nvidia.com/gpu=7,r8g.4xlarge:pods=9"
    used = f"TrackedResource{{{used}}}"
    record = only(line(ResourceUsage=used, PreemptedResource="TrackedResource{m7g.4xlarge:vcore=5}")).record

    assert record.usage == (
        Usage(kind="preempted", instance_type="m7g.4xlarge", cpu=5),
        Usage(kind="used", instance_type="m7g.4xlarge", memory=3),
        Usage(kind="used", instance_type="r8g.4xlarge", cpu=2, gpu=7),
    )


def test_fluent_bit_changes_nothing():
    text = line()
    plain = json.dumps({"time": "2026-11-25T10:15:00.123456789Z", "stream": "stderr", "_p": "F", "log": text})
    in_containerds_form = json.dumps({"log": f"2026-11-25T10:15:00.123456789Z stderr F {text}"})

    assert read(plain, in_containerds_form) == [only(text)] * 2


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ({}, ["used"]),
        ({"preemptedResource": {"m5.xlarge": {"vcore": 4}}}, ["preempted", "used"]),
    ],
)
def test_the_json_of_1_3_and_1_4_is_read(more, kinds):
    fields = {
        "appID": "nightly-1",
        "submissionTime": BEGAN,
        "startTime": BEGAN + 1,
        "finishTime": BEGAN + 60_000,
        "user": "ada",
        "queue": "root.default",
        "state": "Completed",
        "rmID": "mycluster",
        "resourceUsage": {"m5.xlarge": {"memory": 10, "vcore": 3}},
        **more,
    }
    text = (
        f"2023-09-01T00:00:00.000Z\tINFO\tobjects/application.go:127\tYK_APP_SUMMARY:\t{json.dumps(fields)}"
    )

    record = only(text).record

    assert [part.kind for part in record.usage] == kinds
    assert record.usage[-1] == Usage(kind="used", instance_type="m5.xlarge", cpu=3, memory=10)
    assert (record.queue, record.organization, record.tier) == ("root.default", "", 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (line()[:-30], "is cut off"),
        (line(State="Running"), "is of state 'Running', so it is not of an application's end"),
        (line(SubmissionTime=0), "was submitted at 0 ms, which no clock can have meant"),
        (line(SubmissionTime=10**30), "which no clock can have meant"),
        (line(ApplicationID=""), "names no application"),
        (line(ResourceUsage="TrackedResource{m5.xlarge}"), "has an amount 'm5.xlarge', which names no"),
        (line(ResourceUsage="TrackedResource{m5.xlarge:vcore=many}"), "has vcore 'many', which is no number"),
        (f"{PREFIX}YK_APP_SUMMARY: {{Application: a, Used: 5}}", "has not the form of any known version"),
        ('{"log": "YK_APP_SUMMARY: {Applic', "is cut off, or no record of Fluent Bit's"),
        ('{"log": {"YK_APP_SUMMARY": 1}}', "is a record whose `log` is no text"),
        ('YK_APP_SUMMARY: {"appID": "a", "resourceUsage": {}}', "has not the form of any known version"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_in_a_sentence_and_the_next_one_is_read(text, says):
    unread, after = read(text, line())

    assert unread.record is None
    [sentence] = unread.says
    assert sentence.startswith("Line 1 ") and says in sentence and sentence.endswith(".")
    assert after.record is not None


@pytest.mark.parametrize(
    ("changes", "left_out", "says"),
    [
        ({"StartTime": BEGAN - 1}, ("started", "waiting", "running"), "started before it was submitted"),
        ({"FinishTime": BEGAN}, ("finished", "running"), "last pod ended before it started"),
        ({"FinishTime": -62_135_596_800_000}, ("finished", "running"), "no time that a clock can have meant"),
    ],
)
def test_times_that_contradict_each_other_are_left_out_and_told(changes, left_out, says):
    summary = only(line(**changes))

    [sentence] = summary.says
    assert sentence.startswith("nightly-1: ") and says in sentence
    for name in ("started", "finished", "waiting", "running"):
        assert (getattr(summary.record, name) is None) == (name in left_out), name


def test_amounts_that_ran_over_are_left_out_and_told():
    summary = only(line(ResourceUsage="TrackedResource{m5.xlarge:memory=-5,m5.xlarge:vcore=7}"))

    assert summary.record.usage == (Usage(kind="used", instance_type="m5.xlarge", cpu=7),)
    [sentence] = summary.says
    assert sentence.startswith("nightly-1: used memory is -5, where YuniKorn's 64 bits have run over")


def test_machines_without_a_type_are_told_beside_others_that_have_one():
    all_unknown, some = (
        only(line(ResourceUsage=f"TrackedResource{{UNKNOWN:vcore=1{more}}}"))
        for more in ("", ",m5.xlarge:vcore=1")
    )

    assert all_unknown.says == ()
    assert some.says == ("nightly-1: of some of its nodes YuniKorn knows no instance type.",)


def test_the_real_scheduler_says_no_type_of_a_machine_though_its_nodes_have_the_label():
    types = {part.instance_type for summary in read(*log_lines()) for part in summary.record.usage}

    assert types == {UNKNOWN}


def test_an_application_may_have_any_name_of_a_user():
    record = only(line(User="system:serviceaccount:a:b, Queue: root.x, State: Failed")).record

    assert record.user_name == "system:serviceaccount:a:b, Queue: root.x, State: Failed"
    assert (record.queue, record.outcome) == ("root.acme.etl.tier2", "completed")


@given(st.data())
def test_whatever_becomes_of_a_line_is_no_exception(data):
    whole = data.draw(st.sampled_from([line(), json.dumps({"log": line()}), log_lines()[-1]]))
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    text = whole[:start] + data.draw(st.text(max_size=20)) + whole[end:]

    for summary in summaries([text], CLUSTER):
        assert summary.record is not None or summary.says


@given(waiting=st.integers(0, 10**9), running=st.integers(0, 10**9))
def test_waiting_and_running_are_those_of_the_pods(waiting, running):
    finish = BEGAN + waiting + running + COMPLETING_MILLIS
    record = only(line(StartTime=BEGAN + waiting, FinishTime=finish)).record

    assert (record.waiting, record.running) == (waiting, running)
