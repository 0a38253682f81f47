import pytest

from localcloud.control_plane.cloud_provider import CSI_DRIVERS, EBS_DRIVER

EBS = "ebs.csi.aws.com"


@pytest.fixture(scope="module")
def classes(api):
    """A storage class for each way of binding."""
    for name, mode in {"gp3": "WaitForFirstConsumer", "gp3-at-once": "Immediate"}.items():
        storage_class = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
        }
        api.create(
            "/apis/storage.k8s.io/v1/storageclasses",
            storage_class | {"provisioner": EBS, "volumeBindingMode": mode},
        )


@pytest.fixture
def volume_driver(api):
    """The driver of EBS volumes, as its add-on puts it into a cluster."""
    api.apply(f"{CSI_DRIVERS}/{EBS}", EBS_DRIVER)


def claim(name, storage_class):
    resources = {"requests": {"storage": "5Gi"}}
    spec = {"storageClassName": storage_class, "accessModes": ["ReadWriteOnce"], "resources": resources}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def pod_with(claimed, zone):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "user"},
        "spec": {
            "nodeSelector": {"topology.kubernetes.io/zone": zone},
            "containers": [
                {"name": "main", "image": "any", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
            ],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claimed}}],
        },
    }


def bound(claim):
    return claim.get("status", {}).get("phase") == "Bound"


def test_a_claim_waits_for_the_driver_of_its_volume(api, classes, namespace, until, eventually):
    claims, events = (
        f"/api/v1/namespaces/{namespace}/{list}" for list in ("persistentvolumeclaims", "events")
    )
    api.create(claims, claim("early", "gp3-at-once"))
    eventually(lambda: any(event["reason"] == "ExternalProvisioning" for event in api.list(events)))
    assert api.get(f"{claims}/early")["status"]["phase"] == "Pending"

    api.apply(f"{CSI_DRIVERS}/{EBS}", EBS_DRIVER)

    until(api, claims, bound)


def test_a_claim_gets_its_volume_in_the_zone_of_its_first_pod(api, classes, volume_driver, namespace, until):
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    api.create(claims, claim("data", "gp3"))
    api.create(f"/api/v1/namespaces/{namespace}/pods", pod_with("data", "us-east-1c"))

    volume = until(api, claims, bound)["spec"]["volumeName"]

    volume_object = api.get(f"/api/v1/persistentvolumes/{volume}")
    [term] = volume_object["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["us-east-1c"]
    until(api, f"/api/v1/namespaces/{namespace}/pods", lambda pod: pod["status"]["phase"] == "Running")


def test_a_volume_goes_with_its_claim(api, classes, volume_driver, namespace, until, eventually):
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    api.create(claims, claim("scratch", "gp3-at-once"))
    volume = until(api, claims, bound)["spec"]["volumeName"]

    api.delete(f"{claims}/scratch")

    eventually(lambda: api.get(f"/api/v1/persistentvolumes/{volume}") is None)


def test_a_service_gets_a_load_balancer(api, namespace, until):
    services = f"/api/v1/namespaces/{namespace}/services"
    spec = {"type": "LoadBalancer", "ports": [{"port": 443}], "selector": {"app": "web"}}
    api.create(services, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec})

    service = until(api, services, lambda service: service["status"]["loadBalancer"].get("ingress"))

    [balancer] = service["status"]["loadBalancer"]["ingress"]
    assert balancer["hostname"].endswith(".localhost")
    assert service["metadata"]["annotations"]["localcloud/simulated"] == "load balancer"
    assert not service["metadata"].get("finalizers")


def test_a_namespace_with_volumes_and_load_balancers_can_be_deleted(api, classes, volume_driver, eventually):
    path = "/api/v1/namespaces/doomed"
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "doomed"}}])
    api.create(f"{path}/persistentvolumeclaims", claim("data", "gp3-at-once"))

    api.delete(path)

    eventually(lambda: api.get(path) is None)


def driver(name, **annotations):
    container = {"name": "spark-kubernetes-driver", "image": "any"}
    conf = {"name": "conf", "configMap": {"name": "conf"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"spark-role": "driver", "spark-app-selector": f"spark-{name}"},
            "annotations": {
                f"localcloud/{key.replace('_', '-')}": value for key, value in annotations.items()
            },
            "finalizers": ["moka.dev/test"],
        },
        "spec": {"restartPolicy": "Never", "containers": [container], "volumes": [conf]},
    }


@pytest.mark.parametrize(("ends", "code"), [("Succeeded", 0), ("Failed", 1)])
def test_a_driver_ends_when_and_how_it_is_told(api, namespace, until, ends, code):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(pods, driver("etl", runs_for="3600", ends=ends))
    until(api, pods, lambda pod: pod["status"]["phase"] == "Running")

    api.merge(f"{pods}/etl", {"metadata": {"annotations": {"localcloud/runs-for": "0"}}})

    ended = until(api, pods, lambda pod: pod["status"]["phase"] == ends)
    [container] = ended["status"]["containerStatuses"]
    assert container["state"]["terminated"]["exitCode"] == code
    api.merge(f"{pods}/etl", {"metadata": {"finalizers": None}})


def test_a_driver_that_is_deleted_has_ended_while_a_finalizer_holds_it(api, namespace, until, eventually):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(pods, driver("etl", runs_for="3600"))
    until(api, pods, lambda pod: pod["status"]["phase"] == "Running")

    api.delete(f"{pods}/etl")

    pod = until(api, pods, lambda pod: pod["status"]["phase"] == "Failed")
    assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143
    api.merge(f"{pods}/etl", {"metadata": {"finalizers": None}})
    eventually(lambda: api.get(f"{pods}/etl") is None)


VERBS = {"get", "list", "watch", "create", "delete", "patch"}


def let_make_executors(api, namespace, verbs, number=1):
    """Have a driver's account its rights, and the configuration that its driver mounts."""
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    rules = [{"apiGroups": [""], "resources": ["pods", "configmaps"], "verbs": verbs}]
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": namespace}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "spark"}
    api.create(f"{rbac}/roles", {"metadata": {"name": "spark"}, "rules": rules})
    binding = {"metadata": {"name": "spark"}, "subjects": [subject], "roleRef": reference}
    api.create(f"{rbac}/rolebindings", binding)
    properties = f"spark.executor.instances={number}\nspark.kubernetes.container.image=any\n"
    api.create(
        f"/api/v1/namespaces/{namespace}/configmaps",
        {"metadata": {"name": "conf"}, "data": {"spark.properties": properties}},
    )


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("watch", 'cannot watch resource "pods" in API group "" in the namespace'),
        ("create", 'cannot create resource "configmaps" in API group "" in the namespace'),
    ],
)
def test_a_driver_whose_role_lacks_a_verb_fails_as_its_context_would(api, namespace, until, missing, words):
    path = f"/api/v1/namespaces/{namespace}"
    let_make_executors(api, namespace, sorted(VERBS - {missing}))

    api.create(f"{path}/pods", driver("etl", runs_for="3600"))

    refused = until(api, f"{path}/events", lambda event: event["reason"] == "ExecutorsRefused")
    assert f'"system:serviceaccount:{namespace}:default" {words}' in refused["message"]
    until(api, f"{path}/pods", lambda pod: pod["status"]["phase"] == "Failed")
    api.merge(f"{path}/pods/etl", {"metadata": {"finalizers": None}})


def test_executors_that_were_refused_come_once_they_are_taken(api, namespace, until, eventually):
    path = f"/api/v1/namespaces/{namespace}"
    let_make_executors(api, namespace, sorted(VERBS), 3)
    quota = {"metadata": {"name": "jobs"}, "spec": {"hard": {"pods": "2"}}}
    api.create(f"{path}/resourcequotas", quota)
    eventually(lambda: (api.get(f"{path}/resourcequotas/jobs").get("status") or {}).get("used"))
    api.create(f"{path}/pods", driver("etl", runs_for="3600"))
    refused = until(api, f"{path}/events", lambda event: event["reason"] == "ExecutorsRefused")
    assert "exceeded quota: jobs" in refused["message"]

    api.merge(f"{path}/resourcequotas/jobs", {"spec": {"hard": {"pods": "4"}}})

    eventually(lambda: len(api.list(f"{path}/pods", labelSelector="spark-role=executor")) == 3)
    api.merge(f"{path}/pods/etl", {"metadata": {"finalizers": None}})
