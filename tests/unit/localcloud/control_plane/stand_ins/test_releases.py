from pathlib import Path

import pytest

from localcloud.control_plane.stand_ins import spark_operator, yunikorn
from localcloud.control_plane.stand_ins.processes import Surroundings
from localcloud.control_plane.stand_ins.releases import Release, format_scalar, merge
from localcloud.control_plane.stand_ins.spark_operator import DEFAULTS, flags

PORTS = {"rest": 20001, "health": 20002, "metrics": 20003, "pprof": 20004}
AROUND = Surroundings(Path("/plane/kubeconfig"), 20000, PORTS)


@pytest.fixture(autouse=True)
def tools(monkeypatch, tmp_path):
    for name in ("YUNIKORN", "SPARK_OPERATOR", "SPARK"):
        monkeypatch.setenv(f"MOKA_TOOL_{name}", str(tmp_path))


def operator(**values):
    return Release(name="spark-operator", namespace="spark-operator", chart="spark-operator", values=values)


def test_a_chart_is_known_by_its_name_wherever_it_comes_from():
    assert Release(name="y", namespace="y", chart="oci://mirror/charts/yunikorn").chart_name == "yunikorn"


def test_values_go_over_the_charts_defaults_and_null_takes_one_away():
    assert merge({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": 3, "c": None}, "d": [2]}) == {
        "a": {"b": 3},
        "d": [2],
    }


@pytest.mark.parametrize(
    ("value", "printed"),
    [(True, "true"), ("1s", "1s"), (999999, "999999"), (1000000, "1e+06"), (1234567, "1.234567e+06")],
)
def test_values_are_printed_as_helm_prints_them(value, printed):
    assert format_scalar(value) == printed


def test_the_controller_is_told_what_the_values_say():
    values = merge(
        DEFAULTS,
        {
            "controller": {"workers": 20, "batchScheduler": {"enable": True, "default": "yunikorn"}},
            "spark": {"jobNamespaces": ["etl", "ml"]},
        },
    )

    arguments = flags(values)

    assert "--controller-threads=20" in arguments
    assert "--namespaces=etl,ml" in arguments
    assert "--enable-batch-scheduler=true" in arguments
    assert "--default-batch-scheduler=yunikorn" in arguments
    assert "--feature-gates=PartialRestart=false,LoadSparkDefaults=false" in arguments


def test_what_hangs_on_a_switch_that_is_off_is_not_told():
    arguments = flags(
        merge(DEFAULTS, {"controller": {"uiIngress": {"urlFormat": "{{$appName}}.example.com"}}})
    )

    assert not [flag for flag in arguments if flag.startswith(("--ingress", "--default-batch-scheduler"))]


def test_an_empty_name_among_the_job_namespaces_means_every_namespace():
    assert "--namespaces=" in flags(merge(DEFAULTS, {"spark": {"jobNamespaces": ["", "etl"]}}))


def test_programs_listen_on_loopback_only():
    controller = spark_operator.command(operator(), AROUND)
    scheduler = yunikorn.command(Release(name="y", namespace="y", chart="yunikorn"), AROUND)
    addresses = [flag.split("=")[1] for flag in controller.argv if "bind-address" in flag]

    assert addresses == ["127.0.0.1:20003", "127.0.0.1:20002"]
    assert scheduler.environment["YUNIKORN_REST_ADDRESS"] == "127.0.0.1:20001"


def test_yunikorn_reads_its_configuration_where_the_release_is():
    release = Release(name="y", namespace="scheduling", chart="yunikorn", values={"goMemoryLimit": "8GiB"})

    environment = yunikorn.command(release, AROUND).environment

    assert environment["NAMESPACE"] == "scheduling"
    assert environment["GOMEMLIMIT"] == "8GiB"


def test_yunikorns_defaults_are_handed_over_as_the_chart_does():
    release = Release(
        name="y",
        namespace="y",
        chart="yunikorn",
        values={"yunikornDefaults": {"log.level": "INFO", "n": 1000000}},
    )

    [defaults] = yunikorn.objects(release)

    assert defaults["metadata"]["name"] == "yunikorn-defaults"
    assert defaults["data"] == {"log.level": "INFO", "n": "1e+06"}


def test_each_job_namespace_gets_the_accounts_that_the_chart_makes():
    annotations = {"team": "data"}
    release = operator(
        spark={
            "jobNamespaces": ["etl", "ml"],
            "serviceAccount": {"name": "spark", "annotations": annotations},
        }
    )

    objects = spark_operator.objects(release)

    assert [(o["kind"], o["metadata"]["namespace"], o["metadata"]["name"]) for o in objects] == [
        (kind, namespace, "spark")
        for namespace in ("etl", "ml")
        for kind in ("ServiceAccount", "Role", "RoleBinding")
    ]
    assert objects[0]["metadata"]["annotations"] == {**release.annotations, **annotations}


def test_accounts_are_named_after_the_release_unless_the_values_name_them():
    release = Release(
        name="jobs", namespace="n", chart="spark-operator", values={"spark": {"rbac": {"create": False}}}
    )

    [account] = spark_operator.objects(release)

    assert account["metadata"]["name"] == "jobs-spark-operator-spark"


def test_accounts_that_the_stack_makes_itself_are_left_to_it():
    release = operator(spark={"serviceAccount": {"create": False}, "rbac": {"create": False}})

    assert spark_operator.objects(release) == []


def test_the_controllers_environment_is_the_one_of_the_values():
    options = {"SPARK_SUBMIT_OPTS": "-Xmx256m", "TZ": "UTC"}
    release = operator(
        controller={"env": [{"name": name, "value": value} for name, value in options.items()]}
    )

    environment = spark_operator.command(release, AROUND).environment

    assert environment["TZ"] == "UTC"
    assert environment["SPARK_SUBMIT_OPTS"].endswith(" -Xmx256m")


def test_a_folder_that_is_a_config_map_of_its_pods_is_named_as_it_is_here():
    release = operator(
        controller={
            "env": [{"name": "SPARK_DIST_CLASSPATH", "value": "/etc/hadoop:/opt/jars"}],
            "volumes": [{"name": "h", "configMap": {"name": "hadoop"}}, {"name": "tmp", "emptyDir": {}}],
            "volumeMounts": [{"name": "h", "mountPath": "/etc/hadoop"}, {"name": "tmp", "mountPath": "/opt"}],
        }
    )
    around = Surroundings(Path("/plane/kubeconfig"), 20000, PORTS, Path("/plane/files"))

    environment = spark_operator.command(release, around).environment

    assert environment["SPARK_DIST_CLASSPATH"] == "/plane/files/etc/hadoop:/opt/jars"
