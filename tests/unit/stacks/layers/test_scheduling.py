"""Whole environments: YuniKorn's admission controller and the API server's rules are for the same pods."""

import re

import pytest

from components.kubernetes.yunikorn import api_requests_per_second
from moka.names import SPARK_ACCOUNT
from stacks import settings
from stacks.settings import reading

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
CONFIGS = "kubernetes:core/v1:ConfigMap"
RELEASE = "kubernetes:helm.sh/v3:Release"
ADMISSION = "admissionController."


@pytest.fixture(params=reading.environments())
def environment(request, whole):
    """An environment's settings, and what it makes."""
    return settings.load(request.param), whole(request.param)


@pytest.fixture
def told(environment):
    """What each cluster's YuniKorn is told beside its queues."""
    _, made = environment
    found = [each["data"] for each in made.inputs(CONFIGS) if each["metadata"]["name"] == "yunikorn-configs"]
    assert found
    return found


def matches(expressions: str, name: str) -> bool:
    return any(re.search(each, name) for each in expressions.split(","))


def test_both_are_for_every_job_namespace(environment, told):
    chosen, made = environment

    for policy in made.inputs(POLICY):
        [these] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
        assert these["values"] == sorted(chosen.job_namespaces)
    assert len(made.inputs(POLICY)) == len(told) == len(chosen.clusters)
    for each in told:
        taken = each[ADMISSION + "filtering.processNamespaces"]
        assert all(matches(taken, name) for name in chosen.job_namespaces)


def test_the_operators_and_the_jobs_may_say_for_which_user_a_pod_is(environment, told):
    chosen, made = environment
    operators = {
        f"system:serviceaccount:{each['namespace']}:{each['name']}-controller"
        for each in made.inputs(RELEASE)
        if each["chart"].endswith("spark-operator")
    }
    jobs = {f"system:serviceaccount:{name}:{SPARK_ACCOUNT}" for name in chosen.job_namespaces}

    assert operators
    for each in told:
        trusted = each[ADMISSION + "accessControl.externalUsers"]
        assert all(matches(trusted, user) for user in operators | jobs)
        assert not matches(trusted, "system:serviceaccount:monitoring:default")


def test_the_scheduler_has_the_size_of_its_cluster(environment):
    chosen, made = environment
    nodes = [
        sum(group.maximum for group in cluster.node_groups.values()) for cluster in chosen.clusters.values()
    ]

    rates = [
        int(each["values"]["yunikornDefaults"]["kubernetes.qps"])
        for each in made.inputs(RELEASE)
        if each["name"] == "yunikorn"
    ]

    assert sorted(rates) == sorted(api_requests_per_second(number) for number in nodes)
