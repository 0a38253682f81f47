"""Layer ingress: the gateway to UIs, where the settings name its image."""

import json

import pytest
import yaml

from stacks import settings

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
IMAGE = "registry.example/ui-gateway:1"
OTHERS = {name: service for name, service in LOCAL["services"].items() if name != "ui_gateway"}


@pytest.fixture(scope="module")
def layer(layers):
    """Layers ingress and spark of an environment that is `local` but for some sections."""

    def make(services=OTHERS, **sections):
        text = yaml.safe_dump({**LOCAL, "services": services, **sections})
        environment = settings.parse(text, "stacks/local.yaml")
        return layers(environment, "ingress", "spark")

    return make


@pytest.fixture(scope="module")
def recorder(layer):
    return layer({**OTHERS, "ui_gateway": {"image": IMAGE}})


def named(recorder, kind, name):
    [inputs] = [
        inputs for inputs in recorder.inputs(f"kubernetes:{kind}") if inputs["metadata"]["name"] == name
    ]
    return inputs


def test_the_gateway_answers_for_every_job_namespace_and_at_home_for_the_history(recorder):
    ingress = named(recorder, "networking.k8s.io/v1:Ingress", "ui-gateway")
    hosts = {rule["host"] for rule in ingress["spec"]["rules"]}

    domain = LOCAL["domain"]
    assert hosts == {
        f"history.{domain}",
        *(f"*.{namespace}.spark-a.{domain}" for namespace in LOCAL["job_namespaces"]),
    }


def test_it_runs_at_the_strictest_level_of_pod_security(recorder):
    namespace = named(recorder, "core/v1:Namespace", "ingress")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_in_aws_it_may_read_and_put_links_of_its_own_cluster_only(recorder):
    [policy] = [
        json.loads(resource.inputs["policy"])
        for resource in recorder.resources
        if resource.type == "aws:iam/rolePolicy:RolePolicy" and resource.name == "spark-a-ui-gateway"
    ]
    of_objects = {
        tuple(statement["Action"]): statement["Resource"]
        for statement in policy["Statement"]
        if statement["Sid"] in ("ReadLinks", "AddNewLinks")
    }

    assert {action for actions in of_objects for action in actions} == {
        "s3:GetObject",
        "s3:PutObject",
        "s3:AbortMultipartUpload",
    }
    for resources in of_objects.values():
        assert all(resource.endswith("/links/moka-local-spark-a/*") for resource in resources)
    sids = [statement["Sid"] for statement in policy["Statement"]]
    assert len(sids) == len(set(sids))


@pytest.mark.parametrize("kind", ["Role", "RoleBinding"])
def test_its_role_goes_with_the_job_namespace(recorder, kind):
    [role] = [
        request
        for place, request in recorder.tree().items()
        if place.endswith(f"rbac.authorization.k8s.io/v1:{kind}::spark-a-spark-jobs-ui-gateway")
    ]

    assert role.deletedWith.endswith("moka:kubernetes:JobNamespace::spark-a-spark-jobs")


def test_where_the_settings_leave_it_out_nothing_of_it_is_there(layer):
    recorder = layer()

    assert not {"moka:kubernetes:UiGateway", "moka:kubernetes:UiGatewayRole"} & recorder.types()
    assert "moka:kubernetes:Traefik" in recorder.types()


def test_the_controller_is_the_one_that_the_settings_name(layer):
    assert "moka:kubernetes:Traefik" in layer().types()
    assert "moka:kubernetes:IngressNginx" in layer(ingress={"controller": "ingress-nginx"}).types()


IN_ZONES = {
    **LOCAL["foundations"]["main"],
    "certificates": {"public_zone": "Z0123456789ABCDEFGHIJ"},
    "dns_zone": "Z0123456789ABCDEFGHIK",
}


@pytest.fixture(scope="module")
def with_tls(layer):
    return layer({**OTHERS, "ui_gateway": {"image": IMAGE}}, foundations={"main": IN_ZONES})


def test_certificates_are_for_the_names_of_the_pages(with_tls):
    certificates = with_tls.by_name("aws:acm/certificate:Certificate")
    domain = LOCAL["domain"]

    assert {
        name: [certificate["domainName"], *certificate["subjectAlternativeNames"]]
        for name, certificate in certificates.items()
    } == {
        "spark-a-pages-1": [
            f"*.spark-a.{domain}",
            *(f"*.{namespace}.spark-a.{domain}" for namespace in LOCAL["job_namespaces"]),
        ],
        "main-pages-1": [f"history.{domain}", f"archer.{domain}"],
    }


def test_records_lead_all_pages_to_the_load_balancer(with_tls):
    records = {
        inputs["name"]
        for inputs in with_tls.inputs("aws:route53/record:Record")
        if inputs["zoneId"].endswith("K")
    }

    # What proves a certificate for a namespace makes its name exist, and no wildcard above leads there then.
    jobs = [f"*.{namespace}.spark-a" for namespace in LOCAL["job_namespaces"]]
    assert records == {f"{host}.{LOCAL['domain']}" for host in ("*.spark-a", *jobs, "history", "archer")}


@pytest.mark.parametrize("component", ["HostRecords", "Certificates"])
def test_a_record_of_home_is_the_same_one_where_another_cluster_becomes_home(layer, component):
    """Route 53 would refuse a second one of its name ("but it already exists")."""
    clusters = dict.fromkeys(("spark-a", "spark-b"), LOCAL["clusters"]["spark-a"])

    def records(home):
        tree = layer(foundations={"main": IN_ZONES}, clusters=clusters, home=home).tree()
        host = f"-archer.{LOCAL['domain']}"
        return {path: tree[path] for path in tree if f"{component}$" in path and path.endswith(host)}

    before, after = records("spark-a"), records("spark-b")

    assert before.keys() == after.keys()
    [record] = after.values()
    assert {alias.spec.name for alias in record.aliases} == {
        f"{cluster}-pages-archer.{LOCAL['domain']}" for cluster in clusters
    }


def test_addresses_are_https_where_there_are_certificates(with_tls, recorder):
    def arguments(recorder):
        [deployment] = [
            inputs
            for inputs in recorder.inputs("kubernetes:apps/v1:Deployment")
            if inputs["metadata"]["name"] == "ui-gateway"
        ]
        return deployment["spec"]["template"]["spec"]["containers"][0]["args"]

    assert "--scheme=https" in arguments(with_tls)
    assert "--scheme=http" in arguments(recorder)


def test_without_a_zone_nobody_makes_records_and_without_certificates_nobody_speaks_tls(recorder):
    balancer = named(recorder, "core/v1:Service", "ingress")

    assert not {"aws:route53/record:Record", "aws:acm/certificate:Certificate"} & recorder.types()
    assert [port["port"] for port in balancer["spec"]["ports"]] == [80]
