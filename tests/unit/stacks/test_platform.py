import pytest

from components.kubernetes.catalog import CatalogError
from stacks import platform, settings, slices

LOCAL = settings.path_of("local").read_text()


@pytest.fixture
def local():
    return settings.load("local")


def names(recorder) -> set[tuple[str, str]]:
    return {(made.type, made.name) for made in recorder.made}


def test_every_layer_is_deployed_by_the_one_stack(deploy, local):
    made = deploy(lambda: platform.deploy(local, slices.slice_named(local, "")))

    releases = {m.inputs["name"] for m in made.made if m.type == "kubernetes:helm.sh/v3:Release"}
    assert releases >= {"yunikorn", "spark-operator", "ingress-nginx", "fluent-bit", "kube-state-metrics"}
    sets = {m.inputs["metadata"]["name"] for m in made.made if m.type == "kubernetes:apps/v1:StatefulSet"}
    assert sets == {"celeborn-master", "celeborn-worker"}


def test_both_architectures_have_node_groups(deploy, local):
    made = deploy(lambda: platform.deploy(local, slices.slice_named(local, "")))

    images = {m.inputs["amiType"] for m in made.made if m.type == "eks:index:ManagedNodeGroup"}
    assert images == {"AL2023_ARM_64_STANDARD", "AL2023_x86_64_STANDARD"}


def test_jobs_may_write_event_logs_and_nothing_else_in_s3(deploy, local):
    made = deploy(lambda: platform.deploy(local, slices.slice_named(local, "")))

    [policy] = [
        m.inputs["policy"]
        for m in made.made
        if m.type == "aws:iam/rolePolicy:RolePolicy" and m.name == "spark-a-spark-jobs"
    ]
    assert "s3:*" not in policy
    assert "s3:DeleteObject" not in policy
    assert "s3:PutObject" in policy


def test_values_for_a_release_that_is_not_there_are_refused_before_anything_is_registered(deploy):
    chosen = settings.parse(f"{LOCAL}\ncharts: {{values: {{yunicorn: {{}}}}}}", "stacks/local.yaml")

    with pytest.raises(CatalogError, match=r"no release 'yunicorn'; it has .*yunikorn"):
        platform.deploy(chosen, slices.slice_named(chosen, ""))
