"""Bills of materials of this repository, and of Dockerfiles that are wrong."""

import json
import re
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from localcloud.cloud import REPOSITORY
from moka import catalog
from sbom import parts
from sbom.documents import documents

MADE = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture(scope="module")
def bills():
    return documents(REPOSITORY, catalog.read(), "1.2.3", MADE)


def components(text):
    return {entry["purl"]: entry for entry in json.loads(text)["components"]}


def test_each_is_valid_and_the_same_again(bills):
    validator = JsonStrictValidator(SchemaVersion.V1_6)

    assert [validator.validate_str(text) for text in bills.values()] == [None] * len(bills)
    assert documents(REPOSITORY, catalog.read(), "1.2.3", MADE) == bills


def test_there_is_one_for_what_deploys_and_one_for_each_image_of_ours(bills):
    assert set(bills) == {
        "platform.cdx.json",
        "allocator.cdx.json",
        "archer.cdx.json",
        "driver-finalizer.cdx.json",
        "event-log-uploader.cdx.json",
        "history-gate.cdx.json",
        "history-server.cdx.json",
        "queue-keeper.cdx.json",
        "ui-gateway.cdx.json",
        "usage-recorder.cdx.json",
    }


def test_what_deploys_has_every_pin_with_all_hashes_every_chart_and_every_image(bills):
    platform = components(bills["platform.cdx.json"])
    lines = (REPOSITORY / "requirements.txt").read_text().splitlines()
    pins = {line.split(" ")[0] for line in lines if line[:1].isalnum()}

    packages = {unquote(purl).removeprefix("pkg:pypi/") for purl in platform if "pypi" in purl}
    assert {name.replace("@", "==") for name in packages} == {re.sub(r"\[.+]", "", pin) for pin in pins}
    links = [link for entry in platform.values() for link in entry.get("externalReferences", ())]
    assert sum(len(link["hashes"]) for link in links) == sum("--hash=" in line for line in lines)
    charts = [purl for purl in platform if purl.startswith("pkg:helm/")]
    assert {purl.partition("?")[0] for purl in charts} == {
        f"pkg:helm/{chart.name}@{chart.version}" for chart in catalog.read().charts.values()
    }
    assert "pkg:docker/apache/yunikorn@scheduler-1.8.0?repository_url=docker.io" in platform


def test_a_known_digest_is_the_hash_of_an_image(bills):
    digests = {
        hash["content"]
        for purl, entry in components(bills["platform.cdx.json"]).items()
        if purl.startswith("pkg:docker/ingress-nginx/controller@")
        for hash in entry["hashes"]
    }

    assert digests == {"594ceea76b01c592858f803f9ff4d2cb40542cae2060410b2c95f75907d659e1"}


def test_an_image_of_ours_has_its_base_its_packages_and_its_jars(bills):
    gateway = components(bills["ui-gateway.cdx.json"])
    history = components(bills["history-server.cdx.json"])

    assert "pkg:docker/library/python@3.13.9-slim-bookworm?repository_url=docker.io" in gateway
    assert any(purl.startswith("pkg:pypi/aiohttp@") for purl in gateway)
    assert any(purl.startswith("pkg:maven/org.apache.hadoop/hadoop-aws@") for purl in history)
    assert [purl for purl in components(bills["event-log-uploader.cdx.json"]) if "pypi" in purl] == []


@pytest.mark.parametrize(
    ("dockerfile", "words"),
    [
        ("FROM Python:3", "Python:3 names no image"),
        (
            "FROM python:3.13\nADD https://example/tool.tar.gz /opt/",
            "is no jar of Maven's with its --checksum",
        ),
        ("FROM python:3.13\nADD $MAVEN/org/a/b/1/b-1.jar /opt/", "is no jar of Maven's with its --checksum"),
    ],
)
def test_what_nobody_can_name_is_refused(dockerfile, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        list(parts.of_dockerfile(dockerfile, tmp_path / "requirements.txt"))
