import re

import pytest

from moka.components.kubernetes.yunikorn import (
    YuniKorn,
    YuniKornArgs,
    name_patterns,
    scheduler_values,
    service_account_pattern,
)
from moka.queues import Leaf, Resources, grow, queues_yaml
from tests.support.chart_rendering import manifests
from tests.support.pod_placement import pods_of, selects

QUEUES = grow(
    [
        Leaf(
            organization="analytics",
            project="reports",
            tier=1,
            guaranteed=Resources.of(cpu="1", memory="1Gi"),
            maximum=Resources.of(cpu="2", memory="2Gi"),
        )
    ]
)
TRUSTED = [service_account_pattern("spark-operator"), service_account_pattern("spark-jobs", "spark")]
ACCESS = "admissionController.accessControl."


@pytest.fixture
def stack(deploy, catalog):
    def program():
        args = YuniKornArgs(
            catalog=catalog,
            namespace="yunikorn",
            queues=QUEUES,
            job_namespaces=["spark-jobs"],
            trusted=TRUSTED,
            nodes=10_000,
        )
        YuniKorn("spark-a-yunikorn", args)

    return deploy(program)


@pytest.fixture
def configuration(stack):
    """What ConfigMap `yunikorn-configs` says."""
    [configs] = stack.inputs("kubernetes:core/v1:ConfigMap")
    assert configs["metadata"] == {"name": "yunikorn-configs", "namespace": "yunikorn"}
    return configs["data"]


@pytest.fixture
def release(stack):
    [release] = stack.inputs("kubernetes:helm.sh/v3:Release")
    return release


@pytest.fixture
def rendered(release):
    """What the chart makes of the release."""
    return manifests({**release, "chart": f"charts/{release['chart']}"})


def matches(expressions, name):
    """Whether one of a list of regular expressions, as YuniKorn reads it, matches a name."""
    return any(re.search(expression, name) for expression in expressions.split(",") if expression)


def test_a_drain_leaves_one_of_the_two_that_admit_pods(stack, rendered):
    [budget] = stack.inputs("kubernetes:policy/v1:PodDisruptionBudget")
    [admission] = [
        manifest
        for manifest in rendered
        if manifest["kind"] == "Deployment" and "admission" in manifest["metadata"]["name"]
    ]

    assert budget["spec"]["maxUnavailable"] == 1
    assert budget["metadata"]["namespace"] == "yunikorn"
    labels = admission["spec"]["template"]["metadata"]["labels"]
    assert budget["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_queues_are_where_yunikorn_looks_for_them(configuration):
    assert configuration["queues.yaml"] == queues_yaml(QUEUES)


def test_a_change_of_queues_is_no_change_of_the_release(release):
    assert "queues.yaml" not in str(release["values"])


def test_yunikorn_takes_pods_of_job_namespaces_only(configuration):
    taken = configuration["admissionController.filtering.processNamespaces"]

    assert matches(taken, "spark-jobs")
    assert not any(matches(taken, namespace) for namespace in ("spark-jobs-2", "monitoring", "yunikorn"))


def test_without_a_job_namespace_it_takes_pods_of_none(deploy, catalog):
    def program():
        YuniKorn("a", YuniKornArgs(catalog=catalog, namespace="yunikorn", queues=QUEUES, job_namespaces=[]))

    [configs] = deploy(program).inputs("kubernetes:core/v1:ConfigMap")

    taken = configs["data"]["admissionController.filtering.processNamespaces"]
    assert taken, "an empty list would be every namespace"
    assert not matches(taken, "default")


def test_several_job_namespaces_are_listed_in_one_order():
    assert name_patterns(["b", "a"]) == name_patterns(["a", "b"]) == "^a$,^b$"


@pytest.mark.parametrize(
    ("user", "trusted"),
    [
        ("system:serviceaccount:spark-operator:spark-operator-controller", True),
        ("system:serviceaccount:spark-operator:spark-operator-nightly-controller", True),
        ("system:serviceaccount:spark-jobs:spark", True),
        ("system:serviceaccount:spark-jobs:spark-history", False),
        ("system:serviceaccount:spark-jobs-2:spark", False),
        ("arn:aws:sts::123456789012:assumed-role/analyst/me", False),
    ],
)
def test_only_operators_and_jobs_may_say_for_which_user_a_pod_is(configuration, user, trusted):
    assert configuration[ACCESS + "bypassAuth"] == "false"
    assert matches(configuration[ACCESS + "externalUsers"], user) is trusted


def test_of_kube_system_only_controllers_that_follow_a_template_are_trusted(configuration):
    trusted = configuration[ACCESS + "systemUsers"]

    assert matches(trusted, "system:serviceaccount:kube-system:replicaset-controller")
    assert not matches(trusted, "system:serviceaccount:kube-system:aws-load-balancer-controller")
    assert not matches(trusted, "system:serviceaccount:kube-system-2:replicaset-controller")


def test_placeholders_come_from_the_catalog(release, catalog):
    defaults = release["values"]["yunikornDefaults"]

    assert defaults["service.placeholderImage"] == catalog.image("pause")


def test_what_is_told_to_the_scheduler_is_text(release, configuration):
    """Numbers of a million and more would be written as 1e+06, and true as True."""
    assert all(isinstance(value, str) for value in release["values"]["yunikornDefaults"].values())
    assert all(isinstance(value, str) for value in configuration.values())


@pytest.mark.parametrize("nodes", [1, 1_000, 10_000])
def test_go_collects_before_the_memory_is_used_up(nodes):
    size = scheduler_values(nodes)

    limit = int(size["resources"]["limits"]["memory"].removesuffix("Gi")) * 1024
    assert 0.75 * limit <= int(size["goMemoryLimit"].removesuffix("MiB")) <= 0.85 * limit


def test_a_larger_cluster_has_a_larger_scheduler():
    small, large = scheduler_values(10), scheduler_values(10_000)

    assert scheduler_values(1_000) == small
    for key in ("requests", "limits"):
        assert int(small["resources"][key]["cpu"]) < int(large["resources"][key]["cpu"])


def test_a_tier_for_fewer_pods_a_second_lowers_what_is_sent(deploy, catalog):
    def program():
        YuniKorn(
            "spark-a-yunikorn",
            YuniKornArgs(
                catalog=catalog,
                namespace="yunikorn",
                queues=QUEUES,
                job_namespaces=[],
                nodes=10_000,
                tier="tier-xl",
            ),
        )

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")

    defaults = release["values"]["yunikornDefaults"]
    assert (defaults["kubernetes.qps"], defaults["kubernetes.burst"]) == ("167", "167")


def test_its_api_is_told_once_it_schedules(deploy, catalog):
    urls = []

    def program():
        args = YuniKornArgs(catalog=catalog, namespace="yunikorn", queues=QUEUES, job_namespaces=[])
        YuniKorn("spark-a-yunikorn", args).url.apply(urls.append)

    deploy(program)

    assert urls == ["http://yunikorn-service.yunikorn:9080"]


def test_the_one_scheduler_is_moved_quickly_and_held_back_by_nothing(rendered):
    assert not [item for item in rendered if item["kind"] == "PodDisruptionBudget"]
    [scheduler] = [pod for pod in pods_of(rendered) if pod.name == "yunikorn-scheduler"]

    assert scheduler.spec["priorityClassName"] == "system-cluster-critical"
    stays = {
        toleration["key"]: toleration["tolerationSeconds"] for toleration in scheduler.spec["tolerations"]
    }
    assert stays == {"node.kubernetes.io/not-ready": 30, "node.kubernetes.io/unreachable": 30}
    assert {container["imagePullPolicy"] for container in scheduler.spec["containers"]} == {"IfNotPresent"}


def test_the_budget_of_the_admission_controller_is_for_its_pods(deploy, catalog, rendered):
    args = YuniKornArgs(catalog=catalog, namespace="yunikorn", queues=QUEUES, job_namespaces=[])
    recorder = deploy(lambda: YuniKorn("spark-a-yunikorn", args))
    [budget] = recorder.inputs("kubernetes:policy/v1:PodDisruptionBudget")

    selected = [pod.name for pod in pods_of(rendered) if selects(budget["spec"]["selector"], pod.labels)]
    assert selected == ["yunikorn-admission-controller"]


def test_the_scheduler_s_pages_are_for_the_gateway_the_recorder_collectors_and_what_checks_queues(stack):
    [policy] = stack.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")

    spec = policy["spec"]
    # The admission controller's webhooks are called by the API server, which no policy can name.
    assert spec["podSelector"] == {"matchLabels": {"app": "yunikorn", "component": "yunikorn-scheduler"}}
    assert spec["policyTypes"] == ["Ingress"]
    ways = {
        (
            peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"],
            *peer.get("podSelector", {}).get("matchLabels", {}).values(),
            port["port"],
        )
        for rule in spec["ingress"]
        for peer in rule["from"]
        for port in rule["ports"]
    }
    assert ways == {
        ("ingress", "ui-gateway", 9080),
        ("ingress", "ui-gateway", 9889),
        ("usage-recorder", "usage-recorder", 9080),
        ("monitoring", 9080),
        ("yunikorn", "yunikorn", "yunikorn-admission-controller", 9080),
    }


def test_the_scheduler_gets_its_size_and_its_defaults(rendered):
    [scheduler] = [pod for pod in pods_of(rendered) if pod.name == "yunikorn-scheduler"]
    [defaults] = [item for item in rendered if item["metadata"]["name"] == "yunikorn-defaults"]

    main = scheduler.spec["containers"][0]
    environment = {variable["name"]: variable.get("value") for variable in main["env"]}
    size = scheduler_values(10_000)
    assert (environment["GOMEMLIMIT"], main["resources"]) == (size["goMemoryLimit"], size["resources"])
    assert defaults["data"]["kubernetes.qps"] == "400"
    assert defaults["data"]["event.ringBufferCapacity"] == "500000"


def test_its_api_and_metrics_are_where_they_are_said_to_be(rendered):
    [service] = [item for item in rendered if item["metadata"]["name"] == "yunikorn-service"]
    [scheduler] = [
        item
        for item in rendered
        if (item["kind"], item["metadata"]["name"]) == ("Deployment", "yunikorn-scheduler")
    ]

    assert 9080 in [port["port"] for port in service["spec"]["ports"]]
    annotations = scheduler["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == "9080"
    assert annotations["prometheus.io/path"] == "/ws/v1/metrics"
