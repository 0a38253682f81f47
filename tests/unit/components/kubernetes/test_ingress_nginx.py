import pytest

from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs

ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer"
SUBNETS = ["subnet-1", "subnet-2"]


def controller(deploy, catalog, **changes):
    def program():
        args = IngressNginxArgs(catalog=catalog, namespace="ingress", subnet_ids=SUBNETS, **changes)
        IngressNginx("spark-a", args)

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]["controller"]


@pytest.mark.parametrize(("changes", "scheme"), [({}, "internal"), ({"internal": False}, "internet-facing")])
def test_it_is_not_reached_from_the_internet_unless_asked_for(deploy, catalog, changes, scheme):
    annotations = controller(deploy, catalog, **changes)["service"]["annotations"]

    assert annotations[f"{ANNOTATION}-scheme"] == scheme


def test_its_load_balancer_is_in_the_given_subnets_and_sends_straight_to_pods(deploy, catalog):
    service = controller(deploy, catalog)["service"]

    assert service["loadBalancerClass"] == "service.k8s.aws/nlb"
    assert service["annotations"][f"{ANNOTATION}-subnets"] == "subnet-1,subnet-2"
    assert service["annotations"][f"{ANNOTATION}-nlb-target-type"] == "ip"


def test_it_serves_the_class_that_is_asked_for(deploy, catalog):
    values = controller(deploy, catalog, ingress_class="web")

    assert values["ingressClass"] == "web"
    assert values["ingressClassResource"]["name"] == "web"


def test_its_admission_webhook_is_off(deploy, catalog):
    assert controller(deploy, catalog)["admissionWebhooks"] == {"enabled": False}
