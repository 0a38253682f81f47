import json
import urllib.error
import urllib.request

import pytest

from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.errors import Refusal
from tests.support.jobs import make_application

OPERATOR = {
    "webhook": {"enable": False},
    "controller": {"workers": 2, "batchScheduler": {"enable": True, "default": "yunikorn"}},
}


@pytest.fixture
def operator(plane, api, namespace):
    """The Spark Operator's release, recorded, for the test's own namespace."""
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "spark-operator"}}])
    spark = {"jobNamespaces": [namespace], "serviceAccount": {"name": "spark"}}
    release = release_of({**OPERATOR, "spark": spark})
    charts.apply(plane, release)
    yield release
    charts.remove(plane, release.namespace, release.name)


def release_of(values):
    return Release(name="spark-operator", namespace="spark-operator", chart="spark-operator", values=values)


def pod(architecture):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": architecture,
            "labels": {"applicationId": "by-hand", "queue": "root.acme.etl"},
        },
        "spec": {
            "schedulerName": "yunikorn",
            "nodeSelector": {"kubernetes.io/arch": architecture},
            "containers": [{"name": "main", "image": "any", "resources": {"requests": {"cpu": "1"}}}],
        },
    }


def template(container):
    return {"spec": {"schedulerName": "yunikorn", "containers": [{"name": container}]}}


def application(name):
    resources = {"cores": 1, "memory": "512m", "nodeSelector": {"kubernetes.io/arch": "arm64"}}
    driver = {
        **resources,
        "serviceAccount": "spark",
        "annotations": {"localcloud/runs-for": "3600"},
        "template": template("spark-kubernetes-driver"),
    }
    executor = {**resources, "instances": 1, "template": template("spark-kubernetes-executor")}
    return make_application(
        name,
        driver=driver,
        executor=executor,
        batchScheduler="yunikorn",
        batchSchedulerOptions={"queue": "root.acme.etl"},
    )


@pytest.mark.parametrize(("architecture", "group"), [("arm64", "arm"), ("amd64", "intel")])
def test_yunikorn_places_pods_on_machines_of_their_architecture(
    api, yunikorn, namespace, until, architecture, group
):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(pods, pod(architecture))

    placed = until(api, pods, lambda pod: pod["status"]["phase"] == "Running")

    assert placed["spec"]["nodeName"].rsplit("-", 1)[0] == group


def test_yunikorn_has_the_defaults_that_its_chart_would_have_made(api, yunikorn):
    defaults = api.get("/api/v1/namespaces/yunikorn/configmaps/yunikorn-defaults")

    assert defaults["data"] == {"service.schedulingInterval": "100ms", "kubernetes.qps": "50"}


def test_a_spark_application_becomes_a_driver_that_yunikorn_places_in_its_queue(
    plane, api, yunikorn, operator, namespace, until
):
    api.create(
        f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications", application("pi")
    )

    driver = until(
        api,
        f"/api/v1/namespaces/{namespace}/pods",
        lambda pod: pod["metadata"]["name"] == "pi-driver" and pod["status"]["phase"] == "Running",
    )

    assert driver["spec"]["nodeName"].startswith("arm-")
    with urllib.request.urlopen(
        f"{yunikorn_url(plane)}/ws/v1/partition/default/queue/root.acme.etl/applications"
    ) as answer:
        placed = [
            allocation["nodeId"]
            for application in json.load(answer)
            for allocation in application.get("allocations", [])
        ]
    assert driver["spec"]["nodeName"] in placed


def test_a_scheduler_that_starts_anew_makes_no_placeholders_for_gangs_without_task_groups(
    plane, api, yunikorn, operator, namespace, eventually
):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(
        f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications", application("pi")
    )

    def seen():
        return sorted(
            (pod["metadata"]["labels"].get("spark-role", ""), pod["status"]["phase"])
            for pod in api.list(pods)
        )

    def allocated():
        url = f"{yunikorn_url(plane)}/ws/v1/partition/default/queue/root.acme.etl/applications"
        try:
            with urllib.request.urlopen(url) as answer:
                return [
                    len(one.get("allocations") or ())
                    for one in json.load(answer) or ()
                    if one["applicationID"] == application_id
                ]
        except urllib.error.HTTPError:
            # It does not know its queues yet.
            return []

    both = [("driver", "Running"), ("executor", "Running")]
    eventually(lambda: seen() == both)
    application_id = api.get(f"{pods}/pi-driver")["metadata"]["labels"]["spark-app-selector"]
    # docs/operations/scheduling.md
    api.merge(f"{pods}/pi-driver", {"metadata": {"annotations": {"yunikorn.apache.org/task-groups": None}}})
    plane.process(yunikorn.key).stop()

    assert charts.apply(plane, yunikorn)

    eventually(lambda: allocated() == [2])
    assert seen() == both


def test_a_change_of_values_reaches_the_controller(plane, operator):
    process = plane.process(operator.key)
    before = process.pid_file.read_text()

    charts.apply(plane, operator)
    assert process.pid_file.read_text() == before
    charts.apply(plane, release_of({**operator.values, "controller": {"workers": 7}}))

    assert "--controller-threads=7" in process.pid_file.read_text()
    assert process.alive()


def test_a_namespace_that_lost_its_jobs_loses_the_accounts_too(plane, api, operator, namespace):
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts/spark"
    assert api.get(accounts)

    charts.apply(plane, release_of({**OPERATOR, "spark": {"jobNamespaces": []}}))

    assert api.get(accounts) is None


def test_a_removed_release_leaves_no_process(plane, api, operator, namespace):
    charts.remove(plane, operator.namespace, operator.name)

    assert not plane.process(operator.key).alive()
    assert api.get(f"/api/v1/namespaces/{namespace}/serviceaccounts/spark") is None


def test_a_job_namespace_that_does_not_exist_is_refused(plane, api):
    with pytest.raises(Refusal, match='namespaces "nowhere" not found'):
        charts.apply(plane, release_of({**OPERATOR, "spark": {"jobNamespaces": ["nowhere"]}}))


def test_a_chart_whose_pods_nothing_stands_in_for_is_left_alone(plane):
    release = Release(name="metrics", namespace="metrics", chart="kube-state-metrics")

    assert not charts.apply(plane, release)
