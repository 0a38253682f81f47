import pytest

from components.kubernetes import celeborn_conf as conf
from components.kubernetes.celeborn import Celeborn, CelebornArgs, NodeFolder, Volumes

VOLUMES = Volumes(storage_class="gp3", count=2, gib=500)
INSTANCE = NodeFolder(gib=800)


def made_by(deploy, catalog, **changes):
    usual = {"catalog": catalog, "namespace": "celeborn", "storage_class": "gp3", "disks": VOLUMES}
    return deploy(lambda: Celeborn("spark-a-celeborn", CelebornArgs(**{**usual, **changes})))


def members(made, role):
    return made.named("kubernetes:apps/v1:StatefulSet")[f"spark-a-celeborn-{role}"]["spec"]


def settings(made):
    [files] = made.inputs("kubernetes:core/v1:ConfigMap")
    return dict(line.split("=", 1) for line in files["data"]["celeborn-defaults.conf"].splitlines())


def test_a_worker_has_longer_to_go_than_it_takes_to_shut_down(deploy, catalog):
    made = made_by(deploy, catalog)

    pod = members(made, "worker")["template"]["spec"]
    assert settings(made)["celeborn.worker.graceful.shutdown.enabled"] == "true"
    shutdown = int(settings(made)["celeborn.worker.graceful.shutdown.timeout"].removesuffix("s"))
    assert pod["terminationGracePeriodSeconds"] > shutdown


def test_every_port_of_a_worker_is_fixed_and_served(deploy, catalog):
    made = made_by(deploy, catalog)

    fixed = {
        int(value)
        for key, value in settings(made).items()
        if key.startswith("celeborn.worker.") and key.endswith(".port")
    }
    [container] = members(made, "worker")["template"]["spec"]["containers"]
    assert {port["containerPort"] for port in container["ports"]} == fixed
    assert 0 not in fixed
    assert {f"celeborn.worker.{name}.port" for name in ("rpc", "push", "fetch", "replicate", "http")} <= set(
        settings(made)
    )


def test_a_worker_is_known_by_a_name_that_survives_its_restart(deploy, catalog):
    made = made_by(deploy, catalog)

    assert settings(made)["celeborn.network.bind.preferIpAddress"] == "false"
    services = made.named("kubernetes:core/v1:Service")
    assert services["spark-a-celeborn-worker"]["spec"]["clusterIP"] == "None"
    assert members(made, "worker")["serviceName"] == "celeborn-worker"


@pytest.mark.parametrize("disks", [VOLUMES, INSTANCE])
def test_a_worker_writes_to_its_disks_and_nowhere_else(deploy, catalog, disks):
    made = made_by(deploy, catalog, disks=disks)

    written = [part.split(":")[0] for part in settings(made)["celeborn.worker.storage.dirs"].split(",")]
    [container] = members(made, "worker")["template"]["spec"]["containers"]
    mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert set(written) <= set(mounted)
    assert settings(made)["celeborn.worker.graceful.shutdown.recoverPath"].startswith(written[0])


def test_volumes_have_the_size_that_celeborn_is_told(deploy, catalog):
    made = made_by(deploy, catalog)

    claims = members(made, "worker")["volumeClaimTemplates"]
    assert [claim["spec"]["resources"]["requests"]["storage"] for claim in claims] == ["500Gi", "500Gi"]
    assert settings(made)["celeborn.worker.storage.dirs"].count("capacity=500g") == 2


def test_a_folder_of_the_node_is_handed_over_to_celeborn(deploy, catalog):
    pod = members(made_by(deploy, catalog, disks=INSTANCE), "worker")["template"]["spec"]

    [disk] = [volume["hostPath"] for volume in pod["volumes"] if "hostPath" in volume]
    assert disk == {"path": "/mnt/k8s-disks/0/celeborn", "type": "DirectoryOrCreate"}
    [own] = pod["initContainers"]
    assert own["args"] == ["chown", "10006:10006", "/mnt/disk-1"]
    assert own["securityContext"]["runAsUser"] == 0


def test_on_volumes_nothing_runs_as_root(deploy, catalog):
    made = made_by(deploy, catalog)

    for role in ("master", "worker"):
        pod = members(made, role)["template"]["spec"]
        assert pod.get("initContainers", []) == []
        assert pod["securityContext"]["runAsNonRoot"] is True


def test_workers_are_on_shuffle_nodes_one_each_and_masters_on_system_nodes(deploy, catalog):
    made = made_by(deploy, catalog)

    worker, master = (members(made, role)["template"]["spec"] for role in ("worker", "master"))
    assert worker["nodeSelector"] == {"moka.dev/role": "shuffle"}
    assert worker["tolerations"][0]["value"] == "shuffle"
    assert master["nodeSelector"] == {"moka.dev/role": "system"}
    for pod, role in ((worker, "worker"), (master, "master")):
        [apart] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert apart["labelSelector"]["matchLabels"]["app.kubernetes.io/role"] == role


def test_masters_are_three_that_know_each_other(deploy, catalog):
    made = made_by(deploy, catalog)

    assert members(made, "master")["replicas"] == 3
    hosts = [settings(made)[f"celeborn.master.ha.node.{n}.host"] for n in range(3)]
    assert hosts[1] == "celeborn-master-1.celeborn-master.celeborn.svc.cluster.local"
    assert settings(made)["celeborn.master.endpoints"] == ",".join(f"{host}:9097" for host in hosts)


def test_members_find_each_other_before_they_are_ready(deploy, catalog):
    made = made_by(deploy, catalog)

    assert members(made, "master")["podManagementPolicy"] == "Parallel"
    for service in made.inputs("kubernetes:core/v1:Service"):
        assert service["spec"]["publishNotReadyAddresses"] is True


def test_one_member_goes_at_a_time(deploy, catalog):
    budgets = made_by(deploy, catalog).inputs("kubernetes:policy/v1:PodDisruptionBudget")

    assert [budget["spec"]["maxUnavailable"] for budget in budgets] == [1, 1]


def test_a_worker_gets_the_memory_of_its_heap_and_its_buffers_and_some_more(deploy, catalog):
    made = made_by(deploy, catalog, worker_heap_gib=10, worker_off_heap_gib=30)

    [container] = members(made, "worker")["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"memory": "44Gi"}
    given = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert given["CELEBORN_WORKER_MEMORY"] == "10g"
    assert given["CELEBORN_WORKER_OFFHEAP_MEMORY"] == "30g"


def test_a_change_of_configuration_replaces_the_pods(deploy, catalog):
    def checksum(**changes):
        template = members(made_by(deploy, catalog, **changes), "worker")["template"]
        return template["metadata"]["annotations"]["moka.dev/configuration"]

    assert checksum() == checksum()
    assert checksum() != checksum(disks=Volumes(storage_class="gp3", count=3))


def test_metrics_are_served_where_they_are_looked_for(deploy, catalog):
    made = made_by(deploy, catalog)

    [files] = made.inputs("kubernetes:core/v1:ConfigMap")
    assert "PrometheusServlet" in files["data"]["metrics.properties"]
    for role, port in (("master", conf.MASTER_HTTP_PORT), ("worker", conf.WORKER_HTTP_PORT)):
        annotations = members(made, role)["template"]["metadata"]["annotations"]
        assert annotations["prometheus.io/port"] == str(port)


def test_jobs_are_told_the_masters(deploy, catalog):
    told = []

    def program():
        args = CelebornArgs(
            catalog=catalog, namespace="celeborn", storage_class="gp3", disks=VOLUMES, masters=1
        )
        Celeborn("spark-a-celeborn", args).endpoints.apply(told.append)

    deploy(program)

    assert told == ["celeborn-master-0.celeborn-master.celeborn.svc.cluster.local:9097"]
