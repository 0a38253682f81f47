"""Which record an application has, as YuniKorn 1.8 tells of one with a gang."""

from dataclasses import replace

from moka.usage.records import Application
from services.usage_recorder.applications import Applications

CREATED = 1_795_694_818_000
"""When its driver's pod was made: whole seconds, as Kubernetes counts."""

KNOWN = CREATED + 1377
"""When YuniKorn heard of it, by its own clock."""

TAGS = {"kubernetes.io/label/moka.dev/workflow": "daily", "kubernetes.io/meta/namespace": "spark-jobs"}
PLACEHOLDER = {"allocationTags": TAGS, "placeholder": True}
DRIVER = {"allocationTags": TAGS}
SUMMARY = Application(
    cluster="batch-a",
    application="spark-1",
    submitted=CREATED,
    started=CREATED + 5000,
    finished=CREATED + 600_000,
    queue="root.acme.etl.tier1",
    outcome="completed",
    sources=("summary",),
)


def answer(submitted, *allocations, requests=()):
    return {
        "applicationID": "spark-1",
        "submissionTime": submitted * 1_000_000,
        "queueName": "root.acme.etl.tier1",
        "allocations": [*allocations],
        "requests": [*requests],
    }


def test_a_gang_that_forms_is_asked_for_again_until_its_submission_is_known():
    applications = Applications("batch-a")

    applications.learn(answer(KNOWN, PLACEHOLDER), clock=100.0)

    assert applications.workflow_of("spark-1") == "daily"
    assert applications.take() == []
    assert applications.unknown([], clock=159.0) == set()
    assert applications.unknown([], clock=160.0) == {"spark-1"}

    applications.learn(answer(CREATED, PLACEHOLDER, requests=[DRIVER]), clock=160.0)

    [record] = applications.take()
    assert (record.submitted, record.workflow, record.namespace) == (CREATED, "daily", "spark-jobs")
    assert applications.unknown([], clock=1000.0) == set()


def test_one_that_ended_while_it_was_not_known_keeps_its_workflow():
    applications = Applications("batch-a")
    applications.learn(answer(KNOWN, PLACEHOLDER), clock=100.0)

    applications.ended("spark-1")
    applications.add(SUMMARY)

    assert applications.unknown([], clock=1000.0) == set()
    [record] = applications.take()
    assert record == replace(SUMMARY, workflow="daily", namespace="spark-jobs")


def test_one_whose_summary_comes_later_is_one_record():
    applications = Applications("batch-a")
    applications.learn(answer(CREATED, DRIVER), clock=100.0)
    applications.add(SUMMARY)

    [record] = applications.take()

    assert (record.workflow, record.outcome, record.sources) == ("daily", "completed", ("active", "summary"))
