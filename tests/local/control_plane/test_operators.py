"""Two releases of the Spark Operator beside each other, each for job namespaces of its own."""

from dataclasses import dataclass, replace
from uuid import uuid4

import pytest

from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.errors import Refusal
from moka import catalog
from moka.components.kubernetes.application_quota import APPLICATIONS
from moka.components.kubernetes.job_submission import POLICY_NAME, rules
from moka.components.kubernetes.spark_operator import (
    CHART,
    SUBMISSION_FILES,
    SparkOperatorArgs,
    hadoop_config_map,
    release_name,
    release_values,
)
from moka.names import ARCHER_GROUP
from moka.submission.manifest import ATTEMPT_LABEL, FINALIZER, JOB_LABEL
from tests.support.admission import bind, refusal
from tests.support.closed_namespace import close
from tests.support.jobs import make_application
from tests.support.somebody import Somebody


@dataclass(frozen=True)
class Beside:
    """A release, and the namespace whose applications it runs."""

    release: Release
    namespace: str


@pytest.fixture(scope="module")
def two(plane, api):
    """The releases as layer spark has them deployed, without their charts."""
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "spark-operator"}}])
    operators = {}
    for name in ("batch", "adhoc"):
        namespace = f"{name}-{uuid4().hex[:8]}"
        api.apply_all([space(namespace), account(namespace)])
        release = operator(name, namespace, owns_crds=not operators)
        api.apply_all([hadoop(release)])
        charts.apply(plane, release)
        operators[name] = Beside(release, namespace)
    yield operators
    for member in operators.values():
        charts.remove(plane, member.release.namespace, member.release.name)
        api.delete(f"/api/v1/namespaces/{member.namespace}")


def operator(name, namespace, **values):
    charts = catalog.read()
    args = SparkOperatorArgs(
        catalog=charts,
        namespace="spark-operator",
        job_namespaces=[namespace],
        release=release_name(name),
        applications_per_minute=5,
        **values,
    )
    return Release(
        name=args.release,
        namespace="spark-operator",
        chart=CHART,
        values=charts.release_values(CHART, CHART, release_values(args)),
    )


def hadoop(release):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": hadoop_config_map(release.name), "namespace": release.namespace},
        "data": SUBMISSION_FILES,
    }


def space(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def account(namespace):
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "spark", "namespace": namespace},
    }


def applications(namespace):
    return f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications"


def submitted(application):
    """Whether a release has submitted an application, however far it has come since."""
    return (application.get("status") or {}).get("executionAttempts", 0) > 0


def test_each_release_runs_and_submits_the_applications_of_its_own_namespace(plane, api, two, until):
    for member in two.values():
        assert plane.process(member.release.key).alive()
        api.create(applications(member.namespace), make_application("pi"))

    for member in two.values():
        until(api, applications(member.namespace), submitted)
        driver = api.get(f"/api/v1/namespaces/{member.namespace}/pods/pi-driver")
        assert driver["metadata"]["labels"]["sparkoperator.k8s.io/app-name"] == "pi"


def test_applications_of_a_release_that_is_gone_wait_while_others_run(plane, api, two, until):
    batch, adhoc = two["batch"], two["adhoc"]
    charts.remove(plane, batch.release.namespace, batch.release.name)
    api.create(applications(batch.namespace), make_application("waits"))
    api.create(applications(adhoc.namespace), make_application("runs"))

    until(
        api,
        applications(adhoc.namespace),
        lambda application: application["metadata"]["name"] == "runs" and submitted(application),
    )
    assert "status" not in api.get(f"{applications(batch.namespace)}/waits")

    charts.apply(plane, batch.release)
    until(
        api,
        applications(batch.namespace),
        lambda application: application["metadata"]["name"] == "waits" and submitted(application),
    )


ON_S3 = {
    "jars": ["s3a://code/a.jar"],
    "pyFiles": ["s3a://code/b.zip", "https://example.invalid/c.py"],
    "files": ["s3a://code/d.txt#e"],
    "archives": ["s3a://code/f.tgz#g"],
}
SCRIPT = {"type": "Python", "mainClass": None, "mainApplicationFile": "s3a://code/main.py"}


def test_the_driver_is_given_every_url_of_s3_as_its_owner_wrote_it(api, two, until):
    namespace = two["adhoc"].namespace
    api.create(applications(namespace), make_application("on-s3", deps=ON_S3, **SCRIPT))

    pod = until(
        api, f"/api/v1/namespaces/{namespace}/pods", lambda pod: pod["metadata"]["name"] == "on-s3-driver"
    )
    names = [volume["configMap"]["name"] for volume in pod["spec"]["volumes"] if "configMap" in volume]
    # spark-submit makes it after the pod.
    config_map = until(
        api,
        f"/api/v1/namespaces/{namespace}/configmaps",
        lambda made: made["metadata"]["name"] in names and "spark.properties" in made["data"],
    )
    properties = config_map["data"]["spark.properties"].replace("\\", "")
    conf = dict(line.split("=", 1) for line in properties.splitlines() if "=" in line)

    assert {key: conf[f"spark.{key}"].split(",") for key in ("jars", "files", "archives")} == {
        key: ON_S3[key] for key in ("jars", "files", "archives")
    }
    assert conf["spark.submit.pyFiles"].split(",") == ON_S3["pyFiles"]
    assert SCRIPT["mainApplicationFile"] in pod["spec"]["containers"][0]["args"]
    # What the operator's spark-submit has in place of S3A is not for drivers.
    assert [key for key in conf if key.startswith("spark.hadoop.fs.")] == []


def test_without_its_hadoop_configuration_spark_submit_fails_as_it_would_on_eks(plane, api, two, until):
    member = two["batch"]
    values = member.release.values
    controller = {**values["controller"], "env": values["controller"]["env"][:1]}
    charts.apply(plane, replace(member.release, values={**values, "controller": controller}))
    try:
        api.create(applications(member.namespace), make_application("on-s3", deps=ON_S3, **SCRIPT))
        failed = until(
            api,
            applications(member.namespace),
            lambda thing: (
                thing["metadata"]["name"] == "on-s3"
                and (thing.get("status") or {}).get("applicationState", {}).get("errorMessage")
            ),
        )
    finally:
        charts.apply(plane, member.release)

    state = failed["status"]["applicationState"]
    assert state["state"] in ("SUBMISSION_FAILED", "FAILED")
    assert "ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem" in state["errorMessage"]


def test_a_job_would_get_at_a_file_of_the_operator_s_pod_but_for_the_rules(
    api, two, until, tmp_path, eventually
):
    """Such as its token: with real Spark, whose KerberosConfDriverFeatureStep reads where it submits."""
    (tmp_path / "token").write_text("of the operator")
    namespace = two["adhoc"].namespace
    conf = {"spark.kubernetes.kerberos.krb5.path": str(tmp_path / "token")}
    api.create(applications(namespace), make_application("reads", sparkConf=conf))

    until(
        api,
        f"/api/v1/namespaces/{namespace}/configmaps",
        lambda config_map: (config_map.get("data") or {}).get("token") == "of the operator",
    )

    unbind = bind(api, POLICY_NAME, rules([namespace]))
    again = make_application("reads-again", sparkConf=conf)
    eventually(
        lambda: (
            "spec.sparkConf says where" in (refusal(api, applications(namespace), again, dryRun="All") or "")
        )
    )
    unbind()


def test_a_release_whose_config_map_is_not_there_is_refused_as_its_pods_would_not_start(plane, api, two):
    release = operator("third", two["adhoc"].namespace)

    with pytest.raises(Refusal, match='configmap "spark-operator-third-hadoop" not found'):
        charts.apply(plane, release)

    assert not plane.process(release.key).alive()


def test_an_application_above_the_quota_is_refused_with_the_reason(api, two, namespace, eventually):
    quotas = f"/api/v1/namespaces/{namespace}/resourcequotas"
    api.create(
        quotas,
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "applications"},
            "spec": {"hard": {APPLICATIONS: "1"}},
        },
    )
    eventually(lambda: APPLICATIONS in api.get(f"{quotas}/applications").get("status", {}).get("used", {}))
    api.create(applications(namespace), make_application("first"))

    with pytest.raises(Refusal, match=f"exceeded quota: applications, requested: {APPLICATIONS}=1"):
        api.create(applications(namespace), make_application("second"))


def test_the_operator_runs_what_came_from_archer_where_nothing_else_comes_in(
    plane, api, two, until, eventually
):
    """The operator has its own rights here; Archer those of its group."""
    namespace = two["adhoc"].namespace
    archer, other = (
        Somebody(plane, "archer", [ARCHER_GROUP, "system:masters"]),
        Somebody(plane, "ann", ["system:masters"]),
    )
    undo = close(api, namespace)
    try:
        made = make_application("from-archer")
        labels = {JOB_LABEL: "06h174qde1t1vbfemf5u9mh7h4", ATTEMPT_LABEL: "1"}
        made["metadata"] |= {"labels": labels, "finalizers": [FINALIZER]}
        for role in ("driver", "executor"):
            made["spec"][role].setdefault("labels", {}).update(labels)
        probe = f"{applications(namespace)}?dryRun=All"
        eventually(lambda: other.refused("POST", probe, make_application("probe")))
        assert archer.refused("POST", applications(namespace), made) is None

        until(
            api,
            applications(namespace),
            lambda thing: thing["metadata"]["name"] == "from-archer" and submitted(thing),
        )
        driver = api.get(f"/api/v1/namespaces/{namespace}/pods/from-archer-driver")
        assert driver["metadata"]["labels"][JOB_LABEL] == labels[JOB_LABEL]
        path = f"{applications(namespace)}/from-archer"
        assert other.refused("DELETE", path) is None
        assert archer.merge(path, {"metadata": {"finalizers": []}}) is None
        # Garbage collection takes the driver with its application.
        eventually(lambda: api.get(f"/api/v1/namespaces/{namespace}/pods/from-archer-driver") is None)
    finally:
        undo()
