import pytest

from moka.components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from services.archer.service.bodies import PLAN_BYTES, WORKFLOWS_BYTES


@pytest.fixture
def controller(deploy, catalog):
    def make(tls):
        args = IngressNginxArgs(catalog=catalog, namespace="ingress", tls=tls)
        [release] = deploy(lambda: IngressNginx("a", args)).inputs("kubernetes:helm.sh/v3:Release")
        return release["values"]["controller"]

    return make


@pytest.mark.parametrize(("tls", "redirects"), [(True, "true"), (False, "false")])
def test_plain_requests_are_redirected_where_there_is_tls(controller, tls, redirects):
    assert controller(tls)["config"]["force-ssl-redirect"] == redirects


def test_what_archer_takes_passes_through(controller):
    limit = controller(tls=True)["config"]["proxy-body-size"]

    assert int(limit.removesuffix("m")) * 2**20 > max(PLAN_BYTES, WORKFLOWS_BYTES)


def test_its_class_is_another_than_that_of_the_release_of_before(controller):
    values = controller(tls=False)

    assert values["ingressClass"] == values["ingressClassResource"]["name"] == "ingress-nginx"


def test_it_reads_its_own_namespace_only(controller):
    values = controller(tls=False)

    assert values["scope"] == {"enabled": True}
    # It may not read classes then, and would serve nothing.
    assert values["watchIngressWithoutClass"] is True


def test_its_admission_webhook_is_off(controller):
    assert controller(tls=False)["admissionWebhooks"] == {"enabled": False}
