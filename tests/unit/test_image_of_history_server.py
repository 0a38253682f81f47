"""The image of the History Server, as far as its Dockerfile says."""

import json
import os
import re
import subprocess

from localcloud.cloud import REPOSITORY
from stacks import settings
from stacks.settings.reading import environments

DOCKERFILE = (REPOSITORY / "images" / "history-server" / "Dockerfile").read_text()
JARS = dict(re.findall(r"--checksum=sha256:([0-9a-f]{64}) \\\n\s+\$MAVEN\S+/(\S+\.jar)\s", DOCKERFILE))


def test_it_holds_s3a_and_the_sdk_each_checked_against_its_sum():
    names = {re.sub(r"-[0-9.]+\.jar$", "", jar) for jar in JARS.values()}

    assert names == {"hadoop-aws", "bundle", "analyticsaccelerator-s3"}
    assert DOCKERFILE.count("ADD ") == len(JARS)


def test_it_starts_the_server_with_the_user_of_its_pods():
    assert json.loads(re.search(r"^ENTRYPOINT (.+)$", DOCKERFILE, re.MULTILINE)[1]) == [
        "/opt/spark/bin/spark-class",
        "org.apache.spark.deploy.history.HistoryServer",
    ]
    assert "\nUSER 185\n" in DOCKERFILE


def test_environments_take_it_of_the_spark_that_it_is_made_from():
    [release] = re.findall(r"^FROM docker\.io/apache/spark:([0-9.]+)-", DOCKERFILE, re.MULTILINE)

    for name in environments():
        assert settings.load(name).history.image.endswith(f"/history-server:{release}"), name


def test_make_builds_it_from_its_own_dockerfile(tmp_path):
    (tmp_path / "docker").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "docker").chmod(0o755)

    done = subprocess.run(
        [
            "make",
            "--silent",
            "images",
            "REGISTRY=registry.example/acme",
            "TAG=4.3.0",
            "SERVICE=history-server",
        ],
        cwd=REPOSITORY,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )

    [line] = done.stdout.splitlines()
    assert "--tag registry.example/acme/history-server:4.3.0" in line
    assert line.endswith("--file images/history-server/Dockerfile .")
