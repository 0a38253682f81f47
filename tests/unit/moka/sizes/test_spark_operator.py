import re

import pytest

from moka.sizes.spark_operator import BASE_MIB, JVM_FLAGS, JVM_MIB, max_rate, operator_size

RATES = [1, 20, 60, 130, 400]


def test_the_benchmark_s_rate_takes_its_workers_and_no_more_cores_than_it_had():
    # 20 workers on 33 cores made 130 applications a minute.
    size = operator_size(130)

    assert size.workers - 4 == 20
    assert 33_000 / 2 < size.millicores < 33_000


@pytest.mark.parametrize("rate", RATES)
def test_every_worker_has_the_memory_of_a_submission(rate):
    size = operator_size(rate)
    heap = int(re.search(r"-Xmx(\d+)m", JVM_FLAGS)[1])

    assert heap < JVM_MIB
    assert size.memory_mib >= BASE_MIB + size.workers * JVM_MIB


@pytest.mark.parametrize("rate", RATES)
def test_a_node_just_large_enough_takes_that_rate_and_not_one_more(rate):
    size = operator_size(rate)

    assert max_rate(size.millicores) == rate
    assert operator_size(rate + 1).millicores > size.millicores


def test_the_work_queue_takes_what_the_applications_put_into_it():
    # Where 31 cores did it, the queue had 1,000 a second (kubeflow/spark-operator#2374).
    size = operator_size(max_rate(31_000))

    assert 500 < size.events < 2_000
    assert size.events_burst > size.events
    assert size.calls_burst > size.calls


def test_few_applications_do_not_wait_for_the_client_of_the_api_server():
    assert operator_size(1).calls >= 100
    assert operator_size(1).events >= 50


def test_a_node_smaller_than_the_controller_itself_takes_no_application():
    assert max_rate(250) == 0


@pytest.mark.parametrize("rate", [0, -5])
def test_no_applications_are_refused(rate):
    with pytest.raises(ValueError, match=f"{rate} applications a minute are too few"):
        operator_size(rate)
