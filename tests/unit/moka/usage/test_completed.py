from moka.usage import merge
from moka.usage.completed import completed
from moka.usage.summaries import summaries
from tests.unit.moka.usage.recordings import CLUSTER, document, log_lines


def test_what_yunikorn_tells_of_an_application_fits_its_summary():
    records = [summary.record for summary in completed(document("completed"), CLUSTER)]
    summarized = [summary.record for summary in summaries(log_lines(), CLUSTER)]

    merged = {record.application: record for record in merge.applications([*records, *summarized])}

    assert len(merged) == 3
    daily = merged["daily-1"]
    assert daily.sources == ("completed", "summary")
    [summary] = [record for record in summarized if record.application == "daily-1"]
    [one] = [record for record in records if record.application == "daily-1"]
    assert (one.started, one.finished) == (summary.started, summary.finished)
    assert daily.usage == summary.usage


def test_one_that_ran_again_after_its_last_pod_has_its_first_start_and_its_last_end():
    [_, answer] = document("completed")
    first, again, ended = (answer["stateLog"][2]["time"] + second * 10**9 for second in (0, 5, 20))
    answer["stateLog"][3:] = [
        {"time": again, "applicationState": "Running"},
        {"time": ended, "applicationState": "Completing"},
        {"time": ended + 30 * 10**9, "applicationState": "Completed"},
    ]

    [summary] = completed([answer], CLUSTER)

    assert summary.record.started == answer["startTime"]
    assert summary.record.finished == ended // 10**6 > first // 10**6


def test_what_never_ran_is_left_out_and_what_is_unknown_is_told():
    [answer, _] = document("completed")
    rejected = {**answer, "stateLog": None, "applicationState": "Rejected"}
    unstarted = {**answer, "stateLog": answer["stateLog"][:1], "applicationState": "Failed"}

    [summary] = completed([unstarted, rejected], CLUSTER)

    assert summary.record is None
    assert summary.says == (
        "hourly-1 is not as YuniKorn tells of one: TypeError at 'NoneType' object is not iterable.",
    )
