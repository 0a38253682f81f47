import pytest

from moka.components.kubernetes import traefik
from moka.components.kubernetes.ingress_load_balancer import IngressLoadBalancer, IngressLoadBalancerArgs
from moka.components.kubernetes.load_balancer_controller import (
    LoadBalancerController,
    LoadBalancerControllerArgs,
)


@pytest.fixture
def values(deploy, catalog):
    def program():
        args = LoadBalancerControllerArgs(
            catalog=catalog,
            namespace="balancing",
            cluster="moka-dev-spark-a",
            vpc_id="vpc-1",
            region="eu-west-1",
        )
        LoadBalancerController("spark-a", args)

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]


def test_it_is_told_where_it_is_and_asks_no_instance(values):
    assert (values["clusterName"], values["region"], values["vpcId"]) == (
        "moka-dev-spark-a",
        "eu-west-1",
        "vpc-1",
    )


def test_nothing_but_its_own_services_waits_for_its_webhooks(values):
    assert values["enableServiceMutatorWebhook"] is False
    assert values["webhookConfig"] == {"disableIngressValidation": True}


def test_its_certificate_stays_when_it_is_rendered_again(values):
    assert values["keepTLSSecret"] is True


def test_it_serves_the_class_that_the_way_in_asks_for(deploy, values):
    def program():
        args = IngressLoadBalancerArgs(namespace="ingress", backend=traefik.BACKEND, subnet_ids=["subnet-1"])
        IngressLoadBalancer("a", args)

    [service] = deploy(program).inputs("kubernetes:core/v1:Service")
    assert service["spec"]["loadBalancerClass"] == values["loadBalancerClass"]


def test_its_pods_are_the_ones_that_have_its_permissions(values):
    assert values["serviceAccount"]["name"] == "aws-load-balancer-controller"
