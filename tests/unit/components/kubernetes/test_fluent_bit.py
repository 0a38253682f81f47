import re
from fnmatch import fnmatch

import pytest

from components.kubernetes.fluent_bit import FluentBit, FluentBitArgs, log_patterns


@pytest.fixture
def values(deploy, catalog):
    def program():
        args = FluentBitArgs(
            catalog=catalog,
            namespace="logs",
            cluster="spark-a",
            job_namespaces=["jobs", "more-jobs"],
            job_logs_bucket="moka-job-logs",
            system_logs_bucket="moka-system-logs",
            region="us-east-1",
        )
        FluentBit("spark-a-logs", args)

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]


def test_everything_that_the_configuration_asks_of_its_environment_is_there(values):
    variables = set(re.findall(r"\$\{(\w+)\}", str(values["config"])))

    assert variables == {variable["name"] for variable in values["env"]}


def test_logs_go_to_their_bucket_by_cluster(values):
    environment = {variable["name"]: variable.get("value") for variable in values["env"]}
    outputs = {output["Match"]: output for output in sections(values, "outputs")}

    assert environment["JOB_LOGS_BUCKET"] == "moka-job-logs"
    assert environment["SYSTEM_LOGS_BUCKET"] == "moka-system-logs"
    assert outputs["job.*"]["bucket"] == "${JOB_LOGS_BUCKET}"
    assert outputs[r"^(system|host)\."]["bucket"] == "${SYSTEM_LOGS_BUCKET}"
    assert all(output["s3_key_format"].startswith("/${CLUSTER}/") for output in outputs.values())


def test_every_record_goes_to_one_bucket(values):
    tags = [section["Tag"].replace("*", "var.log.containers.x") for section in sections(values, "inputs")]
    patterns = [section["Match"] for section in sections(values, "outputs")]

    for tag in tags:
        assert sum(fnmatch(tag, pattern) or bool(re.search(pattern, tag)) for pattern in patterns) == 1


@pytest.mark.parametrize("tag", ["job", "system"])
def test_records_of_pods_are_told_whose_they_are(values, tag):
    filters = {
        section.get("Match"): section
        for section in sections(values, "filters")
        if section["Name"] == "kubernetes"
    }

    assert filters[f"{tag}.*"]["Kube_Tag_Prefix"] == f"{tag}.var.log.containers."


def test_log_patterns_jobs_are_read_once(values):
    jobs, others = (section for section in sections(values, "inputs") if section["Name"] == "tail")

    assert jobs["Path"] == others["Exclude_Path"] == "${JOB_LOGS}"


@pytest.mark.parametrize(
    ("file", "of_a_job"),
    [
        ("report-1-driver_jobs_spark-kubernetes-driver-0a1b.log", True),
        ("report-1-exec-7_more-jobs_executor-0a1b.log", True),
        ("jobs_kube-system_jobs-0a1b.log", False),
        ("coredns-1_other-jobs_coredns-0a1b.log", False),
    ],
)
def test_a_pod_is_a_job_by_its_namespace_alone(file, of_a_job):
    patterns = log_patterns(["jobs", "more-jobs"]).split(",")

    assert any(fnmatch(f"/var/log/containers/{file}", pattern) for pattern in patterns) == of_a_job


def test_what_is_not_yet_sent_survives_the_pod(values):
    [buffer] = [volume for volume in values["daemonSetVolumes"] if volume["name"] == "buffer"]
    [mounted] = [mount for mount in values["daemonSetVolumeMounts"] if mount["name"] == "buffer"]

    assert buffer["hostPath"]["type"] == "DirectoryOrCreate"
    for where in ("DB", "storage.path", "store_dir"):
        for path in re.findall(rf"^ +{where} (\S+)$", "\n".join(values["config"].values()), re.M):
            assert path.startswith(mounted["mountPath"] + "/")
    inputs = values["config"]["inputs"]
    assert inputs.count("storage.type filesystem") == inputs.count("[INPUT]")


def test_logs_are_read_on_every_node(values):
    assert values["tolerations"] == [{"operator": "Exists"}]
    assert "nodeSelector" not in values


def test_no_object_is_larger_than_one_request_takes(values):
    for output in sections(values, "outputs"):
        assert output["use_put_object"] == "On"
        assert int(output["total_file_size"].removesuffix("M")) <= 50


def test_no_test_pod_comes_with_it(values):
    assert values["testFramework"] == {"enabled": False}


def sections(values, kind):
    """Sections of a part of the configuration, each as keys and values; `Match` is either kind of match."""
    parsed = []
    for line in values["config"][kind].splitlines():
        if line.strip().startswith("["):
            parsed.append({})
        elif line.strip():
            key, value = line.split(maxsplit=1)
            parsed[-1][key.removesuffix("_Regex")] = value
    return parsed
