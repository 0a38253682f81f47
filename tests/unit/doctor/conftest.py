"""An environment of our own, its accounts in moto, and stubs where moto has no answer."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import yaml
from moto import mock_aws

from doctor.account import Place, SessionClients
from stacks.settings import Environment, parse
from tests.support.aws_stubs import SESSION, Answers, Scripted
from tests.support.calendar import TODAY

SETTINGS = """
environment: trial
organization: acme
home: spark-a
domain: spark.trial.acme.example
history: {image: registry.acme.example/history-server:4.3.0}
services:
  event_log_uploader: {image: registry.acme.example/event-log-uploader:1.0.0}
  history_gate: {image: registry.acme.example/history-gate:1.0.0}
foundations:
  main:
    account: "123456789012"
    region: us-east-1
    deployer: arn:aws:iam::123456789012:role/ci/deployer
    network: {cidr: 10.8.0.0/18, pod_cidrs: [100.64.0.0/16], zones: [us-east-1a, us-east-1b, us-east-1c]}
clusters:
  spark-a:
    foundation: main
    version: "1.34"
    profile: adhoc
    node_groups:
      system: {role: system, architecture: arm64, instance_types: [m7g.2xlarge], minimum: 2, maximum: 3}
      driver: {role: driver, architecture: amd64, instance_types: [r6i.2xlarge], minimum: 1, maximum: 4}
      executor:
        {role: executor, architecture: amd64, instance_types: [r6i.4xlarge, r5.8xlarge], spot: true,
         minimum: 0, maximum: 30, disk: {gib: 2000, iops: 6000, mibps: 1500}}
      shuffle: {role: shuffle, architecture: arm64, instance_types: [r6gd.4xlarge], minimum: 3, maximum: 3}
    shuffle: {workers: 3, storage: {instance: {gib: 700}}}
job_namespaces:
  jobs: {}
queues:
  organizations:
    analytics:
      projects:
        reports:
          tiers: {1: {guaranteed: {cpu: "4", memory: 16Gi}, maximum: {cpu: "8", memory: 32Gi}}}
"""

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test may meet a person's own account."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # thousands, and none of them EKS's
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        yield


@pytest.fixture
def settings() -> Callable[..., Environment]:
    """The settings of this environment, after some changes of the file."""

    def make(*changes: Change) -> Environment:
        written = yaml.safe_load(SETTINGS)
        for change in changes:
            change(written)
        return parse(yaml.safe_dump(written), "trial.yaml")

    return make


@pytest.fixture
def place(settings: Callable[..., Environment]) -> Iterator[Callable[..., Place]]:
    """The foundation `main` in moto; what is stubbed is asked in the order that is given."""
    stubs = ExitStack()

    def make(*changes: Change, stubbed: dict[str, Answers] | None = None) -> Place:
        moto = SessionClients(SESSION)
        scripted = {
            service: stubs.enter_context(Scripted(service, answers))
            for service, answers in (stubbed or {}).items()
        }
        return Place(
            name="main",
            settings=settings(*changes),
            clients=lambda service, region: scripted.get(service) or moto(service, region),
            today=TODAY,
        )

    with stubs:
        yield make
