from pathlib import Path

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import immutable, kubeconfig, objects, readiness
from localcloud.plugins.kubernetes.charts import local_chart, registry_mistake, short_name
from localcloud.plugins.kubernetes.kinds import Kind
from localcloud.plugins.kubernetes.releases import resource_names
from localcloud.plugins.kubernetes.settings import Settings
from localcloud.plugins.values import Secret

DEPLOYMENT = Kind("apps", "v1", "Deployment")


def containers(*pairs):
    return {"spec": {"containers": [{"name": name, "image": image} for name, image in pairs]}}


def test_a_quantity_written_in_another_way_is_no_drift():
    inputs = {"spec": {"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}}
    live = {"spec": {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}}

    assert objects.actual_inputs(inputs, live) == inputs


def test_text_that_looks_like_a_quantity_is_text():
    assert objects.actual_inputs({"data": {"cores": "1000m"}}, {"data": {"cores": "1"}}) == {
        "data": {"cores": "1"}
    }


def test_what_others_added_is_theirs_and_what_they_removed_is_missed():
    inputs = {"metadata": {"labels": {"a": "1", "b": "2"}}}
    live = {"metadata": {"labels": {"a": "1", "c": "3"}}}

    assert objects.actual_inputs(inputs, live) == {"metadata": {"labels": {"a": "1"}}}


def test_items_of_a_list_are_known_by_their_names():
    inputs = containers(("web", "web:1"))
    live = containers(("sidecar", "proxy:9"), ("web", "web:2"))

    assert objects.actual_inputs(inputs, live) == containers(("web", "web:2"))


def test_drift_of_a_secret_value_stays_secret():
    inputs = {"data": {"password": Secret("b2xk")}}

    assert objects.actual_inputs(inputs, {"data": {"password": "bmV3"}}) == {
        "data": {"password": Secret("bmV3")}
    }


def test_what_kubectl_applied_is_imported_as_it_was_written():
    applied = (
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"x"},"data":{"a":"1"}}'
    )
    live = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "x",
            "namespace": "n",
            "uid": "u",
            "annotations": {objects.LAST_APPLIED: applied},
        },
        "data": {"a": "1"},
    }

    assert objects.inputs_of_import(live) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "n"},
        "data": {"a": "1"},
    }


def test_of_an_applied_object_only_what_was_asked_for_is_imported():
    fields = {
        "f:spec": {
            "f:replicas": {},
            "f:containers": {'k:{"name":"web"}': {".": {}, "f:image": {}, "f:name": {}}},
            "f:finalizers": {'v:"keep"': {}},
        }
    }
    live = {
        "apiVersion": "x/v1",
        "kind": "X",
        "metadata": {
            "name": "x",
            "managedFields": [{"manager": "m", "operation": "Apply", "fieldsV1": fields}],
        },
        "spec": {
            "replicas": 2,
            "strategy": "filled in",
            "containers": [{"name": "web", "image": "web:1", "pull": "filled in"}, {"name": "other"}],
            "finalizers": ["keep", "theirs"],
        },
    }

    assert objects.inputs_of_import(live)["spec"] == {
        "replicas": 2,
        "containers": [{"name": "web", "image": "web:1"}],
        "finalizers": ["keep"],
    }


def test_fields_of_schemas_are_spelled_as_kubernetes_does_on_the_way_and_as_the_sdk_does_on_the_way_back():
    schema = {"x_kubernetes_preserve_unknown_fields": True}

    sent = objects.manifest(schema)
    assert sent == {"x-kubernetes-preserve-unknown-fields": True}
    assert objects.rename_fields(sent, objects.UNDERSCORED) == schema


@pytest.mark.parametrize(
    ("kind", "path", "replaces"),
    [
        (DEPLOYMENT, ("spec", "selector", "matchLabels", "app"), True),
        (DEPLOYMENT, ("spec", "replicas"), False),
        (DEPLOYMENT, ("metadata", "name"), True),
        (DEPLOYMENT, ("metadata", "labels", "name"), False),
        (Kind("batch", "v1", "Job"), ("spec", "template", "spec", "containers", 0, "image"), True),
        (Kind("", "v1", "Pod"), ("spec", "containers", 0, "image"), True),
        (Kind("", "v1", "Pod"), ("spec", "tolerations"), False),
        (Kind("rbac.authorization.k8s.io", "v1", "RoleBinding"), ("roleRef", "name"), True),
        (Kind("storage.k8s.io", "v1", "StorageClass"), ("parameters", "type"), True),
        (Kind("", "v1", "ConfigMap"), ("data", "mode"), True),
        (Kind("tests.example", "v1", "ConfigMap"), ("data", "mode"), False),
    ],
)
def test_a_change_replaces_where_the_real_provider_replaces(kind, path, replaces):
    fields = immutable.fixed_fields(kind, contents_may_change=False)

    assert bool(immutable.replacing([path], fields)) == replaces


def test_contents_that_may_change_do_not_replace_but_the_type_of_a_secret_does():
    fields = immutable.fixed_fields(Kind("", "v1", "Secret"), contents_may_change=True)

    assert immutable.replacing([("data", "x"), ("type",)], fields) == {("type",)}


def test_a_rollout_is_over_when_the_old_pods_are_gone_and_the_new_ones_available():
    judge = readiness.WAITS["apps", "Deployment"].judge
    rolled = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}
    deployment = {"metadata": {"generation": 2}, "spec": {"replicas": 2}}

    assert judge({**deployment, "status": rolled}).ready
    assert not judge({**deployment, "status": {**rolled, "observedGeneration": 1}}).ready
    assert "previous template" in judge({**deployment, "status": {**rolled, "replicas": 3}}).reason
    stuck = {"type": "Progressing", "reason": "ProgressDeadlineExceeded", "message": "too long"}
    assert judge({**deployment, "status": {**rolled, "conditions": [stuck]}}).failed


def test_a_job_that_failed_is_hopeless_and_says_why():
    failure = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "4 times"}
    verdict = readiness.WAITS["batch", "Job"].judge({"status": {"conditions": [failure]}})

    assert verdict.failed and verdict.reason == "BackoffLimitExceeded: 4 times"


def test_what_to_wait_for_can_be_said_in_an_annotation():
    def waits(text, status):
        manifest = {"metadata": {"annotations": {objects.WAIT_FOR: text}}, "status": status}
        wait = readiness.wait_for(Kind("x", "v1", "X"), manifest)
        return wait.judge(manifest).ready

    assert waits("condition=Ready", {"conditions": [{"type": "Ready", "status": "True"}]})
    assert not waits("condition=Ready=False", {"conditions": [{"type": "Ready", "status": "True"}]})
    assert waits("jsonpath={.status.phase}=Done", {"phase": "Done"})
    quota = "jsonpath={.status.used['count/apps.example.com']}"
    assert waits(quota, {"used": {"count/apps.example.com": "0"}})
    assert not waits(quota, {"used": {"pods": "0"}})
    assert waits('["jsonpath={.status.phase}"]', {"phase": "Anything"})
    for text in (
        "jsonpath={.status.list[0]}",
        # So kubectl has it, and the provider does not.
        r"jsonpath={.status.used.count/apps\.example\.com}",
        "jsonpath={.status.phase}=",
    ):
        with pytest.raises(Refusal, match="is not understood"):
            waits(text, {})


def test_a_kubeconfig_may_be_text_or_a_path_or_paths(tmp_path):
    text = (
        "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "contexts: [{name: x, context: {cluster: c, namespace: n}}]\ncurrent-context: x\n"
    )
    file = tmp_path / "config"
    file.write_text(text)

    for value in (text, str(file), f"{tmp_path / 'absent'}:{file}"):
        access = kubeconfig.access(kubeconfig.read(value, {}))
        assert (access.server, access.namespace) == ("https://127.0.0.1:1", "n")
    assert kubeconfig.read(None, {"KUBECONFIG": str(file)})["current-context"] == "x"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "has no cluster"),
        ("/nowhere/config", "there is no such file"),
        ("{not: [yaml", "cannot be read"),
        ("a: b\nc: d\n", "has no clusters"),
    ],
)
def test_a_kubeconfig_that_is_none_is_refused_in_one_sentence(value, sentence):
    with pytest.raises(Refusal, match=sentence) as caught:
        kubeconfig.read(value, {})
    assert "\n" not in str(caught.value)


ROLE = "arn:aws:iam::123456789012:role/deploy"


@pytest.mark.parametrize(
    ("command", "words", "role"),
    [
        ("aws", ["--region", "us-east-1", "eks", "get-token", "--cluster-name", "a"], ""),
        ("/usr/local/bin/aws", ["eks", "get-token", "--cluster-name", "a", "--role-arn", ROLE], ROLE),
        ("aws", ["eks", "get-token", "--cluster-name", "a", f"--role-arn={ROLE}"], ROLE),
        ("aws-iam-authenticator", ["token", "-i", "a"], ""),
        ("aws-iam-authenticator", ["token", "-i", "a", "-r", ROLE], ROLE),
    ],
)
def test_a_kubeconfig_that_gets_its_token_of_eks_has_a_file_with_one(command, words, role):
    user = {"name": "u", "user": {"exec": {"command": command, "args": words}}}

    config = kubeconfig.with_token_files({"users": [user]}, lambda named: Path(f"token of {named}"))

    assert config["users"] == [{"name": "u", "user": {"tokenFile": f"token of {role}"}}]


@pytest.mark.parametrize(
    "user",
    [
        {"token": "t"},
        {"exec": {"command": "aws", "args": ["sts"]}},
        {"exec": {"command": "gcloud", "args": []}},
    ],
)
def test_who_signs_in_otherwise_is_left_as_it_is(user):
    config = {"users": [{"name": "u", "user": user}]}

    assert kubeconfig.with_token_files(config, lambda named: Path("none")) == config


def test_a_kubeconfig_that_signs_in_by_a_program_is_refused():
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"exec": {"command": "aws"}}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }

    with pytest.raises(Refusal, match="signs in by exec"):
        kubeconfig.access(config)


def test_configuration_that_is_not_served_is_refused_input_by_input():
    inputs = {"renderYamlToDirectory": "out", "enableServerSideApply": "false", "alwaysRender": "false"}

    assert [name for name, _ in Settings.refusals(inputs)] == [
        "renderYamlToDirectory",
        "enableServerSideApply",
    ]


@pytest.mark.parametrize(
    ("chart", "name"),
    [
        ("yunikorn", "yunikorn"),
        ("stable/yunikorn", "yunikorn"),
        ("oci://registry.example/charts/spark-operator", "spark-operator"),
        ("https://charts.example/fluent-bit-0.58.1.tgz", "fluent-bit"),
    ],
)
def test_a_chart_is_known_by_its_own_name_wherever_it_comes_from(chart, name):
    assert short_name(chart) == name


def test_a_chart_at_hand_goes_before_its_repository(tmp_path):
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "Chart.yaml").write_text("name: greeter\nversion: 1.2.3\n")
    inputs = {"chart": "oci://registry.example/charts/greeter", "version": "v1.2.3"}

    chart = local_chart(inputs, {"MOKA_CHARTS": str(tmp_path)})
    assert chart and (chart.path, chart.version) == (folder, "1.2.3")
    assert local_chart(inputs, {}) is None


def test_a_folder_of_charts_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Refusal, match=r"MOKA_CHARTS names .*/typo, and there is no such folder"):
        local_chart({"chart": "greeter"}, {"MOKA_CHARTS": str(tmp_path / "typo")})


def test_a_registry_given_as_a_repository_is_refused_as_helm_would():
    inputs = {"chart": "celeborn", "repositoryOpts": {"repo": "oci://registry.example/charts/"}}

    assert "give oci://registry.example/charts/celeborn as the chart" in (registry_mistake(inputs) or "")
    assert registry_mistake({"chart": "x", "repositoryOpts": {"repo": "https://charts.example"}}) is None


def test_names_of_a_releases_objects_are_grouped_by_kind():
    manifest = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: n}\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n# nothing\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
    )

    assert resource_names(manifest) == {
        "ConfigMap/v1": ["a", "n/b"],
        "Deployment.apps/apps/v1": ["a"],
    }
