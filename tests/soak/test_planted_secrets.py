"""`local` with all that takes secrets (login, metrics, registry, database, jobs), planted and looked through.

It takes about five minutes.
"""

import json
import os
import subprocess
import time
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml

from delivery.preview import PREVIEW
from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.stand_ins import deployments
from tests.support.aws_clients import aws_clients
from tests.support.planted_secrets import PLANTED, Secret, planted
from tests.support.pulumi_stack import PulumiStack, moka, succeeded
from tests.support.secret_places import PLACES, CommandLines, Scene, leaks_in

VARIABLES = {
    "AWS_SECRET_ACCESS_KEY": "key of AWS",
    "AWS_SESSION_TOKEN": "session token of AWS",
    "PULUMI_ACCESS_TOKEN": "Pulumi access token",
    "PULUMI_CONFIG_PASSPHRASE": "Pulumi passphrase",
    "GITHUB_TOKEN": "token of GitHub",
}

IN_SECRETS_MANAGER = {
    "planted/login": {
        "client_secret": "client secret of the login",
        "session_keys": ["session key of the login"],
    },
    "ecr-pullthroughcache/hub": {"username": "login to a registry", "accessToken": "login to a registry"},
}
"""Name of a secret of Secrets Manager -> what is in it, by kinds."""

IN_KUBERNETES = {
    ("monitoring", "metrics-store"): {"authorization": "header of the metrics' store"},
    # As people make it for a trusted proxy; its own names are in the settings.
    ("ingress", "archer-tls"): {"tls.key": "private key"},
    ("spark-jobs", "warehouse"): {"password": "password of a database", "spark": "shared secret of Spark"},
}
"""Namespace and name of a Secret that people make -> key -> kind."""

COMMANDS = (
    ("queues", "local"),
    ("doctor", "local"),
    ("leftovers", "local"),
    ("mirror", "local", "--dry-run"),
    ("bootstrap", "local", "--dry-run"),
)
PATIENCE = 180

ARCHER = REPOSITORY / ".local" / "venv" / "bin" / "archer"


def values(kinds):
    """The values of what is planted, in place of kinds."""
    match kinds:
        case dict():
            return {key: values(inner) for key, inner in kinds.items()}
        case list():
            return [values(inner) for inner in kinds]
        case _:
            return planted(kinds).value


def with_secrets(document):
    """Settings that name each of the secrets."""
    arn = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
    document["foundations"]["main"]["certificates"] = {"arns": [arn]}
    document["ingress"] = {
        "login": {
            "issuer": "https://id.planted.example",
            "client_id": "planted",
            "secret": "planted/login",
            "operators": ["platform"],
        }
    }
    document["metrics"] = {
        "destination": {
            "otlp": {"endpoint": "https://metrics.planted.example/otlp", "secret": "metrics-store"}
        }
    }
    hub = "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub"
    document["registry"]["pull_through"] = {"docker.io": {"secret": hub}}
    return document


@pytest.fixture(scope="module")
def scene(copied_once, tmp_path_factory):
    """`local` with its secrets, up, with a job that ran."""
    kept = tmp_path_factory.mktemp("planted") / "kept"
    kept.mkdir()
    file = copied_once.project / "stacks" / "local.yaml"
    file.write_text(yaml.safe_dump(with_secrets(yaml.safe_load(file.read_text())), sort_keys=False))
    manager = aws_clients(copied_once.cloud)("secretsmanager")
    for name, kinds in IN_SECRETS_MANAGER.items():
        manager.create_secret(Name=name, SecretString=json.dumps(values(kinds)))
    scene = Scene(PulumiStack(copied_once, "local"), kept, {})
    with pytest.MonkeyPatch.context() as patch, CommandLines(kept / "command-lines"):
        for name, kind in VARIABLES.items():
            patch.setenv(name, planted(kind).value)
        play(scene)
    return scene


def play(scene):
    """Preview, up, a job, commands of `moka`: all that is printed and written is kept."""
    engine, kept = scene.stack.engine, scene.kept
    with (kept / "up.txt").open("w") as up:
        out, err = os.dup(1), os.dup(2)
        os.dup2(up.fileno(), 1)
        os.dup2(up.fileno(), 2)
        try:
            status = commands.up(engine, "local", ("--non-interactive", "--diff"))
        finally:
            os.dup2(out, 1)
            os.dup2(err, 2)
    assert status == 0, (kept / "up.txt").read_text()
    [plane] = ControlPlane.all(engine.cloud)
    api = plane.api()
    for (namespace, name), kinds in IN_KUBERNETES.items():
        about = {"name": name, "namespace": namespace}
        api.apply(
            f"/api/v1/namespaces/{namespace}/secrets/{name}",
            {"apiVersion": "v1", "kind": "Secret", "metadata": about, "stringData": values(kinds)},
        )
    run_job(scene, api)
    run_archer(scene, plane)
    recorded = moka(engine, "preview", "local", "--to", str(kept), "--", *PREVIEW)
    (kept / "recorded.txt").write_text(recorded.stdout + recorded.stderr)
    assert (kept / "local.json").exists(), recorded.stderr
    for command in COMMANDS:
        result = moka(engine, *command)
        (kept / f"{command[0]}.txt").write_text(result.stdout + result.stderr)
        assert "Traceback" not in result.stderr, result.stderr


def run_archer(scene, plane):
    """Archer is asked for a job with a secret, for one with a secret in plain, and by a stranger."""
    variables = {**scene.stack.engine.environment(), **deployments.variables(plane)}
    job = yaml.safe_load((scene.kept / "job.yaml").read_text())
    secret = planted("secret in a job file").value
    plain = {**job, "name": "plain", "conf": {"spark.acme.password": secret}}
    files = {"archer-job.yaml": job, "plain.yaml": plain}
    for name, document in files.items():
        file = scene.stack.engine.cloud.home.parent / name
        file.write_text(yaml.safe_dump(document))
        done = subprocess.run(
            [ARCHER, "submit", *(["--wait"] if document is job else []), file],
            env=variables,
            capture_output=True,
            text=True,
        )
        (scene.kept / f"{name}.txt").write_text(done.stdout + done.stderr)
        assert (done.returncode == 0) == (document is job), done.stdout + done.stderr
    stranger = {"Authorization": f"Bearer {planted('token of somebody who submits').value}"}
    with pytest.raises(HTTPError) as refusal:
        urlopen(Request(f"{variables['ARCHER_URL']}/v1/jobs", headers=stranger))
    (scene.kept / "stranger.txt").write_bytes(refusal.value.read())
    assert refusal.value.code == HTTPStatus.UNAUTHORIZED


def run_job(scene, api):
    """A job with a secret, from its file to the end of its driver."""
    job = yaml.safe_load((REPOSITORY / "examples" / "jobs" / "pi.yaml").read_text())
    job["secrets"] = {
        "PASSWORD": {"name": "warehouse", "key": "password"},
        "SHARED": {"name": "warehouse", "key": "spark"},
    }
    file = scene.kept / "job.yaml"
    file.write_text(yaml.safe_dump(job))
    target = scene.kept / "outputs.json"
    target.write_text(scene.stack.run("stack", "output", "--json"))
    rendered = succeeded(moka(scene.stack.engine, "job", "render", "--target", str(target), str(file))).stdout
    (scene.kept / "rendered.yaml").write_text(rendered)
    for manifest in filter(None, yaml.safe_load_all(rendered)):
        name, namespace = manifest["metadata"]["name"], manifest["metadata"]["namespace"]
        path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications/{name}"
        api.apply(path, manifest)
        deadline = time.monotonic() + PATIENCE
        while True:
            state = ((api.get(path) or {}).get("status") or {}).get("applicationState", {}).get("state")
            if state in ("COMPLETED", "FAILED"):
                break
            assert time.monotonic() < deadline, api.get(path)
            time.sleep(1)


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_in(place, scene):
    [plane] = ControlPlane.all(scene.cloud)
    token = plane.token_file.read_text().strip()
    # The job file is where people put it, and kept by nobody.
    generated = [Secret("token of the cluster", token, token), *passwords_of_databases(scene)]

    assert leaks_in(scene, place, [*PLANTED, *generated]) == []


def passwords_of_databases(scene):
    """Those of first users, which RDS makes and keeps in Secrets Manager; one of `local`."""
    manager = scene.aws("secretsmanager")
    values = [
        json.loads(manager.get_secret_value(SecretId=secret["ARN"])["SecretString"])["password"]
        for secret in manager.list_secrets()["SecretList"]
        if secret["Name"].startswith("rds!")
    ]
    assert len(values) == 1
    return [Secret("password of the database", value, value) for value in values]


def test_archer_took_the_job_and_nothing_of_the_one_with_a_secret_in_plain(scene):
    """Else nothing could have leaked."""
    rows = b"".join(content for _, content in PLACES["rows of Archer's database"](scene))

    assert b"warehouse" in rows
    assert b"spark.acme.password" not in rows
    assert "spark.acme.password" in (scene.kept / "plain.yaml.txt").read_text()


def test_the_login_has_the_secret_that_was_planted(scene):
    """Else nothing could have leaked: the gateway, which runs, has read it."""
    log = next(scene.cloud.home.rglob("deployment.*.ui-gateway.log")).read_text()

    assert "reading the login's secret failed" not in log
