import pytest

from moka.jobs.application import spark_application
from moka.jobs.job import DynamicAllocation, Executor
from moka.jobs.job_target import Celeborn, CelebornDefault

LARGE = Executor(cores=4, dynamic=DynamicAllocation(maximum=125))
SMALL = Executor(cores=4, dynamic=DynamicAllocation(maximum=124))
FIXED = Executor(cores=4, instances=1000)
DEFAULT = CelebornDefault(clients=["4.1"], cores=500)
OLD_CELEBORN = Celeborn(endpoints="m-0:9097", version="0.6.2")


@pytest.fixture
def application(target, job):
    """An application: what is different in its job, and in its target -> it."""

    def make(of_target=None, **of_job):
        changes = {"celeborn_default": DEFAULT, **(of_target or {})}
        # A queue without a maximum.
        return spark_application(job(queue="science.models", tier=3, **of_job), target(**changes))

    return make


def shuffles_on(application):
    """What its annotation says, which has to be what Spark is told."""
    said = application["metadata"]["annotations"]["moka.dev/shuffle"]
    conf = application["spec"]["sparkConf"]
    assert ("spark.celeborn.master.endpoints" in conf) == said.startswith("celeborn")
    if dynamic := application["spec"].get("dynamicAllocation"):
        assert dynamic["shuffleTrackingEnabled"] == (said == "executors")
    return said


def test_a_large_job_whose_executors_come_and_go_shuffles_on_celeborn_unasked(application):
    assert shuffles_on(application(executor=LARGE)) == "celeborn by default"
    assert shuffles_on(application(executor=LARGE, celeborn=True)) == "celeborn"


@pytest.mark.parametrize(
    ("of_target", "of_job"),
    [
        ({}, {"executor": SMALL}),
        ({}, {"executor": FIXED}),
        ({}, {"executor": LARGE, "celeborn": False}),
        ({}, {"executor": LARGE, "image": "some/image:1"}),
        ({}, {"executor": LARGE, "conf": {"spark.serializer": "org.apache.spark.serializer.JavaSerializer"}}),
        ({"images": {"4.1": "spark:4", "3.5": "spark:3"}}, {"executor": LARGE, "spark_version": "3.5"}),
        ({"celeborn": None}, {"executor": LARGE}),
        ({"celeborn": OLD_CELEBORN}, {"executor": LARGE}),
        ({"celeborn_default": None}, {"executor": LARGE}),
        ({"without_celeborn": ["spark-jobs"]}, {"executor": LARGE}),
    ],
    ids=[
        "below the threshold",
        "a fixed number of executors",
        "told not to",
        "an image of its own",
        "a serializer that Celeborn cannot do with",
        "a Spark whose image has no client",
        "no Celeborn",
        "a Celeborn without a client for this Spark",
        "settings of before",
        "a namespace whose jobs have no Celeborn",
    ],
)
def test_other_jobs_shuffle_on_their_executors_unless_they_ask(application, of_target, of_job):
    assert shuffles_on(application(of_target, **of_job)) == "executors"
