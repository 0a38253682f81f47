"""The job namespace of `local`, asked of a real API server: what its jobs may do, and what bounds them."""

import json

import pytest
from kubernetes import client, config
from kubernetes.client import ApiException

from localcloud.control_plane import ControlPlane
from localcloud.credentials import principal
from localcloud.store import stores
from moka.components.kubernetes.job_namespace import DRIVER_VERBS
from moka.names import jobs_group
from tests.support.jobs import make_application

JOBS = "spark-jobs"
ELSEWHERE = ("default", "celeborn", "spark-operator")
APPLICATIONS = "sparkapplications"
ACCOUNT = f"system:serviceaccount:{JOBS}:spark"


@pytest.fixture(scope="module")
def kubeconfig(local):
    [plane] = ControlPlane.all(local.cloud)
    return str(plane.kubeconfig)


@pytest.fixture(scope="module")
def core(kubeconfig):
    return client.CoreV1Api(config.new_client_from_config(config_file=kubeconfig))


@pytest.fixture(scope="module")
def driver(kubeconfig):
    """The API server as a driver sees it."""
    api = config.new_client_from_config(config_file=kubeconfig)
    api.set_default_header("Impersonate-User", ACCOUNT)
    return client.CoreV1Api(api)


@pytest.fixture(scope="module")
def may(driver):
    """Whether a driver is let do something."""
    asking = client.AuthorizationV1Api(driver.api_client)

    def ask(verb, resource, namespace, group=""):
        attributes = {"verb": verb, "resource": resource, "namespace": namespace, "group": group}
        return asking.create_self_subject_access_review(
            {"spec": {"resourceAttributes": attributes}}
        ).status.allowed

    return ask


def pod(name, queue="root.science.models.tier2", **container):
    return {
        "metadata": {"name": name, "labels": {"spark-role": "executor", "queue": queue}},
        "spec": {
            "schedulerName": "yunikorn",
            "containers": [{"name": "main", "image": "example.invalid/any", **container}],
        },
    }


def resources(**both):
    return {"resources": {"requests": both, "limits": both}}


def test_a_driver_may_do_in_its_namespace_what_spark_does(may):
    assert all(may(verb, resource, JOBS) for resource, verbs in DRIVER_VERBS.items() for verb in verbs)


def test_a_driver_may_do_nothing_in_other_namespaces(may):
    for namespace in ELSEWHERE:
        assert not any(
            may(verb, resource, namespace) for resource, verbs in DRIVER_VERBS.items() for verb in verbs
        )


@pytest.mark.parametrize(
    ("verb", "resource", "group"),
    [
        ("get", "secrets", ""),
        ("create", "serviceaccounts", ""),
        ("create", "pods/exec", ""),
        ("update", "resourcequotas", ""),
        ("create", "sparkapplications", "sparkoperator.k8s.io"),
        ("create", "rolebindings", "rbac.authorization.k8s.io"),
        ("delete", "networkpolicies", "networking.k8s.io"),
    ],
)
def test_a_driver_may_not_reach_beyond_its_job(may, verb, resource, group):
    assert not may(verb, resource, JOBS, group)


def test_a_driver_makes_executors_and_nobody_s_pods_elsewhere(driver):
    executor = driver.create_namespaced_pod(JOBS, pod("executor"), dry_run="All")
    assert executor.metadata.namespace == JOBS

    with pytest.raises(ApiException, match=r"spark-jobs:spark.* cannot create resource .*pods") as refused:
        driver.create_namespaced_pod("default", pod("executor"), dry_run="All")
    assert refused.value.status == 403


def test_a_container_that_says_nothing_is_bounded(driver):
    [container] = driver.create_namespaced_pod(JOBS, pod("quiet"), dry_run="All").spec.containers

    assert set(container.resources.limits) == {"cpu", "memory"}
    assert set(container.resources.requests) == {"cpu", "memory"}


def test_a_container_as_spark_makes_it_keeps_what_it_asks_for(driver):
    # Spark asks for CPU without a limit, and for memory with one.
    sizes = {"resources": {"requests": {"cpu": "4", "memory": "64Gi"}, "limits": {"memory": "64Gi"}}}

    [container] = driver.create_namespaced_pod(JOBS, pod("spark", **sizes), dry_run="All").spec.containers

    assert container.resources.requests == {"cpu": "4", "memory": "64Gi"}
    assert container.resources.limits["memory"] == "64Gi"
    assert int(container.resources.limits["cpu"]) > 4


@pytest.mark.parametrize(
    ("most", "asked"), [("cpu", {"cpu": "129", "memory": "1Gi"}), ("memory", {"cpu": "1", "memory": "2Ti"})]
)
def test_a_container_larger_than_any_machine_is_refused(driver, most, asked):
    with pytest.raises(ApiException, match=f"maximum {most} usage per Container is"):
        driver.create_namespaced_pod(JOBS, pod("huge", **resources(**asked)), dry_run="All")


def test_a_privileged_pod_is_refused(driver):
    with pytest.raises(ApiException, match=r"violates PodSecurity .*baseline"):
        driver.create_namespaced_pod(JOBS, pod("root", securityContext={"privileged": True}), dry_run="All")


def test_a_pod_that_mounts_its_node_is_refused(driver):
    mounting = pod("mounting")
    mounting["spec"]["volumes"] = [{"name": "node", "hostPath": {"path": "/"}}]

    with pytest.raises(ApiException, match="hostPath volumes"):
        driver.create_namespaced_pod(JOBS, mounting, dry_run="All")


def test_a_pod_in_a_queue_that_its_namespace_does_not_claim_is_refused(driver):
    with pytest.raises(ApiException, match="may not run in this queue"):
        driver.create_namespaced_pod(JOBS, pod("elsewhere", "root.finance.ledger.tier1"), dry_run="All")


def test_no_quota_changes_with_every_pod(core):
    core.create_namespaced_pod(JOBS, pod("uncounted"))
    try:
        quotas = core.list_namespaced_resource_quota(JOBS).items
        assert [quota.metadata.name for quota in quotas] == ["jobs"]
        assert set(quotas[0].status.used) == {"services.loadbalancers", "services.nodeports"}
    finally:
        core.delete_namespaced_pod("uncounted", JOBS, grace_period_seconds=0)


def test_a_job_of_more_executors_than_the_namespace_allows_is_refused(core):
    application = make_application("huge", batchSchedulerOptions={"queue": "root.science.models.tier2"})
    application["spec"]["executor"]["instances"] = 5001
    kind = ("sparkoperator.k8s.io", "v1beta2", JOBS, APPLICATIONS)

    with pytest.raises(ApiException, match="a job of this namespace has at most 5000 executors"):
        client.CustomObjectsApi(core.api_client).create_namespaced_custom_object(
            *kind, application, dry_run="All"
        )


@pytest.mark.parametrize(("kind", "counted"), [("LoadBalancer", "loadbalancers"), ("NodePort", "nodeports")])
def test_no_way_in_from_outside_can_be_made(core, kind, counted):
    service = {"metadata": {"name": "open"}, "spec": {"type": kind, "ports": [{"port": 4040}]}}

    with pytest.raises(ApiException, match=f"exceeded quota: jobs, requested: .*services.{counted}=1"):
        core.create_namespaced_service(JOBS, service, dry_run="All")


@pytest.fixture(scope="module")
def plane(local):
    [plane] = ControlPlane.all(local.cloud)
    return plane


@pytest.fixture(scope="module")
def someone(local, plane):
    """Whether somebody whose settings say `jobs` may do something, asked as they would ask."""
    [kept] = stores(local.cloud, "eks")

    def let_in(level, *namespaces):
        arn = f"arn:aws:iam::123456789012:role/{level}-{len(namespaces)}"
        groups = [jobs_group(namespace, level) for namespace in namespaces]
        entry = {
            "clusterName": plane.name,
            "principalArn": arn,
            "type": "STANDARD",
            "username": f"my:{level}",
        }
        kept.put("access-entry", plane.name, arn, thing={**entry, "kubernetesGroups": groups})
        api = config.new_client_from_config(config_file=str(plane.principal_kubeconfig(principal(arn))))
        asking = client.AuthorizationV1Api(api)

        def may(verb, resource, namespace=JOBS, group=""):
            name, _, sub = resource.partition("/")
            attributes = {"verb": verb, "resource": name, "subresource": sub, "namespace": namespace}
            group = "sparkoperator.k8s.io" if name == APPLICATIONS else group
            review = {"spec": {"resourceAttributes": {**attributes, "group": group}}}
            return asking.create_self_subject_access_review(review).status.allowed

        return may

    return let_in


def test_a_developer_sees_submits_and_deletes_applications_and_reads_their_logs(someone):
    may = someone("edit", JOBS)

    assert all(may(verb, APPLICATIONS) for verb in ("get", "list", "watch", "create", "patch", "delete"))
    assert all(may("get", resource) for resource in ("pods", "pods/log", "events", "resourcequotas"))


@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        ("get", "secrets"),
        ("get", "configmaps"),
        ("create", "pods"),
        ("delete", "pods"),
        ("create", "pods/exec"),
        ("create", "pods/portforward"),
        ("update", "resourcequotas"),
        ("impersonate", "serviceaccounts"),
        ("deletecollection", APPLICATIONS),
    ],
)
def test_a_developer_may_do_no_more_than_that(someone, verb, resource):
    assert not someone("edit", JOBS)(verb, resource)


def test_an_auditor_sees_what_a_developer_sees_and_changes_nothing(someone):
    may = someone("view", JOBS)

    assert all(may("list", resource) for resource in (APPLICATIONS, "pods", "events"))
    assert not any(may(verb, APPLICATIONS) for verb in ("create", "update", "patch", "delete"))
    assert not may("get", "secrets")


def test_a_developer_of_another_namespace_has_no_business_here(someone):
    may = someone("edit", "spark-elsewhere", "spark-more")

    assert not may("list", APPLICATIONS)
    assert not someone("edit", JOBS)("list", APPLICATIONS, namespace="default")


def test_who_deploys_signs_in_as_the_deployer_and_not_as_one_of_kubernetes_masters(local, plane):
    [provider] = [
        resource
        for resource in local.resources("local")
        if resource.type == "pulumi:providers:kubernetes" and resource.name == "spark-a"
    ]
    kubeconfig = json.loads(provider.inputs["kubeconfig"])
    signed_in = client.AuthenticationV1Api(config.new_client_from_config_dict(kubeconfig))

    who = signed_in.create_self_subject_review({}).status.user_info

    assert who.username == "arn:aws:iam::123456789012:user/laptop"
    assert who.groups == ["system:authenticated"]


def test_nobody_is_let_in_or_out_but_for_what_spark_needs(kubeconfig):
    networking = client.NetworkingV1Api(config.new_client_from_config(config_file=kubeconfig))
    policies = {
        policy.metadata.name: policy.spec for policy in networking.list_namespaced_network_policy(JOBS).items
    }

    denied, spark = policies["default-deny"], policies["spark"]
    assert not denied.ingress
    assert not denied.egress
    assert spark.ingress
    assert spark.egress
    # Each pod is one's or the other's, and so isolated both ways.
    [others], [drivers_and_executors] = (one.pod_selector.match_expressions for one in (denied, spark))
    assert (others.key, others.operator) == ("spark-role", "NotIn")
    assert (drivers_and_executors.key, drivers_and_executors.operator) == ("spark-role", "In")
    assert set(others.values) == set(drivers_and_executors.values)
    assert set(denied.policy_types) == set(spark.policy_types) == {"Ingress", "Egress"}
