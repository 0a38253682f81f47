"""Layer archer, and what clusters have for it, as the settings of whole environments ask for it."""

import dataclasses
import json

import pytest
import yaml

from moka.submission.cluster_document import ClusterDocument
from moka.submission.configuration import Configuration
from stacks import settings, slices
from stacks.layers import archer, cluster, database
from stacks.layers.spark import operator_shares
from stacks.slices import Unit
from tests.support.jobs import make_job_target
from tests.support.sites import make_site

LOCAL = settings.path_of("local").read_text()
CONFIG_MAP, DEPLOYMENT = "kubernetes:core/v1:ConfigMap", "kubernetes:apps/v1:Deployment"
HOST = "db.cluster.us-east-1.rds.amazonaws.com"
SECRET = "arn:aws:secretsmanager:us-east-1:123456789012:secret:rds!cluster-1"


def environment(**changes):
    """local, with something else in its `archer`."""
    text = yaml.safe_load(LOCAL)
    text["archer"] |= changes
    return settings.parse(yaml.safe_dump(text), "stacks/local.yaml")


def outputs_of(layer, kind):
    """Outputs of a layer, each its own name; those of the database as they are."""
    if kind is database.Outputs:
        return kind(
            endpoint=HOST,
            reader_endpoint=HOST,
            port=5432,
            database_name="moka",
            resource_id="cluster-ABC",
            secret_arn=SECRET,
        )
    return kind(**{field.name: field.name for field in dataclasses.fields(kind)})


@pytest.fixture
def made(deploy):
    """Settings -> the resources of the layer, by type and name."""

    def make(environment):
        where = make_site("spark-a", environment, read=outputs_of)
        recorder = deploy(lambda: archer.deploy(where, archer.inputs(where)))
        make.tree = recorder.tree()
        return {(resource.type, resource.name): resource for resource in recorder.resources}

    return make


def told(made, program):
    """The configuration of a program."""
    return Configuration.model_validate_json(made[CONFIG_MAP, program].inputs["data"]["archer.json"])


def allowed(made, role):
    """Action -> resources, of a role."""
    policy = json.loads(made["aws:iam/rolePolicy:RolePolicy", role].inputs["policy"])
    return {action: entry["Resource"] for entry in policy["Statement"] for action in entry["Action"]}


def test_it_is_there_once_at_home_where_the_settings_have_it():
    text = yaml.safe_load(LOCAL)
    without = {name: section for name, section in text.items() if name != "archer"}
    without["services"] = {name: one for name, one in text["services"].items() if name != "archer"}

    def units(text):
        return set(slices.units(settings.parse(yaml.safe_dump(text), "stacks/local.yaml")))

    assert units(text) - units(without) == {Unit("archer", "spark-a")}


def test_each_program_is_told_what_it_needs_and_no_more(made):
    resources = made(environment(weights={"analytics.reports": 2}))
    service, worker, keeper = (
        told(resources, f"spark-a-archer{program}") for program in ("", "-worker", "-keeper")
    )

    assert service.database.url.startswith(f"postgresql://archer@{HOST}:5432/archer?sslmode=verify-full")
    assert service.policy.rights and not service.clusters
    assert not worker.policy.rights and worker.weights == {"analytics.reports": 2}
    assert worker.clusters["spark-a"].eks == "moka-local-spark-a"
    assert keeper.database.master_secret == SECRET
    assert service.database.master_secret is None and worker.database.master_secret is None


def test_each_program_may_do_in_aws_what_it_is_for_and_nothing_else(made):
    resources = made(environment())
    user = "arn:aws:rds-db:us-east-1:123456789012:dbuser:cluster-ABC/archer"
    role = "arn:aws:iam::123456789012:role/moka-local/moka-local-spark-a-archer"

    logs = "arn:aws:s3:::moka-local-123456789012-us-east-1-job-logs"
    assert allowed(resources, "spark-a-archer") == {
        "rds-db:connect": [user],
        "s3:ListBucket": [logs],
        "s3:GetObject": [f"{logs}/*"],
        "kms:Decrypt": ["key_arn"],
    }
    assert allowed(resources, "spark-a-archer-worker") == {
        "rds-db:connect": [user],
        "sts:AssumeRole": [role],
        "sts:TagSession": [role],
    }
    assert allowed(resources, "spark-a-archer-keeper") == {
        "secretsmanager:GetSecretValue": [SECRET],
        "kms:Decrypt": ["key_arn"],
        "s3:PutObject": ["resource_usage_bucket_arn/archer/history/*"],
        "s3:GetObject": ["resource_usage_bucket_arn/archer/history/*"],
        "kms:GenerateDataKey": ["key_arn"],
    }


def test_jobs_of_long_ago_go_to_a_bucket_at_home_when_the_settings_say_and_the_service_knows_where(made):
    text = yaml.safe_load(LOCAL)
    text["retention"] = {"jobs": 30, "plans": 200}
    resources = made(settings.parse(yaml.safe_dump(text), "stacks/local.yaml"))
    plans = told(resources, "spark-a-archer-keeper").plans
    assert (plans.in_force, plans.proposed) == (200, 30)
    place = told(resources, "spark-a-archer-keeper").history

    assert place is not None and place.days == 30
    assert place.bucket == "moka-local-123456789012-us-east-1-resource-usage"
    assert told(resources, "spark-a-archer").history == place
    assert told(resources, "spark-a-archer-worker").history is None


def test_service_and_workers_come_after_the_schema(made):
    made(environment())

    for program in ("Archer::spark-a-archer", "ArcherWorker::spark-a-archer-worker"):
        [request] = [one for place, one in made.tree.items() if place.endswith(f"kubernetes:{program}")]
        waits_for = {urn.split("$")[-1] for urn in request.dependencies}
        assert f"{DEPLOYMENT}::spark-a-archer-keeper" in waits_for


def test_proxies_have_a_port_of_their_own_that_only_their_namespace_reaches(made):
    proxy = {"certificate_name": "portal.example", "secret": "archer-tls", "namespace": "portal"}
    resources = made(environment(authentication={"proxy": proxy}))

    policy = resources["kubernetes:networking.k8s.io/v1:NetworkPolicy", "spark-a-archer"].inputs["spec"]
    others = [rule for rule in policy["ingress"] if rule["ports"][0]["port"] == 8443]
    assert [
        peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]
        for rule in others
        for peer in rule["from"]
    ] == ["portal"]
    tls = told(resources, "spark-a-archer").tls
    [container] = resources[DEPLOYMENT, "spark-a-archer"].inputs["spec"]["template"]["spec"]["containers"]
    assert tls.port == 8443
    assert "/etc/archer-secret" in {mount["mountPath"] for mount in container["volumeMounts"]}
    assert tls.proxies == "/etc/archer-secret/ca.crt"


def test_traces_go_to_the_collector_that_service_and_workers_reach(made):
    traces = {"endpoint": "http://opentelemetry.tracing.svc:4318", "share": 0.1}
    resources, without = made(environment(traces=traces)), made(environment())

    def ports(resources, program):
        policy = resources["kubernetes:networking.k8s.io/v1:NetworkPolicy", f"{program}-egress"]
        return {port["port"] for rule in policy.inputs["spec"]["egress"] for port in rule["ports"]}

    for program in ("spark-a-archer", "spark-a-archer-worker"):
        assert told(resources, program).traces.model_dump() == traces
        assert told(without, program).traces is None
        assert ports(resources, program) - ports(without, program) == {4318}
    assert told(resources, "spark-a-archer-keeper").traces is None
    assert ports(resources, "spark-a-archer-keeper") == ports(without, "spark-a-archer-keeper")


def test_what_is_not_said_of_tokens_is_the_login_s():
    prod = settings.load("prod")
    where = archer.service_configuration(
        prod, prod.archer, archer.DatabaseAccess(url="postgresql://archer@x/archer")
    )

    assert where.authentication.oidc.issuer == prod.ingress.login.issuer
    assert where.authentication.oidc.audience != prod.ingress.login.client_id


def test_another_configuration_is_other_pods(made):
    def fingerprint(environment):
        template = made(environment)[DEPLOYMENT, "spark-a-archer-worker"].inputs["spec"]["template"]
        return template["metadata"]["annotations"]["moka.dev/configuration"]

    assert fingerprint(environment()) == fingerprint(environment())
    assert fingerprint(environment()) != fingerprint(environment(weights={"analytics.reports": 2}))


def test_a_cluster_tells_of_each_operator_which_namespaces_it_has():
    prod = settings.load("prod")
    shares = operator_shares(prod.spark.operators, list(prod.job_namespaces))
    document = ClusterDocument(target=make_job_target(), operators=shares)

    assert ClusterDocument.of_data(document.as_data()).operators == shares
    assert {name for share in shares for name in share.namespaces} == set(prod.job_namespaces)


def test_workers_of_the_home_cluster_reach_the_private_api_servers_of_the_others_only():
    prod = settings.load("prod")
    sites = {name: make_site(name, prod, read=outputs_of) for name in prod.clusters}
    home = prod.foundations["main"].network
    reached = {name: cluster.inputs(site).api_cidrs for name, site in sites.items()}

    own = {str(cidr) for cidr in (home.cidr, *home.pod_cidrs)}
    assert not own & set(reached[prod.home])
    assert all(own <= set(reached[name]) for name in prod.clusters if name != prod.home)
