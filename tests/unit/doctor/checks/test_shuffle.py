import pytest

from doctor.checks.shuffle import between_zones, clients
from tests.support.aws_stubs import lines

NOBODY_CHOOSES = (
    "warning main/spark-a Node groups executor span us-east-1a, us-east-1b and us-east-1c, and nobody can "
    "choose the zone of a node, so executors of a job are in all of them: a TB that is shuffled costs USD "
    "13, with Celeborn 47. Give them per_zone: true with their next generation, or write executor_zone: any."
)
WORKERS_EVERYWHERE = (
    "warning main/spark-a Node groups shuffle name no zones, so Celeborn's workers are in us-east-1a, "
    "us-east-1b and us-east-1c: a TB that is shuffled there costs USD 47, and with workers and executors in "
    "one zone nothing. Name one zone in a new environment; in one that is there name all of these to keep "
    "it, as other zones replace the workers with what they hold."
)
FINE = "ok main/spark-a What is shuffled crosses zones only where the settings say so."


def groups(**changes):
    """Node group -> what is changed in it."""

    def change(written):
        for name, values in changes.items():
            written["clusters"]["spark-a"]["node_groups"][name] |= values

    return change


def cluster(**values):
    def change(written):
        written["clusters"]["spark-a"] |= values

    return change


ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([], [NOBODY_CHOOSES, WORKERS_EVERYWHERE]),
        ([groups(executor={"per_zone": True})], [WORKERS_EVERYWHERE]),
        ([groups(executor={"per_zone": True}, shuffle={"zones": ["us-east-1b"]})], [FINE]),
        ([groups(shuffle={"zones": ZONES}), cluster(executor_zone="any")], [FINE]),
        ([groups(executor={"minimum": 30}, shuffle={"zones": ZONES})], [FINE]),
    ],
    ids=["defaults", "executors a zone", "all in one", "all anywhere, as is said", "of a fixed size"],
)
def test_what_crosses_zones_though_nobody_said_so_is_told_with_its_price(place, changes, found):
    assert lines(between_zones, place(*changes)) == found


def test_without_celeborn_nothing_is_said_of_it(place):
    def without(written):
        cluster = written["clusters"]["spark-a"]
        del cluster["shuffle"], cluster["node_groups"]["shuffle"]

    [line] = lines(between_zones, place(without))

    assert "Celeborn" not in line
    assert "costs USD 13." in line


def spark(**values):
    def change(written):
        written["spark"] = {"images": {"4.1": "registry.acme.example/spark:4.1.2"}, "celeborn": values}

    return change


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (
            [],
            "warning main Clusters spark-a have Celeborn, and spark.celeborn.clients is empty, so only "
            "jobs that say `celeborn: true` shuffle there. Put its client into the image of jobs "
            "(examples/jobs/Dockerfile), name that in spark.images, and its Spark version in "
            "spark.celeborn.clients.",
        ),
        (
            [spark(clients=["4.1"], cores=1000)],
            "ok main Jobs with dynamic allocation and 1,000 cores or more shuffle on Celeborn by default, "
            "with Spark 4.1.",
        ),
    ],
    ids=["no image with the client", "an image with it"],
)
def test_a_celeborn_that_no_job_uses_unasked_is_told(place, changes, found):
    assert lines(clients, place(*changes)) == [found]
