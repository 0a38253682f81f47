import re
from fnmatch import fnmatch

import pytest
import yaml

from moka.components.kubernetes.fluent_bit import FluentBit, FluentBitArgs, log_patterns
from moka.sizes.fluent_bit import SHARES
from stacks.settings.logs import Logs


@pytest.fixture(scope="module")
def program(deploy, catalog):
    def program():
        args = FluentBitArgs(
            catalog=catalog,
            namespace="logs",
            cluster="spark-a",
            job_namespaces=["jobs", "more-jobs"],
            job_logs_bucket="moka-job-logs",
            system_logs_bucket="moka-system-logs",
            region="us-east-1",
            usage_bucket="moka-usage",
            usage_region="eu-west-1",
            size=Logs(drivers_behind_seconds=30, outage_hours=2).size,
        )
        FluentBit("spark-a-logs", args)

    return deploy(program)


@pytest.fixture(scope="module")
def values(program):
    [release] = program.inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]


@pytest.fixture(scope="module")
def pipeline(values):
    return yaml.safe_load(values["config"]["extraFiles"]["fluent-bit.yaml"])["pipeline"]


def outputs(pipeline):
    return {output["alias"]: output for output in pipeline["outputs"] if output["name"] == "s3"}


def test_everything_that_the_configuration_asks_of_its_environment_is_there_and_nothing_else(values):
    variables = set(re.findall(r"\$\{(\w+)\}", str(values["config"])))

    assert variables == {variable["name"] for variable in values["env"]}


def test_it_starts_with_the_configuration_and_scripts_that_it_is_given(values):
    assert "--config=/fluent-bit/etc/conf/fluent-bit.yaml" in values["args"]
    scripts = re.findall(r"/fluent-bit/scripts/([\w.]+)", values["config"]["extraFiles"]["fluent-bit.yaml"])
    assert set(scripts) == values["luaScripts"].keys()


def test_helm_takes_nothing_in_it_for_a_template(values):
    assert "{{" not in str([values["config"], values["luaScripts"]])


def test_fluent_bit_reads_no_anchors(values):
    assert not re.search(
        r"(^|[\s:-])[&*][a-z]\w*\s*$", values["config"]["extraFiles"]["fluent-bit.yaml"], re.M
    )


def test_logs_go_to_their_bucket_by_cluster(values, pipeline):
    environment = {variable["name"]: variable.get("value") for variable in values["env"]}
    places = {
        alias: tuple(environment[output[key].strip("${}")] for key in ("bucket", "region"))
        for alias, output in outputs(pipeline).items()
    }

    jobs, system = ("moka-job-logs", "us-east-1"), ("moka-system-logs", "us-east-1")
    assert places == {
        "drivers": jobs,
        "executors": jobs,
        "unknown": jobs,
        "system": system,
        "hosts": system,
        "summaries": ("moka-usage", "eu-west-1"),
    }
    assert all(output["s3_key_format"].startswith("/${CLUSTER}/") for output in outputs(pipeline).values())


def test_each_output_has_a_buffer_of_its_own(values, pipeline):
    environment = {variable["name"]: variable.get("value") for variable in values["env"]}

    assert outputs(pipeline).keys() == SHARES.keys()
    for alias, output in outputs(pipeline).items():
        assert output["store_dir_limit_size"] == f"${{{alias.upper()}_STORE}}M"
        assert output["storage.total_limit_size"] == f"${{{alias.upper()}_QUEUE}}M"
    assert len({output["store_dir"] for output in outputs(pipeline).values()}) == len(SHARES)
    assert environment["DRIVERS_UPLOAD"] == "9"
    assert (environment["DRIVERS_STORE"], environment["DRIVERS_QUEUE"]) == ("3000", "1500")


def test_logs_of_jobs_are_read_once(pipeline):
    jobs, others, _ = (section for section in pipeline["inputs"] if section["name"] == "tail")

    assert jobs["path"] == "${JOB_LOGS}"
    assert others["exclude_path"].split(",") == ["${JOB_LOGS}", *jobs["exclude_path"].split(",")]


@pytest.mark.parametrize(
    ("file", "of_a_job"),
    [
        ("jobs_report-1-driver_0a1b-2c/spark-kubernetes-driver/0.log", True),
        ("jobs_report-1-driver_0a1b-2c/spark-kubernetes-driver/0.log.20261122-101500", True),
        ("more-jobs_report-1-exec-7_0a1b-2c/executor/1.log", True),
        ("kube-system_jobs_0a1b-2c/jobs/0.log", False),
        ("other-jobs_coredns-1_0a1b-2c/coredns/0.log", False),
    ],
)
def test_a_pod_is_a_job_by_its_namespace_only(file, of_a_job):
    patterns = log_patterns(["jobs", "more-jobs"]).split(",")

    assert any(fnmatch(f"/var/log/pods/{file}", pattern) for pattern in patterns) == of_a_job


def test_what_was_rotated_is_read_and_what_was_compressed_is_not_read_again(pipeline):
    jobs = pipeline["inputs"][0]

    def is_read(file):
        path = f"/var/log/pods/jobs_a_0a/x/{file}"
        excluded = any(fnmatch(path, pattern) for pattern in jobs["exclude_path"].split(","))
        return fnmatch(path, log_patterns(["jobs"])) and not excluded

    assert is_read("0.log")
    assert is_read("0.log.20261122-101500")
    assert not is_read("0.log.20261122-101500.gz")
    assert not is_read("0.log.20261122-101500.tmp")


def test_what_is_not_yet_sent_survives_the_pod(values, pipeline):
    [buffer] = [volume for volume in values["daemonSetVolumes"] if volume["name"] == "buffer"]
    [mounted] = [mount for mount in values["daemonSetVolumeMounts"] if mount["name"] == "buffer"]
    read = [section for section in pipeline["inputs"] if section["name"] != "fluentbit_logs"]

    assert buffer["hostPath"]["type"] == "DirectoryOrCreate"
    paths = [section["db"] for section in read] + [
        output["store_dir"] for output in outputs(pipeline).values()
    ]
    assert len(set(paths)) == len(paths)
    assert all(path.startswith(mounted["mountPath"] + "/") for path in paths)
    assert all(section["storage.type"] == "filesystem" for section in read)


def test_uploads_are_never_given_up(pipeline):
    for output in outputs(pipeline).values():
        assert output["retry_limit"] == 2**31 - 1
        assert output["workers"] == 1
        assert output["preserve_data_ordering"] is True


def test_it_asks_the_kubelet_of_its_node_and_may_ask_nothing_else(program, values):
    [role] = program.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    [binding] = program.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")

    assert role["rules"] == [{"apiGroups": [""], "resources": ["nodes/pods"], "verbs": ["get"]}]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "fluent-bit", "namespace": "logs"}]
    assert values["rbac"] == {"create": False}


def test_logs_are_read_on_every_node(values):
    assert values["tolerations"] == [{"operator": "Exists"}]
    assert "nodeSelector" not in values


def test_it_has_time_to_send_what_it_holds(values):
    [text] = values["config"]["extraFiles"].values()

    assert yaml.safe_load(text)["service"]["grace"] * 2 < values["terminationGracePeriodSeconds"]


def test_no_object_is_larger_than_one_request_takes(pipeline):
    for output in outputs(pipeline).values():
        assert output["use_put_object"] is True
        assert int(output["total_file_size"].removesuffix("M")) <= 50


def test_no_test_pod_comes_with_it(values):
    assert values["testFramework"] == {"enabled": False}
