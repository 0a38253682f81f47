"""Which empty machine takes which pod, as the scheduler would have it."""

import pytest

from localcloud.control_plane.fitting import takes

NODE = {
    "metadata": {"labels": {"role": "shuffle", "zone": "a"}},
    "spec": {"taints": [{"key": "role", "value": "shuffle", "effect": "NoSchedule"}]},
    "status": {"allocatable": {"cpu": "15900m", "memory": "120Gi"}},
}
TOLERATED = [{"key": "role", "operator": "Equal", "value": "shuffle", "effect": "NoSchedule"}]


def pod(requests=(), tolerations=TOLERATED, **spec):
    containers = [{"name": "main", "resources": {"requests": dict(requests)}}]
    return {"spec": {"containers": containers, "tolerations": tolerations, **spec}}


def affinity(*expressions):
    terms = [{"matchExpressions": [expression]} for expression in expressions]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": required}


def wants(key, operator, *values):
    return affinity({"key": key, "operator": operator, "values": list(values)})


TAKEN = {
    "one that tolerates its taint": pod(),
    "one that tolerates all": pod(tolerations=[{"operator": "Exists"}]),
    "one that chooses it": pod(nodeSelector={"role": "shuffle"}),
    "one that fits exactly": pod({"cpu": "15.9", "memory": "120Gi"}),
    "one for its zone": pod(affinity=wants("zone", "In", "a", "b")),
    "one for what has a zone": pod(affinity=wants("zone", "Exists")),
    "one that needs another label to be missing": pod(affinity=wants("gpu", "DoesNotExist")),
    "one of whose terms it meets the second": pod(
        affinity=affinity(
            {"key": "zone", "operator": "In", "values": ["b"]},
            {"key": "zone", "operator": "NotIn", "values": ["b"]},
        )
    ),
}
LEFT = {
    "one that tolerates nothing": pod(tolerations=[]),
    "one that tolerates another value": pod(
        tolerations=[{"key": "role", "operator": "Equal", "value": "driver", "effect": "NoSchedule"}]
    ),
    "one that tolerates it for a while only": pod(
        tolerations=[{"key": "role", "operator": "Exists", "effect": "NoExecute"}]
    ),
    "one that chooses another": pod(nodeSelector={"role": "driver"}),
    "one that is too large": pod({"cpu": "16"}),
    "one that wants what it has not": pod({"nvidia.com/gpu": "1"}),
    "one for another zone": pod(affinity=wants("zone", "In", "b")),
    "one whose wish is not known here": pod(affinity=wants("zone", "Gt", "1")),
}


@pytest.mark.parametrize("what", TAKEN)
def test_a_machine_takes(what):
    assert takes(NODE, TAKEN[what])


@pytest.mark.parametrize("what", LEFT)
def test_a_machine_does_not_take(what):
    assert not takes(NODE, LEFT[what])
