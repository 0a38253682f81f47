"""A program with secrets of every kind, previewed, brought up and changed: where are they afterwards?

It stands for what this project's program and others' may hand to the engine. Planted besides: keys and tokens
in the environment of whoever deploys, and the cluster's own token.
"""

import json
import subprocess

import pytest

from commands.reviewing import review_of
from delivery import preview as previews
from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from tests.local.kubernetes.conftest import CHARTS
from tests.support.planted_secrets import PLANTED, Secret, leaks, planted
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack, succeeded
from tests.support.secret_places import PLACES, CommandLines, Scene, leaks_in

PROGRAM = """
import base64

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from moka.components.kubernetes.registry_login import registry_login

config = pulumi.Config()
secret, mode = config.require_secret, config.get("mode") or "calm"
cluster = k8s.Provider("cluster", kubeconfig=secret("kubeconfig"), enable_secret_mutable=True)
here = pulumi.ResourceOptions(provider=cluster)
namespace = k8s.core.v1.Namespace("place", metadata={"name": "planted"}, opts=here)
place = namespace.metadata["name"]
alerts = k8s.core.v1.Secret(
    "alerts", metadata={"name": "alerts", "namespace": place, "labels": {"mode": mode}}, opts=here,
    string_data={"url": secret("webhook"), "header": secret("header"), "mode": mode},
)
k8s.core.v1.Secret(
    "files", metadata={"name": "files", "namespace": place}, opts=here,
    data={
        name: secret(name).apply(lambda value: base64.b64encode(value.encode()).decode())
        for name in ("spark", "key", "login", "session")
    },
)
labels = {"app": "web"}
variable = {"name": "URL", "value_from": {"secret_key_ref": {"name": "alerts", "key": "url"}}}
k8s.apps.v1.Deployment(
    "web", metadata={"name": "web", "namespace": place}, opts=here,
    spec={
        "selector": {"match_labels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "web", "image": "registry.example/web:1", "env": [variable]}],
        }},
    },
)
for chart in ("greeter", "out-of-reach"):
    k8s.helm.v3.Release(
        chart, chart=chart, name=chart, namespace=place, opts=here,
        values={"greeting": mode, "password": secret("grafana")},
        repository_opts={"repo": "https://charts.invalid", "username": "AWS", "password": secret("registry")},
    )
database = aws.ssm.Parameter(
    "database", name="/planted/database", description=mode, type="SecureString", value=secret("database")
)
home = aws.Provider("aws", region="us-east-1")
mirror = registry_login("123456789012.dkr.ecr.us-east-1.amazonaws.com", home)
robot = aws.iam.User("robot", name="planted-robot")
key = aws.iam.AccessKey("robot", user=robot.name)
if mode == "broken":
    aws.ssm.Parameter("broken", name="/planted/database", type="SecureString", value=secret("database"))
    k8s.core.v1.Secret(
        "broken", metadata={"name": "broken", "namespace": place}, data={"url": secret("webhook")}, opts=here
    )
    k8s.core.v1.ConfigMap(
        "broken", metadata={"name": "broken", "namespace": place, "labels": {"url": secret("webhook")}},
        data={}, opts=here,
    )
pulumi.export("made", {"key": key.secret, "url": alerts.string_data["url"], "parameter": database.value})
pulumi.export("mirror", mirror)
pulumi.export("given", [secret(name) for name in ("database", "header", "login", "registry")])
"""

CONFIGURED = {
    "database": "password of a database",
    "grafana": "key of Grafana",
    "header": "header of the metrics' store",
    "key": "private key",
    "login": "client secret of the login",
    "registry": "login to a registry",
    "session": "session key of the login",
    "spark": "shared secret of Spark",
    "webhook": "webhook of alerts",
}
"""Secret configuration of the stack -> its kind."""

VARIABLES = {
    "AWS_SECRET_ACCESS_KEY": "key of AWS",
    "AWS_SESSION_TOKEN": "session token of AWS",
    "PULUMI_ACCESS_TOKEN": "Pulumi access token",
    "PULUMI_CONFIG_PASSPHRASE": "Pulumi passphrase",
    "GITHUB_TOKEN": "token of GitHub",
}
"""Variable of who deploys -> its kind."""


RELEASES = "releases of Helm"
"""Helm keeps values in Secrets: what this program gives a chart is in them, and nowhere else."""


@pytest.fixture(scope="module")
def scene(cloud, plane, tmp_path_factory):
    """What is left of the trial, while its stack is up."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "kept").mkdir()
    who = {name: planted(kind).value for name, kind in VARIABLES.items()}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in who.items():
            patch.setenv(name, value)
        patch.setenv("MOKA_CHARTS", str(CHARTS))
        stack = PulumiStack(Engine(cloud, write_project(folder / "planted", PROGRAM)), "trial")
        # Of the caller's own, the laptop's engine takes no passphrase: it is said again.
        again = {name: who[name] for name in ("PULUMI_CONFIG_PASSPHRASE", "GITHUB_TOKEN")}
        scene = Scene(stack, folder / "kept", {**again, "PYTHONPATH": str(REPOSITORY)})
        with CommandLines(scene.kept / "command-lines"):
            play(scene, plane)
        yield scene
        stack.run("destroy", "--yes", "--skip-preview", **scene.variables)


def play(scene, plane):
    """Previews, an up, a change, a failure: all that is printed and written is kept."""

    def keep(name, *arguments, fails=False):
        result = scene.stack.try_run(*arguments, **scene.variables, PULUMI_DEBUG_COMMANDS="true")
        (scene.kept / name).write_text(result.stdout + result.stderr)
        assert bool(result.returncode) == fails, result.stdout + result.stderr

    keep("init.txt", "stack", "init")
    secrets = {name: planted(kind).value for name, kind in CONFIGURED.items()}
    for name, value in {"kubeconfig": plane.kubeconfig.read_text(), **secrets}.items():
        configure(scene, name, value)
    keep("preview.json", "preview", "--json")
    events = scene.kept / "up.events"
    keep("up.txt", "up", "--yes", "--skip-preview", "--diff", "--event-log", str(events))
    events.write_text("".join(kept_events(events.read_text())))
    keep("mode.txt", "config", "set", "mode", "busy")
    keep("change.txt", "preview", "--diff")
    record(scene)
    keep("changed.txt", "up", "--yes", "--skip-preview")
    keep("mode.txt", "config", "set", "mode", "broken")
    keep("broken.txt", "up", "--yes", "--skip-preview", "--continue-on-error", fails=True)


def configure(scene, name, value):
    """`pulumi config set --secret`, the value on standard input."""
    engine = scene.stack.engine
    succeeded(
        subprocess.run(
            ["pulumi", "config", "set", "--secret", name, "--stack", scene.stack.name],
            cwd=engine.project,
            env={**engine.environment(), **scene.variables},
            input=value,
            capture_output=True,
            text=True,
        )
    )


def record(scene):
    """A preview as `moka preview` records it: events, report and drawing."""
    said = []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**scene.stack.engine.environment(), **scene.variables}.items():
            patch.setenv(name, value)
        patch.chdir(scene.stack.engine.project)
        run = previews.run(scene.stack.name, previews.PREVIEW, said.append)
    previews.write(scene.kept / "recorded.json", run.events)
    (scene.kept / "recorded.txt").write_text("\n".join(said))
    review_of(run.preview, "The preview").write(scene.kept / "report.md", scene.kept / "drawing.svg")


def kept_events(log):
    """Events of a log but those for who debugs, which have outputs in plain: docs/operations/secrets.md."""
    for line in log.splitlines(keepends=True):
        if json.loads(line).get("diagnosticEvent", {}).get("severity") != "debug":
            yield line


@pytest.fixture(scope="module")
def secrets(scene, plane):
    """What is planted, and what was made meanwhile."""
    token = plane.token_file.read_text().strip()
    made = scene.stack.run("stack", "output", "made", "--json", "--show-secrets", **scene.variables)
    key = json.loads(made)["key"]
    # What moto's ECR gives as a password.
    password = "123456789012-auth-token"
    return (
        *PLANTED,
        Secret("token of the cluster", token, token),
        Secret("key of a user", key, key),
        Secret("password of a registry", password, password),
    )


@pytest.mark.parametrize("place", [place for place in PLACES if place != RELEASES])
def test_no_secret_is_in(place, scene, secrets):
    assert leaks_in(scene, place, secrets) == []


def test_the_login_to_a_registry_is_in_a_file_of_its_owner_only(scene, secrets):
    file = scene.stack.engine.project / json.loads(scene.pulumi("stack", "output", "mirror", "--json"))

    assert [leak.kind for leak in leaks(file.read_bytes(), "the login", secrets)] == [
        "password of a registry"
    ]
    assert not file.stat().st_mode & 0o077


def test_what_others_do_with_secrets_is_found(scene, plane):
    """The finder, put to a ConfigMap and a file in which somebody left what was planted."""
    kind = "webhook of alerts"
    plane.api().apply(
        "/api/v1/namespaces/planted/configmaps/left",
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "left", "namespace": "planted"},
            "data": {"url": planted(kind).value},
        },
    )
    left = scene.cloud.home / "plugin-left.log"
    left.write_text(planted(kind).value)
    left.chmod(0o644)
    places = ("ConfigMaps", "logs of what runs", "files of the cloud that others may read")
    try:
        assert all(leaks_in(scene, place, PLANTED) for place in places)
    finally:
        left.unlink()
        plane.api().delete("/api/v1/namespaces/planted/configmaps/left")
