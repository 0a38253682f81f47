from datetime import UTC, datetime

import pytest

from moka.log_keys import LogObject, container_prefix, log_object

OBJECT = LogObject(
    cluster="acme-prod-batch-a",
    namespace="spark-jobs",
    application="spark-0a1b2c",
    role="driver",
    pod="report-driver",
    container="spark-kubernetes-driver",
    begun=datetime(2026, 11, 22, 10, 15, 0, tzinfo=UTC),
    suffix="aB3dE6gH",
)
KEY = (
    "acme-prod-batch-a/spark-jobs/spark-0a1b2c/driver/report-driver/spark-kubernetes-driver/"
    "20261122T101500-aB3dE6gH.jsonl.gz"
)


def test_a_key_says_whose_logs_an_object_has():
    assert OBJECT.key == KEY
    assert log_object(KEY) == OBJECT


@pytest.mark.parametrize(
    "key",
    [
        KEY.removesuffix(".gz"),
        KEY.replace("20261122", "20261322"),
        KEY.replace("/driver/", "//"),
        KEY.replace("/driver/", "/"),
        f"{KEY}/more",
        "acme-prod-batch-a/pods/kube-system/coredns-1/coredns/20261122T101500-aB3dE6gH.jsonl.gz",
        "",
    ],
)
def test_a_key_of_something_else_is_of_no_log(key):
    assert log_object(key) is None


def test_all_of_an_application_or_of_a_role_is_under_one_prefix():
    assert container_prefix("a", "jobs", "spark-0a") == "a/jobs/spark-0a/"
    assert container_prefix("a", "jobs", "spark-0a", "driver") == "a/jobs/spark-0a/driver/"
    assert KEY.startswith(container_prefix("acme-prod-batch-a", "spark-jobs", "spark-0a1b2c", "driver"))


def test_objects_of_a_container_sort_by_time_as_their_keys_do():
    keys = [KEY.replace("101500", time) for time in ("235959", "000000", "101500")]

    objects = sorted(log_object(key) for key in keys)
    assert [one.key for one in objects] == sorted(keys)
