"""The gateway as a process, with its own service account, on a real API server; we play drivers' UIs."""

import urllib.error
import urllib.request

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.pod_network import SERVES
from localcloud.control_plane.stand_ins import deployments
from moka.components.kubernetes.ui_gateway import JOB_NAMESPACE_RIGHTS
from moka.names import APPLICATION_ID_LABEL, UI_GATEWAY
from moka.pages import UI_PORT
from tests.support.http_server import Handler, served
from tests.support.roles import bound_role
from tests.support.simulated_operator import Application, define

HOME = "ingress"
DOMAIN = "spark-a.spark.example"
HISTORY = "https://history.spark.example"
RUN = f"spark-{'c' * 32}"
ADDRESS = "100.64.44.1"
"""Of a driver; its UI is where the pod says."""

ARGUMENTS = [
    "--cluster=spark-a",
    f"--domain={DOMAIN}",
    f"--history={HISTORY}",
    "--history-days=30",
    "--bucket=acme-event-logs",
    "--region=us-east-1",
    "--namespace=data",
    "--namespace=later",
    "--listen=0.0.0.0:8080",
]
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": UI_GATEWAY, "namespace": HOME, "labels": {"app.kubernetes.io/name": UI_GATEWAY}},
    "spec": {
        "template": {
            "spec": {
                "serviceAccountName": UI_GATEWAY,
                "containers": [{"name": UI_GATEWAY, "args": ARGUMENTS}],
            }
        }
    },
}


@pytest.fixture(scope="module")
def gateway(plane, api):
    """Asks the gateway: `gateway(host, path)` is status, `Location` and text."""
    define(api)
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}},
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": UI_GATEWAY, "namespace": HOME},
            },
        ]
    )
    allow(api, "data")
    assert deployments.apply(plane, DEPLOYMENT, REPOSITORY)
    url = deployments.addresses(plane)[f"{HOME}/{UI_GATEWAY}"]
    yield lambda host, path="/": ask(f"{url}{path}", host)
    deployments.remove(plane, HOME, UI_GATEWAY)


def allow(api, namespace):
    """A job namespace, and the gateway's Role in it."""
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            *bound_role(UI_GATEWAY, namespace, JOB_NAMESPACE_RIGHTS, HOME),
        ]
    )


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def ask(url, host=""):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        answer = urllib.request.build_opener(NoRedirects).open(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers.get("Location"), answer.read().decode()


@pytest.fixture
def ui():
    """A UI in place of a driver's."""

    class Ui(Handler):
        def do_GET(self):
            self.reply(200, f"live {self.path}".encode(), "text/plain")

    with served(Ui) as port:
        yield port


def run_driver(api, namespace, ui):
    """A job whose driver runs, with a run and an address."""
    job = Application(api, namespace, "RUNNING", phase="Running")
    serves = {SERVES: f"{UI_PORT}={ui}"}
    api.merge(job.pod_path, {"metadata": {"labels": {APPLICATION_ID_LABEL: RUN}, "annotations": serves}})
    status = {"podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}
    api.merge(f"{job.pod_path}/status", {"status": status})
    return job


def test_an_address_leads_to_the_live_ui_and_then_to_the_history(api, gateway, ui, eventually):
    job = run_driver(api, "data", ui)
    host = f"{job.name}.data.{DOMAIN}"

    eventually(lambda: gateway(host)[0] == 200)
    assert gateway(host, "/jobs/?id=1") == (200, None, "live /jobs/?id=1")
    assert gateway(host, f"/run/{RUN}/")[1] == f"https://{host}/"

    api.merge(f"{job.pod_path}/status", {"status": {"phase": "Succeeded"}})
    eventually(lambda: gateway(host)[0] == 302)
    assert gateway(host, "/jobs/")[1] == f"{HISTORY}/history/{RUN}/jobs/"


def test_a_job_without_a_driver_says_its_state(api, gateway, eventually):
    job = Application(api, "data", "SUBMITTED", phase="Succeeded")
    job.read("PENDING_RERUN")
    api.merge(job.pod_path, {"metadata": {"finalizers": []}})
    job.collect()

    eventually(lambda: "its state is PENDING_RERUN" in gateway(f"{job.name}.data.{DOMAIN}")[2])


def test_a_namespace_is_served_as_soon_as_the_gateway_may_read_it(api, gateway, ui, eventually):
    """Layer ingress comes before the job namespaces that layer spark makes."""
    ready, _, _ = gateway("127.0.0.1", "/ready")
    assert ready == 200

    allow(api, "later")
    job = run_driver(api, "later", ui)

    eventually(lambda: gateway(f"{job.name}.later.{DOMAIN}")[0] == 200)
