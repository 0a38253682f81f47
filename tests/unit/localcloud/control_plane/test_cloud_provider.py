from localcloud.control_plane.cloud_provider import (
    allowed_zones,
    load_balancer_for,
    unclaimed,
    volume_for,
    waits_for_ebs,
    waits_for_load_balancer,
)

CLAIM = {
    "metadata": {
        "name": "logs",
        "namespace": "etl",
        "uid": "u-1",
        "annotations": {"volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com"},
    },
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "5Gi"}},
        "storageClassName": "gp3",
    },
}
GP3 = {"provisioner": "ebs.csi.aws.com", "reclaimPolicy": "Delete"}


def test_a_claim_waits_for_ebs_once_kubernetes_says_so():
    assert waits_for_ebs(CLAIM)
    assert not waits_for_ebs({**CLAIM, "metadata": {"name": "logs"}})
    assert not waits_for_ebs({**CLAIM, "spec": {**CLAIM["spec"], "volumeName": "pvc-u-1"}})


def test_a_volume_is_made_for_its_claim_in_one_zone():
    spec = volume_for(CLAIM, GP3, "us-east-1b")["spec"]

    assert spec["claimRef"]["uid"] == "u-1"
    assert spec["capacity"] == {"storage": "5Gi"}
    [term] = spec["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["us-east-1b"]


def test_a_volume_is_deleted_only_when_its_claim_is_gone_and_its_class_says_so():
    released = {**volume_for(CLAIM, GP3, None), "status": {"phase": "Released"}}
    bound = {**released, "status": {"phase": "Bound"}}
    retained = {
        **volume_for(CLAIM, {**GP3, "reclaimPolicy": "Retain"}, None),
        "status": {"phase": "Released"},
    }

    assert unclaimed(released)
    assert not unclaimed(bound)
    assert not unclaimed(retained)


def test_a_class_may_name_the_zones_of_its_volumes():
    expression = {"key": "topology.kubernetes.io/zone", "values": ["us-east-1b", "us-east-1f"]}
    picky = {"allowedTopologies": [{"matchLabelExpressions": [expression]}]}

    assert allowed_zones(picky, ["us-east-1a", "us-east-1b"]) == ["us-east-1b"]
    assert allowed_zones(GP3, ["us-east-1b", "us-east-1a"]) == ["us-east-1a", "us-east-1b"]


def test_a_load_balancers_name_leads_to_this_machine_only():
    service = {
        "metadata": {"name": "web", "namespace": "access", "uid": "u-2"},
        "spec": {"type": "LoadBalancer"},
    }

    assert waits_for_load_balancer(service)
    [entry] = load_balancer_for(service, "us-east-1")["status"]["loadBalancer"]["ingress"]
    assert entry["hostname"].endswith(".elb.us-east-1.localhost")
    assert not waits_for_load_balancer({**service, "status": {"loadBalancer": {"ingress": [entry]}}})
