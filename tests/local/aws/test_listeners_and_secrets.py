"""What AWS refuses of listeners and of secrets."""

import pytest

from localcloud.errors import Refusal
from tests.local.aws.examples.listeners import forward
from tests.local.aws.tokens import VPC

LISTENER, SECRET = "aws:lb/listener:Listener", "aws:secretsmanager/secret:Secret"


def listener(world, **more):
    return {"loadBalancerArn": world.balancer, "port": 8443, "defaultActions": [forward(world)], **more}


def test_a_listener_with_tls_has_a_certificate(bench, world):
    with pytest.raises(Refusal, match="A certificate must be specified for HTTPS listeners"):
        bench.make(LISTENER, listener(world, protocol="HTTPS"))


def test_a_certificate_that_is_not_issued_is_no_good(bench, world):
    pending = bench.make("aws:acm/certificate:Certificate", {"domainName": "pending.example"})

    with pytest.raises(Refusal, match="must have a fully-qualified domain name"):
        bench.make(LISTENER, listener(world, protocol="HTTPS", certificateArn=pending.id))


def test_an_application_s_listener_speaks_http(bench, world):
    with pytest.raises(Refusal, match="Listener protocol 'TCP' must be one of 'HTTPS, HTTP'"):
        bench.make(LISTENER, listener(world, protocol="TCP"))


def test_a_target_group_of_another_vpc_is_refused(bench, world):
    vpc = bench.make(VPC, {"cidrBlock": "10.77.0.0/16"})
    inputs = {"name": "elsewhere", "port": 80, "protocol": "HTTP", "targetType": "ip", "vpcId": vpc.id}
    group = bench.make("aws:lb/targetGroup:TargetGroup", inputs)
    action = {"type": "forward", "targetGroupArn": group.id}

    with pytest.raises(Refusal, match="is in a different VPC than load balancer"):
        bench.make(LISTENER, listener(world, defaultActions=[action]))


def test_the_name_of_a_secret_is_not_free_while_it_can_be_recovered(bench):
    secret = bench.make(SECRET, {"name": "kept", "recoveryWindowInDays": 7})
    bench.resources.clear()
    bench.delete(secret)

    with pytest.raises(Refusal, match="already scheduled for deletion"):
        bench.make(SECRET, {"name": "kept"})


def test_a_secret_s_name_has_few_characters(bench):
    with pytest.raises(Refusal, match="Invalid name"):
        bench.make(SECRET, {"name": "what?"})


def test_a_template_has_nothing_that_is_not_followed(bench):
    body = "Resources: {Queue: {Type: 'AWS::SQS::Queue'}}"

    with pytest.raises(Refusal, match="AWS::SQS::Queue in a template is not simulated"):
        bench.make("aws:cloudformation/stack:Stack", {"name": "queue", "templateBody": body})
