"""Layer shuffle, as the settings of whole environments ask for it."""

import pulumi
import pytest
import yaml

from moka import catalog as charts
from stacks import deployed_version, program, settings, slices
from stacks.layers import shuffle
from tests.support.sites import make_site

LOCAL = settings.path_of("local").read_text()


def environment(**changes):
    """local, with something else in its `shuffle`."""
    text = yaml.safe_load(LOCAL)
    text["clusters"]["spark-a"]["shuffle"] |= changes
    return settings.parse(yaml.safe_dump(text), "stacks/local.yaml")


def layer(deploy, environment):
    """What layer shuffle promises, and what it made."""
    where = make_site("spark-a", environment)
    outputs = []
    recorder = deploy(lambda: outputs.append(shuffle.deploy(where, shuffle.inputs(where))))
    return outputs[0], recorder


def test_jobs_are_told_to_keep_two_copies_in_two_zones(deploy):
    outputs, _ = layer(deploy, settings.load("local"))

    assert (outputs.replicate, outputs.rack_aware) == (True, True)
    assert outputs.version == charts.read().tag("celeborn")


def test_in_one_zone_copies_are_not_told_apart():
    text = yaml.safe_load(LOCAL)
    groups = text["clusters"]["spark-a"]["node_groups"]
    for name in ("shuffle", "executor-arm64", "executor-amd64"):
        groups[name]["zones"] = ["us-east-1b"]
    inputs = shuffle.inputs(make_site("spark-a", settings.parse(yaml.safe_dump(text), "stacks/local.yaml")))

    assert inputs.zones == ("us-east-1b",)
    assert inputs.master_zones == 3


def test_on_volumes_workers_use_nothing_of_their_node_and_nothing_runs_as_root(deploy):
    volumes = {"count": 2, "gib": 500, "iops": 6000, "mibps": 500}
    _, recorder = layer(deploy, environment(storage={"volumes": volumes}))

    namespace = recorder.by_name("kubernetes:core/v1:Namespace")["spark-a-celeborn"]["metadata"]
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    worker = recorder.by_name("kubernetes:apps/v1:StatefulSet")["spark-a-celeborn-worker-us-east-1a"]["spec"]
    assert not [volume for volume in worker["template"]["spec"]["volumes"] if "hostPath" in volume]
    assert {claim["spec"]["storageClassName"] for claim in worker["volumeClaimTemplates"]} == {"shuffle"}
    fast = recorder.by_name("kubernetes:storage.k8s.io/v1:StorageClass")["spark-a-shuffle"]
    assert (fast["parameters"]["iops"], fast["parameters"]["throughput"]) == ("6000", "500")


def test_on_volumes_a_second_copy_is_a_choice(deploy):
    volumes = {"volumes": {"count": 2, "gib": 500}}
    outputs, _ = layer(deploy, environment(storage=volumes, replicate=False))

    assert (outputs.replicate, outputs.rack_aware) == (False, False)


def test_a_worker_fits_the_smallest_machine_that_it_may_be_on():
    text = yaml.safe_load(LOCAL)
    group = text["clusters"]["spark-a"]["node_groups"]["shuffle"]
    group |= {"generation": 2, "retiring": {1: {"instance_types": group["instance_types"]}}}
    group["instance_types"] = ["r8gd.8xlarge"]

    inputs = shuffle.inputs(make_site("spark-a", settings.parse(yaml.safe_dump(text), "stacks/local.yaml")))

    assert (inputs.worker.cpus, inputs.worker.memory_gib) == (13, 110)


@pytest.mark.parametrize("of", ["master", "worker"])
def test_a_size_may_be_said(of):
    sizes = {"master": {"cpus": 2, "heap_gib": 6}, "worker": {"cpus": 4, "heap_gib": 8, "off_heap_gib": 16}}

    inputs = shuffle.inputs(make_site("spark-a", environment(sizes={of: sizes[of]})))

    assert sizes[of].items() <= vars(getattr(inputs, of)).items()


def test_celeborn_lets_in_no_namespace_whose_jobs_do_not_use_it(deploy):
    text = yaml.safe_load(LOCAL)
    text["job_namespaces"]["payroll"] = {"own_key": True}
    _, recorder = layer(deploy, settings.parse(yaml.safe_dump(text), "stacks/local.yaml"))

    [policy] = [
        thing["spec"]
        for thing in recorder.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
        if thing["metadata"]["name"] == "celeborn"
    ]
    assert "'spark-jobs'" in str(policy)
    assert "payroll" not in str(policy)


def test_a_cluster_may_have_no_celeborn(deploy, monkeypatch):
    text = yaml.safe_load(LOCAL)
    del text["clusters"]["spark-a"]["shuffle"], text["clusters"]["spark-a"]["node_groups"]["shuffle"]
    without = settings.parse(yaml.safe_dump(text), "stacks/local.yaml")
    exported = {}
    monkeypatch.setattr(pulumi, "export", exported.__setitem__)

    recorder = deploy(lambda: program.deploy(without, slices.slice_named(without, "")))

    assert exported.keys() == {deployed_version.OUTPUT, *map(str, slices.units(without))}
    assert "shuffle/spark-a" not in exported
    assert not [resource for resource in recorder.resources if "celeborn" in resource.name]


def test_a_quota_reaches_celeborn(deploy):
    _, recorder = layer(deploy, environment(quotas={"science": {"gib": 500}}))

    [files] = [
        thing["data"]
        for thing in recorder.inputs("kubernetes:core/v1:ConfigMap")
        if thing["metadata"]["name"] == "celeborn"
    ]
    [quota] = [
        thing for thing in yaml.safe_load(files["dynamicConfig.yaml"]) if thing.get("tenantId") == "science"
    ]
    assert quota["config"] == {"celeborn.quota.tenant.diskBytesWritten": "500g"}
