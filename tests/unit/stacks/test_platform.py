import json

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


@pytest.fixture
def job_policy(deploy, local):
    """Statements of what jobs may do in AWS, by id."""
    made = deploy(lambda: platform.deploy(local, slices.slice_named(local, "")))
    policy = made.named("aws:iam/rolePolicy:RolePolicy")["spark-a-spark-jobs"]["policy"]
    return {each["Sid"]: each for each in json.loads(policy)["Statement"]}


def test_jobs_add_event_logs_and_cannot_see_those_of_others(job_policy):
    about = [each for each in job_policy.values() if "event-logs" in str(each["Resource"])]

    actions = {action for each in about for action in each["Action"]}
    assert actions == {"s3:PutObject", "s3:AbortMultipartUpload"}


def test_jobs_stage_in_the_folder_of_their_namespace_and_in_no_other(job_policy):
    folder = "${aws:PrincipalTag/kubernetes-namespace}/*"

    [resource] = job_policy["WriteStaging"]["Resource"]
    assert resource.endswith(f"staging/{folder}")
    assert job_policy["FindStaging"]["Condition"] == {"StringLike": {"s3:prefix": [folder]}}


def test_roles_for_pods_are_under_the_path_of_their_environment(deploy, local):
    made = deploy(lambda: platform.deploy(local, slices.slice_named(local, "")))

    for_pods = {
        name: role
        for name, role in made.named("aws:iam/role:Role").items()
        if "pods.eks.amazonaws.com" in role["assumeRolePolicy"]
    }
    assert {"spark-a-spark-jobs", "spark-a-fluent-bit", "spark-a-history"} <= set(for_pods)
    assert {role["path"] for role in for_pods.values()} == {"/moka-local/"}


def test_values_for_a_release_that_is_not_there_are_refused_before_anything_is_registered(deploy):
    chosen = settings.parse(f"{LOCAL}\ncharts: {{values: {{yunicorn: {{}}}}}}", "stacks/local.yaml")

    with pytest.raises(CatalogError, match=r"no release 'yunicorn'; it has .*yunikorn"):
        platform.deploy(chosen, slices.slice_named(chosen, ""))
