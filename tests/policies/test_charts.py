"""Charts, rendered by real Helm, and the rules on what is inside."""

import json
import shutil
import tarfile

import pytest
import yaml

from localcloud import tools
from policies.catalog import RULES
from policies.pack.charts import Charts, NotRendered
from policies.pack.configuration import Configuration
from policies.pack.evaluation import Evaluation
from policies.pack.resource import UNKNOWN, Resource, SecretText
from policies.pack.types import RELEASE

POD = {
    "containers": [
        {
            "name": "exporter",
            "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/exporter:1.0",
            "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
            "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
        }
    ],
    "securityContext": {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "automountServiceAccountToken": False,
}


def deployment(**pod):
    template = {"metadata": {"labels": {"app": "exporter"}}, "spec": {**POD, **pod}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "exporter"},
        "spec": {"selector": {"matchLabels": {"app": "exporter"}}, "template": template},
    }


@pytest.fixture
def charts(tmp_path, monkeypatch):
    """Renders charts of a folder of the test's own."""
    programs = tmp_path / "bin"
    programs.mkdir()
    programs.joinpath("helm").symlink_to(tools.path("helm"))
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.delenv("HELM_REPOSITORY_CACHE", raising=False)
    return Charts(tmp_path / "cache", tmp_path / "charts")


@pytest.fixture
def chart(tmp_path):
    """Write the chart `exporter`: its templates by file."""

    def write(**templates):
        folder = tmp_path / "charts" / "exporter"
        shutil.rmtree(folder, ignore_errors=True)
        folder.joinpath("templates").mkdir(parents=True)
        folder.joinpath("Chart.yaml").write_text("apiVersion: v2\nname: exporter\nversion: 1.0.0\n")
        for name, content in templates.items():
            text = content if isinstance(content, str) else yaml.safe_dump(content)
            folder.joinpath("templates", f"{name}.yaml").write_text(text)
        return folder

    return write


def release(**inputs):
    given = {
        "chart": "oci://123456789012.dkr.ecr.us-east-1.amazonaws.com/charts/exporter",
        "version": "1.0.0",
    }
    values = {"name": "exporter", "namespace": "monitoring", "values": {}}
    return Resource(RELEASE, "spark-a-exporter", "urn:release", {**given, **values, **inputs})


def violations(charts, resource):
    return list(Evaluation(RULES, Configuration(), charts.render).violations(resource))


def test_what_is_right_inside_a_chart_may_ship(charts, chart):
    chart(deployment=deployment())

    assert [violation.sentence for violation in violations(charts, release())] == []


def test_a_violation_inside_a_chart_names_the_object_and_the_chart_and_is_the_releases(charts, chart):
    chart(deployment=deployment(hostNetwork=True))

    [violation] = violations(charts, release())

    assert violation.rule.name == "no-host-namespaces"
    assert violation.urn == "urn:release"
    assert "Deployment exporter of chart exporter" in violation.sentence


def test_values_decide_what_is_inside(charts, chart):
    text = yaml.safe_dump(deployment()).replace("hostNetwork", "")
    chart(deployment=text.replace("    spec:\n", "    spec:\n      hostPID: {{ .Values.watch }}\n"))

    assert not violations(charts, release(values={"watch": False}))
    assert {v.rule.name for v in violations(charts, release(values={"watch": True}))} == {
        "no-host-namespaces"
    }


def test_what_a_value_that_is_not_known_gets_into_is_not_known(charts, chart):
    text = yaml.safe_dump(deployment()).replace("exporter:1.0", "{{ .Values.image }}")
    chart(deployment=text)

    assert not violations(charts, release(values={"image": UNKNOWN}))
    assert [v.rule.name for v in violations(charts, release(values={"image": "exporter:latest"}))] == [
        "image-not-latest"
    ]


def test_a_secret_is_in_no_file_and_is_one_still_in_what_it_gets_into(charts, chart, tmp_path):
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "exporter"}}
    chart(config={**config, "data": {"password": "{{ .Values.password }}"}})

    assert not violations(charts, release(values={"password": SecretText("correct-horse-battery")}))
    assert [
        v.rule.name for v in violations(charts, release(values={"password": "correct-horse-battery"}))
    ] == ["no-plain-secrets", "no-plain-secrets"]
    kept = [file.read_text() for file in (tmp_path / "cache" / "rendered").iterdir()]
    assert sum("correct-horse-battery" in content for content in kept) == 1


def test_a_chart_is_taken_from_helms_own_cache(charts, chart, tmp_path, monkeypatch):
    folder = chart(deployment=deployment(hostPID=True))
    archive = tmp_path / "home" / "helm" / "repository" / "exporter-1.0.0.tgz"
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as package:
        package.add(folder, "exporter")
    shutil.rmtree(folder)
    monkeypatch.delenv("HELM_CACHE_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))

    assert [v.rule.name for v in violations(charts, release())] == ["no-host-namespaces"]


def test_lists_are_taken_apart_and_objects_are_in_the_releases_namespace(charts, chart):
    chart(all={"apiVersion": "v1", "kind": "List", "items": [deployment(hostIPC=True)]})

    assert [v.rule.name for v in violations(charts, release())] == ["no-host-namespaces"]
    assert {v.rule.name for v in violations(charts, release(namespace="default"))} == {
        "no-host-namespaces",
        "not-in-default-namespace",
    }


def test_an_exception_may_be_for_one_object_of_a_chart(charts, chart):
    chart(deployment=deployment(hostNetwork=True))
    resource = release()
    [inside] = [
        subject
        for subject in Evaluation(RULES, Configuration(), charts.render).subjects(resource)
        if subject is not resource
    ]

    assert inside.address == "Deployment::exporter/exporter"


def test_what_was_rendered_is_kept_by_the_content_of_chart_and_values(charts, chart, monkeypatch):
    folder = chart(deployment=deployment())
    first = charts.render(release())
    renamed = folder.parent / "other"
    folder.rename(renamed)
    monkeypatch.setattr(Charts, "_template", lambda *_: pytest.fail("it was rendered again"))

    again = charts.render(release(chart=str(renamed)))

    assert again == first


def test_another_content_or_value_is_rendered_anew(charts, chart):
    chart(deployment=deployment())
    assert not violations(charts, release())

    chart(deployment=deployment(hostPID=True))

    assert violations(charts, release())


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (
            {"chart": "absent", "version": "1.0.0"},
            "there is no chart absent here: put it into the folder of MOKA_CHARTS",
        ),
        ({"chart": UNKNOWN}, "which chart it is, is not known yet"),
        (
            {"chart": "absent", "repositoryOpts": {"repo": "https://charts.invalid"}},
            "charts.invalid cannot be reached",
        ),
    ],
)
def test_a_chart_that_cannot_be_had_is_reported_with_the_reason(charts, inputs, sentence):
    [violation] = [v for v in violations(charts, release(**inputs)) if v.rule.name == "chart-rendered"]

    assert violation.sentence.startswith("What is inside release spark-a-exporter of chart ")
    assert f"is not checked: {sentence}" in violation.sentence


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ('{{ required "set size" .Values.size }}', "set size"),
        ("{{ nonsense }}", 'function "nonsense" not defined'),
        ("a: [", "error converting YAML to JSON"),
    ],
)
def test_a_chart_that_helm_refuses_is_reported_with_what_helm_says(charts, chart, template, reason):
    chart(broken=template)

    with pytest.raises(NotRendered, match="`helm template` says") as error:
        charts.render(release())
    assert reason in str(error.value)


def test_without_helm_a_chart_is_reported_with_what_to_install(charts, chart, monkeypatch):
    chart(deployment=deployment())
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(NotRendered, match="helm is missing on PATH: install it"):
        charts.render(release())


def test_what_is_kept_is_whole_json(charts, chart, tmp_path):
    chart(deployment=deployment())
    charts.render(release())

    [kept] = (tmp_path / "cache" / "rendered").iterdir()
    assert json.loads(kept.read_text())[0]["kind"] == "Deployment"
