import re
from pathlib import Path

import pytest
import yaml

from moka.jobs.conf import CELEBORN
from moka.jobs.versions import RELEASES

ROOT = Path(__file__).resolve().parents[4]
DOCKERFILE = (ROOT / "examples" / "jobs" / "Dockerfile").read_text()
OURS = RELEASES["4.1"]
JOBS = [
    job
    for file in sorted((ROOT / "examples" / "jobs").glob("*.yaml"))
    for job in yaml.safe_load_all(file.read_text())
]


def test_the_example_of_an_image_is_of_the_spark_and_the_hadoop_of_jobs():
    bases = re.findall(r"^FROM (?:--\S+ )?(\S+)", DOCKERFILE, re.MULTILINE)

    assert {re.fullmatch(r"docker\.io/apache/spark:([\d.]+)-\S+-ubuntu", base)[1] for base in bases} == {
        OURS.release
    }
    assert f"/hadoop-aws-{OURS.hadoop}.jar" in DOCKERFILE
    assert f"/spark-hadoop-cloud_2.13-{OURS.release}.jar" in DOCKERFILE


def test_it_has_the_client_of_the_celeborn_that_clusters_run():
    pinned = yaml.safe_load((ROOT / "charts-values" / "charts.yaml").read_text())["images"]["celeborn"]["tag"]
    spark = OURS.release.split(".")[0]

    assert f"\nARG CELEBORN={pinned}\n" in DOCKERFILE
    assert f"/spark/celeborn-client-spark-{spark}-shaded_2.13-$CELEBORN.jar" in DOCKERFILE
    assert "--from=celeborn /tmp/celeborn/*.jar /opt/spark/jars/" in DOCKERFILE


def test_its_build_starts_spark_with_that_client_as_jobs_do():
    [run] = re.findall(
        r"^RUN .*spark-submit(?:.*\\\n)*.*", DOCKERFILE.split("--from=celeborn ")[1], re.MULTILINE
    )
    conf = dict(re.findall(r"--conf (\S+?)=(\S+)", run))

    assert conf.pop("spark.celeborn.master.endpoints")
    assert conf == {
        key: CELEBORN[key] for key in ("spark.shuffle.manager", "spark.shuffle.sort.io.plugin.class")
    }


@pytest.mark.parametrize("job", [job for job in JOBS if job.get("celeborn")], ids=lambda job: job["name"])
def test_examples_of_jobs_on_celeborn_run_in_such_an_image(job):
    assert job.get("spark_version", "4.1") == "4.1"
    assert "image" not in job


def test_whatever_it_adds_is_refused_if_it_is_another_file():
    package, image = DOCKERFILE.split("\nFROM ")[1:]
    added = re.findall(r"^ADD \S+/(\S+) ", package, re.MULTILINE)

    assert added == [
        "apache-celeborn-$CELEBORN-bin.tgz",
        "apache-celeborn-$CELEBORN-bin.tgz.sha512",
    ]
    assert f"RUN sha512sum --check {added[1]}" in package
    assert image.count("\nADD ") == len(re.findall(r"--checksum=sha256:[0-9a-f]{64}", image)) > 0
