"""The collector itself judges every configuration that is deployed, but for the parts that it lacks here."""

import os
import subprocess

import pytest
import yaml

from localcloud import tools
from moka.collectors.sending import CloudWatch, Otlp, OwnStore, RemoteWrite
from moka.components.kubernetes.opentelemetry import AGENT_RELEASE, GATEWAY_RELEASE, SCRAPER_RELEASE
from tests.support import collectors

WORKSPACE = "arn:aws:aps:us-east-1:123456789012:workspace/ws-0a1b"
DESTINATIONS = {
    "own store": OwnStore(),
    "otlp": Otlp(endpoint="https://metrics.example.com/otlp", secret="login"),
    "remote write": RemoteWrite(url="https://metrics.example.com/api/v1/write"),
    "managed Prometheus": RemoteWrite(url="https://aps.example.com/api/v1/remote_write", workspace=WORKSPACE),
    "CloudWatch": CloudWatch(region="us-east-1"),
}
ENVIRONMENT = {"SHARD": "0", "K8S_NODE_NAME": "node", "K8S_NODE_IP": "127.0.0.1", "AUTHORIZATION": "Bearer a"}


IN_PODS = {
    "/var/lib/opentelemetry": "{folder}",
    "root_path: /hostfs": "root_path: /",
    "auth_type: serviceAccount": "auth_type: none",
}
"""Volumes and the account's files, which are there in a pod, and what is there here."""


@pytest.fixture(scope="module")
def collector():
    tools.build(["collector"])
    return tools.path("collector")


def judge(collector, folder, release, config):
    text = yaml.safe_dump(config)
    for pods, here in IN_PODS.items():
        text = text.replace(pods, here.format(folder=folder))
    (folder / "config.yaml").write_text(text)
    return subprocess.run(
        [collector, "validate", "--config", folder / "config.yaml"],
        env={**os.environ, **collectors.environment(release, "127.0.0.1", ENVIRONMENT)},
        capture_output=True,
        text=True,
        check=False,
    )


def deployed(release, destination):
    args = collectors.with_destination(collectors.arguments(("jobs",)), destination)
    return collectors.without_absent(
        collectors.deployed(release, args, "opentelemetry-gateway.monitoring:4317")
    )


@pytest.mark.parametrize("destination", DESTINATIONS.values(), ids=DESTINATIONS)
@pytest.mark.parametrize("release", [AGENT_RELEASE, SCRAPER_RELEASE, GATEWAY_RELEASE])
def test_the_collector_takes_what_is_deployed(collector, tmp_path, release, destination):
    judged = judge(collector, tmp_path, release, deployed(release, destination))

    assert judged.returncode == 0, judged.stderr


def test_it_would_not_take_a_key_that_it_does_not_know(collector, tmp_path):
    config = deployed(GATEWAY_RELEASE, OwnStore())
    config["exporters"]["otlphttp"]["sending_queu"] = {}

    judged = judge(collector, tmp_path, GATEWAY_RELEASE, config)

    assert judged.returncode != 0
    assert "sending_queu" in judged.stderr


def test_what_it_lacks_here_is_all_that_is_left_out():
    for release in (AGENT_RELEASE, SCRAPER_RELEASE, GATEWAY_RELEASE):
        args = collectors.with_destination(collectors.arguments(("jobs",)), CloudWatch(region="us-east-1"))
        whole = collectors.deployed(release, args, "gateway:4317")
        left = collectors.without_absent(whole)
        for kind in ("receivers", "processors", "exporters", "extensions"):
            gone = whole.get(kind, {}).keys() - left.get(kind, {}).keys()
            assert gone <= collectors.NOT_ON_THE_LAPTOP.keys()
