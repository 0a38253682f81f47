import pytest

from moka.components.kubernetes import ingress_nginx, traefik
from moka.components.kubernetes.ingress_load_balancer import IngressLoadBalancer, IngressLoadBalancerArgs

ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer"
ARNS = [
    "arn:aws:acm:us-east-1:123456789012:certificate/a",
    "arn:aws:acm:us-east-1:123456789012:certificate/b",
]


@pytest.fixture
def service(deploy):
    def make(**changes):
        args = IngressLoadBalancerArgs(
            **{
                "namespace": "ingress",
                "backend": traefik.BACKEND,
                "subnet_ids": ["subnet-1", "subnet-2"],
                **changes,
            }
        )
        [inputs] = deploy(lambda: IngressLoadBalancer("a", args)).inputs("kubernetes:core/v1:Service")
        annotations = {
            key.removeprefix(f"{ANNOTATION}-"): value
            for key, value in inputs["metadata"]["annotations"].items()
        }
        return inputs["spec"], annotations

    return make


def ports(spec):
    return {port["port"]: port["targetPort"] for port in spec["ports"]}


def test_it_is_internal_in_the_given_subnets_and_sends_straight_to_pods(service):
    spec, annotations = service()

    assert annotations["scheme"] == "internal"
    assert annotations["subnets"] == "subnet-1,subnet-2"
    assert annotations["nlb-target-type"] == "ip"
    assert spec["allocateLoadBalancerNodePorts"] is False


def test_with_certificates_it_ends_tls_and_speaks_it_with_the_controller(service):
    spec, annotations = service(certificate_arns=ARNS)

    assert annotations["ssl-cert"] == ",".join(ARNS)
    assert annotations["ssl-ports"] == "443"
    assert annotations["backend-protocol"] == "ssl"
    assert ports(spec) == {443: "websecure", 80: "web"}


def test_without_certificates_nothing_is_said_of_tls(service):
    spec, annotations = service()

    assert not [key for key in annotations if key.startswith(("ssl-", "backend-"))]
    assert ports(spec) == {80: "web"}


def test_another_controller_takes_the_place_of_one_behind_the_same_load_balancer(service):
    before, _ = service(backend=ingress_nginx.BACKEND, certificate_arns=ARNS)
    after, annotations = service(certificate_arns=ARNS)

    assert before["selector"] == {"moka.dev/ingress-controller": "ingress-nginx"}
    assert ports(before) == {443: "https", 80: "http"}
    assert after["selector"] == {"moka.dev/ingress-controller": "traefik"}
    assert (annotations["healthcheck-port"], annotations["healthcheck-path"]) == ("8080", "/ping")


def test_open_connections_are_kept_until_a_pod_has_ended_them(service):
    _, annotations = service()

    assert "deregistration_delay.timeout_seconds=180" in annotations["target-group-attributes"].split(",")


def test_networks_that_may_connect_are_named_where_the_settings_name_them(service):
    assert service(networks=["10.0.0.0/8"])[0]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]
    assert "loadBalancerSourceRanges" not in service()[0]
