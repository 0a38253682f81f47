"""What the real API server keeps out of a namespace whose applications come from Archer only."""

import copy
from datetime import UTC, datetime, timedelta

import pytest

from moka.names import ARCHER_GROUP
from moka.submission.job_id import new_id
from moka.submission.manifest import FINALIZER, JOB_LABEL, manifest
from tests.support.closed_namespace import close
from tests.support.jobs import make_application, make_job, make_job_target
from tests.support.simulated_operator import define
from tests.support.somebody import EVERYONE, Somebody

MINUTE = timedelta(minutes=1)
SUBMIT = "submit it by archer submit"
OPERATOR = "system:serviceaccount:spark-operator:spark-operator-controller"


def application(namespace):
    made = manifest(
        make_job(), make_job_target(), new_id(now := datetime.now(UTC)), 1, "ann", deadline=now + MINUTE
    )
    made["metadata"]["namespace"] = namespace
    return made


def applications(namespace):
    return f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"


@pytest.fixture
def closed(api, plane, namespace, eventually):
    """The namespace, which takes applications of Archer only."""
    define(api)
    undo = close(api, namespace)
    api.apply_all(
        [
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "everyone-everything"},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": EVERYONE}],
            }
        ]
    )
    probe = {**make_application("probe"), "metadata": {"name": "probe", "namespace": namespace}}
    path = f"{applications(namespace)}?dryRun=All"
    # A policy and a binding hold a moment after they were made.
    eventually(lambda: SUBMIT in (Somebody(plane, "probe").refused("POST", path, probe) or ""))
    yield namespace
    undo()
    api.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/everyone-everything")


@pytest.fixture
def archer(plane):
    return Somebody(plane, "archer", [ARCHER_GROUP])


@pytest.fixture
def somebody(plane):
    return Somebody(plane, "ann", ["analysts"])


@pytest.fixture
def administrator(plane):
    return Somebody(plane, "root", ["system:masters"])


def test_only_archer_makes_applications_there_and_others_read_how(closed, archer, somebody, administrator):
    made = application(closed)
    path = applications(closed)

    for who in (somebody, administrator):
        assert SUBMIT in who.refused("POST", path, made)
    assert archer.refused("POST", path, made) is None


def test_what_makes_applications_by_itself_is_kept_out_too(closed, somebody):
    scheduled = {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "ScheduledSparkApplication",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "@daily", "template": make_application("x")["spec"]},
    }

    said = somebody.refused(
        "POST", applications(closed).replace("sparkapplications", "scheduledsparkapplications"), scheduled
    )

    assert SUBMIT in said


def test_other_namespaces_are_as_before(closed, somebody, api):
    there = {"metadata": {"name": f"{closed}-other"}, "apiVersion": "v1", "kind": "Namespace"}
    api.apply_all([there])
    try:
        made = {**make_application("pi"), "metadata": {"name": "pi"}}
        assert somebody.refused("POST", f"{applications(f'{closed}-other')}?dryRun=All", made) is None
    finally:
        api.delete(f"/api/v1/namespaces/{closed}-other")


def test_what_archer_made_is_changed_by_nobody_else_and_goes_on(
    closed, archer, somebody, administrator, plane, api
):
    made = application(closed)
    assert archer.refused("POST", applications(closed), made) is None
    path = f"{applications(closed)}/{made['metadata']['name']}"
    operator = Somebody(plane, OPERATOR)

    assert "does not change" in somebody.merge(path, {"spec": {"mainClass": "Other"}})
    for change in ({"labels": {JOB_LABEL: None}}, {"labels": {JOB_LABEL: "x"}}, {"finalizers": []}):
        assert "are Archer's" in somebody.merge(path, {"metadata": change})
    # The operator says how it goes; notes hurt nobody; who deletes by hand may.
    status = {"status": {"applicationState": {"state": "RUNNING"}, "driverInfo": {}}}
    assert operator.merge(f"{path}/status", status) is None
    assert somebody.merge(path, {"metadata": {"annotations": {"note": "mine"}}}) is None
    assert somebody.refused("DELETE", f"{path}?propagationPolicy=Foreground") is None
    assert FINALIZER in api.get(path)["metadata"]["finalizers"]
    # Garbage collection has gone on as far as Archer lets it, who then takes the finalizer off.
    assert archer.merge(path, {"metadata": {"finalizers": []}}) is None
    assert api.get(path) is None


def test_the_driver_finalizer_has_an_application_live_as_long_as_its_driver(closed, archer, plane, api):
    item = application(closed)
    assert archer.refused("POST", applications(closed), item) is None
    path = f"{applications(closed)}/{item['metadata']['name']}"
    keeper = Somebody(plane, "system:serviceaccount:driver-finalizer:driver-finalizer")

    assert keeper.merge(path, {"spec": {"timeToLiveSeconds": None}}) is None
    assert "are Archer's" in keeper.merge(path, {"metadata": {"finalizers": []}})
    assert "timeToLiveSeconds" not in api.get(path)["spec"]
    assert archer.merge(path, {"metadata": {"finalizers": []}}) is None
    api.delete(path)


def test_an_administrator_frees_what_waits_for_an_archer_that_is_no_more(closed, archer, administrator, api):
    made = application(closed)
    archer.refused("POST", applications(closed), made)
    path = f"{applications(closed)}/{made['metadata']['name']}"

    assert administrator.refused("DELETE", path) is None
    assert administrator.merge(path, {"metadata": {"finalizers": []}}) is None
    assert api.get(path) is None


def test_pods_made_by_hand_do_not_say_that_they_are_of_a_job(closed, somebody, plane):
    pods = f"/api/v1/namespaces/{closed}/pods?dryRun=All"
    plain = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "some", "labels": {"app": "mine"}},
        "spec": {"containers": [{"name": "main", "image": "any"}]},
    }
    claimed = copy.deepcopy(plain)
    claimed["metadata"]["labels"][JOB_LABEL] = "x"

    assert somebody.refused("POST", pods, plain) is None
    assert f"have the label {JOB_LABEL}" in somebody.refused("POST", pods, claimed)
    for maker in (OPERATOR, f"system:serviceaccount:{closed}:spark"):
        assert Somebody(plane, maker).refused("POST", pods, claimed) is None
