import re
import subprocess
from itertools import pairwise

import pytest
import yaml

from moka.celeborn import configuration as conf
from moka.components.kubernetes.celeborn import (
    Celeborn,
    CelebornArgs,
    MasterSize,
    NodeFolder,
    Quota,
    Volumes,
    WorkerSize,
    update_hours,
)

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
MASTER, WORKER = MasterSize(cpus=1, heap_gib=3), WorkerSize(cpus=13, heap_gib=20, off_heap_gib=80)
VOLUMES = Volumes(storage_class="gp3", count=2, gib=500)
INSTANCE = NodeFolder(gib=800)


def arguments(catalog, **changes):
    usual = {
        "catalog": catalog,
        "namespace": "celeborn",
        "storage_class": "gp3",
        "disks": VOLUMES,
        "master": MASTER,
        "worker": WORKER,
    }
    return CelebornArgs(**{**usual, **changes})


def deploy_celeborn(deploy, catalog, **changes):
    return deploy(lambda: Celeborn("spark-a-celeborn", arguments(catalog, **changes)))


def members(stack, role):
    return stack.by_name("kubernetes:apps/v1:StatefulSet")[f"spark-a-celeborn-{role}"]["spec"]


def files(stack):
    [configuration] = stack.inputs("kubernetes:core/v1:ConfigMap")
    return configuration["data"]


def settings(stack):
    return dict(line.split("=", 1) for line in files(stack)["celeborn-defaults.conf"].splitlines())


def variables(pod):
    [container] = pod["containers"]
    return {variable["name"]: variable.get("value") for variable in container["env"]}


def seconds(duration):
    """As Celeborn reads it: 600s, 6h."""
    number, unit = re.fullmatch(r"(\d+)([smh])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


@pytest.mark.parametrize("drain_hours", [1, 6])
def test_a_pod_has_longer_to_go_than_celeborn_takes_to_stop(deploy, catalog, drain_hours):
    stack = deploy_celeborn(deploy, catalog, drain_hours=drain_hours)

    conf_lines = settings(stack)
    worker, master = (members(stack, role)["template"]["spec"] for role in ("worker", "master"))
    assert conf_lines["celeborn.worker.graceful.shutdown.enabled"] == "true"
    assert seconds(conf_lines["celeborn.worker.decommission.forceExitTimeout"]) == drain_hours * 3600
    for timeout in ("graceful.shutdown.timeout", "decommission.forceExitTimeout"):
        assert worker["terminationGracePeriodSeconds"] > seconds(conf_lines[f"celeborn.worker.{timeout}"])
    handover = seconds(conf_lines["celeborn.master.ha.graceful.shutdown.timeout"])
    assert master["terminationGracePeriodSeconds"] > handover


def test_the_parts_of_a_shutdown_fit_into_it(deploy, catalog):
    conf_lines = settings(deploy_celeborn(deploy, catalog))
    part = "celeborn.worker.graceful.shutdown."

    parts = [f"{part}checkSlotsFinished.timeout", f"{part}partitionSorter.shutdownTimeout"]
    assert sum(seconds(conf_lines[key]) for key in parts) <= seconds(conf_lines[f"{part}timeout"])


def test_an_update_is_waited_for_as_long_as_workers_may_take(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, workers=24, drain_hours=2)

    [request] = [
        e
        for place, e in stack.tree().items()
        if place.endswith("::spark-a-celeborn-worker") and "StatefulSet" in place
    ]
    assert request.customTimeouts.update == f"{update_hours(24, 2)}h"
    assert update_hours(24, 2) * 3600 >= 2 * 3600 + 24 * conf.RESTART_SECONDS


def test_every_port_of_a_worker_is_fixed_and_served(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    fixed = {
        int(value)
        for key, value in settings(stack).items()
        if key.startswith("celeborn.worker.") and key.endswith(".port")
    }
    [container] = members(stack, "worker")["template"]["spec"]["containers"]
    assert {port["containerPort"] for port in container["ports"]} == fixed
    assert 0 not in fixed
    assert {f"celeborn.worker.{name}.port" for name in ("rpc", "push", "fetch", "replicate", "http")} <= set(
        settings(stack)
    )


def test_a_worker_is_known_by_a_name_that_survives_its_restart(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    assert settings(stack)["celeborn.network.bind.preferIpAddress"] == "false"
    environment = variables(members(stack, "worker")["template"]["spec"])
    assert environment["CELEBORN_LOCAL_HOSTNAME"] == "$(POD_NAME).celeborn-worker.celeborn.svc.cluster.local"
    # Kubernetes puts in only what comes before.
    assert list(environment).index("POD_NAME") < list(environment).index("CELEBORN_LOCAL_HOSTNAME")
    services = stack.by_name("kubernetes:core/v1:Service")
    assert services["spark-a-celeborn-worker"]["spec"]["clusterIP"] == "None"
    assert members(stack, "worker")["serviceName"] == "celeborn-worker"


@pytest.mark.parametrize("disks", [VOLUMES, INSTANCE])
def test_a_worker_writes_to_its_disks_and_nowhere_else(deploy, catalog, disks):
    stack = deploy_celeborn(deploy, catalog, disks=disks)

    written = [part.split(":")[0] for part in settings(stack)["celeborn.worker.storage.dirs"].split(",")]
    [container] = members(stack, "worker")["template"]["spec"]["containers"]
    mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert set(written) <= set(mounted)
    assert settings(stack)["celeborn.worker.graceful.shutdown.recoverPath"].startswith(written[0])


def test_volumes_have_the_size_that_celeborn_is_told(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    claims = members(stack, "worker")["volumeClaimTemplates"]
    assert [claim["spec"]["resources"]["requests"]["storage"] for claim in claims] == ["500Gi", "500Gi"]
    assert settings(stack)["celeborn.worker.storage.dirs"].count("capacity=500g") == 2


@pytest.mark.parametrize(("disks", "reserve"), [(VOLUMES, "0.05"), (INSTANCE, "0.2")])
def test_disks_stay_as_free_as_the_rest_of_the_node_needs(deploy, catalog, disks, reserve):
    """`capacity` counts files only while they are written: it does not bound what a worker keeps."""
    properties = settings(deploy_celeborn(deploy, catalog, disks=disks))

    assert properties["celeborn.worker.storage.disk.reserve.ratio"] == reserve
    assert "diskusage" in properties["celeborn.worker.monitor.disk.checklist"].split(",")
    assert properties["celeborn.worker.monitor.disk.enabled"] == "true"


def test_a_folder_of_the_node_is_handed_over_to_celeborn(deploy, catalog):
    pod = members(deploy_celeborn(deploy, catalog, disks=INSTANCE), "worker")["template"]["spec"]

    [disk] = [volume["hostPath"] for volume in pod["volumes"] if "hostPath" in volume]
    assert disk == {"path": "/mnt/k8s-disks/0/celeborn", "type": "DirectoryOrCreate"}
    [own] = pod["initContainers"]
    assert own["args"] == ["chown", "10006:10006", "/mnt/disk-1"]
    assert own["securityContext"]["runAsUser"] == 0
    assert own["resources"]["requests"].keys() == {"cpu", "memory"}


def test_on_volumes_nothing_runs_as_root(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    for role in ("master", "worker"):
        pod = members(stack, role)["template"]["spec"]
        assert pod.get("initContainers", []) == []
        assert pod["securityContext"]["runAsNonRoot"] is True


def test_workers_are_on_shuffle_nodes_one_each_and_masters_on_system_nodes(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    worker, master = (members(stack, role)["template"]["spec"] for role in ("worker", "master"))
    assert worker["nodeSelector"] == {"moka.dev/role": "shuffle"}
    assert worker["tolerations"][0]["value"] == "shuffle"
    assert master["nodeSelector"] == {"moka.dev/role": "system"}
    for pod, role in ((worker, "worker"), (master, "master")):
        [apart] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert apart["labelSelector"]["matchLabels"]["app.kubernetes.io/role"] == role


def test_masters_are_three_that_know_each_other(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    assert members(stack, "master")["replicas"] == 3
    hosts = [settings(stack)[f"celeborn.master.ha.node.{n}.host"] for n in range(3)]
    assert hosts[1] == "celeborn-master-1.celeborn-master.celeborn.svc.cluster.local"
    assert settings(stack)["celeborn.master.endpoints"] == ",".join(f"{host}:9097" for host in hosts)


def test_a_change_reaches_the_masters_first_and_then_zone_after_zone(deploy, catalog):
    tree = deploy_celeborn(deploy, catalog, zones=ZONES).tree()

    stateful_sets = {
        urn.rpartition("::")[2]: resource for urn, resource in tree.items() if "StatefulSet" in urn
    }
    order = ["master", *[f"worker-{zone}" for zone in ZONES]]
    for before, after in pairwise(f"spark-a-celeborn-{suffix}" for suffix in order):
        assert any(urn.endswith(f"StatefulSet::{before}") for urn in stateful_sets[after].dependencies)


def test_members_find_each_other_before_they_are_ready(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    assert members(stack, "master")["podManagementPolicy"] == "Parallel"
    for service in stack.inputs("kubernetes:core/v1:Service"):
        assert service["spec"]["publishNotReadyAddresses"] is True


@pytest.mark.parametrize("zones", [(), ZONES])
def test_one_member_goes_at_a_time_whatever_its_zone(deploy, catalog, zones):
    stack = deploy_celeborn(deploy, catalog, zones=zones)

    budgets = stack.by_name("kubernetes:policy/v1:PodDisruptionBudget")
    for role in ("master", "worker"):
        spec = budgets[f"spark-a-celeborn-{role}"]["spec"]
        assert spec["maxUnavailable"] == 1
        of_role = [
            stateful_set["spec"]["template"]["metadata"]["labels"]
            for stateful_set in stack.inputs("kubernetes:apps/v1:StatefulSet")
            if stateful_set["metadata"]["name"].startswith(f"celeborn-{role}")
        ]
        assert of_role
        for labels in of_role:
            assert spec["selector"]["matchLabels"].items() <= labels.items()


def test_a_worker_gets_the_memory_of_its_heap_and_its_buffers_and_some_more(deploy, catalog):
    size = WorkerSize(cpus=6, heap_gib=10, off_heap_gib=30)
    pod = members(deploy_celeborn(deploy, catalog, worker=size), "worker")["template"]["spec"]

    assert pod["containers"][0]["resources"] == {
        "requests": {"cpu": "6", "memory": "44Gi"},
        "limits": {"memory": "44Gi"},
    }
    assert variables(pod)["CELEBORN_WORKER_MEMORY"] == "10g"
    assert variables(pod)["CELEBORN_WORKER_OFFHEAP_MEMORY"] == "30g"


def test_a_jvm_out_of_memory_ends_and_its_clock_is_utc(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    for role in ("master", "worker"):
        environment = variables(members(stack, role)["template"]["spec"])
        assert "-XX:+ExitOnOutOfMemoryError" in environment[f"CELEBORN_{role.upper()}_JAVA_OPTS"].split()
        assert environment["TZ"] == "UTC"


def test_masters_are_in_three_zones_where_there_are_three(deploy, catalog):
    def constraint(**changes):
        spec = members(deploy_celeborn(deploy, catalog, **changes), "master")["template"]["spec"]
        [spread] = spec["topologySpreadConstraints"]
        return spread

    spread = constraint()
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    assert (spread["whenUnsatisfiable"], spread["maxSkew"], spread["minDomains"]) == ("DoNotSchedule", 1, 3)
    assert spread["labelSelector"]["matchLabels"]["app.kubernetes.io/role"] == "master"
    assert constraint(master_zones=2)["minDomains"] == 2
    assert constraint(masters=1)["minDomains"] == 1


def test_the_autoscaler_leaves_nodes_of_workers_alone(deploy, catalog):
    metadata = members(deploy_celeborn(deploy, catalog), "worker")["template"]["metadata"]

    assert metadata["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false"


def test_in_one_zone_there_are_no_racks(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, zones=ZONES[:1])

    assert not [key for key in settings(stack) if "topology" in key]
    assert members(stack, "worker")["replicas"] == 3


def test_in_several_zones_each_has_workers_that_know_it(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, zones=ZONES, workers=4)

    sets = stack.by_name("kubernetes:apps/v1:StatefulSet")
    specs = {zone: sets[f"spark-a-celeborn-worker-{zone}"]["spec"] for zone in ZONES}
    assert [spec["replicas"] for spec in specs.values()] == [2, 1, 1]
    # What a master forgets at a restart, it would ask its own script, which knows no zone.
    assert settings(stack)["celeborn.master.persist.workerNetworkLocation"] == "true"
    folder, _, script = settings(stack)["celeborn.hadoop.net.topology.script.file.name"].rpartition("/")
    for zone, spec in specs.items():
        pod = spec["template"]
        assert pod["spec"]["nodeSelector"]["topology.kubernetes.io/zone"] == zone
        [conf_volume] = [v["configMap"] for v in pod["spec"]["volumes"] if "configMap" in v]
        assert conf_volume["defaultMode"] == 0o555
        assert folder in [m["mountPath"] for m in pod["spec"]["containers"][0]["volumeMounts"]]
        environment = {"ZONE": variables(pod["spec"])["ZONE"]}
        done = subprocess.run(
            ["bash", "-c", files(stack)[script], script, "10.0.0.1", "10.0.0.2"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        # A line for each host that it is asked for.
        assert done.stdout.splitlines() == [f"/{zone}"] * 2
        # Each set has pods of its own.
        assert spec["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert len({str(spec["selector"]) for spec in specs.values()}) == 3


def test_quotas_are_told_without_a_restart(deploy, catalog):
    without = deploy_celeborn(deploy, catalog)
    stack = deploy_celeborn(
        deploy, catalog, quotas={"science": Quota(gib=500), "sales": Quota(gib=10, files=9000)}
    )

    system, science, sales = yaml.safe_load(files(stack)["dynamicConfig.yaml"])
    assert system["level"] == "SYSTEM"
    assert science == {
        "level": "TENANT",
        "tenantId": "science",
        "config": {"celeborn.quota.tenant.diskBytesWritten": "500g"},
    }
    assert sales["config"] == {
        "celeborn.quota.tenant.diskBytesWritten": "10g",
        "celeborn.quota.tenant.diskFileCount": "9000",
    }
    assert settings(stack)["celeborn.dynamicConfig.store.fs.path"] == f"{conf.FOLDER}/dynamicConfig.yaml"
    assert members(stack, "worker")["template"] == members(without, "worker")["template"]
    # Of a file without an entry, Celeborn would keep the quotas that were.
    assert yaml.safe_load(files(without)["dynamicConfig.yaml"]) == [{"level": "SYSTEM", "config": {}}]


def test_more_workers_replace_none(deploy, catalog):
    few, more = (deploy_celeborn(deploy, catalog, zones=ZONES, workers=n) for n in (3, 6))

    for name in ("spark-a-celeborn-master", "spark-a-celeborn-worker-us-east-1a"):
        before, after = (
            stack.by_name("kubernetes:apps/v1:StatefulSet")[name]["spec"] for stack in (few, more)
        )
        assert before["template"] == after["template"]


def test_a_worker_may_ask_how_many_there_are_to_be_and_nothing_else(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, zones=ZONES)

    [role] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    [rule] = role["rules"]
    assert (rule["resources"], rule["verbs"]) == (["statefulsets/scale"], ["get"])
    assert set(rule["resourceNames"]) == {f"celeborn-worker-{zone}" for zone in ZONES}
    sets = stack.by_name("kubernetes:apps/v1:StatefulSet")
    worker = sets["spark-a-celeborn-worker-us-east-1a"]["spec"]["template"]["spec"]
    assert (worker["serviceAccountName"], worker["automountServiceAccountToken"]) == ("celeborn-worker", True)
    assert members(stack, "master")["template"]["spec"]["automountServiceAccountToken"] is False


def test_a_worker_runs_what_it_is_given_before_it_is_told_to_stop(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    [container] = members(stack, "worker")["template"]["spec"]["containers"]
    shell, script = container["lifecycle"]["preStop"]["exec"]["command"]
    assert shell == "/bin/bash"
    [mount] = [m["mountPath"] for m in container["volumeMounts"] if m["name"] == "conf"]
    assert script.removeprefix(f"{mount}/") in files(stack)


def test_a_change_of_configuration_replaces_the_pods(deploy, catalog):
    def checksum(**changes):
        template = members(deploy_celeborn(deploy, catalog, **changes), "worker")["template"]
        return template["metadata"]["annotations"]["moka.dev/configuration"]

    assert checksum() == checksum()
    assert checksum() != checksum(disks=Volumes(storage_class="gp3", count=3))


def test_metrics_are_served_where_they_are_looked_for(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog)

    [files] = stack.inputs("kubernetes:core/v1:ConfigMap")
    assert "PrometheusServlet" in files["data"]["metrics.properties"]
    for role, port in (("master", conf.MASTER_HTTP_PORT), ("worker", conf.WORKER_HTTP_PORT)):
        annotations = members(stack, role)["template"]["metadata"]["annotations"]
        assert annotations["prometheus.io/port"] == str(port)


def test_jobs_are_told_the_masters(deploy, catalog):
    endpoints = []

    def program():
        Celeborn("spark-a-celeborn", arguments(catalog, masters=1)).endpoints.apply(endpoints.append)

    deploy(program)

    assert endpoints == ["celeborn-master-0.celeborn-master.celeborn.svc.cluster.local:9097"]


def ways_in(stack):
    """Who may connect to which ports: namespace, labels of the pods; None for every port."""
    [policy] = stack.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    assert policy["metadata"] == {"name": "celeborn", "namespace": "celeborn"}
    spec = policy["spec"]
    assert (spec["podSelector"], spec["policyTypes"]) == ({}, ["Ingress"])
    return {
        (
            peer.get("namespaceSelector", {}).get("matchLabels", {}).get("kubernetes.io/metadata.name"),
            str(peer.get("podSelector")),
        ): {port["port"] for port in rule["ports"]} if "ports" in rule else None
        for rule in spec["ingress"]
        for peer in rule["from"]
    }


def test_pods_are_reached_by_one_another_jobs_collectors_and_the_gateway_only(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, job_namespaces=["science", "data"])

    spark_pods = str({"matchExpressions": [{"key": "spark-role", "operator": "Exists"}]})
    gateway = str({"matchLabels": {"app.kubernetes.io/name": "ui-gateway"}})
    assert ways_in(stack) == {
        (None, "{}"): None,
        # The REST API, which can send workers away, and copies between workers are not for jobs.
        ("data", spark_pods): {9097, 9091, 9092, 9093},
        ("science", spark_pods): {9097, 9091, 9092, 9093},
        ("monitoring", "None"): {9098, 9096},
        ("ingress", gateway): {9098},
    }


def test_without_job_namespaces_nobody_from_elsewhere_may_shuffle(deploy, catalog):
    stack = deploy_celeborn(deploy, catalog, job_namespaces=[])

    assert {namespace for namespace, _ in ways_in(stack)} == {None, "monitoring", "ingress"}


@pytest.mark.parametrize("role", ["master", "worker"])
def test_a_forwarded_port_meets_the_rest_api(deploy, catalog, role):
    stack = deploy_celeborn(deploy, catalog)

    # containerd connects to 127.0.0.1 in the pod's network, and policies do not see it; a pod in the node's
    # network would be held by no policy at all.
    assert settings(stack)[f"celeborn.{role}.http.host"] == "0.0.0.0"
    assert not members(stack, role)["template"]["spec"].get("hostNetwork")
