"""Layer ingress with a login: what the gateway is told, may read and may reach."""

import argparse
import json

import pytest
import yaml

from services.ui_gateway import login_options
from services.ui_gateway.hosts import Hosts, pages
from stacks import settings

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
DOMAIN = f"spark-a.{LOCAL['domain']}"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"


@pytest.fixture(scope="module")
def layer(layers):
    """Layer ingress of `local` with a login, of which something is changed."""

    def make(**change):
        login = {
            "issuer": "https://id.example:8443/realm",
            "client_id": "moka",
            "secret": "moka/login",
            "operators": ["platform"],
            **change,
        }
        document = {
            **LOCAL,
            "ingress": {"login": login},
            "job_namespaces": {"spark-jobs": {"viewers": ["science", "analysts"]}},
            "foundations": {
                "main": {**LOCAL["foundations"]["main"], "certificates": {"arns": [CERTIFICATE]}}
            },
        }
        environment = settings.parse(yaml.safe_dump(document), "stacks/local.yaml")
        return layers(environment, "ingress")

    return make


@pytest.fixture(scope="module")
def recorder(layer):
    return layer(secret_key=KEY)


def login_of(recorder):
    """Its login, as the program understands its arguments, and the hosts that it answers for."""
    parser = argparse.ArgumentParser()
    for name in ("scheme", "domain"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--page", action="append", default=[])
    login_options.add(parser)
    deployments = {
        inputs["metadata"]["name"]: inputs for inputs in recorder.inputs("kubernetes:apps/v1:Deployment")
    }
    [container] = deployments["ui-gateway"]["spec"]["template"]["spec"]["containers"]
    options, _ = parser.parse_known_args(container["args"])
    hosts = Hosts(options.domain, pages(options.page))
    return login_options.login(options, hosts), hosts


def test_the_program_understands_its_login(recorder):
    login, _ = login_of(recorder)

    assert login.client.issuer == "https://id.example:8443/realm"
    assert (login.secret_name, login.secret_region) == ("moka/login", "us-east-1")
    assert login.settings.access.viewers == {"spark-jobs": {"science", "analysts"}}
    assert login.settings.access.operators == ["platform"]


def test_operators_see_the_pages_of_yunikorn_and_celeborn(recorder):
    login, hosts = login_of(recorder)
    yunikorn, celeborn = (hosts.pages[f"{name}.{DOMAIN}"] for name in ("yunikorn", "celeborn"))

    assert set(login.settings.access.for_operators) == {yunikorn.host, celeborn.host}
    assert yunikorn.upstream("/ws/v1/queues") == "http://yunikorn-service.yunikorn:9080"
    assert yunikorn.upstream("/") == "http://yunikorn-service.yunikorn:9889"
    assert celeborn.upstream("/") == "http://celeborn-master.celeborn:9098"


def test_without_operators_nobody_sees_these_pages(layer):
    _, hosts = login_of(layer(operators=[]))

    assert hosts.pages.keys() == {f"history.{LOCAL['domain']}"}


def test_the_ingress_has_the_host_of_the_login(recorder):
    ingresses = recorder.by_name("kubernetes:networking.k8s.io/v1:Ingress")
    hosts = {rule["host"] for rule in ingresses["spark-a-ui-gateway"]["spec"]["rules"]}

    assert {f"login.{DOMAIN}", f"yunikorn.{DOMAIN}", f"celeborn.{DOMAIN}"} <= hosts


def test_it_may_read_that_secret_and_no_other(recorder):
    policy = json.loads(recorder.by_name("aws:iam/rolePolicy:RolePolicy")["spark-a-ui-gateway"]["policy"])
    statements = {statement["Sid"]: statement for statement in policy["Statement"]}

    assert statements["LoginSecret"]["Action"] == ["secretsmanager:GetSecretValue"]
    assert statements["LoginSecret"]["Resource"] == [
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:moka/login-??????"
    ]
    assert statements["LoginSecretKey"]["Resource"] == [KEY]
    assert statements["LoginSecretKey"]["Condition"] == {
        "StringEquals": {"kms:ViaService": "secretsmanager.us-east-1.amazonaws.com"}
    }


def test_it_reaches_what_it_leads_to_what_it_asks_and_nothing_else_in_the_cluster(recorder):
    policies = recorder.by_name("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    spec = policies["spark-a-ui-gateway-egress"]["spec"]
    anywhere, by_namespace = set(), {}
    for rule in spec["egress"]:
        ports = {port["port"] for port in rule["ports"]}
        for peer in rule["to"]:
            if "ipBlock" in peer:
                anywhere |= ports if peer["ipBlock"]["cidr"] == "0.0.0.0/0" else set()
            else:
                name = peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]
                by_namespace[name] = by_namespace.get(name, set()) | ports

    assert spec["policyTypes"] == ["Egress"]
    assert anywhere == {443, 8443}
    assert by_namespace == {
        "kube-system": {53},
        "spark-jobs": {4040},
        "spark-history": {8080},
        "yunikorn": {9080, 9889},
        "celeborn": {9098},
    }
    networks = [peer["ipBlock"] for rule in spec["egress"] for peer in rule["to"] if "ipBlock" in peer]
    assert {"cidr": "0.0.0.0/0", "except": ["169.254.169.254/32"]} in networks


def test_nothing_that_is_secret_is_anywhere(recorder):
    """The secret is known by its name only: people make it."""
    assert not [kind for kind in recorder.types() if "secretsmanager" in kind or "random" in kind]
    assert not recorder.inputs("kubernetes:core/v1:Secret")
