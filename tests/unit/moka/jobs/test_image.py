import re
from pathlib import Path

from moka import catalog
from moka.jobs.versions import RELEASES

DOCKERFILE = (Path(__file__).resolve().parents[4] / "examples" / "jobs" / "Dockerfile").read_text()


def test_the_example_of_an_image_is_of_the_spark_and_the_jars_that_are_pinned():
    pinned = catalog.read()
    added = re.findall(r"--checksum=sha256:([0-9a-f]{64}) \\\n\s+\$MAVEN(\S+) ", DOCKERFILE)

    assert f"FROM {pinned.images['spark'].reference}" in DOCKERFILE
    for jar in pinned.jars.values():
        assert (jar.sha256, jar.url.partition("/maven2")[2]) in added


def test_jobs_are_of_the_spark_and_the_hadoop_that_are_pinned():
    pinned, ours = catalog.read(), RELEASES["4.1"]

    assert pinned.images["spark"].tag.startswith(f"{ours.release}-")
    assert pinned.jars["hadoop-aws"].url.endswith(f"hadoop-aws-{ours.hadoop}.jar")
    assert f"/spark-hadoop-cloud_2.13-{ours.release}.jar" in DOCKERFILE
