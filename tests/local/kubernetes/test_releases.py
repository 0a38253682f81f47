import base64
import gzip
import json

import pytest

from localcloud.control_plane.stand_ins import charts as stand_ins
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.errors import Refusal
from localcloud.plugins.provider import InitializationFailed
from localcloud.plugins.values import UNKNOWN, Secret

RELEASE = "kubernetes:helm.sh/v3:Release"
NOWHERE = {"repo": "https://charts.invalid/stable"}


def release(namespace, name="hello", **more):
    return {"chart": "greeter", "name": name, "namespace": namespace, "repositoryOpts": NOWHERE, **more}


def greeting(plane, namespace, name="hello"):
    config_map = plane.api().get(f"/api/v1/namespaces/{namespace}/configmaps/{name}")
    return config_map and config_map["data"]["greeting"]


@pytest.fixture
def pretend(plane):
    """Make a stored release look as a Helm leaves it that is killed on the way."""

    def change(namespace, name, revision, status):
        path = f"/api/v1/namespaces/{namespace}/secrets/sh.helm.release.v1.{name}.v{revision}"
        secret = plane.api().get(path)
        stored = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(secret["data"]["release"]))))
        stored["info"]["status"] = status
        packed = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(stored).encode()))).decode()
        plane.api().merge(path, {"data": {"release": packed}, "metadata": {"labels": {"status": status}}})

    return change


def test_a_chart_at_hand_is_rendered_applied_and_waited_for(engine, namespace, plane, charts):
    hello = engine.create(RELEASE, "hello", release(namespace, values={"greeting": "hi", "hook": True}))

    assert hello.target.id == f"{namespace}/hello"
    assert hello.state["status"]["status"] == "deployed"
    assert hello.state["status"]["version"] == hello.state["version"] == "1.2.3"
    assert hello.state["resourceNames"]["Deployment.apps/apps/v1"] == ["hello"]
    assert greeting(plane, namespace) == "hi"
    web = plane.api().get(f"/apis/apps/v1/namespaces/{namespace}/deployments/hello")
    assert web["status"]["availableReplicas"] == 1
    assert plane.api().get("/apis/greeter.example/v1")

    engine.delete(hello)
    assert greeting(plane, namespace) is None
    assert engine.refresh(hello) is None


def test_a_changed_value_is_shown_and_upgrades_the_release(engine, namespace, plane, charts):
    hello = engine.create(RELEASE, "hello", release(namespace, values={"greeting": "hi"}))
    inputs = release(namespace, values={"greeting": "good day"})

    assert engine.changed(hello, release(namespace, values={"greeting": "hi"})) == {}
    assert engine.changed(hello, inputs) == {"values.greeting": "UPDATE"}
    now = engine.update(hello, inputs)
    assert now.state["status"]["revision"] == 2
    assert greeting(plane, namespace) == "good day"
    assert engine.diff(now, release(namespace, name="other")).replaces == {("name",)}


def test_a_preview_of_a_release_changes_nothing(engine, namespace, plane, charts):
    assert engine.preview(RELEASE, "hello", release(namespace))["status"] is UNKNOWN
    assert greeting(plane, namespace) is None


def test_a_chart_that_cannot_be_reached_is_recorded_and_rendered_once_it_can_be(
    engine, namespace, plane, request
):
    inputs = release(namespace, values={"greeting": "hi"})
    hello = engine.create(RELEASE, "hello", inputs)

    assert hello.state["status"]["status"] == "recorded"
    assert hello.state["values"] == {"greeting": "hi"}
    assert greeting(plane, namespace) is None
    assert "recorded, not rendered: chart greeter cannot be reached" in engine.messages[0]
    assert engine.changed(hello, inputs) == {}
    assert engine.refresh(hello).state["status"]["status"] == "recorded"

    request.getfixturevalue("charts")
    assert engine.changed(hello, inputs)["status"] == "UPDATE"
    assert engine.update(hello, inputs).state["status"]["status"] == "deployed"
    assert greeting(plane, namespace) == "hi"


def test_what_was_made_in_a_charts_place_is_the_releases_own_once_it_is_rendered(
    engine, namespace, plane, request
):
    defaults = f"/api/v1/namespaces/{namespace}/configmaps/yunikorn-defaults"
    values = {"yunikornDefaults": {"kubernetes.qps": "500"}}
    inputs = release(namespace, chart="yunikorn", name="yunikorn", values=values)
    recorded = engine.create(RELEASE, "yunikorn", inputs)
    assert plane.api().get(defaults)["data"] == {"kubernetes.qps": "500"}

    request.getfixturevalue("charts")
    changed = {**inputs, "values": {"yunikornDefaults": {"kubernetes.burst": "1000"}}}
    rendered = engine.update(recorded, changed)
    assert rendered.state["status"]["status"] == "deployed"
    assert plane.api().get(defaults)["data"] == {"kubernetes.burst": "1000"}
    assert yunikorn_url(plane)

    engine.delete(rendered)
    assert plane.api().get(defaults) is None
    assert yunikorn_url(plane) is None


def test_a_recorded_release_needs_its_namespace_as_with_helm(engine, namespace, plane):
    with pytest.raises(Refusal, match="There is no namespace nowhere"):
        engine.create(RELEASE, "hello", release("nowhere"))

    hello = engine.create(RELEASE, "hello", release(f"{namespace}-made", createNamespace=True))
    assert plane.api().get(f"/api/v1/namespaces/{namespace}-made")
    engine.delete(hello)
    plane.api().delete(f"/api/v1/namespaces/{namespace}-made")


def test_another_version_than_the_chart_at_hand_is_refused(engine, namespace, charts):
    with pytest.raises(Refusal, match=r"is version 1\.2\.3, and the release asks for 2\.0\.0"):
        engine.create(RELEASE, "hello", release(namespace, version="2.0.0"))


def test_a_release_that_does_not_come_up_is_kept_and_says_why(engine, namespace, plane, charts):
    stuck = release(namespace, values={"nodeSelector": {"zone": "nowhere"}}, timeout=2)

    with pytest.raises(
        InitializationFailed, match="Deployment hello is not ready: 0 of 1 pods are available"
    ) as caught:
        engine.create(RELEASE, "hello", stuck, timeout=0)
    assert caught.value.outputs["status"]["status"] == "failed"


def test_an_atomic_release_that_does_not_come_up_leaves_nothing(engine, namespace, plane, charts):
    stuck = release(namespace, values={"nodeSelector": {"zone": "nowhere"}}, timeout=2, atomic=True)

    with pytest.raises(Refusal, match="Helm could not deploy release"):
        engine.create(RELEASE, "hello", stuck, timeout=0)
    assert greeting(plane, namespace) is None


def test_an_install_that_was_killed_is_cleared_away_and_done_anew(engine, namespace, plane, charts, pretend):
    engine.create(RELEASE, "hello", release(namespace))
    pretend(namespace, "hello", 1, "pending-install")

    again = engine.create(RELEASE, "hello", release(namespace, values={"greeting": "again"}))
    assert again.state["status"]["status"] == "deployed"
    assert greeting(plane, namespace) == "again"


def test_an_upgrade_that_was_killed_is_rolled_back_and_done_anew(engine, namespace, plane, charts, pretend):
    hello = engine.create(RELEASE, "hello", release(namespace))
    hello = engine.update(hello, release(namespace, values={"greeting": "second"}))
    pretend(namespace, "hello", 2, "pending-upgrade")
    pretend(namespace, "hello", 1, "deployed")

    seen = engine.refresh(hello)
    inputs = release(namespace, values={"greeting": "second"})
    assert "status" in engine.changed(seen, inputs)
    now = engine.update(seen, inputs)
    assert now.state["status"]["status"] == "deployed"
    assert greeting(plane, namespace) == "second"


def test_a_release_of_somebody_else_is_not_taken_over(engine, make_engine, namespace, charts):
    engine.create(RELEASE, "hello", release(namespace))

    with pytest.raises(Refusal, match="exists already and is not this resource's"):
        engine.create(RELEASE, "other", release(namespace))


def test_values_changed_by_hand_are_seen_by_refresh(engine, namespace, charts):
    hello = engine.create(RELEASE, "hello", release(namespace, values={"greeting": "hi"}))
    chart = str(charts / "greeter")
    engine.provider.releases.helm.on_cluster(
        "upgrade", "hello", chart, "--namespace", namespace, "--set", "greeting=theirs"
    )

    seen = engine.refresh(hello)
    assert engine.changed(seen, release(namespace, values={"greeting": "hi"})) == {
        "values.greeting": "UPDATE"
    }


def test_a_release_is_imported_with_its_values(engine, namespace, charts):
    engine.create(RELEASE, "hello", release(namespace, values={"greeting": "hi"}))

    imported = engine.imported(RELEASE, "hello", f"{namespace}/hello")
    assert imported.inputs["values"] == {"greeting": "hi"}
    assert (imported.inputs["chart"], imported.inputs["version"]) == ("greeter", "1.2.3")


def test_secret_values_stay_secret(engine, namespace, plane, charts):
    values = {"password": Secret("hunter2"), "greeting": "hi"}
    hello = engine.create(RELEASE, "hello", release(namespace, values=values))

    assert hello.state["values"]["password"] == Secret("hunter2")
    password = plane.api().get(f"/api/v1/namespaces/{namespace}/secrets/hello")["data"]["password"]
    assert base64.b64decode(password) == b"hunter2"
    assert engine.refresh(hello).inputs["values"]["password"] == Secret("hunter2")


def test_files_of_values_lie_below_the_values(engine, namespace, charts, tmp_path):
    file = tmp_path / "values.yaml"
    file.write_text("greeting: from the file\nreplicas: 2\n")
    checked = engine.checked(
        RELEASE, "hello", release(namespace, valueYamlFiles=[{"path": str(file)}], values={"replicas": 1})
    )

    assert checked["values"] == {"greeting": "from the file", "replicas": 1}


def test_the_control_plane_is_told_of_every_release_rendered_or_not(engine, namespace, request, monkeypatch):
    calls = []

    def apply(plane, release):
        calls.append((release.name, release.chart, release.values, release.rendered))

    monkeypatch.setattr(stand_ins, "apply", apply)
    monkeypatch.setattr(stand_ins, "remove", lambda plane, namespace, name: calls.append((name, "gone")))
    inputs = release(namespace, chart="oci://charts.invalid/stable/greeter", values={"replicas": 1})
    hello = engine.create(RELEASE, "hello", inputs)
    request.getfixturevalue("charts")
    engine.delete(engine.update(hello, inputs))

    assert calls == [
        ("hello", "greeter", {"replicas": 1}, False),
        ("hello", "greeter", {"replicas": 1}, False),
        ("hello", "greeter", {"replicas": 1}, True),
        ("hello", "gone"),
    ]
