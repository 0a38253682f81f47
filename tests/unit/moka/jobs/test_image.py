import re
from pathlib import Path

from moka.jobs.versions import RELEASES

DOCKERFILE = (Path(__file__).resolve().parents[4] / "examples" / "jobs" / "Dockerfile").read_text()


def test_the_example_of_an_image_is_of_the_spark_and_the_hadoop_of_jobs():
    ours = RELEASES["4.1"]

    assert re.search(rf"^FROM docker\.io/apache/spark:{ours.release}-\S+-ubuntu$", DOCKERFILE, re.MULTILINE)
    assert f"/hadoop-aws-{ours.hadoop}.jar" in DOCKERFILE
    assert f"/spark-hadoop-cloud_2.13-{ours.release}.jar" in DOCKERFILE


def test_whatever_it_adds_is_refused_if_it_is_another_file():
    additions = DOCKERFILE.count("\nADD ")

    assert additions == len(re.findall(r"--checksum=sha256:[0-9a-f]{64}", DOCKERFILE)) > 0
