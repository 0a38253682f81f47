import pytest

from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs

INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"


def controller(deploy, catalog, **changes):
    def program():
        IngressNginx("spark-a", IngressNginxArgs(catalog=catalog, namespace="ingress", **changes))

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]["controller"]


@pytest.mark.parametrize(
    ("changes", "internal", "scheme"),
    [({}, "true", "internal"), ({"internal": False}, "false", "internet-facing")],
)
def test_it_is_not_reached_from_the_internet_unless_asked_for(deploy, catalog, changes, internal, scheme):
    annotations = controller(deploy, catalog, **changes)["service"]["annotations"]

    assert annotations[INTERNAL] == internal
    assert annotations["service.beta.kubernetes.io/aws-load-balancer-scheme"] == scheme


def test_it_serves_the_class_that_is_asked_for(deploy, catalog):
    made = controller(deploy, catalog, ingress_class="web")

    assert made["ingressClass"] == "web"
    assert made["ingressClassResource"]["name"] == "web"


def test_its_admission_webhook_is_off(deploy, catalog):
    assert controller(deploy, catalog)["admissionWebhooks"] == {"enabled": False}
