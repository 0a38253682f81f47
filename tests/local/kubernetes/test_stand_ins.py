"""Deployments whose pods a program of the project stands in for."""

from datetime import UTC, datetime

import pytest

from localcloud.cloud import ACCOUNT, REGION
from localcloud.control_plane.stand_ins import deployments
from localcloud.plugins.provider import InitializationFailed, Target
from localcloud.store import Store, store_folder
from tests.local.kubernetes.conftest import Resource

DEPLOYMENT = "kubernetes:apps/v1:Deployment"

SERVES = """
import http.server
import sys

[listen] = [argument for argument in sys.argv if argument.startswith("--listen=127.0.0.1:")]


class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", int(listen.rpartition(":")[2])), Healthy).serve_forever()
"""


@pytest.fixture
def program(engine, tmp_path, monkeypatch):
    """Write the program that stands in for the Deployments of one name."""
    (tmp_path / "localcloud.yaml").write_text("stand_ins: {greeter: {module: greeter}}\n")
    monkeypatch.setattr(engine.provider, "project", tmp_path)
    return (tmp_path / "greeter.py").write_text


def greeter(namespace, text):
    labels = {"app.kubernetes.io/name": "greeter"}
    container = {
        "name": "greeter",
        "image": "registry.k8s.io/pause:3.10",
        "env": [{"name": "TEXT", "value": text}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "greeter", "namespace": namespace, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], "automountServiceAccountToken": False},
            },
        },
    }


def test_one_that_does_not_start_is_kept_and_the_next_up_has_it_run(engine, namespace, plane, program):
    program("raise SystemExit('there is nobody to greet')")

    with pytest.raises(InitializationFailed) as caught:
        engine.create(DEPLOYMENT, "greeter", greeter(namespace, "one"))

    kept = caught.value
    assert kept.id == f"{namespace}/greeter"
    assert kept.reason.startswith(f"Deployment {kept.id} exists but is not ready: ")
    assert "there is nobody to greet" in kept.reason

    program(SERVES)
    urn = f"urn:pulumi:test::tests::{DEPLOYMENT}::greeter"
    engine.update(Resource(Target(urn, kept.id), kept.inputs, kept.outputs), greeter(namespace, "one"))
    assert plane.process(f"deployment.{namespace}.greeter").alive()


def test_one_that_comes_right_after_the_association_of_its_account_may_have_no_credentials(
    engine, namespace, plane, program
):
    program(SERVES)
    store = Store(store_folder(plane.cloud) / ACCOUNT / REGION / "eks")
    association = {"clusterName": plane.name, "namespace": namespace, "serviceAccount": "default"}
    created = {"roleArn": f"arn:aws:iam::{ACCOUNT}:role/greeter", "createdAt": datetime.now(UTC).isoformat()}
    store.put("podidentityassociation", plane.name, "a-1", thing={**association, **created})

    with pytest.raises(InitializationFailed) as caught:
        engine.create(DEPLOYMENT, "greeter", greeter(namespace, "one"))

    store.remove("podidentityassociation", plane.name, "a-1")
    assert f"service account {namespace}/default was made, and may stay without" in caught.value.reason


def test_one_whose_deployment_was_deleted_by_hand_is_not_started_again(engine, namespace, plane, program):
    program(SERVES)
    engine.create(DEPLOYMENT, "greeter", greeter(namespace, "one"))
    process = plane.process(f"deployment.{namespace}.greeter")
    assert process.alive()

    plane.api().delete(f"/apis/apps/v1/namespaces/{namespace}/deployments/greeter")
    deployments.resume(plane)

    assert not process.alive()
    assert f"{namespace}/greeter" not in deployments.addresses(plane)
