import pytest

from components.kubernetes.spark_operator import SparkOperator, SparkOperatorArgs


@pytest.fixture
def values(deploy, catalog):
    def program():
        args = SparkOperatorArgs(
            catalog=catalog,
            namespace="spark-operator",
            job_namespaces=["spark-jobs", "spark-adhoc"],
            ui_domain="spark.example",
            ingress_class="nginx",
        )
        SparkOperator("spark-a-operator", args)

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]


def test_it_runs_the_applications_of_job_namespaces_and_no_others(values):
    assert values["spark"]["jobNamespaces"] == ["spark-jobs", "spark-adhoc"]


def test_jobs_run_with_the_account_and_permissions_of_their_namespace(values):
    assert values["spark"]["serviceAccount"] == {"create": False, "name": "spark"}
    assert values["spark"]["rbac"] == {"create": False}


def test_jobs_are_scheduled_by_yunikorn_unless_they_say_otherwise(values):
    assert values["controller"]["batchScheduler"] == {"enable": True, "default": "yunikorn"}


def test_its_webhook_is_off(values):
    assert values["webhook"] == {"enable": False}


def test_the_ui_of_an_application_has_a_host_and_no_path(values):
    ingress = values["controller"]["uiIngress"]

    assert values["controller"]["uiService"] == {"enable": True}
    assert ingress["enable"] is True
    assert ingress["urlFormat"] == "{{$appName}}.{{$appNamespace}}.spark.example"
    assert ingress["ingressClassName"] == "nginx"


def test_crds_are_upgraded_with_the_operator(values):
    assert values["hook"]["upgradeCrd"] is True
