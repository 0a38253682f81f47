"""Whole environments: YuniKorn's admission controller and the API server's rules are for the same pods."""

import re

import pytest

from moka.machines.node_roles import ROLES
from moka.names import SPARK_ACCOUNT
from moka.sizes.yunikorn import api_requests_per_second
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
def config_data(environment):
    """What each cluster's YuniKorn is told beside its queues."""
    _, recorder = environment
    data = [
        config_map["data"]
        for config_map in recorder.inputs(CONFIGS)
        if config_map["metadata"]["name"] == "yunikorn-configs"
    ]
    assert data
    return data


def matches(expressions: str, name: str) -> bool:
    return any(re.search(expression, name) for expression in expressions.split(","))


def test_both_are_for_every_job_namespace(environment, config_data):
    loaded, recorder = environment

    policies = [policy for policy in recorder.inputs(POLICY) if policy["metadata"]["name"] == "moka-job-pods"]
    for policy in policies:
        [these] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
        assert these["values"] == sorted(loaded.job_namespaces)
    assert len(policies) == len(config_data) == len(loaded.clusters)
    for data in config_data:
        taken = data[ADMISSION + "filtering.processNamespaces"]
        assert all(matches(taken, name) for name in loaded.job_namespaces)


def test_the_operators_and_the_jobs_may_say_for_which_user_a_pod_is(environment, config_data):
    loaded, recorder = environment
    operators = {
        f"system:serviceaccount:{release['namespace']}:{release['name']}-controller"
        for release in recorder.inputs(RELEASE)
        if release["chart"].endswith("spark-operator")
    }
    jobs = {f"system:serviceaccount:{name}:{SPARK_ACCOUNT}" for name in loaded.job_namespaces}

    assert operators
    for data in config_data:
        trusted = data[ADMISSION + "accessControl.externalUsers"]
        assert all(matches(trusted, user) for user in operators | jobs)
        assert not matches(trusted, "system:serviceaccount:monitoring:default")


def test_the_scheduler_has_the_size_of_its_cluster(environment):
    loaded, recorder = environment
    nodes = [
        sum(group.maximum for group in cluster.node_groups.values()) for cluster in loaded.clusters.values()
    ]

    rates = [
        int(release["values"]["yunikornDefaults"]["kubernetes.qps"])
        for release in recorder.inputs(RELEASE)
        if release["name"] == "yunikorn"
    ]

    assert sorted(rates) == sorted(api_requests_per_second(number) for number in nodes)


def test_the_device_plugin_is_on_each_cluster_that_has_gpus(environment):
    loaded, recorder = environment
    plugins = [
        daemon_set
        for daemon_set in recorder.inputs("kubernetes:apps/v1:DaemonSet")
        if daemon_set["metadata"]["name"] == "nvidia-device-plugin"
    ]
    with_gpus = [
        name
        for name, cluster in loaded.clusters.items()
        if any(machine.gpu for role in ROLES for machine in cluster.machines_of(role))
    ]

    assert len(plugins) == len(with_gpus)
