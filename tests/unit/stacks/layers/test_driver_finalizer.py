"""Layer spark: what removes the finalizers of drivers is there before they are, and goes after them."""

import pytest
import yaml

from stacks import settings

LOCAL = yaml.safe_load(settings.path_of("local").read_text())


@pytest.fixture(scope="module")
def layer(layers):
    """Layer spark of an environment that is `local` but for its section `services`."""

    def make(driver_finalizer=None):
        services = {**LOCAL["services"], "driver_finalizer": driver_finalizer}
        text = yaml.safe_dump({**LOCAL, "services": {name: s for name, s in services.items() if s}})
        environment = settings.parse(text, "stacks/local.yaml")
        return layers(environment, "spark")

    return make


@pytest.fixture(scope="module")
def recorder(layer):
    return layer(driver_finalizer={"image": "registry.example/driver-finalizer:1"})


def request(recorder, ending):
    [match] = [request_ for place, request_ in recorder.tree().items() if place.endswith(ending)]
    return match


def test_a_job_namespace_is_deleted_before_the_service_that_removes_its_finalizers(recorder):
    space = request(recorder, "moka:kubernetes:JobNamespace::spark-a-spark-jobs")

    waits_for = {urn.split("$")[-1] for urn in space.dependencies}
    assert "kubernetes:apps/v1:Deployment::spark-a-driver-finalizer" in waits_for
    # By which the service knows of the namespace, until it is gone.
    assert "kubernetes:core/v1:ConfigMap::spark-a-driver-finalizer-spark-jobs" in waits_for


@pytest.mark.parametrize("kind", ["Role", "RoleBinding"])
def test_its_role_goes_with_the_namespace_and_not_before(recorder, kind):
    role = request(
        recorder, f"kubernetes:rbac.authorization.k8s.io/v1:{kind}::spark-a-spark-jobs-driver-finalizer"
    )

    assert role.deletedWith.endswith("moka:kubernetes:JobNamespace::spark-a-spark-jobs")


def test_where_the_settings_leave_it_out_it_is_not_deployed(layer):
    recorder = layer()

    assert "moka:kubernetes:DriverFinalizer" not in recorder.types()
    assert "moka:kubernetes:DriverFinalizerRole" not in recorder.types()
    assert "moka:kubernetes:JobNamespace" in recorder.types()
