"""How a pod opens its node: the very script, by a pod's own token, and what the API server lets that do."""

import json
import subprocess
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from moka.components.kubernetes.bootstrap import (
    ACCOUNT_FOLDER,
    GROUP,
    OPEN_NODE,
    POLICY_NAME,
    Bootstrap,
    BootstrapArgs,
    BootstrapDaemonSet,
    BootstrapFolder,
    rules,
)
from moka.names import BOOTSTRAP_NAMESPACE, startup_taint
from tests.support.recorder import deploy

ADMISSION = "admissionregistration.k8s.io/v1"
RBAC = "rbac.authorization.k8s.io"
NODE, OTHER_NODE = "arm-1", "intel-1"
ROLE_TAINT = {"key": "moka.dev/role", "value": "executor", "effect": "NoSchedule"}
FUSE, AGENT = (
    {"key": startup_taint(name), "value": "true", "effect": "NoSchedule"} for name in ("fuse", "agent")
)


@pytest.fixture(scope="module")
def rights(api):
    """What the component makes, but for the DaemonSets; gone afterwards."""
    about = {"name": POLICY_NAME}
    bound = {"policyName": POLICY_NAME, "validationActions": ["Deny"]}
    subject = {"apiGroup": RBAC, "kind": "Group", "name": GROUP}
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": POLICY_NAME}
    rule = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}
    objects = {
        f"/apis/{ADMISSION}/validatingadmissionpolicies": {
            "kind": "ValidatingAdmissionPolicy",
            "spec": rules(),
        },
        f"/apis/{ADMISSION}/validatingadmissionpolicybindings": {
            "kind": "ValidatingAdmissionPolicyBinding",
            "spec": bound,
        },
        f"/apis/{RBAC}/v1/clusterroles": {"kind": "ClusterRole", "rules": [rule]},
        f"/apis/{RBAC}/v1/clusterrolebindings": {
            "kind": "ClusterRoleBinding",
            "roleRef": role,
            "subjects": [subject],
        },
    }
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": BOOTSTRAP_NAMESPACE}}])
    for path, item in objects.items():
        version = path.removeprefix("/apis/").rpartition("/")[0]
        api.apply(f"{path}/{POLICY_NAME}", {"apiVersion": version, "metadata": about, **item})
    yield
    for path in reversed(objects):
        api.delete(f"{path}/{POLICY_NAME}")
    api.delete(f"/api/v1/namespaces/{BOOTSTRAP_NAMESPACE}")


@pytest.fixture
def fuse(plane, api, rights, tmp_path, eventually):
    """A pod of DaemonSet `fuse` on a node that has yet to be opened.

    opened: run the script in it, for a node -> what it printed, and its exit status.
    patched: send a patch of a node with its token -> HTTP status, and what the API server says.
    """
    space = f"/api/v1/namespaces/{BOOTSTRAP_NAMESPACE}"
    api.apply(
        f"{space}/serviceaccounts/fuse",
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "fuse"}},
    )
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "fuse-"},
        "spec": {
            "serviceAccountName": "fuse",
            "nodeName": NODE,
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "any"}],
        },
    }
    name = api.create(f"{space}/pods", pod)["metadata"]["name"]
    of_pod = {"apiVersion": "v1", "kind": "Pod", "name": name}
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}

    def token(**spec):
        asked = {**request, "spec": {"audiences": None, "expirationSeconds": 600, **spec}}
        return api.create(f"{space}/serviceaccounts/fuse/token", asked)["status"]["token"]

    (tmp_path / "token").write_text(token(boundObjectRef=of_pod))
    (tmp_path / "ca.crt").write_bytes(plane.credentials.authority.read_bytes())
    address = urlsplit(plane.endpoint)
    before = {node: api.get(f"/api/v1/nodes/{node}")["spec"].get("taints") for node in (NODE, OTHER_NODE)}
    for node in (NODE, OTHER_NODE):
        api.merge(f"/api/v1/nodes/{node}", {"spec": {"taints": [ROLE_TAINT, AGENT, FUSE]}})

    def opened(node=NODE, taint=FUSE["key"]):
        environment = {
            "PATH": "/usr/bin:/bin",
            "KUBERNETES_SERVICE_HOST": address.hostname,
            "KUBERNETES_SERVICE_PORT": str(address.port),
            "NODE": node,
            "TAINT": taint,
        }
        script = OPEN_NODE.replace(ACCOUNT_FOLDER, str(tmp_path))
        run = subprocess.run(
            ["sh", "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        return run.stdout.strip(), run.returncode

    def patched(body, node=NODE, bound=True):
        command = ["curl", "--silent", "--cacert", str(tmp_path / "ca.crt"), "--request", "PATCH"]
        held = (tmp_path / "token").read_text() if bound else token()
        for header in (f"Authorization: Bearer {held}", "Content-Type: application/merge-patch+json"):
            command += ["--header", header]
        url = f"{plane.endpoint}/api/v1/nodes/{node}?dryRun=All"
        return subprocess.run(
            [*command, "--data", body, url], capture_output=True, text=True, check=True
        ).stdout

    # A policy and a role binding hold a moment after they were made.
    eventually(lambda: "changes nothing of its node" in patched('{"spec": {"unschedulable": true}}'))
    yield SimpleNamespace(opened=opened, patched=patched)
    for node, taints in before.items():
        api.merge(f"/api/v1/nodes/{node}", {"spec": {"taints": taints}})
    api.delete(f"{space}/pods/{name}", gracePeriodSeconds=0)


def test_the_api_server_takes_the_daemon_set_as_it_is(api, rights):
    daemon = BootstrapDaemonSet(
        image="registry.example/fuse:1",
        ready=["mountpoint", "-q", "/mnt/fuse/data"],
        roles=["executor"],
        args=["/mnt/fuse/data"],
        env={"BUCKET": "acme-warehouse"},
        privileged=True,
        folders=[BootstrapFolder(path="/mnt/fuse", mount="/mnt/fuse", propagation="Bidirectional")],
        cpu="50m",
        memory="128Mi",
    )
    args = BootstrapArgs(
        daemon_sets={"fuse": daemon},
        namespace=BOOTSTRAP_NAMESPACE,
        curl_image="registry.example/curl:1",
        pause_image="registry.example/pause:1",
    )
    [inputs] = deploy(lambda: Bootstrap("spark-a-bootstrap", args)).inputs("kubernetes:apps/v1:DaemonSet")
    path = f"/apis/apps/v1/namespaces/{BOOTSTRAP_NAMESPACE}/daemonsets?dryRun=All&fieldValidation=Strict"

    # To the engine every number is one with a fraction.
    plain = json.loads(json.dumps(inputs), parse_float=lambda text: int(float(text)))
    made = api.create(path, {"apiVersion": "apps/v1", "kind": "DaemonSet", **plain})

    sidecar, opener = made["spec"]["template"]["spec"]["initContainers"]
    assert (sidecar["restartPolicy"], opener["name"]) == ("Always", "open-node")


def taints(api, node=NODE):
    return [taint["key"] for taint in api.get(f"/api/v1/nodes/{node}")["spec"].get("taints") or ()]


def test_a_pod_takes_its_own_taint_off_its_node_and_no_other(fuse, api):
    assert fuse.opened() == (f"{NODE} is open: {FUSE['key']} is gone", 0)
    assert taints(api) == [ROLE_TAINT["key"], AGENT["key"]]


def test_a_pod_that_comes_to_an_open_node_is_done(fuse):
    fuse.opened()

    assert fuse.opened() == (f"{NODE} was open", 0)


def test_a_pod_does_not_open_another_node_or_for_another(fuse, api):
    assert fuse.opened(node=OTHER_NODE) == (f"{OTHER_NODE} stays closed: status 403 of the API server", 1)
    assert fuse.opened(taint=AGENT["key"])[1] == 1
    assert fuse.opened(taint=ROLE_TAINT["key"])[1] == 1
    assert taints(api) == taints(api, OTHER_NODE) == [ROLE_TAINT["key"], AGENT["key"], FUSE["key"]]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            '{"metadata": {"labels": {"moka.dev/role": "system"}}}',
            "changes nothing of its node but its taints",
        ),
        ('{"metadata": {"annotations": {"a": "b"}}}', "changes nothing of its node but its taints"),
        ('{"spec": {"unschedulable": true}}', "changes nothing of its node but its taints"),
        ('{"spec": {"taints": null}}', "takes no taint off its node but that of its service account's name"),
        (
            '{"spec": {"taints": [{"key": "mine", "effect": "NoExecute"}]}}',
            "takes no taint off its node but that of its service account's name",
        ),
    ],
)
def test_a_pod_changes_nothing_else_of_its_node(fuse, body, says):
    assert says in fuse.patched(body)


def test_without_a_node_in_its_token_nobody_changes_one(fuse):
    """As of a token that somebody has asked for by hand."""
    body = '{"spec": {"taints": []}}'

    assert "changes its own node only" in fuse.patched(body, bound=False)
