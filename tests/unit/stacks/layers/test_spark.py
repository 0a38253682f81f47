"""Layer spark: releases of the operator, and what the settings say of job namespaces."""

import json

import pytest
import yaml

from moka.components.kubernetes import archer_deadline, job_size, job_submission, queue_claims
from moka.components.kubernetes.archer_only import POLICY_NAME
from stacks import settings
from stacks.settings.checks.spark import ACCOUNTS

LOCAL = settings.path_of("local").read_text()
ADMISSION = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


@pytest.fixture(scope="module")
def layer(layers):
    """Layer spark of an environment that is `local` but for some sections."""

    def make(**sections):
        text = yaml.safe_dump({**yaml.safe_load(LOCAL), **sections})
        environment = settings.parse(text, "stacks/local.yaml")
        return layers(environment, "spark")

    return make


@pytest.fixture(scope="module")
def split(layer):
    return layer(
        job_namespaces={"jobs-a": {}, "jobs-b": {}, "jobs-c": {}},
        spark={
            "operators": {
                "batch": {"namespaces": ["jobs-b"], "applications_per_minute": 30},
                "adhoc": {"namespaces": ["jobs-c"]},
                "spark-operator": {"namespaces": ["jobs-a"]},
            }
        },
    )


def operators(recorder):
    """Values of the operator's releases, by name of the release."""
    releases = recorder.inputs("kubernetes:helm.sh/v3:Release")
    return {
        release["name"]: release["values"]
        for release in releases
        if release["chart"].endswith("spark-operator")
    }


def test_one_release_runs_the_jobs_of_all_namespaces_by_default(layer):
    releases = operators(layer(job_namespaces={"jobs-a": {}, "jobs-b": {}}))

    assert list(releases) == ["spark-operator"]
    assert releases["spark-operator"]["spark"]["jobNamespaces"] == ["jobs-a", "jobs-b"]


def test_several_releases_have_the_namespaces_that_the_settings_give_them(split):
    namespaces = {name: values["spark"]["jobNamespaces"] for name, values in operators(split).items()}

    assert namespaces == {
        "spark-operator": ["jobs-a"],
        "spark-operator-adhoc": ["jobs-c"],
        "spark-operator-batch": ["jobs-b"],
    }


def test_each_release_is_as_large_as_its_own_applications_need(split):
    cores = {name: values["controller"]["workers"] for name, values in operators(split).items()}

    assert cores["spark-operator-batch"] > cores["spark-operator-adhoc"]


def test_the_release_with_the_crds_comes_before_all_others(split):
    owners = [name for name, values in operators(split).items() if values["hook"]["upgradeCrd"]]
    tree = split.tree()
    component = "moka:kubernetes:SparkOperator::spark-a-{}".format
    [release] = [
        urn
        for urn, request in split.monitor.requests.items()
        if request.type == "kubernetes:helm.sh/v3:Release" and request.name == "spark-a-spark-operator"
    ]

    assert owners == ["spark-operator"]
    for name in ("spark-operator-adhoc", "spark-operator-batch"):
        assert release in tree[component(name)].dependencies
    assert release not in tree[component("spark-operator")].dependencies


def test_applications_are_counted_only_where_there_is_a_definition_to_count(layer):
    recorder = layer(job_namespaces={"jobs-a": {"quota": {"applications": 50}}})
    [release] = [
        urn
        for urn, request in recorder.monitor.requests.items()
        if request.type == "kubernetes:helm.sh/v3:Release" and request.name == "spark-a-spark-operator"
    ]

    quota = recorder.tree()["moka:kubernetes:ApplicationQuota::spark-a-jobs-a"]

    assert release in quota.dependencies


def test_what_the_settings_say_of_a_namespace_is_there(layer):
    recorder = layer(
        job_namespaces={
            "jobs-a": {
                "quota": {"applications": 50, "cpu": "400"},
                "largest_container": {"cpu": "16", "memory": "128Gi"},
                "pod_security": "privileged",
                "egress": {"hive": {"namespace": "hive", "ports": [9083]}},
            },
            "jobs-b": {"isolated": False},
        }
    )

    quotas = recorder.by_name("kubernetes:core/v1:ResourceQuota")
    counted = quotas["spark-a-jobs-a-applications"]["spec"]["hard"]
    assert counted == {"count/sparkapplications.sparkoperator.k8s.io": "50"}
    assert "spark-a-jobs-b-applications" not in quotas
    quota = quotas["spark-a-jobs-a"]["spec"]["hard"]
    assert quota["requests.cpu"] == "400"
    assert "requests.memory" not in quota
    limits = recorder.by_name("kubernetes:core/v1:LimitRange")["spark-a-jobs-a"]["spec"]["limits"][0]
    assert limits["max"] == {"cpu": "16", "memory": "128Gi"}
    levels = {
        thing["metadata"]["name"]: thing["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for thing in recorder.inputs("kubernetes:core/v1:Namespace")
    }
    assert (levels["jobs-a"], levels["jobs-b"]) == ("privileged", "baseline")
    policies = recorder.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    of_jobs = [thing for thing in policies if thing["metadata"]["namespace"].startswith("jobs-")]
    assert {thing["metadata"]["namespace"] for thing in of_jobs} == {"jobs-a"}
    assert "9083" in str(of_jobs)


def test_what_pods_may_do_in_aws_is_for_the_account_that_they_run_with(whole):
    recorder = whole("local")
    releases = {thing["name"]: thing for thing in recorder.inputs("kubernetes:helm.sh/v3:Release")}
    accounts = {
        (thing["metadata"]["namespace"], thing["metadata"]["name"])
        for thing in recorder.inputs("kubernetes:core/v1:ServiceAccount")
    }
    for name, (path, _) in ACCOUNTS.items():
        values = releases[name]["values"]
        for key in path.split("."):
            values = values[key]
        assert values == ACCOUNTS[name][1], name
        accounts.add((releases[name]["namespace"], values))

    identities = {
        (thing["namespace"], thing["serviceAccount"])
        for thing in recorder.inputs("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    }
    # EKS makes the accounts of its add-ons.
    assert {thing for thing in identities if thing[0] != "kube-system"} <= accounts


def test_jobs_may_read_and_write_data_and_take_no_role(whole):
    policies = [
        json.loads(policy["policy"])
        for name, policy in whole("local").by_name("aws:iam/rolePolicy:RolePolicy").items()
        if name.startswith("spark-a-spark-jobs")
    ]

    actions = {action for policy in policies for one in policy["Statement"] for action in one["Action"]}
    assert {"s3:GetObject", "s3:PutObject"} <= actions
    assert {action.partition(":")[0] for action in actions} == {"s3", "kms"}


def test_namespaces_that_take_jobs_of_archer_only_are_guarded_by_the_api_server(layer):
    recorder = layer(job_namespaces={"jobs-a": {"archer_only": True}, "jobs-b": {}})

    [policy] = archer_only(recorder)
    [binding] = [
        binding["spec"]
        for binding in recorder.inputs(f"{ADMISSION}Binding")
        if binding["spec"]["policyName"] == policy["metadata"]["name"]
    ]
    [namespaces] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    [makes] = [
        variable["expression"] for variable in policy["spec"]["variables"] if variable["name"] == "makes"
    ]
    assert (namespaces["operator"], namespaces["values"]) == ("In", ["jobs-a"])
    assert binding["validationActions"] == ["Deny"]
    for maker in ("spark-operator:", "yunikorn:", "jobs-a:spark$"):
        assert f"^system:serviceaccount:{maker}" in makes
    assert "jobs-b" not in makes


def test_no_namespace_is_guarded_that_does_not_say_so(layer):
    assert archer_only(layer(job_namespaces={"jobs-a": {}})) == []


def test_applications_that_archer_makes_late_are_refused_where_it_submits(layer):
    recorder = layer(job_namespaces={"jobs-a": {}, "jobs-b": {}})

    [policy] = [
        policy
        for policy in recorder.inputs(ADMISSION)
        if policy["metadata"]["name"] == archer_deadline.POLICY_NAME
    ]
    [namespaces] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    assert namespaces["values"] == ["jobs-a", "jobs-b"]


def test_namespaces_with_claims_are_kept_out_of_other_queues_by_the_api_server(layer):
    claims = [{"organization": "analytics", "tiers": [2, 3]}]
    recorder = layer(job_namespaces={"jobs-a": {"claims": claims}, "jobs-b": {}})

    [policy] = [
        policy
        for policy in recorder.inputs(ADMISSION)
        if policy["metadata"]["name"] == queue_claims.POLICY_NAME
    ]
    [namespaces] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    assert namespaces["values"] == ["jobs-a"]
    [target] = [json.loads(data["target.json"]) for data in documents(recorder)]
    assert target["claims"] == {"jobs-a": ["^root[.]analytics[.][^.]+[.]tier[23]$"]}


def test_the_api_server_bounds_the_executors_of_jobs_in_every_namespace(layer):
    recorder = layer(job_namespaces={"jobs-a": {"executors_per_job": 300}, "jobs-b": {}})

    [policy] = [
        policy for policy in recorder.inputs(ADMISSION) if policy["metadata"]["name"] == job_size.POLICY_NAME
    ]
    [namespaces] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    messages = " ".join(validation["message"] for validation in policy["spec"]["validations"])
    assert namespaces["values"] == ["jobs-a", "jobs-b"]
    assert "at most 300 executors" in messages
    assert "at most 5000 executors" in messages
    [target] = [json.loads(data["target.json"]) for data in documents(recorder)]
    assert target["most_executors"] == {"jobs-a": 300, "jobs-b": 5000}


def test_no_application_submits_as_or_from_elsewhere_whatever_its_namespace(layer):
    recorder = layer(
        job_namespaces={"jobs-a": {}, "jobs-b": {}},
        spark={"packages": ["org.postgresql:postgresql:42.7.4"], "repositories": ["https://maven.example"]},
    )

    [policy] = [
        policy
        for policy in recorder.inputs(ADMISSION)
        if policy["metadata"]["name"] == job_submission.POLICY_NAME
    ]
    [namespaces] = policy["spec"]["matchConstraints"]["namespaceSelector"]["matchExpressions"]
    variables = {variable["name"]: variable["expression"] for variable in policy["spec"]["variables"]}
    assert namespaces["values"] == ["jobs-a", "jobs-b"]
    assert json.loads(variables["known"]) == ["org.postgresql:postgresql:42.7.4"]
    [target] = [json.loads(data["target.json"]) for data in documents(recorder)]
    assert (target["packages"], target["repositories"]) == (
        ["org.postgresql:postgresql:42.7.4"],
        ["https://maven.example"],
    )


def documents(recorder):
    """What clusters say to Archer."""
    maps = recorder.inputs("kubernetes:core/v1:ConfigMap")
    return [one["data"] for one in maps if "target.json" in (one.get("data") or {})]


def archer_only(recorder):
    """The policies that keep out what is not Archer's."""
    policies = recorder.inputs(ADMISSION)
    return [policy for policy in policies if policy["metadata"]["name"] == POLICY_NAME]


def test_jobs_reach_the_metastore_of_their_namespace_and_no_other(layer):
    recorder = layer(
        uses={"lake": {"bucket": "lake"}},
        metastores={
            "company": {
                "thrift": {"addresses": ["thrift://hive.example:9083"], "cidrs": ["10.9.0.0/16"]},
                "warehouse": "s3a://lake/warehouse/",
            },
            "tables": {"glue": {"databases": ["sales", "raw_*"]}, "warehouse": "s3a://lake/iceberg/"},
        },
        job_namespaces={
            "jobs-a": {"uses": {"lake": "read"}, "metastore": "company"},
            "jobs-b": {"uses": {"lake": "write"}, "metastore": "tables"},
            "jobs-c": {},
        },
    )
    policies = recorder.by_name("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    ways = {
        name: [
            (peer["ipBlock"]["cidr"], port["port"])
            for rule in policies[f"spark-a-{name}-spark"]["spec"]["egress"]
            for peer in rule["to"]
            for port in rule.get("ports", [])
            if "ipBlock" in peer and port["port"] == 9083
        ]
        for name in ("jobs-a", "jobs-b", "jobs-c")
    }
    roles = recorder.by_name("aws:iam/rolePolicy:RolePolicy")
    tables = {
        name: [
            statement
            for statement in json.loads(roles[f"spark-a-{name}"]["policy"])["Statement"]
            if statement["Sid"] == "Tables"
        ]
        for name in ("jobs-a", "jobs-b", "jobs-c")
    }

    assert ways == {"jobs-a": [("10.9.0.0/16", 9083)], "jobs-b": [], "jobs-c": []}
    assert tables["jobs-a"] == tables["jobs-c"] == []
    [statement] = tables["jobs-b"]
    glue = "arn:aws:glue:us-east-1:123456789012"
    assert statement["Resource"] == [
        f"{glue}:catalog",
        *(f"{glue}:database/sales", f"{glue}:database/raw_*"),
        *(f"{glue}:table/sales/*", f"{glue}:table/raw_*/*"),
    ]
    assert all(action.startswith(("glue:Get", "glue:BatchGet")) for action in statement["Action"])
