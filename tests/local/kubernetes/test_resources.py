import base64
import re
import threading
from dataclasses import replace

import pytest

from localcloud.credentials import Principal
from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import resources
from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.kinds import Kind
from localcloud.plugins.provider import InitializationFailed, Target
from localcloud.plugins.values import UNKNOWN, Secret

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
SECRET = "kubernetes:core/v1:Secret"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


def config_map(namespace, name="settings", **data):
    metadata = {"namespace": namespace, **({"name": name} if name else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def deployment(namespace, name="web", annotations=None, **pod):
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": namespace, "name": name, "annotations": annotations or {}},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [
                        {
                            "name": "web",
                            "image": "registry.example/web:1",
                            "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}},
                        }
                    ],
                    **pod,
                },
            },
        },
    }


def definition(plural, kind, scope="Namespaced"):
    group = "tests.example"
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


@pytest.fixture
def no_questions(monkeypatch):
    """Asking the API server anything fails the test."""

    def forbid():
        def refuse(*args, **options):
            raise AssertionError(f"the API server was asked {args[1:3]}")

        monkeypatch.setattr(Api, "_send", refuse)

    return forbid


def test_an_object_without_a_name_is_given_one_and_keeps_it(engine, namespace, plane):
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, name=None, mode="a"))

    name = resource.state["metadata"]["name"]
    assert re.fullmatch(r"settings-[0-9a-f]{8}", name)
    assert resource.target.id == f"{namespace}/{name}"
    assert plane.api().get(f"/api/v1/namespaces/{namespace}/configmaps/{name}")["data"] == {"mode": "a"}
    assert engine.changed(resource, config_map(namespace, name=None, mode="a")) == {}


def test_a_diff_without_changes_asks_the_cluster_nothing(engine, namespace, no_questions):
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))

    no_questions()
    assert engine.changed(resource, config_map(namespace, mode="a")) == {}


def test_a_preview_changes_nothing_and_tells_what_the_server_would_fill_in(engine, namespace, plane):
    shown = engine.preview(DEPLOYMENT, "web", deployment(namespace))

    assert shown["spec"]["strategy"]["type"] == "RollingUpdate"
    assert plane.api().get(f"/apis/apps/v1/namespaces/{namespace}/deployments/web") is None


def test_a_preview_in_a_namespace_that_comes_with_the_update_shows_the_inputs(engine):
    inputs = config_map("not-there-yet", mode="a")

    assert engine.preview(CONFIG_MAP, "settings", inputs) == inputs


def test_a_preview_of_a_kind_that_comes_with_the_update_shows_the_inputs(engine, namespace):
    inputs = {"apiVersion": "nowhere.example/v1", "kind": "Thing", "metadata": {"name": "x"}}

    assert engine.preview("kubernetes:nowhere.example/v1:Thing", "x", inputs) == inputs


def test_a_preview_with_unknown_inputs_shows_them_as_unknown(engine, namespace, no_questions):
    no_questions()
    shown = engine.preview(CONFIG_MAP, "settings", config_map(namespace, bucket=UNKNOWN))

    assert shown["data"] == {"bucket": UNKNOWN}


def test_what_is_there_and_will_be_replaced_is_previewed_as_it_was_written(engine, namespace, by_hand):
    """The API server would refuse another type of a Secret, which is deleted before."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login", "namespace": namespace},
        "type": "one",
    }
    engine.create("kubernetes:core/v1:Secret", "login", secret)

    assert (
        engine.preview("kubernetes:core/v1:Secret", "login", {**secret, "type": "other"})["type"] == "other"
    )


def test_contents_of_a_config_map_replace_it_unless_the_provider_lets_them_change(
    make_engine, namespace, plane
):
    strict, lax = make_engine(), make_engine(enableConfigMapMutable="true")
    resource = strict.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))
    changed = config_map(namespace, mode="b")

    diff = strict.diff(resource, changed)
    assert diff.replaces == {("data", "mode")} and diff.delete_before_replace

    assert not lax.diff(resource, changed).replaces
    assert lax.update(resource, changed).state["data"] == {"mode": "b"}
    assert plane.api().get(f"/api/v1/namespaces/{namespace}/configmaps/settings")["data"] == {"mode": "b"}


def test_a_field_that_is_no_longer_declared_is_taken_away(make_engine, namespace):
    engine = make_engine(enableConfigMapMutable="true")
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a", old="x"))

    assert engine.update(resource, config_map(namespace, mode="a")).state["data"] == {"mode": "a"}


def test_a_new_name_replaces_without_deleting_first(engine, namespace):
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))

    diff = engine.diff(resource, config_map(namespace, name="others", mode="a"))
    assert diff.replaces == {("metadata", "name")} and not diff.delete_before_replace


def test_a_deployment_is_there_when_it_is_rolled_out(engine, namespace):
    resource = engine.create(DEPLOYMENT, "web", deployment(namespace))
    assert resource.state["status"]["availableReplicas"] == 2

    changed = deployment(namespace)
    changed["spec"]["replicas"] = 3
    assert engine.changed(resource, changed) == {"spec.replicas": "UPDATE"}
    assert engine.update(resource, changed).state["status"]["availableReplicas"] == 3


def test_a_deployment_that_cannot_run_is_kept_and_says_why(engine, namespace):
    stuck = deployment(namespace, nodeSelector={"zone": "nowhere"})

    with pytest.raises(InitializationFailed, match=r"0 of 2 pods are available") as caught:
        engine.create(DEPLOYMENT, "web", stuck, timeout=3)

    assert caught.value.id == f"{namespace}/web"
    assert caught.value.outputs["metadata"]["uid"]


def test_pods_whose_volume_no_driver_makes_are_not_waited_for(engine, namespace, monkeypatch):
    monkeypatch.setattr(resources, "VOLUME_PATIENCE_SECONDS", 0.0)
    metadata = {"name": "slow-ebs"}
    engine.create(
        "kubernetes:storage.k8s.io/v1:StorageClass",
        "slow-ebs",
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": metadata,
            "provisioner": "ebs.csi.aws.com",
        },
    )
    stateful_set = deployment(namespace, "store") | {"kind": "StatefulSet"}
    stateful_set["spec"]["serviceName"] = "store"
    stateful_set["spec"]["volumeClaimTemplates"] = [
        {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "slow-ebs",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    ]

    with pytest.raises(InitializationFailed) as failed:
        engine.create("kubernetes:apps/v1:StatefulSet", "store", stateful_set, timeout=300)

    reason = str(failed.value)
    assert "claim data-store-0" in reason
    assert "Waiting for a volume to be created either by the external provisioner" in reason
    assert "install the add-on aws-ebs-csi-driver" in reason


def test_nobody_waits_for_what_is_told_not_to_be_waited_for(engine, namespace):
    stuck = deployment(namespace, annotations={"pulumi.com/skipAwait": "true"}, nodeSelector={"zone": "no"})

    assert engine.create(DEPLOYMENT, "web", stuck).target.id == f"{namespace}/web"


def test_a_service_is_there_when_the_pods_behind_it_are_ready(engine, namespace):
    engine.create(DEPLOYMENT, "web", deployment(namespace))
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }

    assert engine.create("kubernetes:core/v1:Service", "web", service).state["spec"]["clusterIP"]


def test_a_custom_resource_waits_for_its_definition_to_be_made(make_engine, namespace, plane):
    resource, waiting = [], make_engine()
    custom = {
        "apiVersion": "tests.example/v1",
        "kind": "Early",
        "metadata": {"name": "one", "namespace": namespace},
        "spec": {"size": 1},
    }
    token = "kubernetes:tests.example/v1:Early"
    thread = threading.Thread(target=lambda: resource.append(waiting.create(token, "one", custom)))
    thread.start()
    make_engine().create(DEFINITION, "earlies", definition("earlies", "Early"))
    thread.join()

    assert resource[0].state["spec"] == {"size": 1}


def test_an_unknown_field_is_refused_in_one_sentence(engine, namespace):
    engine.create(DEFINITION, "stricts", definition("stricts", "Strict"))
    custom = {
        "apiVersion": "tests.example/v1",
        "kind": "Strict",
        "metadata": {"name": "one", "namespace": namespace},
        "spec": {"sise": 1},
    }

    with pytest.raises(ApiError) as caught:
        engine.create("kubernetes:tests.example/v1:Strict", "one", custom)

    sentence = engine.provider.explain(caught.value)
    assert "spec.sise" in sentence and "\n" not in sentence and sentence.endswith(".")


def test_what_was_changed_by_hand_is_seen_by_refresh_and_put_right(make_engine, namespace, by_hand, plane):
    engine = make_engine(enablePatchForce=True)
    resource = engine.create(DEPLOYMENT, "web", deployment(namespace))
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/web"
    by_hand(path, spec={"replicas": 1}, metadata={"labels": {"others": "own"}})

    seen = engine.refresh(resource)
    assert engine.changed(seen, deployment(namespace)) == {"spec.replicas": "UPDATE"}

    engine.update(seen, deployment(namespace))
    now = plane.api().get(path)
    assert now["spec"]["replicas"] == 2
    assert now["metadata"]["labels"] == {"others": "own"}


def test_refresh_of_what_nobody_touched_sees_no_drift(engine, namespace):
    resource = engine.create(DEPLOYMENT, "web", deployment(namespace))

    seen = engine.refresh(resource)
    assert seen.inputs == resource.inputs
    assert engine.changed(seen, deployment(namespace)) == {}


def test_what_was_deleted_by_hand_is_gone_after_refresh(engine, namespace, plane):
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))
    plane.api().delete(f"/api/v1/namespaces/{namespace}/configmaps/settings")

    assert engine.refresh(resource) is None
    engine.delete(resource)


def test_an_object_that_others_made_is_imported_with_inputs_that_match_a_program(engine, namespace, plane):
    inputs = deployment(namespace)
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/web"
    plane.api().apply(path, inputs)

    imported = engine.imported(DEPLOYMENT, "web", f"{namespace}/web")

    target = Target(f"urn:pulumi:test::tests::{DEPLOYMENT}::web", imported.id)
    changed = engine.checked(DEPLOYMENT, "web", inputs, imported.inputs)
    assert not engine.provider.diff(target, imported.inputs, imported.outputs, changed).kinds


def test_what_others_made_is_not_taken_over_unless_asked(make_engine, namespace, plane):
    path = f"/api/v1/namespaces/{namespace}/configmaps/settings"
    plane.api().apply(path, config_map(namespace, mode="theirs"))

    with pytest.raises(Refusal, match="exists already and is not in the stack's state"):
        make_engine().create(CONFIG_MAP, "settings", config_map(namespace, mode="ours"))

    taken = make_engine(upsertExistingObjects=True, enablePatchForce=True)
    assert taken.create(CONFIG_MAP, "settings", config_map(namespace, mode="ours")).state["data"] == {
        "mode": "ours"
    }


def test_what_a_cut_off_create_left_is_not_taken_up_by_the_next(engine, namespace):
    engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))

    with pytest.raises(Refusal, match="exists already and is not in the stack's state: import it"):
        engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))


def test_fields_of_others_are_not_taken_without_a_word(make_engine, namespace, plane):
    engine = make_engine(enableConfigMapMutable=True)
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))
    plane.api().apply(
        f"/api/v1/namespaces/{namespace}/configmaps/settings", config_map(namespace, mode="theirs")
    )

    with pytest.raises(ApiError) as caught:
        engine.update(resource, config_map(namespace, mode="b"))
    assert "pulumi.com/patchForce" in engine.provider.explain(caught.value)

    forced = config_map(namespace, mode="b")
    forced["metadata"]["annotations"] = {"pulumi.com/patchForce": "true"}
    assert engine.update(resource, forced).state["data"] == {"mode": "b"}


def test_delete_waits_for_finalizers(engine, namespace, by_hand):
    inputs = config_map(namespace, mode="a")
    inputs["metadata"]["finalizers"] = ["tests.example/hold"]
    resource = engine.create(CONFIG_MAP, "settings", inputs)
    path = f"/api/v1/namespaces/{namespace}/configmaps/settings"

    with pytest.raises(Refusal, match=r"finalizers tests\.example/hold hold it"):
        engine.delete(resource, timeout=1)

    by_hand(path, metadata={"finalizers": None})
    engine.delete(resource)
    assert engine.refresh(resource) is None


def test_a_namespace_is_gone_once_all_in_it_is(engine, namespace, plane):
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{namespace}-x"}}
    resource = engine.create("kubernetes:core/v1:Namespace", "x", manifest)
    assert resource.target.id == f"{namespace}-x"
    engine.create(DEPLOYMENT, "web", deployment(f"{namespace}-x"))

    engine.delete(resource)
    assert plane.api().get(f"/api/v1/namespaces/{namespace}-x") is None


def test_contents_of_a_secret_are_secret_however_they_were_given(engine, namespace):
    inputs = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login", "namespace": namespace},
        "stringData": {"password": "hunter2"},
    }
    resource = engine.create(SECRET, "login", inputs)

    assert resource.state["data"] == Secret({"password": base64.b64encode(b"hunter2").decode()})
    seen = engine.refresh(resource)
    assert seen.inputs["stringData"] == {"password": "hunter2"}


def test_the_providers_namespace_is_where_things_go_that_name_none(make_engine, namespace):
    engine = make_engine(namespace=namespace)
    inputs = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {}}
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": namespace},
    }

    assert engine.create(CONFIG_MAP, "settings", inputs).target.id == f"{namespace}/settings"
    resource = engine.create("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "role", role)
    assert resource.target.id == namespace
    engine.delete(resource)


RELEASE_URN = "urn:pulumi:dev::test::kubernetes:helm.sh/v3:Release::one"


def test_a_cluster_that_does_not_answer_is_one_sentence(make_engine, namespace, monkeypatch):
    engine, lenient = make_engine(), make_engine(deleteUnreachable=True)
    resource = engine.create(CONFIG_MAP, "settings", config_map(namespace, mode="a"))
    for unreachable in (engine, lenient):
        api = unreachable.provider.cluster.api
        api.access = type(api.access)(server="https://127.0.0.1:1")
        api.__dict__.pop("_pool", None)

    with pytest.raises(Exception) as caught:
        engine.delete(resource)
    assert "no program listens there" in engine.provider.explain(caught.value)
    lenient.delete(resource)
    assert lenient.refresh(resource) is None
    release = replace(resource, target=Target(RELEASE_URN, "default/one"))
    with pytest.raises(
        Refusal, match=r"can't delete Helm Release with unreachable cluster.*`pulumi refresh`"
    ):
        lenient.delete(release)
    assert lenient.refresh(release) is None


def test_clusters_that_are_not_of_this_cloud_are_refused(make_engine, plane):
    kubeconfig = plane.kubeconfig.read_text()

    with pytest.raises(Refusal, match=r"clusters of this laptop only, .* https://10\.0\.0\.1:443"):
        make_engine(kubeconfig=kubeconfig.replace(plane.endpoint, "https://10.0.0.1:443"))
    with pytest.raises(Refusal, match="configured Kubernetes cluster is unreachable"):
        make_engine(kubeconfig=kubeconfig.replace(plane.endpoint, "https://127.0.0.1:1"))


def test_kinds_are_known_to_live_in_namespaces_or_not_as_the_api_server_has_it(plane):
    groups = [group["preferredVersion"]["groupVersion"] for group in plane.api().get("/apis")["groups"]]

    for api_version in ["v1", *groups]:
        path = f"/apis/{api_version}" if "/" in api_version else "/api/v1"
        for served in plane.api().get(path)["resources"]:
            kind = Kind.of(api_version, served["kind"])
            if "/" not in served["name"] and kind.built_in:
                assert kind.cluster_scoped != served["namespaced"], kind


def test_who_has_no_access_entry_deploys_nothing_and_is_told_what_to_do(make_engine, plane, namespace):
    who = Principal("arn:aws:iam::123456789012:role/nobody", "EKSGetTokenAuth")
    engine = make_engine(kubeconfig=plane.principal_kubeconfig(who).read_text())

    with pytest.raises(ApiError) as refused:
        engine.create(CONFIG_MAP, "settings", config_map(namespace))

    assert engine.provider.explain(refused.value) == (
        "cluster kubernetes: EKS refuses this: the server has asked for the client to provide credentials "
        "(Unauthorized): give arn:aws:iam::123456789012:role/nobody an access entry on the cluster, or "
        "deploy as somebody who has one."
    )
