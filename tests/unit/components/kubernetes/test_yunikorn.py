import re

from components.kubernetes.queues import Leaf, Resources, grow, queues_yaml
from components.kubernetes.yunikorn import YuniKorn, YuniKornArgs, only

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


def made_by(deploy, catalog):
    def program():
        args = YuniKornArgs(
            catalog=catalog, namespace="yunikorn", queues=QUEUES, job_namespaces=["spark-jobs"]
        )
        YuniKorn("spark-a-yunikorn", args)

    return deploy(program)


def test_queues_are_where_yunikorn_looks_for_them(deploy, catalog):
    [configs] = made_by(deploy, catalog).inputs("kubernetes:core/v1:ConfigMap")

    assert configs["metadata"] == {"name": "yunikorn-configs", "namespace": "yunikorn"}
    assert configs["data"]["queues.yaml"] == queues_yaml(QUEUES)


def test_a_change_of_queues_is_no_change_of_the_release(deploy, catalog):
    [release] = made_by(deploy, catalog).inputs("kubernetes:helm.sh/v3:Release")

    assert "queues.yaml" not in str(release["values"])


def test_yunikorn_takes_pods_of_job_namespaces_only(deploy, catalog):
    [configs] = made_by(deploy, catalog).inputs("kubernetes:core/v1:ConfigMap")

    taken = configs["data"]["admissionController.filtering.processNamespaces"].split(",")
    assert [bool(re.search(taken[0], name)) for name in ("spark-jobs", "spark-jobs-2", "monitoring")] == [
        True,
        False,
        False,
    ]


def test_several_job_namespaces_are_listed_in_one_order():
    assert only(["b", "a"]) == only(["a", "b"]) == "^a$,^b$"


def test_placeholders_come_from_the_catalog(deploy, catalog):
    [release] = made_by(deploy, catalog).inputs("kubernetes:helm.sh/v3:Release")

    defaults = release["values"]["yunikornDefaults"]
    assert defaults["service.placeholderImage"] == catalog.image("pause")
    assert all(isinstance(value, str) for value in defaults.values())


def test_its_api_is_told_once_it_schedules(deploy, catalog):
    told = []

    def program():
        args = YuniKornArgs(catalog=catalog, namespace="yunikorn", queues=QUEUES, job_namespaces=[])
        YuniKorn("spark-a-yunikorn", args).url.apply(told.append)

    deploy(program)

    assert told == ["http://yunikorn-service.yunikorn:9080"]
